/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handle: the state of a tracing session, and its life.
 *
 *	dt_open -> dt_setopt, dt_proc_* -> dt_compile_* -> dt_prog_exec
 *	        -> dt_go -> dt_proc_continue -> { dt_sleep -> dt_work } -> dt_close
 *
 * Nothing is read or opened before it is needed: features that a script does
 * not use cost nothing at start-up.  All waiting is in dt_sleep(), on the
 * substrate and on one epoll set, which has the pidfd of each process and an
 * eventfd for dt_interrupt(), so that no reason to end is seen late or lost to
 * a race.
 */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/confine.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/refusals.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"

extern char **environ;

/* ---- messages ----------------------------------------------------------- */

/*
 * Messages contain names of files and functions, which the traced program may
 * have chosen to contain control sequences of a terminal.
 */
static void __attribute__((format(printf, 3, 0)))
add_message(struct strbuf *to, const char *keep, const char *fmt, va_list ap)
{
	struct strbuf sb = { 0 };
	char *text;

	strbuf_vprintf(&sb, fmt, ap);
	text = strbuf_steal(&sb);
	strbuf_add_plain(to, text, keep);
	free(text);
}

int
dt_fail(struct dt_hdl *h, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	va_start(ap, fmt);
	add_message(&sb, "\n\t", fmt, ap); /* messages of the kernel may have
					    * several lines */
	va_end(ap);
	strbuf_fini(&h->messages.error);
	h->messages.error = sb;
	strbuf_reset(&h->messages.classic);
	return -1;
}

int
dt_fail_err(struct dt_hdl *h, struct err *err)
{
	dt_fail(h, "%s", err_text(err));
	err_clear(err);
	return -1;
}

const char *
dt_errmsg(const struct dt_hdl *h)
{
	return h->messages.error.s != NULL ? h->messages.error.s : "";
}

const char *
dt_errclassic(const struct dt_hdl *h)
{
	return h->messages.classic.len != 0 ? h->messages.classic.s : "";
}

void
dt_notice(struct dt_hdl *h, const char *fmt, ...)
{
	va_list ap;

	strbuf_adds(&h->messages.notices, "dtrace: ");
	va_start(ap, fmt);
	add_message(&h->messages.notices, "", fmt, ap);
	va_end(ap);
	strbuf_addc(&h->messages.notices, '\n');
}

const char *
dt_notices(struct dt_hdl *h)
{
	strbuf_fini(&h->messages.shown_notices);
	h->messages.shown_notices = h->messages.notices;
	memset(&h->messages.notices, 0, sizeof(h->messages.notices));
	return h->messages.shown_notices.s != NULL ?
	    h->messages.shown_notices.s :
	    "";
}

