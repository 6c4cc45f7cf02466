/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arm uprobes: in bulk where the kernel has multi-uprobes, one by one as perf
 * events elsewhere.
 *
 * dtrace names files to the kernel by open descriptors, so nothing depends on
 * file names.
 */
#include "exec/bpf/attach.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/perf_event.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/ownfailure.h"
#include "base/refusals.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/bpf/session/jumped.h"
#include "exec/bpf/site.h"

/* union bpf_attr, link_create.uprobe_multi, which <linux/bpf.h> of 6.1 lacks
 * (include/uapi/linux/bpf.h, Linux 6.6). */
struct uprobe_multi_attr {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t cnt, multi_flags, pid, pad;
};

/* Shift of the offset of the counter of a site's tracers in a perf event's
 * config: /sys/bus/event_source/devices/uprobe/format/ref_ctr_offset. */
#define REF_CTR_SHIFT 32

static int
create_multi(struct uprobe_multi_attr *attr)
{
	int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, attr, sizeof(*attr));

	return fd < 0 ? -errno : fd;
}

/* ---- what the kernel has ------------------------------------------------ */

/* Written once, by find_multi(), under `once`; read only afterwards. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_multi;

static bool
answers(struct uprobe_multi_attr *attr, int error)
{
	int rc = create_multi(attr);

	return rc == error || is_own_failure(-rc);
}

/*
 * Try a link to "/".  A kernel that knows multi-uprobe links answers that "/"
 * is no file with code; others reject the attach type.  Kernels before 6.10 are
 * not used: they apply the process filter to a thread.  They take -1 for the
 * number of a process that does not exist; later ones reject it as invalid.
 * If memory is short, a link counts as possible: arming will say so.
 */
static void
find_multi(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, o,
	    .expected_attach_type = (enum bpf_attach_type)BX_UPROBE_MULTI);
	uint64_t offset = 0;
	struct uprobe_multi_attr attr = { .attach_type = BX_UPROBE_MULTI,
		.path = (uintptr_t) "/",
		.offsets = (uintptr_t)&offset,
		.cnt = 1 };
	int fd = bpf_prog_load(
	    BPF_PROG_TYPE_KPROBE, "dtrace_multi", "GPL", insns, 2, &o);

	if (fd < 0) {
		has_multi = is_own_failure(-fd);
		return;
	}
	attr.prog_fd = (uint32_t)fd;
	has_multi = answers(&attr, -EBADF);
	attr.pid = (uint32_t)-1;
	has_multi &= answers(&attr, -EINVAL);
	close(fd);
}

bool
bx_uprobe_has_multi(void)
{
	pthread_once(&once, find_multi);
	return has_multi;
}

/* ---- what to arm -------------------------------------------------------- */

struct attach_uprobe_place {
	const struct dt_probe *probe;
	const struct dt_usite *site;
	uint64_t off; /* offset in the site's file */
	uint64_t cookie;
};

struct places {
	VEC(struct attach_uprobe_place) v;
};

static struct attach_uprobe_place
find_place(const struct bx_arming *a, const struct dt_probe *p,
    const struct dt_usite *s, uint64_t cookie)
{
	struct bx_place at = bx_place_of(a->places, p, s);

	return (struct attach_uprobe_place){ p, s, at.off,
		(uint32_t)cookie | (uint64_t)at.word << 32 };
}

/* Add the places of a probe's sites: of its firings, or of the questions
 * whether it is enabled. */
static void
take_probe(
    struct places *ps, const struct bx_arming *a, size_t i, bool is_enabled)
{
	const struct dt_probe *p = a->probes[i];

	VEC_FOREACH(&p->up->sites, s) {
		if (s->is_enabled == is_enabled)
			VEC_PUSH(
			    &ps->v, find_place(a, p, s, a->first_cookie + i));
	}
}

static void
take_probes(struct places *ps, const struct bx_arming *a, bool is_enabled)
{
	for (size_t i = 0; i < a->n; i++)
		take_probe(ps, a, i, is_enabled);
}

/* Order by file and process: each run of equal ones becomes a link. */
static int
compare_places(const void *pa, const void *pb)
{
	const struct attach_uprobe_place *a = pa, *b = pb;

	if (a->site->file->fd != b->site->file->fd)
		return a->site->file->fd < b->site->file->fd ? -1 : 1;
	if (a->probe->up->pid != b->probe->up->pid)
		return a->probe->up->pid < b->probe->up->pid ? -1 : 1;
	return 0;
}

