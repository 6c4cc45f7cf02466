/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Both substrates at once: one plan, whose clauses run in processes where that
 * gives the kernel's answer, and in the kernel elsewhere.
 *
 *	plan --> split --> part of processes --> exec/process \
 *		  split.c  part of the kernel --> exec/bpf	--> consumer
 *						  records.c, data.c
 *
 * EPIDs, layouts and ids are those of the one plan, so the consumer sees one
 * substrate.
 */
#include "exec/both/impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/privilege.h"
#include "base/procstatus.h"
#include "base/vec.h"

/* ---- loading --------------------------------------------------------- */

static void
part_fini(struct both_part *part)
{
	if (part->x != NULL)
		part->ops->destroy(part->x);
	plan_part_destroy(part->plan);
	both_queue_fini(&part->queue);
	VEC_FREE(&part->loaders);
	*part = (struct both_part){ 0 };
}

static void
both_destroy(struct dt_exec *e)
{
	struct both_exec *x = both_of(e);

	BOTH_FOREACH(x, part)
	part_fini(part);
	if (x->opts.shared != NULL)
		close(x->split.shared.fd);
	both_split_fini(&x->split);
	if (x->epoll_fd >= 0)
		close(x->epoll_fd);
	free(x);
}

/* Load the clauses of one place, and ERROR's. */
CHECKED static int
load_part(struct both_exec *x, enum both_where where, struct err *err)
{
	struct both_part *part = &x->parts[x->nparts];
	bool *has = mem_alloc((x->pl->clauses.n + 1) * sizeof(*has));
	int rc;

	for (size_t i = 0; i < x->pl->clauses.n; i++)
		has[i] = x->split.choices[i].where == where ||
		    x->split.choices[i].where == BOTH_EACH;
	part->ops = where == BOTH_PROCESS ? &dt_exec_process : &dt_exec_bpf;
	part->plan = plan_part_create(x->pl, has);
	free(has);
	rc =
	    part->ops->load(&part->plan->pl, &x->opts, x->diags, &part->x, err);
	if (rc == 0)
		x->nparts++;
	else
		part_fini(part);
	return rc;
}

/* Make the memory of the variables that both parts have. */
static void
create_shared(struct both_exec *x)
{
	struct exec_shared *sh = &x->split.shared;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	LIBBPF_OPTS(bpf_map_create_opts, o, .map_flags = BPF_F_MMAPABLE);

	if (sh->v.n == 0)
		return;
	exec_shared_lay_out(sh, page);
	sh->fd = bpf_map_create(
	    BPF_MAP_TYPE_ARRAY, "dt_shared", 4, (uint32_t)sh->len, 1, &o);
	if (sh->fd >= 0)
		x->opts.shared = sh;
	else
		both_split_undo(&x->split,
		    mem_printf("the kernel gives no memory for variables that "
			       "both parts have: %s",
			strerror(errno)));
}

/* A refusal by the process substrate is a reason to use the kernel. */
static void
load_processes(struct both_exec *x)
{
	struct err err = { 0 };

	if (x->split.has_process && load_part(x, BOTH_PROCESS, &err) != 0)
		both_split_undo(&x->split, mem_strdup(err_text(&err)));
	err_clear(&err);
}

/* Tell `text`, or nothing if that is NULL; frees it. */
static void
tell(const struct both_exec *x, char *text)
{
	if (text != NULL && x->opts.tell != NULL)
		x->opts.tell(x->opts.notice_arg, text);
	free(text);
}

static void
note_choices(struct both_exec *x)
{
	for (size_t i = 0; i < x->pl->clauses.n; i++) {
		x->pl->clauses.v[i].in_process =
		    x->split.choices[i].where == BOTH_PROCESS;
		tell(x, both_split_text(&x->split, i));
	}
	tell(x, both_split_shared_text(&x->split));
}

/* Take the largest number of CPUs, and the smallest buffers. */
static void
join_sizes(struct both_exec *x)
{
	BOTH_FOREACH(x, part)
	{
		if (part->x->ncpus > x->e.ncpus)
			x->e.ncpus = part->x->ncpus;
		if (x->e.bufsize == 0 || part->x->bufsize < x->e.bufsize)
			x->e.bufsize = part->x->bufsize;
	}
}

CHECKED static int
check_privilege(struct err *err)
{
	char *why;

	if (dt_privilege_has(DT_PRIV_KERNEL))
		return 0;
	why = dt_privilege_refusal(DT_PRIV_KERNEL, "substrate both");
	err_set(err, -EACCES,
	    "%s: run dtrace with sudo, or use -x substrate=process", why);
	free(why);
	return -EACCES;
}

/* Are dtrace and the process in the first PID namespace? */
static bool
has_same_ids(pid_t pid)
{
	char ids[128];

	return proc_is_first_pidns() &&
	    proc_status(pid, "NSpid", ids, sizeof(ids)) &&
	    strchr(ids, '\t') == NULL;
}

/* Options for which the answer of a clause would depend on where it runs. */
static void
limit_split(struct both_exec *x)
{
	if (x->opts.follow && x->split.has_process)
		both_split_undo(&x->split,
		    mem_strdup(
			"with option follow, descendants are the kernel's"));
	if (x->opts.cgroup.id != 0 && x->split.has_process)
		both_split_undo(&x->split,
		    mem_strdup("the kernel knows at each firing which control "
			       "group the thread is in"));
}