void
dt_log(struct dt_hdl *h, const char *fmt, ...)
{
	va_list ap;

	if (!dt_opt_flag(h, DT_OPT_DEBUG))
		return;
	fprintf(stderr, "dtrace: debug: %10.3f ms: ",
	    (double)(now_ns() - h->opened_ns) / 1000000);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* ---- options ------------------------------------------------------------ */

int
dt_setopt(struct dt_hdl *h, const char *name, const char *value)
{
	struct err err = { 0 };

	if (dt_options_set(&h->opts, name, value, h->exec != NULL, &err) != 0)
		return dt_fail_err(h, &err);
	dt_log(h, "option %s%s%s", name, value != NULL ? "=" : "",
	    value != NULL ? value : "");
	dt_update_consumer(h);
	return 0;
}

static int
setopt_env(struct dt_hdl *h, const char *var, const char *rest)
{
	const char *eq = strchr(rest, '=');
	char *name =
	    mem_strndup(rest, eq != NULL ? (size_t)(eq - rest) : strlen(rest));
	struct err err = { 0 };
	int rc;

	for (char *p = name; *p != '\0'; p++) {
		if (*p >= 'A' && *p <= 'Z')
			*p += 'a' - 'A';
	}
	rc = dt_options_set(&h->opts, name,
	    eq != NULL && eq[1] != '\0' ? eq + 1 : NULL, false, &err);
	if (dt_options_find(name) == DT_OPT_MAX) { /* an option of
							 * another DTrace */
		dt_options_note(&h->opts,
		    mem_printf("environment variable "
			       "%.*s: %s",
			(int)strcspn(var, "="), var, err_text(&err)));
		err_clear(&err);
		rc = 0;
	}
	free(name);
	if (rc != 0) {
		dt_fail(h, "environment variable %.*s: %s",
		    (int)strcspn(var, "="), var, err_text(&err));
		err_clear(&err);
	}
	return rc != 0 ? -1 : 0;
}

int
dt_setopt_env(struct dt_hdl *h)
{
	static const char prefix[] = "DTRACE_OPT_";

	for (char **e = environ; e != NULL && *e != NULL; e++) {
		if (strncmp(*e, prefix, sizeof(prefix) - 1) == 0 &&
		    setopt_env(h, *e, *e + sizeof(prefix) - 1) != 0)
			return -1;
	}
	return 0;
}

int
dt_getopt(struct dt_hdl *h, const char *name, int64_t *value)
{
	enum dt_opt opt = dt_options_find(name);

	if (opt == DT_OPT_MAX)
		return dt_fail(h, "there is no option '%s'", name);
	*value = h->opts.vals[opt].has_value ? dt_opt(h, opt) : DT_OPT_UNSET;
	return 0;
}

void
dt_set_verbose(struct dt_hdl *h)
{
	h->is_verbose = true;
}

void
dt_notice_options(struct dt_hdl *h)
{
	VEC_FOREACH(&h->opts.notes, note) {
		dt_notice(h, "%s", *note);
		free(*note);
	}
	h->opts.notes.n = 0;
}

const char *const dt_dump_names[DT_DUMP_MAX] = {
#define DT_DUMP(NAME, name) [DT_DUMP_##NAME] = name,
#include "libdtrace/dumps.def"
#undef DT_DUMP
};

static int
set_one_dump(struct dt_hdl *h, const char *stage, size_t len)
{
	struct strbuf all = { 0 };

	for (enum dt_dump i = 0; i < DT_DUMP_MAX; i++) {
		if (strlen(dt_dump_names[i]) == len &&
		    memcmp(dt_dump_names[i], stage, len) == 0) {
			h->dump.stages[i] = true;
			strbuf_fini(&all);
			return 0;
		}
		strbuf_printf(&all, " %s", dt_dump_names[i]);
	}
	dt_fail(h, "there is no stage '%.*s' to dump; stages are%s", (int)len,
	    stage, all.s);
	strbuf_fini(&all);
	return -1;
}

int
dt_set_dump(struct dt_hdl *h, const char *stages, FILE *out)
{
	h->dump.out = out;
	for (;;) {
		size_t len = strcspn(stages, ",");

		if (set_one_dump(h, stages, len) != 0)
			return -1;
		if (stages[len] == '\0')
			return 0;
		stages += len + 1;
	}
}

/* ---- enabling ----------------------------------------------------------- */

/* The caller frees it. */
static char *
destructive_action(const struct dif_clause *c, struct diag_span *span)
{
	VEC_FOREACH(&c->actions, a) {
		*span = a->span;
		if (DT_ACT_IS_DESTRUCTIVE(a->kind))
			return mem_printf("%s()", dif_act(a->kind)->name);
		if (a->difo != NULL && a->difo->is_destructive)
			return mem_strdup("a subroutine");
	}
	return NULL;
}

static int
check_destructive(struct dt_hdl *h, const struct dt_prog *p)
{
	struct diag_span span;
	const char *file;

	if (dt_opt_flag(h, DT_OPT_DESTRUCTIVE))
		return 0;
	VEC_FOREACH(&p->dif->clauses, c) {
		char *what = destructive_action(c, &span);
		uint32_t line;
		int rc;

		if (what == NULL)
			continue;
		line = diag_line(&h->compiled.diags, span, &file);
		if (line == 0) /* the program came without its source */
			rc = dt_fail(h,
			    "destructive actions not allowed: %s "
			    "in clause %zu changes the system; -w permits it",
			    what, (size_t)(c - p->dif->clauses.v) + 1);
		else
			rc = dt_fail(h,
			    "destructive actions not allowed: %s "
			    "in line %u changes the system; -w permits it",
			    what, line);
		free(what);
		return rc;
	}
	return 0;
}

void
dt_need_plan(struct dt_hdl *h)
{
	struct plan_opts opts = {
		.strsize = (uint32_t)dt_opt(h, DT_OPT_STRSIZE),
		.stackframes = (uint32_t)dt_opt(h, DT_OPT_STACKFRAMES),
		.maxframes = h->opts.vals[DT_OPT_MAXFRAMES].is_set ?
		    (uint32_t)dt_opt(h, DT_OPT_MAXFRAMES) :
		    0,
		.ustackframes = (uint32_t)dt_opt(h, DT_OPT_USTACKFRAMES),
		.jstackframes = (uint32_t)dt_opt(h, DT_OPT_JSTACKFRAMES),
		.jstackstrsize = (uint32_t)dt_opt(h, DT_OPT_JSTACKSTRSIZE),
		.printsize = (uint32_t)dt_opt(h, DT_OPT_PRINTSIZE),
		.pcapsize = (uint32_t)dt_opt(h, DT_OPT_PCAPSIZE),
	};

	if (h->plan == NULL)
		h->plan = plan_create(&opts);
}

int
dt_prog_exec(struct dt_hdl *h, struct dt_prog *p, struct dt_proginfo *info)
{
	size_t base;

	assert(!h->probes.lists_names);
	if (dt_link(h, p->dif) != 0 || check_destructive(h, p) != 0)
		return -1;
	dt_need_plan(h);
	base = h->plan->clauses.n;
	if (plan_add_program(h->plan, p->dif, &h->compiled.diags) != 0)
		return dt_fail(h, "the program cannot be enabled");
	dt_log(h, "enabled a program of %zu clauses", p->dif->clauses.n);
	info->matches = 0;
	p->first_clause = base;
	p->is_enabled = true;
	for (size_t i = 0; i < p->dif->clauses.n; i++) {
		struct plan_clause *pc = &h->plan->clauses.v[base + i];

		pc->may_grow = dt_match_may_grow(p, i);
		VEC_FOREACH(&p->matches[i].probes, probe)
			plan_clause_add_probe(pc, *probe);
		if (!dt_match_is_repeated(p, i))
			info->matches += (uint32_t)p->matches[i].probes.n;
	}
	dt_notice_legacy(h, p);
	return 0;
}

/* ---- a descriptor for others to wait on --------------------------------- */

bool
dt_has_switchrate(const struct dt_hdl *h)
{
	return h->opts.vals[DT_OPT_SWITCHRATE].is_set;
}

/*
 * The time at which held-back records (others may overtake them) are due; 0:
 * there are none, or they are not due before the next switch.
 */
static uint64_t
held_deadline(const struct dt_hdl *h)
{
	uint64_t pending;

	if (dt_has_switchrate(h) || h->exec == NULL)
		return h->due.held;
	pending = h->ops->pending_ns(h->exec);
	return pending != 0 ? now_ns() + pending : 0;
}

/* The latest time of the next work. */
static uint64_t
next_deadline(const struct dt_hdl *h)
{
	uint64_t until = h->due.buffers, held = held_deadline(h);

	if (h->due.aggs < until)
		until = h->due.aggs;
	if (h->due.status < until)
		until = h->due.status;
	if (h->procs.nalive != 0 && h->due.stuck < until)
		until = h->due.stuck;
	if (h->due.clean_ns != 0 && h->due.clean < until)
		until = h->due.clean;
	if (held != 0 && held < until)
		until = held;
	if (h->due.refresh_ns != 0 && h->due.refresh < until)
		until = h->due.refresh;
	if (h->growth.is_followed && now_ns() + DT_GROWTH_NS < until)
		until = now_ns() + DT_GROWTH_NS;
	return until;
}

static uint64_t
ctl_deadline(const struct dt_hdl *h)
{
	return h->exec != NULL && dt_must_end(h) ? 0 : next_deadline(h);
}

static int
watch(int epoll_fd, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN };

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &ev);
}

