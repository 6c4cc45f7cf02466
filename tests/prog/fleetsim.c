/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many agents in one process, for tests and benches of a fleet's console:
 *
 *	fleetsim [-sK] [-n HOSTS] [-k KEYS] [-g GROUPS] [-r ROUNDS] URL POLICY
 *
 * Requests, recordings and messages are made by the product's code; in place of
 * the kernel is a source of aggregations:
 *
 *	source -> tape_recorder -> a file in memory -> run.c of each host -> NATS
 *
 * Each time that an aggregation is read, which is once a second, it has had one
 * firing for each of the keys 0 to KEYS - 1, with the value of its key; after
 * ROUNDS of them it has no more, and what is missing of them comes at the end.
 * An integer key is that number, with
 * -s a number that is scattered over 32 bits (which zstd cannot shorten), and a
 * string key the host's name.  Hosts of
 * one group have one recording, with the name of the first of them: so many
 * hosts cost little more than the sending.  A host sends once a second, and the
 * hosts are spread over the second.  With -K, hosts keep nothing for a console
 * that loses a merger: a thousand would keep gigabytes.
 *
 * A line on standard output tells of each run, when it is over.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "dtraced/agent.h"
#include "dtraced/ending.h"
#include "libdtrace/dt_impl.h"

#define TURN_NS UINT64_C(100000000)
#define TURNS 10 /* of a second */
#define CHUNK ((size_t)32 << 10)
#define KEY_MAX 4096
#define VAL_MAX 65536

struct group {
	struct dt_exec x; /* the source: begins the struct */
	char *name;
	struct dt_hdl *h;
	struct tape_recorder *recorder;
	struct consume_run about;
	struct strbuf dof;
	int fd;		     /* the file that the recorder writes */
	uint64_t read, base; /* bytes of it: all; before those of `bytes` */
	struct strbuf bytes;
	uint64_t nrounds; /* of the aggregation that has most */
	uint64_t *rounds; /* by aggregation */
	bool is_ending;
};

struct host {
	char *name;
	struct group *group;
	struct run *run; /* NULL: it runs nothing */
	uint64_t at;	 /* bytes of the group's recording that were sent */
};

static struct sim {
	struct fl_bus *bus;
	struct fl_policy *policy;
	struct host *hosts;
	struct group *groups;
	size_t nhosts, ngroups, nkeys, nrounds;
	bool is_scattered, keeps_nothing;
	struct fl_request *request; /* NULL: nothing runs */
	int pipe[2];		    /* to the run that reads just now */
	uint64_t beat_ns, turn_ns;
	unsigned turn;
} sim = { .nhosts = 10, .nkeys = 100, .ngroups = 1 };

/* ---- the source ---------------------------------------------------------- */

static int
no_records(struct dt_exec *x, bool merged, dt_record_f *f, void *arg)
{
	(void)x;
	(void)merged;
	(void)f;
	(void)arg;
	return 0;
}

static uint64_t
no_drops(struct dt_exec *x, enum dt_drop kind, uint32_t cpu)
{
	(void)x;
	(void)kind;
	(void)cpu;
	return 0;
}

static void
set_key(const struct group *g, const struct plan_agg *pa, uint64_t k, char *key)
{
	if (sim.is_scattered)
		k = (uint32_t)k * 0x9e3779b1U;
	memset(key, 0, pa->key_size);
	VEC_FOREACH(&pa->keys, rec) {
		uint32_t id = strtab_intern(g->h->plan->strs, g->name);

		if (rec->store == PLAN_STR_ID)
			memcpy(key + rec->offset, &id, sizeof(id));
		else
			memcpy(key + rec->offset, &k,
			    rec->size < sizeof(k) ? rec->size : sizeof(k));
	}
}

/* The value of n firings with the value k. */
static void
set_value(const struct plan_agg *pa, uint64_t k, uint64_t n, uint64_t *val)
{
	memset(val, 0, pa->val_size);
	switch (pa->agg->kind) {
	case DT_ACT_SUM:
		val[0] = n * k;
		break;
	case DT_ACT_MIN:
	case DT_ACT_MAX:
		val[0] = k;
		break;
	case DT_ACT_AVG:
		val[0] = n;
		val[1] = n * k;
		break;
	default: /* count() */
		val[0] = n;
	}
}

