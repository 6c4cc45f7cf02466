/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stop all threads of a process, wherever they are, and let them go again
 * without a trace.
 *
 * Threads are seized (ptrace(2), PTRACE_SEIZE), which sends no signal, and
 * interrupted.  We trace the threads that a seized one creates from their
 * beginning.  The next scan of /proc/PID/task finds those that other threads
 * created.  Once a scan finds no new thread and all are stopped, no thread is
 * left that could create one.
 *
 * We accept one kind of stop, PTRACE_EVENT_STOP, which is where the kernel is
 * about to handle signals.  A thread that goes on from there restarts its
 * system call, or takes its signal, as the registers say.  After any other stop
 * the kernel's -ERESTART... would become the call's result, so there the thread
 * is interrupted again and goes on, with its signal.  A job control stop is a
 * PTRACE_EVENT_STOP too, and the kernel returns to it when we detach.
 *
 * Some system calls are not restarted but return EINTR, as if there had been a
 * signal.  If there was none, we restart the call ourselves.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/proclist.h"
#include "base/procstatus.h"
#include "base/vec.h"
#include "inproc/enter_impl.h"

#define STOP_NS 2000000000ULL  /* time that a thread may take to stop */
#define BUSY_NS 30000000000ULL /* if it only waits for a CPU */
#define LOOK_NS 1000000ULL     /* between checks of threads that do not stop */
#define NAP_NS 20000
#define CHILD_NS 2000000 /* longest sleep without a SIGCHLD */
#define OPTIONS                                                                \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD)

/*
 * The kernel reports each failure as EIO, also that of a page which is not in
 * memory and which a second try may get.  A half finished change of a process
 * must not end because of such a page.
 */
#define TRIES 3

bool
ent_read(const struct ent_stop *s, uint64_t addr, void *buf, size_t len)
{
	for (int i = 0; i < TRIES; i++) {
		if (pread(s->mem_fd, buf, len, (off_t)addr) == (ssize_t)len)
			return true;
	}
	return false;
}

bool
ent_write(const struct ent_stop *s, uint64_t addr, const void *buf, size_t len)
{
	for (int i = 0; i < TRIES; i++) {
		if (pwrite(s->mem_fd, buf, len, (off_t)addr) == (ssize_t)len)
			return true;
	}
	return false;
}

/* ---- one thread --------------------------------------------------------- */

/*
 * As proc_pid_stat(5) has it.  '?': it cannot be found out, and the thread is
 * not gone for that.
 */
static char
state_of(pid_t tid)
{
	char state[16];

	if (proc_status(tid, "State", state, sizeof(state)))
		return state[0];
	return proc_is_gone(errno) ? 'X' : '?';
}

bool
ent_wants_cpu(pid_t tid)
{
	return state_of(tid) == 'R';
}

static void
go_on(const struct ent_thread *t, long sig)
{
	ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
	ptrace(PTRACE_CONT, t->tid, NULL, sig);
}

static void
take_status(struct ent_thread *t, int status)
{
	int event = status >> 16;

	if (!WIFSTOPPED(status))
		t->is_gone = true;
	else if (event == PTRACE_EVENT_STOP)
		t->is_stopped = true;
	else if (event == PTRACE_EVENT_EXEC)
		t->is_gone = true; /* the thread's id is the process's now */
	else if (event != 0 || WSTOPSIG(status) == (SIGTRAP | 0x80))
		go_on(t, 0);
	else
		go_on(t, WSTOPSIG(status));
}

/* Has the thread stopped or ended by now? */
static bool
poll_thread(struct ent_thread *t)
{
	int status;
	pid_t got = waitpid(t->tid, &status, WNOHANG | __WALL);

	if (got == t->tid)
		take_status(t, status);
	else if (got < 0)
		t->is_gone = true;
	return got != 0;
}

static bool
is_settled(const struct ent_thread *t)
{
	return t->is_stopped || t->is_gone;
}

/*
 * A worker blocks all signals and waits for SIGCHLD, which tells each stop.
 * dtrace has other children, so it just sleeps.
 */
void
ent_nap(const struct ent_stop *s)
{
	struct timespec ts = { .tv_nsec = NAP_NS };
	sigset_t child;

	if (s->by == ENT_BY_DTRACE) {
		nanosleep(&ts, NULL);
		return;
	}
	ts.tv_nsec = CHILD_NS;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigtimedwait(&child, NULL, &ts);
}

bool
ent_await_stop(
    const struct ent_stop *s, struct ent_thread *t, uint64_t deadline_ns)
{
	t->is_stopped = false;
	while (!is_settled(t) &&
	    (now_ns() < deadline_ns || ent_wants_cpu(t->tid))) {
		if (!poll_thread(t))
			ent_nap(s);
	}
	return t->is_stopped;
}

/* ---- finding them ------------------------------------------------------- */

static bool
is_known(const struct ent_stop *s, pid_t tid)
{
	VEC_FOREACH(&s->threads, t) {
		if (t->tid == tid)
			return true;
	}
	return false;
}