/* A deadline of 0 has passed: due at once. */
void
dt_set_ctl_timer(struct dt_hdl *h)
{
	uint64_t until = ctl_deadline(h);
	struct itimerspec its = {
		.it_value = { .tv_sec = (time_t)(until / 1000000000),
		    .tv_nsec = until != 0 ? (long)(until % 1000000000) : 1 }
	};

	if (h->wait.ctl_timer >= 0)
		timerfd_settime(
		    h->wait.ctl_timer, TFD_TIMER_ABSTIME, &its, NULL);
}

int
dt_ctl_fd(struct dt_hdl *h)
{
	if (h->wait.ctl_fd >= 0)
		return h->wait.ctl_fd;
	h->wait.ctl_fd = epoll_create1(EPOLL_CLOEXEC);
	h->wait.ctl_timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (h->wait.ctl_fd < 0 || h->wait.ctl_timer < 0 ||
	    watch(h->wait.ctl_fd, h->wait.ctl_timer) != 0 ||
	    watch(h->wait.ctl_fd, h->wait.epoll_fd) != 0 ||
	    (h->exec != NULL && h->ops->watch(h->exec, h->wait.ctl_fd) != 0)) {
		dt_fail(h, "cannot make a descriptor to wait on: %s",
		    strerror(errno));
		dt_fd_close(&h->wait.ctl_fd);
		dt_fd_close(&h->wait.ctl_timer);
		return -1;
	}
	dt_set_ctl_timer(h);
	return h->wait.ctl_fd;
}

