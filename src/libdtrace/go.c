/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The start of tracing: the plan is finished and loaded into a substrate.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/refusals.h"
#include "base/str.h"
#include "base/vec.h"
#include "dt_product.h"
#include "libdtrace/dt_impl.h"

static void
dump_plan(struct dt_hdl *h)
{
	struct strbuf sb = { 0 };

	plan_dump(h->plan, &sb);
	fwrite(sb.s != NULL ? sb.s : "", 1, sb.len, h->dump.out);
	strbuf_fini(&sb);
}

/* `f` is the substrate's; NULL: it makes no such code. */
static void
dump_stage(struct dt_hdl *h, enum dt_dump stage,
    void (*f)(struct dt_exec *x, struct strbuf *out))
{
	struct strbuf sb = { 0 };

	if (!h->dump.stages[stage])
		return;
	if (f == NULL) {
		dt_notice(h,
		    "there is no stage %s to dump: the script runs in "
		    "the %s (see option substrate)",
		    dt_dump_names[stage], h->ops->name);
		return;
	}
	f(h->exec, &sb);
	fwrite(sb.s != NULL ? sb.s : "", 1, sb.len, h->dump.out);
	strbuf_fini(&sb);
}

static void
dump_exec(struct dt_hdl *h)
{
	dump_stage(h, DT_DUMP_BPF, h->ops->dump_bpf);
	dump_stage(h, DT_DUMP_X86, h->ops->dump_x86);
}

/* Option substrate: what is tried first. */
static const struct dt_exec_ops *const first_tried[] = {
	[DT_SUBSTRATE_AUTO] = &dt_exec_bpf,
	[DT_SUBSTRATE_KERNEL] = &dt_exec_bpf,
	[DT_SUBSTRATE_PROCESS] = &dt_exec_process,
	[DT_SUBSTRATE_BOTH] = &dt_exec_both,
};

CHECKED static int
try_load(struct dt_hdl *h, const struct dt_exec_ops *ops,
    const struct dt_exec_opts *opts, struct err *err)
{
	int rc;

	h->ops = ops;
	dt_log(h, "loading %zu clauses, substrate %s", h->plan->clauses.n,
	    ops->name);
	rc = ops->load(h->plan, opts, &h->compiled.diags, &h->exec, err);
	return rc != 0 ? err_default(err, rc) : 0;
}

/*
 * Message for a kernel that refuses, with the reason why processes cannot be
 * used either, if some are named. -EPERM means the kernel's refusal.
 */
static void
add_refusal(const struct dt_hdl *h, struct err *kernel, int rc,
    const struct err *process)
{
	if (rc != -EPERM && h->procs.list.n != 0)
		err_set(kernel, rc,
		    "%s; substrate process, which needs no privilege, cannot run it: %s",
		    err_text(kernel), err_text(process));
}

/*
 * If the kernel refuses permission and the user did not ask for the kernel
 * substrate, try the process substrate.
 */
static int
load_into(struct dt_hdl *h, const struct dt_exec_opts *opts)
{
	int64_t choice = dt_opt(h, DT_OPT_SUBSTRATE);
	bool is_auto = choice == DT_SUBSTRATE_AUTO;
	struct err err = { 0 }, other = { 0 };
	int rc = try_load(h, first_tried[choice], opts, &err);

	if (rc == -EPERM && is_auto) {
		rc = try_load(h, &dt_exec_process, opts, &other);
		dt_log(h, "the process substrate: %s",
		    rc != 0 ? err_text(&other) : "loaded");
		if (rc != 0)
			add_refusal(h, &err, rc, &other);
		err_clear(&other);
	}
	if (rc != 0)
		return dt_fail_err(h, &err);
	err_clear(&err);
	return 0;
}

/* An interrupt stopped the work: report nothing about work not done. */
static void
notice(void *arg, const char *text)
{
	if (!bounds_is_stopped())
		dt_notice(arg, "%s", text);
}

static void
tell(void *arg, const char *text)
{
	dt_notice(arg, "%s", text);
}