static int
give_round(struct dt_exec *x, uint32_t id, dt_aggent_f *f, void *arg)
{
	struct group *g = (struct group *)x;
	const struct plan_agg *pa = &g->h->plan->aggs.v[id - 1];
	uint64_t *done = &g->rounds[id - 1], n = 1;
	uint64_t key[KEY_MAX / 8], val[VAL_MAX / 8];
	int rc = 0;

	if (sim.nrounds != 0 && (g->is_ending || *done == sim.nrounds))
		n = sim.nrounds - *done;
	*done += n;
	if (*done > g->nrounds)
		g->nrounds = *done;
	for (uint64_t k = 0; k < sim.nkeys && n != 0 && rc == 0; k++) {
		set_key(g, pa, k, (char *)key);
		set_value(pa, k, n, val);
		rc = f(id, key, val, arg);
	}
	return rc;
}

static const struct dt_exec_ops source_ops = { .name = "simulated",
	.drain = no_records,
	.agg_walk = give_round,
	.agg_turn = give_round,
	.drops = no_drops };

/* ---- a group's recording ------------------------------------------------- */

static int
compile(struct group *g, const struct fl_request *rq)
{
	static const enum lang_pspec specs[] = {
		[FL_PROGRAM_PROVIDER] = LANG_PSPEC_PROVIDER,
		[FL_PROGRAM_MODULE] = LANG_PSPEC_MOD,
		[FL_PROGRAM_FUNCTION] = LANG_PSPEC_FUNC,
		[FL_PROGRAM_NAME] = LANG_PSPEC_NAME,
	};
	const struct fl_program *p = &rq->programs.v[0];
	char name[] = "fleetsim", *argv[] = { name, NULL };
	const struct dif_prog *dif;
	struct dt_proginfo info;
	struct dt_prog *prog;

	if (rq->programs.n != 1 || p->kind == FL_PROGRAM_DOF)
		return dt_fail(g->h, "fleetsim runs one program, of D text");
	prog =
	    dt_compile_mem(g->h, p->bytes, p->size, specs[p->kind], 0, 1, argv);
	if (prog == NULL || dt_prog_exec(g->h, prog, &info) != 0)
		return -1;
	dif = prog->dif;
	plan_finish(g->h->plan);
	return dt_encode(g->h, &dif, 1, false, &g->dof);
}

static const char *
unsourced(const struct plan_agg *pa)
{
	uint16_t kind = pa->agg->kind;

	if (kind != DT_ACT_COUNT && kind != DT_ACT_SUM && kind != DT_ACT_MIN &&
	    kind != DT_ACT_MAX && kind != DT_ACT_AVG)
		return "fleetsim has count, sum, min, max and avg";
	if (pa->key_size > KEY_MAX || pa->val_size > VAL_MAX)
		return "fleetsim has no keys that are so large";
	VEC_FOREACH(&pa->keys, rec) {
		if (rec->store != PLAN_BYTES && rec->store != PLAN_STR_ID)
			return "fleetsim has integers and host as keys";
	}
	return NULL;
}

static void
ignore(void *arg, const char *text)
{
	(void)arg;
	fprintf(stderr, "fleetsim: %s\n", text);
}

static int
record(struct group *g)
{
	struct tape_run run = { .pl = g->h->plan,
		.ops = &source_ops,
		.x = &g->x,
		.dof = g->dof.s,
		.dof_len = g->dof.len,
		.about = &g->about,
		.command = "fleetsim",
		.is_fleet = true,
		.target = -1,
		.notice = ignore };
	struct err err = { 0 };
	char path[64];
	int rc;