static pid_t
tracer_of(pid_t tid)
{
	char tracer[16];

	if (!proc_status(tid, "TracerPid", tracer, sizeof(tracer)))
		return 0;
	return (pid_t)atoi(tracer);
}

CHECKED static int
refuse_seize(const struct ent_stop *s, pid_t tid, int code, struct err *err)
{
	pid_t tracer = tracer_of(tid);

	if (tracer != 0)
		return err_set(err, -EBUSY,
		    "process %d is traced by process %d, a debugger or strace: end that first",
		    (int)s->pid, (int)tracer);
	return err_set(err, -code, "cannot stop thread %d of process %d: %s",
	    (int)tid, (int)s->pid, strerror(code));
}

/* A thread that a seized one created is ours already. */
CHECKED static int
seize(struct ent_stop *s, pid_t tid, struct err *err)
{
	int code = 0;

	if (ptrace(PTRACE_SEIZE, tid, NULL, OPTIONS) != 0)
		code = errno;
	if (code == EPERM && tracer_of(tid) == gettid())
		code = 0;
	if (code == ESRCH || (code != 0 && strchr("ZX", state_of(tid)) != NULL))
		return 0;
	if (code != 0)
		return refuse_seize(s, tid, code, err);
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	VEC_PUSH(&s->threads, (struct ent_thread){ .tid = tid });
	return 1;
}

CHECKED static int
refuse_to_look(const struct ent_stop *s, int code, struct err *err)
{
	return err_take(err, -code,
	    proc_is_gone(code) ?
		mem_printf("process %d does not exist", (int)s->pid) :
		mem_printf("the threads of process %d cannot be listed: %s",
		    (int)s->pid, strerror(code)));
}

/*
 * Seize the threads that are not known yet.  Returns their number, or -errno.
 */
CHECKED static int
look(struct ent_stop *s, struct err *err)
{
	struct proc_list list;
	int n = 0, rc = 0, listed;
	pid_t tid;

	proc_list_open(&list, s->pid);
	while (rc >= 0 && (tid = proc_list_next(&list)) != 0) {
		rc = !is_known(s, tid) ? seize(s, tid, err) : 0;
		n += rc;
	}
	listed = proc_list_close(&list);
	if (rc >= 0 && listed != 0)
		rc = refuse_to_look(s, -listed, err);
	return rc < 0 ? rc : n;
}

/* ---- stopping them ------------------------------------------------------ */

/* If the first thread exits while others live on, no event tells. */
static void
look_for_dead(struct ent_stop *s)
{
	VEC_FOREACH(&s->threads, t) {
		if (!is_settled(t) && strchr("ZX", state_of(t->tid)) != NULL)
			t->is_gone = true;
	}
}

CHECKED static int
refuse_to_wait(
    const struct ent_stop *s, const struct ent_thread *t, struct err *err)
{
	char cpus[256] = "?";

	proc_status(t->tid, "Cpus_allowed_list", cpus, sizeof(cpus));
	if (ent_wants_cpu(t->tid))
		return err_set(err, -ETIMEDOUT,
		    "thread %d of process %d does not stop: it gets no CPU, since those that it may run on (%s) are busy with threads of real-time priority; let it run on others (taskset -p), or try again when they have less to do",
		    (int)t->tid, (int)s->pid, cpus);
	return err_set(err, -ETIMEDOUT,
	    "thread %d of process %d does not stop (state %c): it waits in the kernel for a device, or for a child of vfork(); try again",
	    (int)t->tid, (int)s->pid, state_of(t->tid));
}

/*
 * A thread that waits for a CPU is not late (R), nor one that stopped while we
 * waited for a CPU ourselves (t).
 */
static bool
is_late(const struct ent_thread *t, uint64_t waited_ns)
{
	return waited_ns > BUSY_NS ||
	    (waited_ns > STOP_NS && strchr("Rt", state_of(t->tid)) == NULL);
}

CHECKED static int
await_all(struct ent_stop *s, struct err *err)
{
	uint64_t begin = now_ns(), last = begin;

	for (;;) {
		struct ent_thread *running = NULL;
		bool has_come = false;

		VEC_FOREACH(&s->threads, t) {
			if (is_settled(t))
				continue;
			running = t;
			has_come |= poll_thread(t);
		}
		if (running == NULL)
			return 0;
		if (is_late(running, now_ns() - begin))
			return refuse_to_wait(s, running, err);
		if (now_ns() - last > LOOK_NS) {
			look_for_dead(s);
			last = now_ns();
		}
		if (!has_come)
			ent_nap(s);
	}
}

CHECKED static int
seize_all(struct ent_stop *s, struct err *err)
{
	int n, rc;

	do {
		n = look(s, err);
		rc = n < 0 ? n : await_all(s, err);
	} while (rc == 0 && n > 0);
	return rc;
}

/* ---- interrupted system calls ------------------------------------------- */

/*
 * Calls that return EINTR although no handler ran (signal(7), "Interruption of
 * system calls and library functions by stop signals"); some only with a
 * timeout (of sockets, too).  They have had no effect then.
 */