/* Does the error mean that no probe can be on that instruction? */
static bool
is_refusal(int err)
{
	return err == -ENOTSUP || err == -524; /* ENOTSUPP */
}

CHECKED static int
arm_error(const struct attach_uprobe_place *p, int code, struct err *err)
{
	struct strbuf name = { 0 };

	dt_probe_format(p->probe, &name);
	if (code == -ESRCH)
		err_set(err, code, "%s: process %d has ended", name.s,
		    (int)p->probe->up->pid);
	else if (code == -EPERM || code == -EACCES)
		err_set(err, code,
		    "%s: no permission to plant probes in programs%s", name.s,
		    bx_needs(-code));
	else if (is_refusal(code))
		err_set(err, code,
		    "%s: the kernel cannot put a probe on the instruction at offset 0x%llx of %s",
		    name.s, (unsigned long long)p->off, p->site->file->path);
	else
		err_set(err, code,
		    "%s: cannot put a probe at offset 0x%llx of %s: %s", name.s,
		    (unsigned long long)p->off, p->site->file->path,
		    strerror(-code));
	strbuf_fini(&name);
	return code;
}

static void
file_name(const struct dt_ufile *file, char name[32])
{
	snprintf(name, 32, "/proc/self/fd/%d", file->fd);
}

/* ---- many at once ------------------------------------------------------- */

/* Arm n places of one file and process.  Returns the link or -errno. */
static int
link_run(const struct attach_uprobe_place *places, size_t n, int prog_fd)
{
	uint64_t *offs = mem_alloc(n * sizeof(*offs));
	uint64_t *cookies = mem_alloc(n * sizeof(*cookies));
	uint64_t *semaphores = mem_alloc(n * sizeof(*semaphores));
	char name[32];
	struct uprobe_multi_attr attr = { .prog_fd = (uint32_t)prog_fd,
		.attach_type = BX_UPROBE_MULTI,
		.path = (uintptr_t)name,
		.offsets = (uintptr_t)offs,
		.cookies = (uintptr_t)cookies,
		.ref_ctr_offsets = (uintptr_t)semaphores,
		.cnt = (uint32_t)n,
		.pid = (uint32_t)places->probe->up->pid };
	int fd;

	file_name(places->site->file, name);
	for (size_t i = 0; i < n; i++) {
		offs[i] = places[i].off;
		cookies[i] = places[i].cookie;
		semaphores[i] = places[i].site->semaphore;
	}
	fd = create_multi(&attr);
	free(offs);
	free(cookies);
	free(semaphores);
	return fd;
}

/* Places per call; a signal cannot interrupt the call. */
#define RUN_MAX 4096

CHECKED static int
stopped(struct err *err)
{
	return err_set(err, -EINTR, "%s", BOUNDS_STOPPED);
}

/* Find the place that the kernel refuses.  It refuses the whole call, so search
 * by halves. */
static const struct attach_uprobe_place *
find_refused(const struct attach_uprobe_place *places, size_t n, int prog_fd)
{
	while (n > 1) {
		int fd = link_run(places, n / 2, prog_fd);

		if (fd < 0) {
			n /= 2;
			continue;
		}
		close(fd);
		places += n / 2;
		n -= n / 2;
	}
	return places;
}

/* Note a place that the kernel refuses because of its instruction.  False: the
 * error is of another kind. */
static bool
leave_out(
    struct refusals *refused, const struct attach_uprobe_place *p, int err)
{
	struct strbuf name = { 0 };

	if (refused == NULL || !is_refusal(err))
		return false;
	dt_probe_format(p->probe, &name);
	refusals_add(refused, strbuf_steal(&name),
	    mem_strdup("the kernel puts no probe on such an instruction"));
	return true;
}

/*
 * Has the process of the place ended, and there are places in others?  It is
 * left out then, as a whole.
 */
static bool
leave_out_process(struct refusals *refused, const struct places *ps,
    const struct attach_uprobe_place *p, int err)
{
	struct strbuf name = { 0 };
	pid_t pid = p->probe->up->pid;
	bool is_alone = true;

	VEC_FOREACH(&ps->v, other)
		is_alone = is_alone && other->probe->up->pid == pid;
	if (err != -ESRCH || refused == NULL || is_alone)
		return false;
	dt_probe_format(p->probe, &name);
	refusals_add(refused, strbuf_steal(&name),
	    mem_printf("process %d has ended", (int)pid));
	return true;
}

/* Each refused place costs a search.  Few are refused: matching already skips
 * instructions that no kernel takes (x86_can_probe()). */
#define LEFT_OUT_MAX 100

