/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queries: new programs over a recording's firings (dtrace -r FILE -n ...).
 *
 *	dt_query_open -> dt_setopt -> dt_compile_* -> dt_prog_exec -> dt_go
 *	        -> { dt_work }
 *
 * The probes are the recording's, with BEGIN, END, ERROR and ticks; no other
 * provider is asked.  The recorded program has a plan of its own, by which the
 * player reads the records; exec/replay runs the new one.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "dt_product.h"
#include "libdtrace/dt_impl.h"

#define TAPES_MAX 256

bool
dt_is_query(const struct dt_hdl *h)
{
	return h->replay.is_query;
}

/* ---- probes -------------------------------------------------------------- */

static size_t
recorded_args(const struct dt_probe *p, struct dt_argdesc args[DT_NARGS_MAX])
{
	const struct record_probe *rp = p->data;
	size_t n = rp->nargs < DT_NARGS_MAX ? rp->nargs : DT_NARGS_MAX;

	for (size_t i = 0; i < n; i++)
		args[i] =
		    (struct dt_argdesc){ rp->args[i].native, rp->args[i].xlate,
			    rp->args[i].mapping, rp->args[i].is_userland };
	return n;
}

static const char *const recorded_attrs[] = {
	"Unstable/Unstable/Common",
	"Unstable/Unstable/Common",
	"Unstable/Unstable/Common",
	"Unstable/Unstable/Common",
	"Unstable/Unstable/Common",
};

static const struct dt_provider_ops recorded = {
	.name = "recording",
	.args = recorded_args,
	.privilege = DT_PRIV_USER,
	.attrs = recorded_attrs,
};

static bool
is_of_firings(const struct dif_clause *c)
{
	return c->default_action && c->actions.n != 0 &&
	    dif_action_firing(&c->actions.v[0]) >= 0;
}

/* [number of a probe]: does a clause of firings have the probe?  Malloced. */
static bool *
find_fired(const struct dt_tape *t)
{
	uint32_t nprobes = record_nprobes(t->file);
	bool *fired = mem_alloc(nprobes + 1);

	for (uint32_t epid = 1; epid <= record_nenablings(t->file); epid++) {
		const struct record_enabling *e =
		    record_enabling(t->file, epid);

		if (e != NULL && e->probe < nprobes &&
		    e->clause < t->dif->clauses.n &&
		    is_of_firings(&t->dif->clauses.v[e->clause]))
			fired[e->probe] = true;
	}
	return fired;
}

/* dtrace's own probes and ticks fire anew. */
static bool
is_own(const struct record_probe *rp)
{
	return strcmp(rp->prov, "dtrace") == 0 ||
	    (strcmp(rp->prov, "profile") == 0 &&
		strncmp(rp->name, "tick-", 5) == 0);
}

static bool
is_same_arg(const struct record_arg *a, const struct record_arg *b)
{
	return strcmp(a->native, b->native) == 0 &&
	    (a->xlate == NULL) == (b->xlate == NULL) &&
	    (a->xlate == NULL || strcmp(a->xlate, b->xlate) == 0) &&
	    a->mapping == b->mapping && a->is_userland == b->is_userland;
}

static bool
has_same_args(const struct record_probe *a, const struct record_probe *b)
{
	if (a->nargs != b->nargs)
		return false;
	for (uint32_t i = 0; i < a->nargs; i++) {
		if (!is_same_arg(&a->args[i], &b->args[i]))
			return false;
	}
	return true;
}

/* Stands for a probe whose types the recordings disagree about. */
static const struct record_probe untyped;

static void
tell_untyped(struct dt_hdl *h, const struct dt_tape *t,
    const struct record_probe *first, size_t n)
{
	if (n == 1)
		dt_notice(h,
		    "%s:%s:%s:%s has other arguments in %s than in a recording "
		    "before it, and no args[]",
		    first->prov, first->mod, first->func, first->name, t->path);
	else if (n != 0)
		dt_notice(h,
		    "%zu probes, as %s:%s:%s:%s, have other arguments in %s "
		    "than in a recording before it, and no args[]",
		    n, first->prov, first->mod, first->func, first->name,
		    t->path);
}

