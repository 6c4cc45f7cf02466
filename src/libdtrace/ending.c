/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ends of processes, and whether dtrace may have caused them.
 *
 * A traced program must not die from being traced.  If a signal ends a traced
 * process, dtrace always reports it and changes its exit status.  For faults
 * the kernel's log gives the place of the thread (base/kmsg.h), and the
 * substrate says what it has put there.
 *
 * dtrace uses no ptrace while probes fire, so nothing stops a process that
 * ends, and its registers and memory are gone.  Only a core file keeps them
 * (base/core.h): it gives the thread's return address, and its place if the log
 * cannot be read.  The status of an ended process comes from
 *
 *	wait(2)			of our child
 *	PIDFD_GET_INFO		of others, since Linux 6.15
 *	/proc/PID/stat		of others on older kernels, until the parent
 *				has waited for the process
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/core.h"
#include "base/kmsg.h"
#include "base/mem.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"

/* ---- how ---------------------------------------------------------------- */

/* linux/pidfd.h */
struct pidfd_info {
	uint64_t mask, cgroupid;
	uint32_t pids[3], ids[8];
	int32_t exit_code;
};
#define PIDFD_GET_INFO _IOWR(0xff, 11, struct pidfd_info)
#define PIDFD_INFO_EXIT (1U << 3)
_Static_assert(sizeof(struct pidfd_info) == 64, "PIDFD_INFO_SIZE_VER0");

static bool
ask_pidfd(int pidfd, int *status)
{
	struct pidfd_info info = { .mask = PIDFD_INFO_EXIT };

	if (ioctl(pidfd, PIDFD_GET_INFO, &info) != 0 ||
	    (info.mask & PIDFD_INFO_EXIT) == 0)
		return false;
	*status = info.exit_code;
	return true;
}

/* proc(5): field 52, for a process that is still a zombie. */
#define FIELD_CODE 52
static bool
read_stat(pid_t pid, int *status)
{
	char path[32], text[1024], *s;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	s = strrchr(text, ')');
	if (s == NULL || (s[1] != '\0' && strchr("ZX", s[2]) == NULL))
		return false;
	for (int field = 2; s != NULL && field < FIELD_CODE; field++)
		s = strchr(s + 1, ' ');
	if (s == NULL)
		return false;
	*status = atoi(s);
	/* a reader without permission gets 0, too */
	return *status != 0 || geteuid() == 0;
}

int
dt_ending_status(const struct dt_proc *proc)
{
	int status = -1;

	if (proc->is_created)
		return waitpid(proc->pid, &status, __WALL) == proc->pid ?
		    status :
		    -1;
	if (ask_pidfd(proc->pidfd, &status) || read_stat(proc->pid, &status) ||
	    ask_pidfd(proc->pidfd, &status))
		return status;
	return -1;
}

/* ---- where -------------------------------------------------------------- */

void
dt_ending_begin(struct dt_hdl *h)
{
	if (h->ending.faults != NULL)
		return;
	h->ending.faults = mem_alloc(sizeof(*h->ending.faults));
	h->ending.kmsg_fd = kmsg_open();
}

void
dt_ending_fini(struct dt_hdl *h)
{
	if (h->ending.kmsg_fd >= 0)
		close(h->ending.kmsg_fd);
	h->ending.kmsg_fd = -1;
	if (h->ending.faults != NULL)
		VEC_FREE(&h->ending.faults->v);
	free(h->ending.faults);
	h->ending.faults = NULL;
}

static void
last_place_fini(struct dt_last_place *lp)
{
	free(lp->place);
	free(lp->ours);
	*lp = (struct dt_last_place){ 0 };
}

/* Remove the entry: callers that loop need this each time. */
static void
look_back(const struct dt_hdl *h, pid_t pid, const struct kmsg_fault *f,
    struct dt_last_place *lp)
{
	last_place_fini(lp);
	if (h->exec != NULL && h->ops->look_back != NULL)
		h->ops->look_back(h->exec, pid, f, lp);
}

/* The end of a process and its place, from all sources. */
struct witness {
	pid_t pid;
	pid_t like;	/* a process with the same code at the same places */
	pid_t tid;	/* thread of the fault; `pid` if no core file gives
			 * it */
	bool has_fault; /* another source says that a fault ended it */
	const struct kmsg_fault *f; /* NULL: unknown */
	struct dt_last_place lp;    /* the place of the fault */
	bool has_core;
	struct core_place core;
	struct kmsg_fault core_fault; /* `f` without the log */
	struct dt_last_place back;    /* `ours`: the return address */
	uint64_t back_ip;
};

static void
witness_fini(struct witness *w)
{
	last_place_fini(&w->lp);
	last_place_fini(&w->back);
}

