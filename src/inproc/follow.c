/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trace a program from its first instruction: stop the process behind its exec.
 *
 * A thread that is about to execute a program waits in our code until a worker,
 * a child of the guardian, has seized it.  The thread is traced only for this
 * one system call, and no other thread of the process is:
 *
 *	thread			worker
 *	waits		<--	seize; tell dtrace that it may go on
 *	execve()
 *	  fails		-->	let go, tell dtrace: FAILED
 *	  stops		-->	tell dtrace: EXECUTED
 *	  |			do what dtrace asks for: enter, apply, ...
 *	first instruction <--	let go, when dtrace asks for that
 *
 * However the worker ends, the kernel lets the thread go, with the signal or
 * system call that it was in.  So the worker ends if dtrace requests anything
 * else, or has ended.
 *
 * A guardian that is started for this does the worker's part itself, and guards
 * afterwards.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "inproc/enter_impl.h"

#define OPTIONS (PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD)

struct follow {
	struct inproc_entry *e;
	int fd;	      /* socket to dtrace */
	int child_fd; /* signalfd for SIGCHLD: a thread has stopped */
	bool is_guardian;
	bool has_executed, has_failed, has_left;
};

static void
tell(const struct follow *f, char what)
{
	send(f->fd, &what, 1, MSG_NOSIGNAL);
}

/* ---- until it has executed ---------------------------------------------- */

static bool
is_exec(uint64_t nr)
{
	return nr == SYS_execve || nr == SYS_execveat;
}

/* Did the call return without another program having begun? */
static bool
is_failed_exec(pid_t tid)
{
	struct user_regs_struct regs;
	struct __ptrace_syscall_info info = { 0 };

	return ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) > 0 &&
	    info.op == PTRACE_SYSCALL_INFO_EXIT &&
	    ptrace(PTRACE_GETREGS, tid, NULL, &regs) == 0 &&
	    is_exec(regs.orig_rax);
}

static bool
is_job_control(int status)
{
	int sig = WSTOPSIG(status);

	return status >> 16 == PTRACE_EVENT_STOP &&
	    (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN ||
		sig == SIGTTOU);
}

static void
take_status(struct follow *f, pid_t tid, int status)
{
	if (!WIFSTOPPED(status))
		f->has_failed = true;
	else if (status >> 16 == PTRACE_EVENT_EXEC)
		f->has_executed = true;
	else if (WSTOPSIG(status) == (SIGTRAP | 0x80) && is_failed_exec(tid))
		f->has_failed = true;
	else if (is_job_control(status))
		ptrace(PTRACE_LISTEN, tid, NULL, NULL);
	else if (status >> 16 != 0 || WSTOPSIG(status) == (SIGTRAP | 0x80))
		ptrace(PTRACE_SYSCALL, tid, NULL, NULL);
	else
		ptrace(PTRACE_SYSCALL, tid, NULL, (long)WSTOPSIG(status));
}

/*
 * End this process, so that the kernel lets the thread go.  A guardian first
 * forks a child that guards on.
 */
static void
leave(struct follow *f)
{
	pid_t us = getpid();

	if (!f->is_guardian || fork() != 0)
		_exit(0);
	while (getppid() == us)
		usleep(1000);
	f->has_left = true;
}

/* If dtrace requests something, or has ended, leave. */
static void
await_stop(struct follow *f)
{
	struct signalfd_siginfo si;
	struct pollfd fds[] = {
		{ .fd = f->fd, .events = POLLIN },
		{ .fd = f->child_fd, .events = POLLIN },
	};

	poll(fds, 2, -1);
	if (fds[0].revents != 0)
		leave(f);
	else if (fds[1].revents != 0 && read(f->child_fd, &si, sizeof(si)) < 0)
		_exit(1);
}

/* Wait for the exec's result; on success the thread gets the process's id. */
static void
await_outcome(struct follow *f)
{
	while (!f->has_executed && !f->has_failed && !f->has_left) {
		int status;
		pid_t tid = waitpid(-1, &status, __WALL | WNOHANG);

		if (tid > 0)
			take_status(f, tid, status);
		else if (tid < 0)
			f->has_failed = true;
		else
			await_stop(f);
	}
}

/* ---- after the exec ----------------------------------------------------- */

/*
 * A thread that cannot be let go is being killed; wait for its end, of which
 * its parent is told only then.
 */
static void
let_go(pid_t tid)
{
	if (ptrace(PTRACE_DETACH, tid, NULL, NULL) != 0)
		waitpid(tid, NULL, __WALL);
}

static void
serve(const struct follow *f)
{
	enum ent_work what = ENT_FOLLOW;

	while (recv(f->fd, &what, sizeof(what), 0) == sizeof(what) &&
	    what != ENT_GO_ON) {
		ent_do(f->e, what);
		tell(f, ENT_DONE);
	}
	f->e->ledger->is_followed = false;
	let_go(f->e->pid);
	if (what == ENT_GO_ON)
		tell(f, ENT_DONE);
}

/* A stop raises SIGCHLD, which is blocked here like all signals. */
static bool
open_child_fd(struct follow *f)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	f->child_fd = signalfd(-1, &set, SFD_CLOEXEC);
	return f->child_fd >= 0;
}

CHECKED static int
seize(struct follow *f, struct err *err)
{
	pid_t tid = f->e->ledger->follow_tid;

	if (open_child_fd(f) && ptrace(PTRACE_SEIZE, tid, NULL, OPTIONS) == 0 &&
	    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0)
		return 0;
	return err_set(err, -ESRCH,
	    "thread %d of process %d cannot be followed: %s", (int)tid,
	    (int)f->e->pid, strerror(errno));
}

/* Empty the ledger: the new program has nothing of ours. */
static void
forget_all(struct ent_ledger *l)
{
	l->base = l->len = l->code_ino = 0;
	l->nareas = l->nmapped = l->nwrites = l->nplanted = 0;
	l->nmoves = l->ngroups = l->ncounters = l->ncounted = 0;
	l->nwindows = l->nwaiting = l->first_due = 0;
	l->epoch++;
	l->tid_off = -1;
	l->is_go = l->has_cleared = l->is_stale = false;
}

void
ent_follow(struct inproc_entry *e, int fd, bool is_guardian)
{
	struct follow f = {
		.e = e, .fd = fd, .child_fd = -1, .is_guardian = is_guardian
	};
	struct err err = { 0 };
	int rc;

	rc = seize(&f, &err);
	ent_note_result(e->ledger, rc, err_text(&err));
	err_clear(&err);
	tell(&f, ENT_DONE);
	if (e->ledger->rc == 0)
		await_outcome(&f);
	close(f.child_fd);
	if (f.has_left)
		return;
	if (!f.has_executed) {
		let_go(e->ledger->follow_tid);
		if (e->ledger->rc == 0)
			tell(&f, ENT_FAILED);
		return;
	}
	forget_all(e->ledger);
	e->ledger->is_followed = true;
	tell(&f, ENT_EXECUTED);
	serve(&f);
}