static size_t
add_probes(struct dt_hdl *h, const struct dt_tape *t)
{
	const struct record_probe *first = NULL;
	bool *fired = find_fired(t);
	size_t n = 0, nuntyped = 0;

	for (uint32_t i = 0; i < record_nprobes(t->file); i++) {
		const struct record_probe *rp = record_probe(t->file, i);
		struct dt_probe p = { .ops = &recorded, .kind = DT_PROBE_USDT };
		struct dt_probe *known;

		if (rp == NULL || is_own(rp) || !fired[i])
			continue;
		p.prov = rp->prov;
		p.mod = rp->mod;
		p.func = rp->func;
		p.name = rp->name;
		p.data = (void *)(uintptr_t)rp;
		known =
		    dt_registry_add_recorded(h->probes.registry, &p, rp->id);
		n++;
		if (known->data == &untyped || has_same_args(known->data, rp))
			continue;
		known->data = (void *)(uintptr_t)&untyped;
		first = nuntyped++ == 0 ? rp : first;
	}
	tell_untyped(h, t, first, nuntyped);
	free(fired);
	return n;
}

/* ---- opening ------------------------------------------------------------- */

/* The recorded run's options made its layouts; the query has its own. */
static void
forget_options(struct dt_hdl *h)
{
	dt_options_fini(&h->opts);
	dt_options_init(&h->opts);
	h->compiled.has_dof = false;
}

/* The frames that all recordings have. */
static uint32_t
frames_of(const struct dt_hdl *h, enum plan_store store)
{
	uint32_t least = UINT32_MAX;

	VEC_FOREACH(&h->replay.tapes, t) {
		uint32_t n = rp_frames(t->plan, store);

		least = n < least ? n : least;
	}
	return least;
}

/* A stack() or ustack() without a number gets all recorded frames. */
static void
take_frames(struct dt_hdl *h)
{
	uint32_t kernel = frames_of(h, PLAN_STACK);
	uint32_t user = frames_of(h, PLAN_USTACK);

	h->replay.frames = kernel;
	h->replay.uframes = user;
	if (kernel != 0)
		h->opts.vals[DT_OPT_STACKFRAMES].num = kernel;
	if (user != 0)
		h->opts.vals[DT_OPT_USTACKFRAMES].num =
		    h->opts.vals[DT_OPT_JSTACKFRAMES].num = user;
}

static int
make_player(struct dt_hdl *h, struct dt_tape *t)
{
	struct err err = { 0 };

	dt_need_plan(h);
	t->plan = h->plan;
	h->plan = NULL;
	if (plan_add_program(t->plan, t->dif, &h->compiled.diags) != 0)
		return dt_fail(h, "the recorded program cannot be enabled");
	if (tape_play(t->file, t->plan, &t->player, &err) != 0)
		return dt_fail_err(h, &err);
	return 0;
}

int
dt_query_open(struct dt_hdl *h, const char *path)
{
	struct dt_tape *t;

	if (h->replay.tapes.n == TAPES_MAX)
		return dt_fail(
		    h, "%u recordings at a time are the limit", TAPES_MAX);
	h->replay.is_query = true;
	t = dt_tape_open(h, path);
	if (t == NULL || make_player(h, t) != 0)
		return -1;
	forget_options(h);
	take_frames(h);
	dt_registry_set_can_arm(h->probes.registry, NULL);
	dt_registry_set_recorded(h->probes.registry);
	if (add_probes(h, t) == 0)
		return dt_fail(h,
		    "the recording %s has no firings: --record=FILE with a "
		    "probe description that has no body (-n 'syscall:::') "
		    "records them",
		    path);
	return 0;
}

/* ---- loading ------------------------------------------------------------- */

static uint64_t
wall_offset(void *arg)
{
	const struct consume_book *b = tape_player_book(arg);

	return b->wall_offset(b->arg);
}