/* ---- running ------------------------------------------------------------ */

static void
dump_plan(struct dt_hdl *h)
{
	struct strbuf sb = { 0 };

	plan_dump(h->plan, &sb);
	fwrite(sb.s != NULL ? sb.s : "", 1, sb.len, h->dump.out);
	strbuf_fini(&sb);
}

/* Print the dump of the substrate: each has its own stage. */
static void
dump_exec(struct dt_hdl *h)
{
	bool is_process = h->ops->is_in_process;
	enum dt_dump mine = is_process ? DT_DUMP_X86 : DT_DUMP_BPF;
	enum dt_dump other = is_process ? DT_DUMP_BPF : DT_DUMP_X86;
	struct strbuf sb = { 0 };

	if (h->dump.stages[other])
		dt_notice(h,
		    "there is no stage %s to dump: the script runs in "
		    "the %s (see option substrate)",
		    dt_dump_names[other], h->ops->name);
	if (!h->dump.stages[mine])
		return;
	h->ops->dump(h->exec, &sb);
	fwrite(sb.s != NULL ? sb.s : "", 1, sb.len, h->dump.out);
	strbuf_fini(&sb);
}

/* Option substrate. */
enum { SUBSTRATE_AUTO, SUBSTRATE_KERNEL, SUBSTRATE_PROCESS };