static void
log_text(void *arg, const char *text)
{
	dt_log(arg, "%s", text);
}

/* The pids of -c and -p (malloced). */
static pid_t *
pids_of(const struct dt_hdl *h)
{
	pid_t *pids = mem_alloc((h->procs.list.n + 1) * sizeof(*pids));

	for (size_t i = 0; i < h->procs.list.n; i++)
		pids[i] = h->procs.list.v[i].pid;
	return pids;
}

static int
load(struct dt_hdl *h)
{
	pid_t *pids = pids_of(h);
	struct dt_exec_opts opts = {
		.bufsize = (uint64_t)dt_opt(h, DT_OPT_BUFSIZE),
		.bufsize_set = h->opts.vals[DT_OPT_BUFSIZE].is_set,
		.aggsize_set = h->opts.vals[DT_OPT_AGGSIZE].is_set,
		.bufpolicy = (enum dt_bufpolicy)dt_opt(h, DT_OPT_BUFPOLICY),
		.bufresize_manual = dt_opt(h, DT_OPT_BUFRESIZE) != 0,
		.aggsize = (uint64_t)dt_opt(h, DT_OPT_AGGSIZE),
		.dynvarsize = (uint64_t)dt_opt(h, DT_OPT_DYNVARSIZE),
		.nspec = (uint32_t)dt_opt(h, DT_OPT_NSPEC),
		.strsize = (uint32_t)dt_opt(h, DT_OPT_STRSIZE) + 1,
		.scratchsize = (uint64_t)dt_opt(h, DT_OPT_SCRATCHSIZE),
		.cpu = h->opts.vals[DT_OPT_CPU].is_set ?
		    (int)dt_opt(h, DT_OPT_CPU) :
		    -1,
		.target = dt_proc_target(h),
		.procs = pids,
		.nprocs = h->procs.list.n,
		.follow = dt_follows(h),
		.refused = dt_registry_refusals(h->probes.registry),
		.usyms = dt_usyms(h),
		.destructive = dt_opt_flag(h, DT_OPT_DESTRUCTIVE),
		.debug = dt_opt_flag(h, DT_OPT_DEBUG),
		.bpflog = dt_opt_flag(h, DT_OPT_BPFLOG),
		.bpflogsize = (uint32_t)dt_opt(h, DT_OPT_BPFLOGSIZE),
		.notice = notice,
		.ended = dt_ending_tell_descendant,
		.tell = h->is_verbose ? tell : NULL,
		.log = dt_opt_flag(h, DT_OPT_DEBUG) ? log_text : NULL,
		.notice_arg = h,
	};
	int rc;

	rc = dt_cgroup_find(h, &h->cgroup);
	opts.cgroup = h->cgroup;
	if (rc == 0)
		rc = load_into(h, &opts);
	free(pids);
	if (rc != 0 || dt_record_start(h) != 0)
		return -1;
	if (opts.bufsize_set && h->exec->bufsize < opts.bufsize &&
	    !dt_opt_flag(h, DT_OPT_QUIETRESIZE))
		dt_notice(h, "buffer size lowered to %lluk",
		    (unsigned long long)h->exec->bufsize / 1024);
	return 0;
}

static bool
speculates(const struct plan *pl)
{
	VEC_FOREACH(&pl->clauses, pc) {
		if (plan_clause_does(pc, DIF_STEP_SPECULATE) ||
		    plan_clause_does(pc, DIF_STEP_SPEC_END))
			return true;
	}
	return false;
}

/*
 * Option lockmem: the limit of locked memory, which counts BPF maps on kernels
 * before 5.11.
 */
static int
limit_memory(struct dt_hdl *h)
{
	rlim_t want = (rlim_t)dt_opt(h, DT_OPT_LOCKMEM);
	struct rlimit r;

	if (!h->opts.vals[DT_OPT_LOCKMEM].is_set)
		return 0;
	if (getrlimit(RLIMIT_MEMLOCK, &r) == 0) {
		r.rlim_cur = want;
		r.rlim_max = r.rlim_max < want ? want : r.rlim_max;
		if (setrlimit(RLIMIT_MEMLOCK, &r) == 0)
			return 0;
	}
	return dt_fail(h,
	    "option lockmem: cannot set the limit on locked "
	    "memory to %llu bytes: %s",
	    (unsigned long long)want, strerror(errno));
}