static const char *
find_args(void *arg, uint64_t pid)
{
	const struct consume_book *b = tape_player_book(arg);
	const struct record_name *n = b->find(b->arg, RECORD_NAME_ARGS, pid, 0);

	return n != NULL && n->is_found ? n->name : NULL;
}

/* The tapes as the substrate sees them.  Malloced. */
static struct rp_tape *
tapes_of(const struct dt_hdl *h)
{
	struct rp_tape *tapes = mem_alloc(h->replay.tapes.n * sizeof(*tapes));

	for (size_t i = 0; i < h->replay.tapes.n; i++) {
		const struct dt_tape *t = &h->replay.tapes.v[i];
		const struct record_machine *m = record_machine(t->file);

		tapes[i] = (struct rp_tape){ .pl = t->plan,
			.host = m->host,
			.ncpus = m->ncpus,
			.start_ns = m->time_ns + t->shift_ns,
			.shift_ns = t->shift_ns,
			.find_args = find_args,
			.wall_offset = wall_offset,
			.arg = t->player };
	}
	return tapes;
}

/* ---- parts --------------------------------------------------------------- */

static struct rp_reader *
reader_create(void *arg)
{
	const struct dt_hdl *h = arg;

	return (struct rp_reader *)tape_reader_create(
	    h->replay.tapes.v[0].player);
}

static void
reader_destroy(struct rp_reader *rd)
{
	tape_reader_destroy((struct tape_reader *)rd);
}

static int
take_part(void *arg, struct rp_part **outp, bool *grew)
{
	struct dt_hdl *h = arg;
	struct dt_tape *t = &h->replay.tapes.v[0];
	uint32_t agg;
	int rc =
	    tape_player_take_part(t->player, (struct record_part **)outp, grew);

	if (rc < 0 && tape_player_next(t->player, &agg) == TAPE_ERROR) {
		dt_notice(h, "%s", tape_player_text(t->player));
		rc = 0;
	}
	return rc;
}

static void
grow(void *arg, struct rp_reader *const *readers, size_t n)
{
	const struct dt_hdl *h = arg;

	tape_player_grow(h->replay.tapes.v[0].player,
	    (struct tape_reader *const *)readers, n);
}

static int
play_part(
    struct rp_reader *rd, struct rp_part *part, dt_record_f *f, void *farg)
{
	return tape_reader_play(
	    (struct tape_reader *)rd, (struct record_part *)part, f, farg);
}

static void
end_part(void *arg, struct rp_part *part)
{
	const struct dt_hdl *h = arg;

	tape_player_end_part(
	    h->replay.tapes.v[0].player, (struct record_part *)part);
}

static const struct rp_parts parts = {
	.reader_create = reader_create,
	.reader_destroy = reader_destroy,
	.take = take_part,
	.grow = grow,
	.play = play_part,
	.end = end_part,
};

/* The value of option threads, or the number of CPUs that dtrace may use. */
static uint32_t
nthreads(const struct dt_hdl *h)
{
	cpu_set_t cpus;

	if (h->opts.vals[DT_OPT_THREADS].is_set)
		return (uint32_t)dt_opt(h, DT_OPT_THREADS);
	if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0)
		return 1;
	return CPU_COUNT(&cpus) < RP_MAX_THREADS ? (uint32_t)CPU_COUNT(&cpus) :
						   RP_MAX_THREADS;
}

/* ---- the substrate ------------------------------------------------------- */

static void
tell(void *arg, const char *text)
{
	dt_notice(arg, "%s", text);
}