CHECKED static int
arm_run(const struct places *ps, struct attach_uprobe_place *places, size_t n,
    int prog_fd, struct bx_fds *fds, struct refusals *refused, struct err *err)
{
	for (size_t nleft = 0; n != 0; nleft++) {
		int fd = link_run(places, n, prog_fd);
		const struct attach_uprobe_place *bad;

		if (fd >= 0) {
			if (n > BX_SMALL_LINK)
				VEC_PUSH(&fds->large, fd);
			else
				VEC_PUSH(&fds->fds, fd);
			return 0;
		}
		if (leave_out_process(refused, ps, &places[0], fd))
			return 0;
		bad = find_refused(places, n, prog_fd);
		if (nleft == LEFT_OUT_MAX || !leave_out(refused, bad, fd))
			return arm_error(bad, fd, err);
		n--;
		memmove(&places[bad - places], bad + 1,
		    (n - (size_t)(bad - places)) * sizeof(*bad));
	}
	return 0;
}

/* ---- one by one --------------------------------------------------------- */

/* An event of one process covers all of its threads: the filter is its address
 * space, and programs run before the kernel checks the thread. */
static int
open_event(const struct attach_uprobe_place *p, int type)
{
	char name[32];
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = (uint32_t)type,
		.config = p->site->semaphore << REF_CTR_SHIFT,
		.config1 = (uintptr_t)name,
		.config2 = p->off };
	pid_t pid = p->probe->up->pid;
	int fd;

	file_name(p->site->file, name);
	fd = (int)syscall(SYS_perf_event_open, &attr, pid != 0 ? pid : -1,
	    pid != 0 ? -1 : 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int
link_event(const struct attach_uprobe_place *p, int type, int prog_fd)
{
	LIBBPF_OPTS(
	    bpf_link_create_opts, o, .perf_event.bpf_cookie = p->cookie);
	int event = open_event(p, type), fd;

	if (event < 0)
		return event;
	fd = bpf_link_create(prog_fd, event, BPF_PERF_EVENT, &o);
	close(event); /* the link holds the event */
	return fd;
}

/* Raise the descriptor limit as far as allowed: each place takes one. */
static void
raise_limit(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) != 0)
		return;
	rl.rlim_cur = rl.rlim_max;
	setrlimit(RLIMIT_NOFILE, &rl);
}

CHECKED static int
arm_each(const struct places *ps, int prog_fd, struct bx_fds *fds,
    struct refusals *refused, struct err *err)
{
	int type = bx_event_type("uprobe");

	if (type < 0)
		return bx_event_error("uprobe", type, err);
	raise_limit();
	VEC_FOREACH(&ps->v, p) {
		int fd = bounds_is_stopped() ? stopped(err) :
					       link_event(p, type, prog_fd);

		if (fd == -EMFILE) {
			return err_set(err, fd,
			    "%zu probes are more than this process may have open files; raise the limit (ulimit -n)",
			    ps->v.n);
		}
		if (fd == -EINTR)
			return fd;
		if (fd < 0 &&
		    (leave_out(refused, p, fd) ||
			leave_out_process(refused, ps, p, fd)))
			continue;
		if (fd < 0)
			return arm_error(p, fd, err);
		VEC_PUSH(&fds->fds, fd);
	}
	return 0;
}

/* ------------------------------------------------------------------------- */

CHECKED static int
arm_runs(const struct places *ps, int prog_fd, struct bx_fds *fds,
    struct refusals *refused, struct err *err)
{
	int rc = 0;

	for (size_t i = 0, n; rc == 0 && i < ps->v.n; i += n) {
		if (bounds_is_stopped())
			return stopped(err);
		for (n = 1; n < RUN_MAX && i + n < ps->v.n; n++) {
			if (compare_places(&ps->v.v[i], &ps->v.v[i + n]) != 0)
				break;
		}
		rc = arm_run(ps, &ps->v.v[i], n, prog_fd, fds, refused, err);
	}
	return rc;
}

#define IS_JUMPED "another dtrace, with -x substrate=process, has a jump there"

/* A place where another dtrace has a jump: it is left out, or an error. */
CHECKED static int
refuse_jumped(const struct attach_uprobe_place *p, struct refusals *refused,
    struct err *err)
{
	struct strbuf name = { 0 };

	dt_probe_format(p->probe, &name);
	if (refused == NULL) {
		err_set(
		    err, -EBUSY, "%s: " IS_JUMPED "; end that first", name.s);
		strbuf_fini(&name);
		return -EBUSY;
	}
	refusals_add(refused, strbuf_steal(&name), mem_strdup(IS_JUMPED));
	return 0;
}

