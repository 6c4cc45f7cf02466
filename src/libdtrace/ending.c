/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How processes ended, and whether that may be our fault.
 *
 * A traced program must not die of it.  When one is ended by a signal this is
 * always told, and changes the exit status.  Faults are looked into: the
 * kernel's log says where the thread was (base/kmsg.h), and the substrate what
 * it has put there.
 *
 * Nobody is traced by ptrace while probes fire, so nothing stops a process on
 * its way out, and what it had in its registers and memory is gone.  How it
 * ended is known by
 *
 *	wait(2)			of our child
 *	PIDFD_GET_INFO		of others, since Linux 6.15
 *	/proc/PID/stat		... before: until its parent has waited for it
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

#include "base/kmsg.h"
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

/* proc(5): field 52, of a process that is a zombie still. */
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
	/* 0 is also what those read who may not know */
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
	if (h->faults != NULL)
		return;
	h->faults = mem_alloc(sizeof(*h->faults));
	h->kmsg_fd = kmsg_open();
}

void
dt_ending_fini(struct dt_hdl *h)
{
	if (h->kmsg_fd >= 0)
		close(h->kmsg_fd);
	h->kmsg_fd = -1;
	if (h->faults != NULL)
		VEC_FREE(&h->faults->v);
	free(h->faults);
	h->faults = NULL;
}

static void
look_back(const struct dt_hdl *h, pid_t pid, const struct kmsg_fault *f,
    struct dt_last_place *lp)
{
	*lp = (struct dt_last_place){ 0 };
	if (h->exec != NULL && h->ops->look_back != NULL)
		h->ops->look_back(h->exec, pid, f, lp);
}

static void
last_place_fini(struct dt_last_place *lp)
{
	free(lp->place);
	free(lp->ours);
}

/*
 * The log names threads, of which only the first has the process's number.  Any
 * other's fault is that of the process if it was in what is ours there.
 */
static const struct kmsg_fault *
find_fault(const struct dt_hdl *h, pid_t pid, struct dt_last_place *lp)
{
	for (size_t i = h->faults->v.n; i-- > 0;) {
		const struct kmsg_fault *f = &h->faults->v.v[i];

		look_back(h, pid, f, lp);
		if (f->tid == pid || lp->ours != NULL)
			return f;
		last_place_fini(lp);
	}
	look_back(h, pid, NULL, lp);
	return NULL;
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

/* What whoever looks into it has to know. */
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
	switch (h->kmsg_fd >= 0 ? 0 : -h->kmsg_fd) {
	case 0:
		return "the kernel's log does not say it";
	case EPERM:
	case EACCES:
		return "only root may read the kernel's log, which says it";
	default:
		return "the kernel's log, which says it, cannot be read here";
	}
}

static void
tell_fault(struct dt_hdl *h, int pid)
{
	const struct kmsg_fault *f;
	struct dt_last_place lp;

	if (h->kmsg_fd >= 0)
		kmsg_read(h->kmsg_fd, h->faults);
	f = find_fault(h, pid, &lp);
	if (f != NULL)
		tell_place(h, pid, f, &lp);
	else
		dt_notice(h, "pid %d: where it was is not known: %s", pid,
		    why_not_known(h));
	if (lp.nfiring != 0)
		dt_notice(h, "pid %d: probes were firing in %zu of its threads",
		    pid, lp.nfiring);
	if (lp.ours != NULL || (f == NULL && lp.nfiring != 0))
		tell_what_to_send(h, pid);
	last_place_fini(&lp);
}

/* A filter that a program brings in while probes run in it does not know what
 * they ask of the system. */
static void
tell_filter(struct dt_hdl *h, int pid)
{
	if (h->ops == &dt_exec_process)
		dt_notice(h,
		    "pid %d was ended by its seccomp filter, maybe for "
		    "a system call of a probe, as for copyinstr(), ustack() or "
		    "execname: use sudo and -x substrate=kernel",
		    pid);
}

static void
tell_signal(struct dt_hdl *h, int pid, int status)
{
	int sig = WTERMSIG(status);
	const char *abbrev = sigabbrev_np(sig);
	char *name = abbrev != NULL ? mem_printf("SIG%s", abbrev) :
				      mem_printf("signal %d", sig);

	/* a terminal's Control-C is for both of us */
	if (!h->is_interrupted ||
	    (sig != SIGINT && sig != SIGTERM && sig != SIGHUP))
		h->has_bad_end = true;
	dt_notice(h, "pid %d was ended by %s (%s)%s", pid, name, strsignal(sig),
	    WCOREDUMP(status) ? "; it left a core" : "");
	free(name);
	if (sig == SIGSYS)
		tell_filter(h, pid);
	else if (is_fault(sig))
		tell_fault(h, pid);
}

void
dt_ending_tell(struct dt_hdl *h, const struct dt_proc *proc, int status)
{
	int pid = (int)proc->pid;

	if (status != -1 && WIFSIGNALED(status))
		tell_signal(h, pid, status);
	else if (dt_opt_flag(h, DT_OPT_QUIET))
		return;
	else if (status != -1 && WEXITSTATUS(status) != 0)
		dt_notice(h, "pid %d exited with status %d", pid,
		    WEXITSTATUS(status));
	else
		dt_notice(h, "pid %d has %s", pid,
		    status == -1 ? "ended; how is not known" : "exited");
}