static bool
is_safe_to_repeat(uint64_t nr)
{
	switch (nr) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_rt_sigtimedwait:
	case SYS_io_getevents:
	case SYS_io_pgetevents:
	case SYS_io_uring_enter:
	case SYS_read:
	case SYS_readv:
	case SYS_write:
	case SYS_writev:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_sendfile:
	case SYS_splice:
	case SYS_connect: /* repeated, it continues */
	case SYS_accept:
	case SYS_accept4:
		return true;
	default:
		return false;
	}
}

/* Does the thread have a signal to take? */
static bool
has_signal(pid_t tid)
{
	static const char *const names[] = { "SigPnd", "ShdPnd", "SigBlk" };
	uint64_t sets[3] = { 0 };

	for (size_t i = 0; i < 3; i++) {
		char text[32];

		if (!proc_status(tid, names[i], text, sizeof(text)))
			return true;
		sets[i] = strtoull(text, NULL, 16);
	}
	return ((sets[0] | sets[1]) & ~sets[2]) != 0;
}

bool
ent_was_cut_short(pid_t tid, const struct user_regs_struct *r)
{
	return r->rax == (uint64_t)-EINTR && is_safe_to_repeat(r->orig_rax) &&
	    !has_signal(tid);
}

void
ent_repeat(struct user_regs_struct *r)
{
	r->rax = r->orig_rax;
	r->orig_rax = (uint64_t)-1;
	r->rip -= 2;
}

static void
read_regs(struct ent_stop *s, struct ent_thread *t)
{
	struct user_regs_struct *r = &t->regs;
	uint8_t insn[2];

	if (ptrace(PTRACE_GETREGS, t->tid, NULL, r) != 0) {
		t->is_gone = true;
		return;
	}
	if (!ent_was_cut_short(t->tid, r) ||
	    !ent_read(s, r->rip - 2, insn, 2) || insn[0] != 0x0f ||
	    insn[1] != 0x05)
		return;
	ent_repeat(r);
	t->has_moved = true;
}

/* ------------------------------------------------------------------------- */

static void
forget_gone(struct ent_stop *s)
{
	size_t n = 0;

	VEC_FOREACH(&s->threads, t) {
		if (!t->is_gone)
			s->threads.v[n++] = *t;
	}
	s->threads.n = n;
}

/*
 * A command must not begin without dtrace; a program that it executes later
 * runs on without us.
 */
static long
held_options(const struct ent_stop *s)
{
	return PTRACE_O_TRACEEXEC |
	    (s->by == ENT_BY_DTRACE ? PTRACE_O_EXITKILL : 0);
}

/* The held thread is in a stop that its holder chose. */
static void
take_held(struct ent_stop *s)
{
	struct ent_thread t = { .tid = s->pid, .was_held = true };

	ptrace(PTRACE_SETOPTIONS, s->pid, NULL, OPTIONS | held_options(s));
	go_on(&t, 0);
	VEC_PUSH(&s->threads, t);
}

CHECKED static int
open_mem(struct ent_stop *s, struct err *err)
{
	char path[32];
	int code;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)s->pid);
	s->mem_fd = open(path, O_RDWR | O_CLOEXEC);
	if (s->mem_fd >= 0)
		return 0;
	code = errno;
	return err_set(
	    err, -code, "%s cannot be opened: %s", path, strerror(code));
}

/* The process that this thread has stopped, for ent_let_go(); NULL: none. */
static _Thread_local struct ent_stop *stopped;

int
ent_stop_all(struct ent_stop *s, pid_t pid, enum ent_holder by, struct err *err)
{
	int rc;

	*s = (struct ent_stop){ .pid = pid, .by = by, .begin_ns = now_ns() };
	rc = open_mem(s, err);
	if (rc != 0)
		return rc;
	stopped = s;
	if (by != ENT_BY_NOBODY)
		take_held(s);
	rc = seize_all(s, err);
	if (rc != 0)
		goto fail;
	VEC_FOREACH(&s->threads, t)
		read_regs(s, t);
	forget_gone(s);
	if (s->threads.n != 0)
		return 0;
	rc = err_set(err, -ESRCH, "process %d has ended", (int)pid);
fail:
	ent_release_all(s);
	return rc;
}

static void
release(const struct ent_stop *s, const struct ent_thread *t)
{
	if (t->is_gone || !t->is_stopped)
		return;
	if (t->has_moved)
		ptrace(PTRACE_SETREGS, t->tid, NULL, &t->regs);
	if (!t->was_held)
		ptrace(PTRACE_DETACH, t->tid, NULL, NULL);
	else
		ptrace(PTRACE_SETOPTIONS, t->tid, NULL, held_options(s));
}

void
ent_let_go(void)
{
	struct ent_stop *s = stopped;

	if (s != NULL && s->remote != NULL)
		ent_remote_end(s->remote);
	if (s != NULL)
		ent_release_all(s);
}

uint64_t
ent_release_all(struct ent_stop *s)
{
	stopped = NULL;
	VEC_FOREACH(&s->threads, t)
		release(s, t);
	VEC_FREE(&s->threads);
	if (s->mem_fd >= 0)
		close(s->mem_fd);
	s->mem_fd = -1;
	return now_ns() - s->begin_ns;
}
