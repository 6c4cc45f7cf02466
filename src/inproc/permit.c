/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Refuse processes that must not be entered, before anything is touched, and
 * say why.
 *
 * If ptrace would refuse, the message names the mechanism that refuses.  We
 * also refuse where ptrace would permit (to root, for example) but the process
 * would end or a promise to it would be broken.  Our code could make a call for
 * which a seccomp filter kills, read a time-stamp counter that faults, or be
 * the executable memory that the process has asked never to get.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/privilege.h"
#include "base/procstatus.h"
#include "base/vec.h"
#include "inproc/enter_impl.h"

#define PF_KTHREAD 0x00200000	  /* include/linux/sched.h */
#define GUARDIAN_NS 5000000000ULL /* limit of the wait for it to end */

#ifndef PR_GET_MDWE
#define PR_GET_MDWE 66 /* <linux/prctl.h>, Linux 6.3 */
#endif

static ssize_t
read_file(const char *path, char *buf, size_t len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buf, len - 1);
	close(fd);
	if (n >= 0)
		buf[n] = '\0';
	return n;
}

CHECKED static int
refuse(struct err *err, int code, pid_t pid, const char *why)
{
	return err_set(
	    err, -code, "process %d is not entered: %s", (int)pid, why);
}

/*
 * Is it a thread of the kernel (proc(5), flags), or a process that is about to
 * end and has no memory any more?
 */