/*
 * The log names threads, and only the first thread has the process's number.  A
 * fault of another thread belongs to the process if it was in code of dtrace in
 * that process.
 */
static void
find_logged(struct dt_hdl *h, struct witness *w)
{
	for (size_t i = h->ending.faults->v.n; i-- > 0;) {
		struct kmsg_fault *f = &h->ending.faults->v.v[i];

		if (f->is_told || (f->tid != w->tid && !w->has_fault))
			continue;
		look_back(h, w->like, f, &w->lp);
		if (f->tid == w->tid || w->lp.ours != NULL) {
			f->is_told = true;
			w->f = f;
			return;
		}
	}
}

static void
find_core(struct witness *w, const char *cwd, int status)
{
	int fd = -1;

	if (status != -1 && WIFSIGNALED(status) && WCOREDUMP(status))
		fd = core_open(w->pid, cwd, WTERMSIG(status));
	if (fd < 0)
		return;
	w->has_core = core_read(fd, w->pid, &w->core) == 0;
	if (w->has_core)
		w->tid = w->core.tid;
	close(fd);
}

static void
use_core(struct dt_hdl *h, struct witness *w)
{
	w->core_fault = (struct kmsg_fault){
		.tid = w->core.tid, .ip = w->core.ip, .sp = w->core.sp
	};
	snprintf(
	    w->core_fault.code, sizeof(w->core_fault.code), "%s", w->core.code);
	w->f = &w->core_fault;
	look_back(h, w->like, w->f, &w->lp);
}

/* A jump may begin at a return address, but no call returns into a jump. */
static void
find_return(struct dt_hdl *h, struct witness *w)
{
	for (size_t i = 0; w->has_core && i < w->core.nreturns; i++) {
		struct kmsg_fault f = { .ip = w->core.returns[i] };

		look_back(h, w->like, &f, &w->back);
		w->back_ip = f.ip;
		if (w->back.ours != NULL && !w->back.is_begin)
			return;
	}
	last_place_fini(&w->back);
}

/* `w` has pid and like.  `status`: as from wait(2), or -1. */
static void
witness_ask(struct dt_hdl *h, struct witness *w, const char *cwd, int status)
{
	w->tid = w->pid;
	w->has_fault = status != -1;
	if (h->ending.kmsg_fd >= 0)
		kmsg_read(h->ending.kmsg_fd, h->ending.faults);
	find_core(w, cwd, status);
	find_logged(h, w);
	if (w->f == NULL && w->has_core)
		use_core(h, w);
	if (w->f == NULL)
		look_back(h, w->like, NULL, &w->lp);
	if (w->like != w->pid)
		w->lp.nfiring = 0;
	find_return(h, w);
}

static bool
is_ours(const struct witness *w)
{
	return w->lp.ours != NULL || w->back.ours != NULL ||
	    (w->f == NULL && w->lp.nfiring != 0);
}

/* ---- telling ------------------------------------------------------------ */

static bool
is_fault(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGILL ||
	    sig == SIGTRAP;
}

static char *
place_text(const struct kmsg_fault *f, const struct dt_last_place *lp)
{
	if (lp->place != NULL)
		return mem_strdup(lp->place);
	if (f->module[0] != '\0' && f->has_off)
		return mem_printf(
		    "%s+0x%llx", f->module, (unsigned long long)f->off);
	return mem_printf("0x%llx%s%s", (unsigned long long)f->ip,
	    f->module[0] != '\0' ? " of " : "", f->module);
}

/* Print the lines that a report of a death caused by dtrace should contain. */
static void
tell_what_to_send(struct dt_hdl *h, int pid)
{
	struct utsname u = { 0 };

	uname(&u);
	dt_notice(h,
	    "pid %d: that may be an error in dtrace, which must never "
	    "harm a program: please report it with these lines, the script, "
	    "the program and the libraries named here (or their packages and "
	    "build ids), and this: %s %s %s, substrate %s",
	    pid, u.sysname, u.release, u.machine, h->ops->name);
}

static void
tell_place(struct dt_hdl *h, int pid, const struct kmsg_fault *f,
    const struct dt_last_place *lp)
{
	char *place = place_text(f, lp);

	if (lp->ours == NULL)
		dt_notice(h,
		    "pid %d was at %s, where dtrace has changed "
		    "nothing",
		    pid, place);
	else
		dt_notice(h, "pid %d was at %s, in %s", pid, place, lp->ours);
	if (f->code[0] != '\0' && lp->ours != NULL)
		dt_notice(h, "pid %d had these bytes there: %s", pid, f->code);
	free(place);
}

static const char *
why_not_known(const struct dt_hdl *h)
{
	switch (h->ending.kmsg_fd >= 0 ? 0 : -h->ending.kmsg_fd) {
	case 0:
		return "the kernel's log does not have it, and no core file "
		       "can be read";
	case EPERM:
	case EACCES:
		return "only root may read the kernel's log, which has it, "
		       "and no core file can be read";
	default:
		return "the kernel's log, which has it, cannot be read here, "
		       "and no core file can be read";
	}
}