/* Remove the places where another dtrace has a jump in a process. */
CHECKED static int
remove_jumped(struct places *ps, struct refusals *refused, struct err *err)
{
	struct bx_jumped *j = bx_jumped_create();
	size_t nkept = 0;
	int rc = 0;

	VEC_FOREACH(&ps->v, p) {
		pid_t pid = p->probe->up->pid;

		if (!bx_is_jumped(j, pid, p->site->file, p->off))
			ps->v.v[nkept++] = *p;
		else if (rc == 0)
			rc = refuse_jumped(p, refused, err);
	}
	ps->v.n = nkept;
	if (rc == 0 && bx_jumped_error(j) != 0)
		rc = err_set(err, -bx_jumped_error(j),
		    "cannot look for another dtrace in processes: %s",
		    strerror(bx_jumped_error(j)));
	bx_jumped_destroy(j);
	return rc;
}

/*
 * Each place takes a lock of the kernel that is slow to take for a new thread,
 * and fast for the thread that had it last.  High priority keeps other threads
 * from taking it in between: with 28 processes competing for two CPUs, 10,000
 * places took 41 s without it and 4 s with it.  Without permission to raise it,
 * arming is slower.
 */
CHECKED static int
arm_places(struct places *ps, int prog_fd, struct bx_fds *fds,
    struct refusals *refused, struct err *err)
{
	int nice = getpriority(PRIO_PROCESS, 0), rc;
	bool is_alone = ps->v.n == 1;

	if (refused != NULL)
		refused->tried += ps->v.n;
	/* the user asked for a single place: its refusal is an error */
	if (is_alone)
		refused = NULL;
	rc = remove_jumped(ps, refused, err);
	if (rc != 0 || ps->v.n == 0)
		return rc;
	setpriority(PRIO_PROCESS, 0, -20);
	if (bx_uprobe_has_multi()) {
		qsort(ps->v.v, ps->v.n, sizeof(*ps->v.v), compare_places);
		rc = arm_runs(ps, prog_fd, fds, refused, err);
	} else {
		rc = arm_each(ps, prog_fd, fds, refused, err);
	}
	setpriority(PRIO_PROCESS, 0, nice);
	return rc;
}

#define REGS_AX 80 /* struct pt_regs.ax (asm/ptrace.h) */

/* Load a program that answers yes, for kernels (later than 6.18) that let
 * programs change a process's registers. */
static int
load_yes(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K,
		    .dst_reg = BPF_REG_2,
		    .imm = 1 },
		{ .code = BPF_STX | BPF_DW | BPF_MEM,
		    .dst_reg = BPF_REG_1,
		    .src_reg = BPF_REG_2,
		    .off = REGS_AX },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, o,
	    .expected_attach_type = (enum bpf_attach_type)BX_UPROBE_MULTI);

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "dtrace_yes", "GPL", insns,
	    sizeof(insns) / sizeof(insns[0]), &o);
}

/* Written once, by find_answer(), under `answer_once`; read only afterwards. */
static pthread_once_t answer_once = PTHREAD_ONCE_INIT;
static bool can_answer;

static void
find_answer(void)
{
	int fd = bx_uprobe_has_multi() ? load_yes() : -ENOTSUP;

	can_answer = fd >= 0;
	if (fd >= 0)
		close(fd);
}

bool
bx_uprobe_can_answer(void)
{
	pthread_once(&answer_once, find_answer);
	return can_answer;
}

CHECKED static int
arm_questions(const struct bx_arming *a, struct bx_fds *fds, struct err *err)
{
	struct places ps = { 0 };
	int fd, rc = 0;

	take_probes(&ps, a, true);
	if (ps.v.n != 0 && bx_uprobe_can_answer()) {
		fd = load_yes();
		rc = fd < 0 ? arm_error(&ps.v.v[0], fd, err) :
			      arm_places(&ps, fd, fds, NULL, err);
		if (fd >= 0)
			close(fd); /* the links hold the program */
	}
	VEC_FREE(&ps.v);
	return rc;
}

int
bx_arm_uprobes(const struct bx_arming *a, struct bx_fds *fds, struct err *err)
{
	struct places ps = { 0 };
	int rc = 0;

	take_probes(&ps, a, false);
	if (ps.v.n != 0)
		rc = arm_places(&ps, a->prog_fd, fds, a->refused, err);
	VEC_FREE(&ps.v);
	return rc != 0 ? rc : arm_questions(a, fds, err);
}