static bool
is_kernel_thread(pid_t pid)
{
	char path[32], text[512], *end;
	unsigned flags;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return false;
	end = strrchr(text, ')');
	return end != NULL &&
	    sscanf(end, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	    (flags & PF_KTHREAD) != 0;
}

/* Refuse a process of which /proc cannot be read: it may be gone. */
CHECKED static int
refuse_unread(struct err *err, int code, pid_t pid)
{
	if (proc_is_gone(code))
		return refuse(err, ESRCH, pid, "it does not exist");
	return err_set(err, -code,
	    "process %d is not entered: its files in /proc/%d cannot be read: %s",
	    (int)pid, (int)pid, strerror(code));
}

CHECKED static int
check_alive(pid_t pid, struct err *err)
{
	char state[16];
	long nthreads;

	if (!proc_status(pid, "State", state, sizeof(state)))
		return refuse_unread(err, errno, pid);
	if (state[0] == 'Z' || state[0] == 'X')
		return refuse(err, ESRCH, pid, "it has ended");
	if (proc_status_number(pid, "VmSize") >= 0)
		return 0;
	if (!proc_is_gone(errno))
		return refuse_unread(err, errno, pid);
	nthreads = proc_status_number(pid, "Threads");
	if (nthreads < 0 && !proc_is_gone(errno))
		return refuse_unread(err, errno, pid);
	if (nthreads > 1)
		return 0;
	if (is_kernel_thread(pid))
		return refuse(err, EPERM, pid, "it is a kernel thread");
	return refuse(err, ESRCH, pid, "it has ended");
}

/*
 * Is the tracer a guardian of ours, undoing what a session has left, or another
 * dtrace, beginning a command or entering the process?  Both are done soon.
 */
static bool
is_soon_done(long pid)
{
	char name[32];

	return proc_status((pid_t)pid, "Name", name, sizeof(name)) &&
	    (strcmp(name, ENT_GUARDIAN_NAME) == 0 ||
		strcmp(name, "dtrace") == 0);
}

static long
tracer_of(pid_t pid)
{
	uint64_t end = now_ns() + GUARDIAN_NS;
	long tracer = proc_status_number(pid, "TracerPid");

	while (tracer > 0 && tracer != gettid() && is_soon_done(tracer) &&
	    now_ns() < end) {
		usleep(1000);
		tracer = proc_status_number(pid, "TracerPid");
	}
	return tracer;
}

CHECKED static int
check_debugger(pid_t pid, struct err *err)
{
	long tracer = tracer_of(pid);

	if (tracer <= 0 || tracer == gettid())
		return 0;
	return err_set(err, -EBUSY,
	    "process %d is not entered: it is traced by process %ld, a debugger or strace; end that first",
	    (int)pid, tracer);
}

/* The real, effective, saved and file system id have to be the same. */
CHECKED static int
check_id(pid_t pid, const char *name, unsigned *id, struct err *err)
{
	char text[64];
	unsigned v[4];

	if (!proc_status(pid, name, text, sizeof(text)))
		return refuse_unread(err, errno, pid);
	if (sscanf(text, "%u %u %u %u", &v[0], &v[1], &v[2], &v[3]) != 4 ||
	    v[0] != v[1] || v[1] != v[2] || v[2] != v[3])
		return refuse(err, EPERM, pid,
		    "it runs with more than one identity (set-user-ID or "
		    "set-group-ID)");
	*id = v[1];
	return 0;
}

/* /proc files of processes that do not dump core belong to root. */
CHECKED static int
check_ids(pid_t pid, struct err *err)
{
	char path[32];
	struct stat st;
	unsigned uid, gid;
	int rc = check_id(pid, "Uid", &uid, err);

	if (rc == 0)
		rc = check_id(pid, "Gid", &gid, err);
	if (rc != 0)
		return rc;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	if (stat(path, &st) == 0 && st.st_uid != uid)
		return refuse(err, EPERM, pid,
		    "it protects its memory (prctl PR_SET_DUMPABLE)");
	return 0;
}

/*
 * If the process has as many filters as we have, as a command or a process in
 * our container has, they are the same.
 */
int
ent_permit_calls(pid_t pid, struct err *err)
{
	long mode = proc_status_number(pid, "Seccomp");

	if (mode < 0 && !proc_is_gone(errno))
		return refuse_unread(err, errno, pid);
	if (mode <= 0) /* or a kernel without seccomp(2) */
		return 0;
	if (mode == 1)
		return refuse(err, EPERM, pid,
		    "it is in seccomp's strict mode, where our system calls "
		    "would end it");
	if (proc_status_number(pid, "Seccomp_filters") ==
	    proc_status_number(getpid(), "Seccomp_filters"))
		return 0;
	return refuse(err, EPERM, pid,
	    "it has a seccomp filter of its own, which might end it for our "
	    "system calls; run dtrace where it runs, in its container say, or "
	    "with sudo and -x substrate=kernel");
}

CHECKED static int
check_class(pid_t pid, struct err *err)
{
	char path[32];
	char ident[EI_NIDENT + 1];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	n = read_file(path, ident, sizeof(ident));
	if (n < 0 && errno != EACCES)
		return refuse_unread(err, errno, pid);
	if (n == EI_NIDENT && memcmp(ident, ELFMAG, SELFMAG) == 0 &&
	    ident[EI_CLASS] == ELFCLASS32)
		return refuse(err, ENOTSUP, pid,
		    "it runs 32-bit code; use -x substrate=kernel");
	return 0;
}

CHECKED static int
check_permission(pid_t pid, struct err *err)
{
	char path[32], *why;
	int fd, code, rc;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	code = errno;
	if (code != EPERM && code != EACCES)
		return refuse_unread(err, code, pid);
	why = dt_ptrace_refusal(false);
	rc = refuse(err, code, pid,
	    why != NULL ? why :
			  "it is another user's, or has capabilities that we "
			  "lack (needs CAP_SYS_PTRACE)");
	free(why);
	return rc;
}

/*
 * Can we trace it?  /proc tells when a filter forbids ptrace to us.  Yama does
 * not restrict commands that we run.
 */
CHECKED static int
check_calls(pid_t pid, struct err *err)
{
	char *why = dt_privilege_calls();
	int rc = why != NULL ? refuse(err, EPERM, pid, why) : 0;

	free(why);
	return rc;
}

int
inproc_may_enter(pid_t pid, struct err *err)
{
	int rc = check_alive(pid, err);

	if (rc == 0)
		rc = check_debugger(pid, err);
	return rc == 0 ? ent_may_enter_traced(pid, err) : rc;
}

int
ent_may_enter_traced(pid_t pid, struct err *err)
{
	int rc = check_alive(pid, err);

	if (rc != 0)
		return rc;
	rc = check_ids(pid, err);
	if (rc != 0)
		return rc;
	rc = check_class(pid, err);
	if (rc != 0)
		return rc;
	rc = ent_permit_calls(pid, err);
	if (rc != 0)
		return rc;
	rc = check_calls(pid, err);
	if (rc != 0)
		return rc;
	return check_permission(pid, err);
}

int
ent_permit_inside(struct ent_remote *r, struct err *err)
{
	pid_t pid = r->s->pid;
	int tsc = PR_TSC_ENABLE;
	struct ent_call asked[] = {
		ENT_CALL(SYS_prctl, PR_GET_DUMPABLE),
		ENT_CALL(SYS_prctl, PR_GET_MDWE),
		ENT_CALL(SYS_prctl, PR_GET_TSC, r->scratch),
	};

	VEC_FOREACH(&r->s->threads, t) {
		if (t->regs.cs != 0x33) /* the kernel's __USER_CS */
			return refuse(err, ENOTSUP, pid,
			    "a thread of it runs 32-bit code");
	}
	ent_remote_calls(r, asked, sizeof(asked) / sizeof(asked[0]));
	if (asked[0].rc != 1)
		return refuse(err, EPERM, pid,
		    "it protects its memory (prctl PR_SET_DUMPABLE)");
	if (asked[1].rc > 0)
		return refuse(err, EPERM, pid,
		    "it lets no memory become executable (prctl PR_SET_MDWE)");
	if (ent_read(r->s, r->scratch, &tsc, sizeof(tsc)) &&
	    tsc == PR_TSC_SIGSEGV)
		return refuse(err, EPERM, pid,
		    "it faults when it reads the time-stamp counter (prctl "
		    "PR_SET_TSC)");
	return 0;
}