static int
load(struct dt_hdl *h)
{
	struct rp_tape *tapes = tapes_of(h);
	struct dt_exec_opts opts = {
		.bufsize = (uint64_t)dt_opt(h, DT_OPT_BUFSIZE),
		.bufpolicy = (enum dt_bufpolicy)dt_opt(h, DT_OPT_BUFPOLICY),
		.dynvarsize = (uint64_t)dt_opt(h, DT_OPT_DYNVARSIZE),
		.nspec = (uint32_t)dt_opt(h, DT_OPT_NSPEC),
		.strsize = (uint32_t)dt_opt(h, DT_OPT_STRSIZE) + 1,
		.scratchsize = (uint64_t)dt_opt(h, DT_OPT_SCRATCHSIZE),
		.notice = tell,
		.tell = h->is_verbose ? tell : NULL,
		.notice_arg = h,
	};
	const struct rp_source src = { .tapes = tapes,
		.ntapes = (uint32_t)h->replay.tapes.n,
		.has_one_space = dt_tapes_are_of_one_boot(h),
		.read = dt_tapes_read,
		.parts = &parts,
		.nthreads = nthreads(h),
		.arg = h };
	struct err err = { 0 };
	int rc;

	h->ops = &dt_exec_replay;
	rc = rp_load(h->plan, &opts, &src, &h->exec, &err);
	free(tapes);
	return rc != 0 ? dt_fail_err(h, &err) : 0;
}

/* "one, two": the names of all machines, or of their kernels, once each. */
static char *
join_names(const struct dt_hdl *h, const char *(*of)(const struct dt_tape *))
{
	struct strbuf sb = { 0 };

	for (size_t i = 0; i < h->replay.tapes.n; i++) {
		const char *name = of(&h->replay.tapes.v[i]);
		size_t k = 0;

		while (k < i && strcmp(of(&h->replay.tapes.v[k]), name) != 0)
			k++;
		if (k == i)
			strbuf_printf(&sb, "%s%s", i != 0 ? ", " : "", name);
	}
	return strbuf_steal(&sb);
}

static const char *
host_of(const struct dt_tape *t)
{
	return record_machine(t->file)->host;
}

static const char *
kernel_of(const struct dt_tape *t)
{
	return record_machine(t->file)->release;
}

int
dt_query_go(struct dt_hdl *h)
{
	const struct record_machine *m =
	    record_machine(h->replay.tapes.v[0].file);
	uint64_t shift;

	if (h->opts.vals[DT_OPT_RECORD].is_set)
		return dt_fail(
		    h, "option record: a replay makes no recording of its own");
	dt_need_plan(h);
	plan_finish(h->plan);
	dt_tapes_join(h);
	if (load(h) != 0)
		return -1;
	h->replay.hosts = join_names(h, host_of);
	h->replay.kernels = join_names(h, kernel_of);
	shift = h->replay.tapes.v[0].shift_ns;
	/* host and kernel are the recording's, the product is this one */
	dt_set_run(h,
	    &(struct consume_run){ .product = DT_PRODUCT,
		.host = h->replay.hosts,
		.kernel = h->replay.kernels,
		.start_ns = m->time_ns + shift,
		.wall_ns = m->wall_ns });
	dt_replay_tell_machines(h);
	dt_replay_tell_damage(h);
	return 0;
}

/* ---- work ---------------------------------------------------------------- */

static enum dt_work
finish(struct dt_hdl *h)
{
	struct consumer *c = h->output.consumer;
	int rc, drops = 0;

	h->ops->stop(h->exec);
	h->ops->end(h->exec);
	rc = consumer_finish(c, &h->end.status);
	if (rc >= 0)
		drops = consumer_report_drops(c);
	if (rc >= 0 && drops >= 0)
		drops = consumer_end(c, h->end.status);
	h->end.is_done = true;
	dt_replay_tell_damage(h);
	if (rc < 0 || drops < 0)
		return dt_cannot_consume(h, rc < 0 ? rc : drops);
	return DT_WORK_DONE;
}

enum dt_work
dt_query_work(struct dt_hdl *h, FILE *out)
{
	bounds_flag *before;
	int rc;

	if (h->end.is_done)
		return DT_WORK_DONE;
	dt_need_consumer(h, out);
	if (h->wait.is_interrupted)
		return finish(h);
	before = dt_watch(h);
	rc = consumer_work(h->output.consumer, &h->end.status);
	bounds_watch(before);
	if (rc < 0)
		return dt_cannot_consume(h, rc);
	return rc > 0 || rp_has_ended(h->exec) ? finish(h) : DT_WORK_OKAY;
}