	g->fd = memfd_create("fleetsim", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", g->fd);
	rc = tape_record(path, &run, &g->recorder, &err);
	return rc != 0 ? dt_fail_err(g->h, &err) : 0;
}

static int
group_begin(struct group *g, const struct fl_request *rq)
{
	g->h = dt_open();
	g->x = (struct dt_exec){ .ops = &source_ops, .ncpus = 1 };
	g->about = (struct consume_run){ .product = "fleetsim",
		.host = g->name,
		.kernel = "none",
		.start_ns = now_ns(),
		.wall_ns = clock_read_ns(CLOCK_REALTIME) };
	if (dt_setopt(g->h, "fleethost", g->name) != 0 || compile(g, rq) != 0)
		return -1;
	VEC_FOREACH(&g->h->plan->aggs, pa) {
		if (unsourced(pa) != NULL)
			return dt_fail(g->h, "%s", unsourced(pa));
	}
	g->rounds = mem_alloc((g->h->plan->aggs.n + 1) * sizeof(*g->rounds));
	return record(g);
}

static void
group_stop(struct group *g)
{
	struct err err = { 0 };

	g->is_ending = true;
	tape_recorder_stopped(g->recorder);
	tape_recorder_end(g->recorder, 0);
	if (tape_recorder_finish(g->recorder, &err) != 0)
		fprintf(stderr, "fleetsim: %s\n", err_text(&err));
	err_clear(&err);
}

static int
take_record(const struct dt_record *rec, void *arg)
{
	(void)rec;
	(void)arg;
	return 0;
}

static void
group_work(struct group *g)
{
	struct dt_exec *x = tape_recorder_exec(g->recorder);

	x->ops->drain(x, true, take_record, NULL);
}

/* Read what the recorder's thread has written. */
static void
group_read(struct group *g)
{
	ssize_t n;

	while ((n = pread(g->fd, strbuf_room(&g->bytes, CHUNK), CHUNK,
		    (off_t)g->read)) > 0) {
		g->bytes.len += (size_t)n;
		g->read += (uint64_t)n;
	}
}

/* Forget the bytes that all hosts of the group have sent. */
static void
group_forget(struct group *g)
{
	uint64_t least = g->read;
	size_t n;

	for (size_t i = 0; i < sim.nhosts; i++) {
		if (sim.hosts[i].group == g && sim.hosts[i].run != NULL &&
		    sim.hosts[i].at < least)
			least = sim.hosts[i].at;
	}
	n = (size_t)(least - g->base);
	memmove(g->bytes.s, g->bytes.s + n, g->bytes.len - n);
	g->bytes.len -= n;
	g->base = least;
	if (fallocate(g->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
		(off_t)least) != 0)
		return;
}

static void
group_end(struct group *g)
{
	if (g->h == NULL)
		return;
	tape_recorder_destroy(g->recorder);
	dt_close(g->h);
	if (g->fd > 0)
		close(g->fd);
	strbuf_fini(&g->bytes);
	strbuf_fini(&g->dof);
	free(g->rounds);
	*g = (struct group){ .name = g->name };
}

/* ---- hosts --------------------------------------------------------------- */

/* Send what has come of the recording. */
static void
host_send(struct host *h)
{
	const struct group *g = h->group;

	while (h->at < g->read) {
		size_t at = (size_t)(h->at - g->base);
		size_t n = g->bytes.len - at;
		ssize_t put;

		put =
		    write(sim.pipe[1], g->bytes.s + at, n < CHUNK ? n : CHUNK);
		if (put <= 0)
			return;
		h->at += (uint64_t)put;
		run_read(h->run, sim.bus);
	}
}

static void
host_begin(struct host *h, const char *id, struct fl_request *rq)
{
	h->run = run_create(id, h->name);
	h->run->script.data_fd = sim.pipe[0];
	run_take_request(h->run, rq, h->name);
	if (sim.keeps_nothing)
		h->run->route.kept_max = 0;
	h->at = 0;
	run_tell(h->run, sim.bus, FL_TRYING, NULL);
}

/* The pipe and the request are everybody's. */
static void
host_end(struct host *h)
{
	h->run->script.data_fd = -1;
	h->run->request = NULL;
	run_destroy(h->run);
	h->run = NULL;
}

/* ---- runs ---------------------------------------------------------------- */

static void
tell_run(void)
{
	uint64_t nlost = 0, bytes = 0, nparts = 0, nrounds = 0, n = 0;

	for (size_t i = 0; i < sim.nhosts; i++) {
		const struct host *h = &sim.hosts[i];

		if (h->run == NULL)
			continue;
		n++;
		nlost += h->run->nlost;
		nparts += h->run->nparts;
		bytes += h->at;
		nrounds += h->group->nrounds;
	}
	printf("hosts %llu rounds %llu parts %llu lost %llu bytes %llu\n",
	    (unsigned long long)n, (unsigned long long)nrounds,
	    (unsigned long long)nparts, (unsigned long long)nlost,
	    (unsigned long long)bytes);
	fflush(stdout);
}

static void
end_run(void)
{
	tell_run();
	for (size_t i = 0; i < sim.nhosts; i++) {
		if (sim.hosts[i].run != NULL)
			host_end(&sim.hosts[i]);
	}
	for (size_t i = 0; i < sim.ngroups; i++)
		group_end(&sim.groups[i]);
	fl_request_destroy(sim.request);
	sim.request = NULL;
}

static void
refuse_run(const char *why)
{
	for (size_t i = 0; i < sim.nhosts; i++) {
		if (sim.hosts[i].run != NULL)
			run_tell(sim.hosts[i].run, sim.bus, FL_REFUSED, why);
	}
	end_run();
}

/* The request, as the hosts that it means accept it; NULL: none does. */
static struct fl_request *
open_request(const void *bytes, size_t len, const char *id)
{
	struct fl_request *rq = NULL;
	struct err err = { 0 };

	for (size_t i = 0; i < sim.nhosts; i++) {
		struct fl_host me = { .name = sim.hosts[i].name };

		/* one agent's work for all: they have one policy */
		if (rq != NULL &&
		    !fl_host_is_meant(&me, &rq->hosts, &rq->labels))
			continue;
		if (rq == NULL)
			rq = fl_request_open(bytes, len, sim.policy, &me,
			    clock_read_ns(CLOCK_REALTIME), &err);
		if (rq != NULL)
			host_begin(&sim.hosts[i], id, rq);
		err_clear(&err);
	}
	return rq;
}

static void
begin_run(const char *id, const void *bytes, size_t len)
{
	sim.request = open_request(bytes, len, id);
	if (sim.request == NULL)
		return;
	sim.beat_ns = now_ns();
	for (size_t i = 0; i < sim.ngroups; i++) {
		if (group_begin(&sim.groups[i], sim.request) != 0) {
			refuse_run(dt_errmsg(sim.groups[i].h));
			return;
		}
	}
	for (size_t i = 0; i < sim.nhosts; i++) {
		if (sim.hosts[i].run != NULL)
			run_tell(sim.hosts[i].run, sim.bus, FL_TRACING, NULL);
	}
}

static void
stop_run(void)
{
	for (size_t i = 0; i < sim.ngroups; i++) {
		group_stop(&sim.groups[i]);
		group_read(&sim.groups[i]);
	}
	for (size_t i = 0; i < sim.nhosts; i++) {
		if (sim.hosts[i].run == NULL)
			continue;
		host_send(&sim.hosts[i]);
		run_tell(sim.hosts[i].run, sim.bus, FL_ENDED, NULL);
	}
	fl_bus_flush(sim.bus, 10000);
	end_run();
}

/* The hosts whose time of the second it is send. */
static void
work_run(void)
{
	for (size_t i = 0; i < sim.ngroups; i++) {
		group_work(&sim.groups[i]);
		group_read(&sim.groups[i]);
	}
	for (size_t i = sim.turn % TURNS; i < sim.nhosts; i += TURNS) {
		if (sim.hosts[i].run == NULL)
			continue;
		host_send(&sim.hosts[i]);
		run_tell(sim.hosts[i].run, sim.bus, FL_ALIVE, NULL);
	}
	for (size_t i = 0; i < sim.ngroups; i++)
		group_forget(&sim.groups[i]);
	sim.turn++;
}

static void
leave_merger(const struct fl_msg *msg)
{
	for (size_t i = 0; i < sim.nhosts; i++) {
		if (sim.hosts[i].run != NULL)
			route_direct(sim.hosts[i].run, sim.bus, msg);
	}
}

static void
take_letter(const struct fl_letter *letter)
{
	const char *asked = fl_subject_is_ask(letter->subject);
	const char *run = fl_subject_is_run(letter->subject);
	struct fl_msg msg;

	if (asked != NULL && sim.request == NULL)
		begin_run(asked, letter->data, letter->len);
	if (run == NULL || sim.request == NULL ||
	    !fl_msg_decode(letter->data, letter->len, &msg))
		return;
	sim.beat_ns = now_ns();
	if (msg.kind == FL_DIRECT)
		leave_merger(&msg);
	if (msg.kind == FL_STOP)
		stop_run();
}

static void
work(void)
{
	struct pollfd fd = { .fd = fl_bus_fd(sim.bus), .events = POLLIN };
	struct fl_letter letter;
	uint64_t now;

	poll(&fd, 1, 20);
	while (fl_bus_take(sim.bus, &letter))
		take_letter(&letter);
	now = now_ns();
	if (sim.request != NULL && now - sim.beat_ns > FL_SILENCE_NS)
		end_run();
	if (sim.request == NULL || now < sim.turn_ns)
		return;
	sim.turn_ns = now + TURN_NS;
	work_run();
}

/* ---- the beginning ------------------------------------------------------- */

static void
make_hosts(void)
{
	sim.hosts = mem_alloc(sim.nhosts * sizeof(*sim.hosts));
	sim.groups = mem_alloc(sim.ngroups * sizeof(*sim.groups));
	for (size_t i = 0; i < sim.nhosts; i++) {
		struct group *g = &sim.groups[i % sim.ngroups];

		sim.hosts[i].name = mem_printf("host%zu", i);
		sim.hosts[i].group = g;
		if (g->name == NULL)
			g->name = mem_strdup(sim.hosts[i].name);
	}
}

/* Each group has a file and a thread. */
static void
raise_limit(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) != 0)
		return;
	rl.rlim_cur = rl.rlim_max;
	setrlimit(RLIMIT_NOFILE, &rl);
}