CHECKED static int
both_load(struct plan *pl, const struct dt_exec_opts *opts, struct diags *diags,
    struct dt_exec **outp, struct err *err)
{
	const struct both_asks asks = { .refuses = dt_exec_process.refuses,
		.may_enter = dt_exec_process.may_enter,
		.has_same_ids = has_same_ids };
	struct both_exec *x;
	int rc = check_privilege(err);

	if (rc != 0)
		return rc;
	x = mem_alloc(sizeof(*x));
	x->e.ops = &dt_exec_both;
	x->pl = pl;
	x->opts = *opts;
	x->diags = diags;
	x->epoll_fd = x->extra_fd = -1;
	both_split_init(&x->split, pl, diags, &asks);
	limit_split(x);
	create_shared(x);
	load_processes(x);
	if (x->split.has_kernel)
		rc = load_part(x, BOTH_KERNEL, err);
	if (rc != 0) {
		both_destroy(&x->e);
		return rc;
	}
	note_choices(x);
	join_sizes(x);
	*outp = &x->e;
	return 0;
}

static bool
both_exiting(struct dt_exec *e)
{
	struct both_exec *x = both_of(e);

	BOTH_FOREACH(x, part)
	{
		if (part->ops->exiting(part->x))
			return true;
	}
	return false;
}

/* ---- while tracing --------------------------------------------------- */

static void
watch_extra(struct both_exec *x, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN };

	if (fd < 0 || fd == x->extra_fd)
		return;
	if (x->extra_fd >= 0)
		epoll_ctl(x->epoll_fd, EPOLL_CTL_DEL, x->extra_fd, NULL);
	if (epoll_ctl(x->epoll_fd, EPOLL_CTL_ADD, fd, &ev) == 0)
		x->extra_fd = fd;
}

/* Sleep in the first part; then each other one does its work. */
static int
both_wait(struct dt_exec *e, uint64_t timeout_ns, int extra_fd)
{
	struct both_exec *x = both_of(e);
	struct both_part *sleeper = &x->parts[0];
	int first_rc;

	if (x->nparts == 1)
		return sleeper->ops->wait(sleeper->x, timeout_ns, extra_fd);
	watch_extra(x, extra_fd);
	BOTH_FOREACH(x, part)
	{
		uint64_t rest = part->ops->rest_ns != NULL ?
		    part->ops->rest_ns(part->x) :
		    UINT64_MAX;

		timeout_ns = rest < timeout_ns ? rest : timeout_ns;
	}
	first_rc = sleeper->ops->wait(sleeper->x, timeout_ns, x->epoll_fd);
	for (size_t i = 1; i < x->nparts; i++) {
		int rc = x->parts[i].ops->wait(x->parts[i].x, 0, -1);

		first_rc = first_rc != 0 ? first_rc : rc;
	}
	return first_rc;
}

static int
both_watch(struct dt_exec *e, int epoll_fd)
{
	struct both_exec *x = both_of(e);
	int rc = 0;

	BOTH_FOREACH(x, part)
	{
		if (rc == 0)
			rc = part->ops->watch(part->x, epoll_fd);
	}
	return rc;
}

/* ---- ending ---------------------------------------------------------- */

static int
both_stop(struct dt_exec *e)
{
	struct both_exec *x = both_of(e);
	int first_rc = 0;

	for (size_t i = x->nparts; i-- > 0;) {
		int rc = x->parts[i].ops->stop(x->parts[i].x);

		first_rc = first_rc != 0 ? first_rc : rc;
	}
	x->is_stopped = true;
	return first_rc;
}

/* One of the parts has all clauses of END. */
static int
both_end(struct dt_exec *e)
{
	struct both_exec *x = both_of(e);
	int rc = 0;

	BOTH_FOREACH(x, part)
	{
		if (rc == 0)
			rc = part->ops->end(part->x);
	}
	return rc;
}

/* ---- the rest -------------------------------------------------------- */

static void
both_dump_bpf(struct dt_exec *e, struct strbuf *out)
{
	struct both_exec *x = both_of(e);

	BOTH_FOREACH(x, part)
	{
		if (part->ops->dump_bpf != NULL)
			part->ops->dump_bpf(part->x, out);
	}
}

static void
both_dump_x86(struct dt_exec *e, struct strbuf *out)
{
	struct both_exec *x = both_of(e);

	BOTH_FOREACH(x, part)
	{
		if (part->ops->dump_x86 != NULL)
			part->ops->dump_x86(part->x, out);
	}
}

static const struct dt_exec_code_ops code_ops = {
	.watch_loads = both_watch_loads,
	.has_loads = both_has_loads,
	.resume = both_resume,
	.root_of = both_root_of,
	.let_go = both_let_go,
	.met = both_met,
};

const struct dt_exec_ops dt_exec_both = {
	.name = "both",
	.code = &code_ops,
	.is_in_process = true,
	.load = both_load,
	.go = both_go,
	.grow = both_grow,
	.look_back = both_look_back,
	.stop = both_stop,
	.end = both_end,
	.wait = both_wait,
	.watch = both_watch,
	.pending_ns = both_pending_ns,
	.is_filling = both_is_filling,
	.drain = both_drain,
	.agg_walk = both_agg_walk,
	.agg_turn = both_agg_turn,
	.agg_fill = both_agg_fill,
	.aggs_are_filling = both_aggs_are_filling,
	.drops = both_drops,
	.lost = both_lost,
	.most = both_most,
	.idle = both_idle,
	.exiting = both_exiting,
	.dump_bpf = both_dump_bpf,
	.dump_x86 = both_dump_x86,
	.destroy = both_destroy,
};