void
dt_tell_refusals(struct dt_hdl *h)
{
	const struct refusals *r = dt_registry_refusals(h->probes.registry);
	bool is_listed = h->is_verbose;
	char *text;

	if (r->v.n == h->probes.nrefused)
		return;
	text = refusals_text(r, h->probes.nrefused, is_listed);
	dt_notice(h, "%s", text);
	free(text);
	for (size_t i = h->probes.nrefused; is_listed && i < r->v.n; i++)
		dt_notice(h, "%s cannot be probed: %s", r->v.v[i].what,
		    r->v.v[i].why);
	h->probes.nrefused = r->v.n;
}

void
dt_set_run(struct dt_hdl *h, const struct consume_run *machine)
{
	h->output.run = *machine;
	h->output.run.sources = h->output.sources.v;
	h->output.run.nsources = h->output.sources.n;
	h->output.run.remarks = h->output.remarks.v;
	h->output.run.nremarks = h->output.remarks.n;
}

/* No record is older than the run. */
static void
note_run(struct dt_hdl *h)
{
	uint64_t now = now_ns();

	uname(&h->output.uts);
	dt_set_run(h,
	    &(struct consume_run){ .product = DT_PRODUCT,
		.host = h->output.uts.nodename,
		.kernel = h->output.uts.release,
		.start_ns = now,
		.wall_ns = now + wall_offset_ns() });
}

static int
go(struct dt_hdl *h)
{
	struct err err = { 0 };
	int rc;

	if (dt_follow_check(h) != 0)
		return -1;
	dt_need_plan(h);
	plan_finish(h->plan);
	if (h->dump.stages[DT_DUMP_PLAN])
		dump_plan(h);
	note_run(h);
	if (dt_procs_turn(h) != 0 || limit_memory(h) != 0 || load(h) != 0 ||
	    dt_serve(h) != 0)
		return -1;
	if (h->opts.vals[DT_OPT_CLEANRATE].is_set && speculates(h->plan))
		h->due.clean_ns = (uint64_t)dt_opt(h, DT_OPT_CLEANRATE);
	dt_log(h, "loaded, %u CPUs with buffers of %llu bytes", h->exec->ncpus,
	    (unsigned long long)h->exec->bufsize);
	dump_exec(h);
	dt_symbols_start(h);
	dt_growth_follow(h);
	if (dt_watch_loads(h) != 0)
		return -1;
	rc = h->ops->go(h->exec, &err);
	if (rc != 0) {
		err_default(&err, rc);
		return dt_fail_err(h, &err);
	}
	if (err_is_set(&err))
		dt_notice(h, "%s", err_text(&err));
	err_clear(&err);
	dt_follow_begin(h);
	dt_tell_refusals(h);
	if (h->wait.ctl_fd >= 0 && h->ops->watch(h->exec, h->wait.ctl_fd) != 0)
		return dt_fail(
		    h, "cannot watch for records: %s", strerror(errno));
	dt_log(h, "tracing");
	return 0;
}

CHECKED static int
check_threads(struct dt_hdl *h)
{
	if (!h->opts.vals[DT_OPT_THREADS].is_set || dt_is_query(h))
		return 0;
	return dt_fail(h,
	    "option threads is about programs that ask a recording (-r FILE "
	    "-n ...), and no others");
}

int
dt_go(struct dt_hdl *h)
{
	bounds_flag *before = dt_watch(h);
	int rc = dt_flamediff_open(h);

	if (rc == 0)
		rc = check_threads(h);
	if (rc == 0)
		rc = h->fleet != NULL ? dt_fleet_go(h) :
		    dt_is_query(h)    ? dt_query_go(h) :
		    dt_is_replay(h)   ? dt_replay_go(h) :
					go(h);
	bounds_watch(before);
	return rc;
}