static int
connect_to(const char *url, const char *policy, struct err *err)
{
	int rc;

	sim.policy = fl_policy_read(policy, err);
	if (sim.policy == NULL)
		return err->code;
	if (pipe2(sim.pipe, O_CLOEXEC | O_NONBLOCK) != 0)
		return err_set(err, -errno, "no pipe: %s", strerror(errno));
	rc =
	    fl_bus_open(&(struct fl_bus_opts){ .url = url, .name = "fleetsim" },
		&sim.bus, err);
	if (rc == 0)
		rc = fl_bus_subscribe(sim.bus, FL_SUBJECT_ASKS, err);
	return rc == 0 ? fl_bus_subscribe(sim.bus, FL_SUBJECT_RUNS, err) : rc;
}

int
main(int argc, char **argv)
{
	struct err err = { 0 };
	int opt;

	while ((opt = getopt(argc, argv, "sKn:k:g:r:")) != -1) {
		size_t *n = opt == 'n' ? &sim.nhosts :
		    opt == 'k'	       ? &sim.nkeys :
		    opt == 'g'	       ? &sim.ngroups :
					 &sim.nrounds;

		if (opt == 's')
			sim.is_scattered = true;
		else if (opt == 'K')
			sim.keeps_nothing = true;
		else
			*n = strtoull(optarg, NULL, 10);
	}
	if (argc - optind != 2 || sim.ngroups == 0 ||
	    sim.ngroups > sim.nhosts) {
		fputs("usage: fleetsim [-sK] [-n HOSTS] [-k KEYS] [-g GROUPS] "
		      "[-r ROUNDS] URL POLICY\n",
		    stderr);
		return 2;
	}
	ending_catch(SIGTERM);
	ending_catch(SIGINT);
	raise_limit();
	make_hosts();
	if (connect_to(argv[optind], argv[optind + 1], &err) != 0) {
		fprintf(stderr, "fleetsim: %s\n", err_text(&err));
		return 1;
	}
	puts("ready");
	fflush(stdout);
	while (!ending_is_asked())
		work();
	fl_bus_close(sim.bus);
	return 0;
}