static int
try_load(struct dt_hdl *h, const struct dt_exec_ops *ops,
    const struct dt_exec_opts *opts, struct err *err)
{
	int rc;

	h->ops = ops;
	dt_log(h, "loading %zu clauses into the %s", h->plan->clauses.n,
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
	bool is_process = dt_opt(h, DT_OPT_SUBSTRATE) == SUBSTRATE_PROCESS;
	bool is_auto = dt_opt(h, DT_OPT_SUBSTRATE) == SUBSTRATE_AUTO;
	struct err err = { 0 }, other = { 0 };
	int rc = try_load(
	    h, is_process ? &dt_exec_process : &dt_exec_bpf, opts, &err);

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
		.refused = dt_registry_refusals(h->probes.registry),
		.usyms = dt_usyms(h),
		.destructive = dt_opt_flag(h, DT_OPT_DESTRUCTIVE),
		.debug = dt_opt_flag(h, DT_OPT_DEBUG),
		.bpflog = dt_opt_flag(h, DT_OPT_BPFLOG),
		.bpflogsize = (uint32_t)dt_opt(h, DT_OPT_BPFLOGSIZE),
		.notice = notice,
		.ended = dt_ending_tell_descendant,
		.log = dt_opt_flag(h, DT_OPT_DEBUG) ? log_text : NULL,
		.notice_arg = h,
	};
	int rc;

	rc = load_into(h, &opts);
	free(pids);
	if (rc != 0)
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

static int
go(struct dt_hdl *h)
{
	struct err err = { 0 };
	int rc;

	dt_need_plan(h);
	plan_finish(h->plan);
	if (h->dump.stages[DT_DUMP_PLAN])
		dump_plan(h);
	if (limit_memory(h) != 0 || load(h) != 0)
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
	dt_tell_refusals(h);
	if (h->wait.ctl_fd >= 0 && h->ops->watch(h->exec, h->wait.ctl_fd) != 0)
		return dt_fail(
		    h, "cannot watch for records: %s", strerror(errno));
	dt_log(h, "tracing");
	return 0;
}

int
dt_go(struct dt_hdl *h)
{
	bounds_flag *before = dt_watch(h);
	int rc = go(h);

	bounds_watch(before);
	return rc;
}

/*
 * Match the clauses again.  A process may map a file between the matching of
 * two clauses: repeat until nothing is new, since neighbouring places in a file
 * have to be planned together.
 */
static int
match_all_again(struct dt_hdl *h)
{
	size_t before;

	do {
		before = h->plan->late.n;
		VEC_FOREACH(&h->compiled.progs, p) {
			if ((*p)->is_enabled && dt_match_again(h, *p) != 0)
				return -1;
		}
	} while (h->plan->late.n != before);
	return 0;
}

static int
grow(struct dt_hdl *h)
{
	size_t before;
	struct err err = { 0 };
	int rc;

	if (h->exec == NULL || h->end.is_stopped)
		return 0;
	before = h->plan->late.n;
	if (match_all_again(h) != 0)
		return -1;
	if (h->plan->late.n == before)
		return 0;
	dt_log(h, "%zu enablings of new probes", h->plan->late.n - before);
	rc = h->ops->grow(h->exec, &err);
	if (rc != 0) {
		err_default(&err, rc);
		return dt_fail_err(h, &err);
	}
	return (int)(h->plan->late.n - before);
}

/* An interrupt gives no message: its sender knows about it. */
int
dt_grow(struct dt_hdl *h)
{
	bounds_flag *before = dt_watch(h);
	int rc = grow(h);

	if (bounds_is_stopped())
		rc = 0;
	bounds_watch(before);
	return rc;
}

int
dt_stop(struct dt_hdl *h)
{
	int rc;

	if (h->end.is_stopped || h->exec == NULL)
		return 0;
	h->end.is_stopped = true;
	dt_log(h, "stopping");
	/* the substrate forgets the code that it put into the processes */
	dt_procs_look(h);
	rc = h->ops->stop(h->exec);
	if (rc < 0)
		return dt_fail(h, "cannot stop tracing: %s", strerror(-rc));
	dt_set_ctl_timer(h);
	return 0;
}

int
dt_end(struct dt_hdl *h)
{
	/* if a buffer is still full, there is no room for END's record */
	int rc = consumer_work(h->output.consumer, &h->end.status);

	if (rc == -ECANCELED)
		return rc;
	if (h->end.is_ended)
		return 0;
	h->end.is_ended = true;
	rc = h->ops->end(h->exec);
	if (rc < 0)
		dt_fail(h, "cannot stop tracing: %s", strerror(-rc));
	return rc;
}

static void
take_events(struct dt_hdl *h)
{
	struct epoll_event ev;

	while (epoll_wait(h->wait.epoll_fd, &ev, 1, 0) == 1) {
		if (ev.data.u64 == DT_EV_INTERRUPT)
			return; /* not reset: tracing is about to end */
		if (ev.data.u64 == DT_EV_SIDEBAND) {
			sideband_drain(h->symbols.sideband);
			continue;
		}
		dt_procs_poll(h, (pid_t)ev.data.u64);
	}
}

bool
dt_must_end(const struct dt_hdl *h)
{
	return h->end.is_stopped || h->wait.is_interrupted ||
	    h->ops->exiting(h->exec) ||
	    (h->procs.list.n > h->procs.nforgotten && h->procs.nalive == 0);
}

void
dt_sleep(struct dt_hdl *h)
{
	uint64_t now = now_ns(), until = next_deadline(h);
	bounds_flag *before = dt_watch(h);

	if (!dt_must_end(h) && until > now) {
		int rc = h->ops->wait(h->exec, until - now, h->wait.epoll_fd);

		h->wait.error = rc != -EINTR ? rc : 0;
	}
	bounds_watch(before);
	dt_symbols_note(h);
	dt_see_loads(h);
	take_events(h);
}

/* ---- consuming ---------------------------------------------------------- */

static int setopt_action(
    void *arg, const char *name, const char *value, struct err *err);

static struct consume_opts
consume_opts(struct dt_hdl *h)
{
	return (struct consume_opts){
		.quiet = dt_opt_flag(h, DT_OPT_QUIET),
		.flowindent = dt_opt_flag(h, DT_OPT_FLOWINDENT),
		.rawbytes = dt_opt_flag(h, DT_OPT_RAWBYTES),
		.aggsortkey = dt_opt_flag(h, DT_OPT_AGGSORTKEY),
		.aggsortrev = dt_opt_flag(h, DT_OPT_AGGSORTREV),
		.aggsortpos = (uint32_t)dt_opt(h, DT_OPT_AGGSORTPOS),
		.aggsortkeypos = (uint32_t)dt_opt(h, DT_OPT_AGGSORTKEYPOS),
		.agghist = dt_opt_flag(h, DT_OPT_AGGHIST),
		.aggpack = dt_opt_flag(h, DT_OPT_AGGPACK),
		.aggzoom = dt_opt_flag(h, DT_OPT_AGGZOOM),
		.aggpercpu = dt_opt_flag(h, DT_OPT_AGGPERCPU),
		.utf8 = dt_opt(h, DT_OPT_ENCODING) == 1,
		.stackindent = (uint32_t)dt_opt(h, DT_OPT_STACKINDENT),
		.json = dt_opt(h, DT_OPT_OFORMAT) == 1,
		.specsize = (uint64_t)dt_opt(h, DT_OPT_SPECSIZE),
		.nspec = (uint32_t)dt_opt(h, DT_OPT_NSPEC),
		.temporal = dt_opt_flag(h, DT_OPT_TEMPORAL),
		.destructive = dt_opt_flag(h, DT_OPT_DESTRUCTIVE),
		.droptags = dt_opt_flag(h, DT_OPT_DROPTAGS),
		.allfaults = dt_opt_flag(h, DT_OPT_ALLFAULTS),
		.bufsize = (uint64_t)dt_opt(h, DT_OPT_BUFSIZE),
		.aggsize = (uint64_t)dt_opt(h, DT_OPT_AGGSIZE),
		.dynvarsize = (uint64_t)dt_opt(h, DT_OPT_DYNVARSIZE),
		.jstackstrsize = (uint64_t)dt_opt(h, DT_OPT_JSTACKSTRSIZE),
		.types = cg_session_types(h->compiled.cg),
		.noresolve = dt_opt_flag(h, DT_OPT_NORESOLVE),
		.setopt = setopt_action,
		.setopt_arg = h,
		.agg_keep = h->output.agg_keep,
		.usyms = dt_opt_flag(h, DT_OPT_NORESOLVE) ? NULL : dt_usyms(h),
		.target = dt_proc_target(h) > 0 ? (pid_t)dt_proc_target(h) : 0,
		.hooks = h->output.hooks,
		.hooks_arg = h->output.hooks_arg,
	};
}

void
dt_update_consumer(struct dt_hdl *h)
{
	struct consume_opts opts;

	if (h->output.consumer == NULL)
		return;
	opts = consume_opts(h);
	consumer_set_opts(h->output.consumer, &opts);
}

/* setopt() in a script: called by the consumer, so there is a consumer. */
static int
setopt_action(void *arg, const char *name, const char *value, struct err *err)
{
	struct dt_hdl *h = arg;
	enum dt_opt opt = dt_options_find(name);
	int64_t old = opt != DT_OPT_MAX ? dt_opt(h, opt) : 0;

	if (dt_options_set(&h->opts, name, value, true, err) != 0)
		return -1;
	dt_update_consumer(h);
	if (h->output.hooks != NULL)
		consumer_answer(h->output.consumer,
		    h->output.hooks->setopt(
			h->output.hooks_arg, name, old, dt_opt(h, opt)));
	return 0;
}

void
dt_need_consumer(struct dt_hdl *h, FILE *out)
{
	struct consume_opts opts = consume_opts(h);

	if (h->output.consumer != NULL)
		return;
	h->output.consumer =
	    consumer_create(h->plan, h->ops, h->exec, &opts, out, stderr);
	consumer_set_lookup(
	    h->output.consumer, h->output.lookup, h->output.lookup_arg);
	if (h->opts.vals[DT_OPT_AGGREFRESH].is_set && !opts.json &&
	    isatty(fileno(out)))
		h->due.refresh_ns = (uint64_t)dt_opt(h, DT_OPT_AGGREFRESH);
}

struct consumer *
dt_formatter(struct dt_hdl *h)
{
	struct plan_opts po = { .strsize =
				    (uint32_t)dt_opt(h, DT_OPT_STRSIZE) };
	struct consume_opts opts = consume_opts(h);

	if (h->output.consumer != NULL)
		return h->output.consumer;
	opts.hooks = NULL;
	opts.aggpercpu = false;
	if (h->output.formatter == NULL) {
		h->output.format_plan = plan_create(&po);
		h->output.formatter = consumer_create(
		    h->output.format_plan, h->ops, NULL, &opts, stderr, stderr);
		consumer_set_lookup(h->output.formatter, h->output.lookup,
		    h->output.lookup_arg);
	}
	consumer_set_opts(h->output.formatter, &opts);
	return h->output.formatter;
}

/*
 * If the deadline has passed, set it anew from now.  Returns whether it had
 * passed.
 */
static bool
is_due(uint64_t *deadline, uint64_t now, uint64_t period)
{
	if (now < *deadline)
		return false;
	*deadline = now + period;
	return true;
}

/* A callback of the API that ended consuming has set the error itself. */
static enum dt_work
cannot_consume(struct dt_hdl *h, int rc)
{
	if (rc != -ECANCELED)
		dt_fail(h, "cannot %s: %s",
		    consumer_has_unread(h->output.consumer) ?
			"read aggregations" :
			"write the output",
		    rc == -EBADF ? "it is closed" : strerror(-rc));
	return DT_WORK_ERROR;
}

static enum dt_work
finish(struct dt_hdl *h)
{
	int rc, drops = 0;

	if (h->due.refresh_ns != 0)
		consumer_clear_screen(h->output.consumer);
	if (dt_stop(h) != 0 || dt_end(h) < 0)
		return DT_WORK_ERROR;
	rc = consumer_finish(h->output.consumer, &h->end.status);
	if (rc != -ECANCELED)
		drops = consumer_report_drops(h->output.consumer);
	dt_procs_look(h);
	h->end.is_done = rc != -ECANCELED && drops != -ECANCELED;
	dt_log(h, "all is printed; status %d", dt_exit_status(h));
	if (rc < 0)
		return cannot_consume(h, rc);
	return drops < 0 ? cannot_consume(h, drops) : DT_WORK_DONE;
}

/*
 * Are the buffers to be read?  At once if they may hold data, unless the user
 * set a rate; then at that rate.  Also when held-back records are due, and when
 * half of a buffer is used.
 */
static bool
must_switch(struct dt_hdl *h, uint64_t now)
{
	bool is_held = h->due.held != 0 && now >= h->due.held;

	if (!dt_has_switchrate(h) || is_held || now >= h->due.buffers ||
	    (h->due.clean_ns != 0 && now >= h->due.clean))
		return true;
	return h->ops->is_filling(h->exec);
}

static int
switch_buffers(struct dt_hdl *h, uint64_t now)
{
	uint64_t rate = (uint64_t)dt_opt(h, DT_OPT_SWITCHRATE), pending;
	int rc;

	if (!must_switch(h, now))
		return 0;
	rc = consumer_work(h->output.consumer, &h->end.status);
	h->due.held = 0;
	pending = h->ops->pending_ns(h->exec);
	if (is_due(&h->due.buffers, now, rate) && pending != 0)
		h->due.held = now_ns() + pending;
	is_due(&h->due.clean, now, h->due.clean_ns);
	return rc;
}

/* At aggrate; sooner if keys arrive so fast that their buffer would be full. */
static void
take_aggs(struct dt_hdl *h, uint64_t now)
{
	const struct dt_exec_ops *ops = h->ops;
	bool is_filling =
	    ops->aggs_are_filling != NULL && ops->aggs_are_filling(h->exec);

	if (is_due(&h->due.aggs, now, (uint64_t)dt_opt(h, DT_OPT_AGGRATE)) ||
	    is_filling)
		consumer_take_aggs(h->output.consumer);
}

enum dt_work
dt_work(struct dt_hdl *h, FILE *out)
{
	uint64_t now = now_ns();
	int rc;

	if (h->end.is_done)
		return DT_WORK_DONE;
	bounds_set_max((uint64_t)dt_opt(h, DT_OPT_ANALYSISMAX));
	dt_need_consumer(h, out);
	if (dt_must_end(h))
		return finish(h);
	dt_growth_work(h);
	dt_stuck_look(h);
	dt_tell_refusals(h);
	if (h->symbols.sideband != NULL)
		sideband_drain(h->symbols.sideband);
	rc = switch_buffers(h, now);
	if (rc < 0)
		return cannot_consume(h, rc);
	if (rc > 0)
		return finish(h);
	if (h->wait.error != 0) {
		dt_fail(h, "cannot sleep, or run tick probes: %s",
		    strerror(-h->wait.error));
		return DT_WORK_ERROR;
	}
	if (h->due.refresh_ns != 0 &&
	    is_due(&h->due.refresh, now, h->due.refresh_ns))
		consumer_refresh(h->output.consumer);
	take_aggs(h, now);
	if (is_due(&h->due.status, now, (uint64_t)dt_opt(h, DT_OPT_STATUSRATE)))
		rc = consumer_report_drops(h->output.consumer);
	dt_set_ctl_timer(h);
	return rc < 0 ? cannot_consume(h, rc) : DT_WORK_OKAY;
}

void
dt_interrupt(struct dt_hdl *h)
{
	int saved = errno;
	uint64_t one = 1;

	h->wait.is_interrupted = 1;
	/* it fails only if the descriptor is already readable */
	if (write(h->wait.interrupt_fd, &one, sizeof(one)) < 0)
		h->wait.is_interrupted = 1;
	errno = saved;
}

int
dt_exit_status(struct dt_hdl *h)
{
	return h->end.status == 0 && h->ending.is_bad ? 1 : h->end.status;
}

/* ---- probes ------------------------------------------------------------- */

void
dt_list_names(struct dt_hdl *h, bool is_enough)
{
	h->probes.lists_names = is_enough;
}

int
dt_probe_iter(
    struct dt_hdl *h, const struct dif_pdesc *desc, dt_probe_f *f, void *arg)
{
	bounds_flag *before;
	struct err err = { 0 };
	int rc;

	if (dt_libs_list_for_desc(h, desc) != 0)
		return -1;
	before = dt_watch(h);
	rc = dt_registry_list(h->probes.registry, desc, f, arg, &err);
	bounds_watch(before);
	if (err_is_set(&err)) {
		dt_fail_err(h, &err);
		return -1;
	}
	return rc;
}

struct dt_registry *
dt_registry(struct dt_hdl *h)
{
	return h->probes.registry;
}

/* ---- life --------------------------------------------------------------- */

static int
open_events(struct dt_hdl *h)
{
	struct epoll_event ev = { .events = EPOLLIN,
		.data.u64 = DT_EV_INTERRUPT };

	h->wait.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	h->wait.interrupt_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (h->wait.epoll_fd < 0 || h->wait.interrupt_fd < 0)
		return -1;
	return epoll_ctl(
	    h->wait.epoll_fd, EPOLL_CTL_ADD, h->wait.interrupt_fd, &ev);
}

struct dt_hdl *
dt_open(void)
{
	struct dt_hdl *h = mem_alloc(sizeof(*h));

	dt_options_init(&h->opts);
	h->opened_ns = now_ns();
	if (getenv("DTRACE_DEBUG") != NULL)
		dt_setopt(h, "debug", NULL);
	arena_init(&h->compiled.arena);
	diags_init(&h->compiled.diags);
	h->compiled.cg = cg_session_create();
	h->probes.registry = dt_registry_create();
	h->ops = &dt_exec_bpf;
	/* Who runs the script is decided when all has been matched; what the
	 * kernel cannot arm is refused before. */
	dt_registry_set_can_arm(h->probes.registry, dt_exec_bpf.can_arm);
	h->dump.out = stderr;
	h->wait.ctl_fd = h->wait.ctl_timer = h->ending.kmsg_fd = -1;
	if (open_events(h) != 0) {
		dt_close(h);
		return NULL;
	}
	return h;
}

void
dt_close(struct dt_hdl *h)
{
	consumer_destroy(h->output.consumer);
	consumer_destroy(h->output.formatter);
	plan_destroy(h->output.format_plan);
	if (h->exec != NULL)
		h->ops->destroy(h->exec);
	dt_symbols_stop(h);
	dt_procs_close(h);
	dt_growth_fini(h);
	confine_end();
	plan_destroy(h->plan);
	dt_progs_close(h);
	dt_libs_close(h);
	dt_missing_free(h);
	cg_session_destroy(h->compiled.cg);
	dt_registry_destroy(h->probes.registry);
	diags_fini(&h->compiled.diags);
	arena_fini(&h->compiled.arena);
	dt_options_fini(&h->opts);
	strbuf_fini(&h->messages.error);
	strbuf_fini(&h->messages.classic);
	strbuf_fini(&h->messages.notices);
	strbuf_fini(&h->messages.shown_notices);
	VEC_FREE(&h->watched);
	if (h->wait.epoll_fd >= 0)
		close(h->wait.epoll_fd);
	if (h->wait.interrupt_fd >= 0)
		close(h->wait.interrupt_fd);
	if (h->wait.ctl_timer >= 0)
		close(h->wait.ctl_timer);
	if (h->wait.ctl_fd >= 0)
		close(h->wait.ctl_fd);
	free(h);
}