static void
tell_return(struct dt_hdl *h, int pid, const struct witness *w)
{
	const struct kmsg_fault f = { .ip = w->back_ip };
	char *place = place_text(&f, &w->back);

	dt_notice(h, "pid %d would have returned to %s, in %s", pid, place,
	    w->back.ours);
	free(place);
}

static void
tell_fault(struct dt_hdl *h, const struct witness *w)
{
	int pid = (int)w->pid;

	if (w->f != NULL)
		tell_place(h, pid, w->f, &w->lp);
	else
		dt_notice(h, "pid %d: where it was is not known: %s", pid,
		    why_not_known(h));
	if (w->back.ours != NULL)
		tell_return(h, pid, w);
	if (w->lp.nfiring != 0)
		dt_notice(h, "pid %d: probes were firing in %zu of its threads",
		    pid, w->lp.nfiring);
	if (is_ours(w))
		tell_what_to_send(h, pid);
}

/*
 * A seccomp filter that a program installs while probes run in it does not know
 * the system calls of the probes.
 */
static void
tell_filter(struct dt_hdl *h, int pid)
{
	if (h->ops->is_in_process)
		dt_notice(h,
		    "pid %d was ended by its seccomp filter, maybe for "
		    "a system call of a probe, as for copyinstr(), ustack() or "
		    "execname: use sudo and -x substrate=kernel",
		    pid);
}

static char *
signal_name(int sig)
{
	const char *abbrev = sigabbrev_np(sig);

	return abbrev != NULL ? mem_printf("SIG%s", abbrev) :
				mem_printf("signal %d", sig);
}

static void
tell_signal(struct dt_hdl *h, const struct dt_proc *proc, int status)
{
	int pid = (int)proc->pid, sig = WTERMSIG(status);
	char *name = signal_name(sig);
	struct witness w = { .pid = proc->pid, .like = proc->pid };

	/* a terminal's Control-C goes to both dtrace and the process */
	if (!h->wait.is_interrupted ||
	    (sig != SIGINT && sig != SIGTERM && sig != SIGHUP))
		h->ending.is_bad = true;
	dt_notice(h, "pid %d was ended by %s (%s)%s", pid, name, strsignal(sig),
	    WCOREDUMP(status) ? "; it left a core" : "");
	free(name);
	if (sig == SIGSYS)
		tell_filter(h, pid);
	if (!is_fault(sig))
		return;
	witness_ask(h, &w, proc->cwd, status);
	tell_fault(h, &w);
	witness_fini(&w);
}

void
dt_ending_tell(struct dt_hdl *h, const struct dt_proc *proc, int status)
{
	int pid = (int)proc->pid;

	if (status != -1 && WIFSIGNALED(status))
		tell_signal(h, proc, status);
	else if (dt_opt_flag(h, DT_OPT_QUIET))
		return;
	else if (status != -1 && WEXITSTATUS(status) != 0)
		dt_notice(h, "pid %d exited with status %d", pid,
		    WEXITSTATUS(status));
	else
		dt_notice(h, "pid %d has %s", pid,
		    status == -1 ? "ended; its status is unknown" : "exited");
}

/* ---- descendants -------------------------------------------------------- */

/* The parent gets the descendant's status; dtrace may not. */
static int
descendant_status(pid_t pid, int pidfd)
{
	int status;

	if (ask_pidfd(pidfd, &status) || read_stat(pid, &status))
		return status;
	return -1;
}

static void
tell_descendant(struct dt_hdl *h, const struct witness *w, int status)
{
	char *name = status != -1 ? signal_name(WTERMSIG(status)) :
				    mem_strdup("a fault");

	h->ending.is_bad = true;
	dt_notice(
	    h, "pid %d, a descendant, was ended by %s", (int)w->pid, name);
	free(name);
	tell_fault(h, w);
}

void
dt_ending_tell_descendant(void *arg, pid_t pid, pid_t like, int pidfd)
{
	struct dt_hdl *h = arg;
	int status = descendant_status(pid, pidfd);
	struct witness w = { .pid = pid, .like = like };

	if (h->ending.faults == NULL ||
	    (status != -1 &&
		(!WIFSIGNALED(status) || !is_fault(WTERMSIG(status)))))
		return;
	/* most descendants have the folder of their first ancestor */
	witness_ask(
	    h, &w, h->procs.list.n != 0 ? h->procs.list.v[0].cwd : "", status);
	if (is_ours(&w) && (w.f != NULL || status != -1))
		tell_descendant(h, &w, status);
	witness_fini(&w);
}
