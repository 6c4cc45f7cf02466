/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guardian of an entered process.
 *
 *	dtrace --- asks (a socket) ---> guardian --- forks ---> worker
 *	   \________ ledger, code: shared memory _________________/ ptrace
 *	                                   |
 *	                        watches dtrace (a pidfd)
 *
 * Except when it begins by following (follow.c), the guardian traces no process
 * itself: a child, the worker, does.  If the worker fails, the kernel lets the
 * process go.  The worker waits a moment for more work, since programs often
 * load several libraries, and creating a process takes longer than most work.
 * When dtrace has ended, the guardian has everything undone, and ends too.
 *
 * A child of fork() is a ward of its parent's guardian until work is requested
 * for it: most children soon execute a program, or end.  When dtrace has died,
 * the guardian restores every process that has its process's code at the same
 * place.  Wards get guardians of their own before this stops being right:
 * before the process executes, ends, or is left by dtrace.
 *
 * Guardian and workers block every signal, so signals that end dtrace or a
 * terminal's job do not interrupt them.  Nothing protects from a SIGKILL to a
 * worker during the millisecond or so that it has the process stopped.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/proclist.h"
#include "inproc/enter_impl.h"

#define IDLE_MS 200	/* idle time after which the worker ends */
#define NAP_MS 20	/* between tries to undo everything */
#define NAP_MAX_MS 1000 /* the naps become longer, up to this */

struct guardian {
	struct inproc_entry *e;
	int fd;	    /* socket to dtrace */
	int dtrace; /* its pidfd */
	bool has_served;
	pid_t worker; /* 0: none */
	int worker_fd;
};

/* ---- its child ---------------------------------------------------------- */

void
ent_note_result(struct ent_ledger *l, int rc, const char *text)
{
	l->rc = rc;
	snprintf(l->msg, sizeof(l->msg), "%s", text);
}

void
ent_do(struct inproc_entry *e, enum ent_work what)
{
	struct err err = { 0 };
	int rc = ent_work(e, what, &err);

	ent_note_result(e->ledger, rc, err_text(&err));
	err_clear(&err);
}

struct worker {
	const struct guardian *g;
	int fd; /* to the guardian */
};

/* Without memory: the process gets its registers back before it goes on. */
static void
give_up(void *arg)
{
	const struct worker *w = arg;
	const char done = ENT_DONE;

	ent_let_go();
	ent_note_result(w->g->e->ledger, -ENOMEM,
	    "the child that enters processes is out of memory");
	send(w->fd, &done, 1, MSG_NOSIGNAL);
	_exit(1);
}

static void
give_up_following(void *arg)
{
	(void)arg;
	ent_let_go();
}

/* Do the work that is requested until the socket's other end is closed. */
static _Noreturn void
work(const struct guardian *g, int fd)
{
	struct worker w = { g, fd };
	const char done = ENT_DONE;
	enum ent_work what;

	mem_at_failure(give_up, &w);
	close(g->fd);
	close(g->dtrace);
	/* others wait for us; without permission they just wait longer */
	setpriority(PRIO_PROCESS, 0, -20);
	while (recv(fd, &what, sizeof(what), 0) == sizeof(what)) {
		ent_do(g->e, what);
		send(fd, &done, 1, MSG_NOSIGNAL);
	}
	_exit(0);
}

/* Returns 0 or an errno. */
static int
start_worker(struct guardian *g)
{
	int pair[2], err = 0;

	if (g->worker != 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return errno;
	g->worker = fork();
	if (g->worker == 0) {
		close(pair[0]);
		work(g, pair[1]);
	}
	if (g->worker < 0) {
		err = errno;
		g->worker = 0;
		close(pair[0]);
	} else {
		g->worker_fd = pair[0];
	}
	close(pair[1]);
	return err;
}

/*
 * End the worker, also before another child is created: the child would inherit
 * the socket and keep the worker from ending.
 */
static void
end_worker(struct guardian *g)
{
	if (g->worker == 0)
		return;
	close(g->worker_fd);
	waitpid(g->worker, NULL, 0);
	g->worker = 0;
}

static void
note_end(struct guardian *g)
{
	ent_note_result(g->e->ledger, -EIO,
	    "the child that enters processes has ended unexpectedly");
}

static void
note_no_process(struct guardian *g, int code)
{
	char text[128]; /* memory may be short: nothing is allocated */

	snprintf(text, sizeof(text), "no process can be created: %s",
	    strerror(code));
	ent_note_result(g->e->ledger, -code, text);
}

/* Start a worker that follows, and reports to dtrace itself. */
static void
have_followed(struct guardian *g)
{
	const char done = ENT_DONE;
	pid_t pid;

	end_worker(g);
	note_end(g);
	pid = fork();
	if (pid == 0) {
		mem_at_failure(give_up_following, NULL);
		setpriority(PRIO_PROCESS, 0, -20);
		ent_follow(g->e, g->fd, false);
		_exit(0);
	}
	if (pid < 0) {
		note_no_process(g, errno);
		send(g->fd, &done, 1, MSG_NOSIGNAL);
	} else {
		waitpid(pid, NULL, 0);
	}
}

/*
 * Have a worker do it.  A worker that ends before it answers has failed, even
 * if its work was done.  A worker that reports a failure is ended too: it may
 * still trace threads, which the kernel then lets go.  The next work gets a new
 * worker.
 */
static void
have_worked(struct guardian *g, enum ent_work what)
{
	int err = start_worker(g);
	char done;

	if (err != 0)
		note_no_process(g, err);
	else if (send(g->worker_fd, &what, sizeof(what), MSG_NOSIGNAL) !=
		sizeof(what) ||
	    recv(g->worker_fd, &done, 1, 0) != 1)
		note_end(g);
	if (g->e->ledger->rc != 0)
		end_worker(g);
}

/* Have the work done; the ledger holds the result. */
static void
have_done(struct guardian *g, enum ent_work what)
{
	if (what == ENT_FOLLOW)
		have_followed(g);
	else
		have_worked(g, what);
	g->e->ledger->is_followed = false;
}

/* ---- the guardian ------------------------------------------------------- */

/* Sleep until dtrace or the process has ended, or for `ms`. */
static void
nap(const struct guardian *g, int ms)
{
	struct pollfd fd = { .fd = g->e->pidfd, .events = POLLIN };

	poll(&fd, 1, ms);
}

static _Noreturn void
restore(struct guardian *g)
{
	struct ent_ledger *l = g->e->ledger;

	for (int ms = NAP_MS; l->len != 0;) {
		have_done(g, ENT_LEAVE);
		if (l->rc == -ESTALE)
			break;
		if (l->len != 0)
			nap(g, ms);
		ms = 2 * ms > NAP_MAX_MS ? NAP_MAX_MS : 2 * ms;
	}
	end_worker(g);
	_exit(0);
}

static void
restore_ward(const struct guardian *g, pid_t pid)
{
	struct guardian its = { .fd = -1, .dtrace = -1 };
	struct err err = { 0 };

	if (ent_adopt(g->e, pid, &its.e, &err) == 0) {
		if (fork() == 0)
			restore(&its);
	}
	err_clear(&err);
}

/*
 * Restore children of the process that have no guardians, even those that
 * dtrace did not know.
 */
static void
restore_wards(const struct guardian *g)
{
	struct proc_list list;
	pid_t pid;

	proc_list_open(&list, 0);
	while ((pid = proc_list_next(&list)) != 0) {
		if (pid != g->e->pid && inproc_has_share(pid, &g->e->share))
			restore_ward(g, pid);
	}
	proc_list_close(&list); /* dtrace may be gone: an error has no reader */
}

/* dtrace does not need the process any more, or has ended. */
static _Noreturn void
finish(struct guardian *g)
{
	end_worker(g);
	ent_ledger_see(g->e);
	g->e->ledger->is_held = false;
	if (g->e->ledger->len != 0)
		restore_wards(g);
	restore(g);
}

/* A guardian started to follow needs no worker for that. */
static void
follow_first(const struct guardian *g)
{
	int before = getpriority(PRIO_PROCESS, 0);

	setpriority(PRIO_PROCESS, 0, -20);
	ent_follow(g->e, g->fd, true);
	setpriority(PRIO_PROCESS, 0, before);
}

static void
serve(struct guardian *g)
{
	const char done = ENT_DONE;
	bool is_first = !g->has_served;
	enum ent_work what;

	if (recv(g->fd, &what, sizeof(what), 0) != sizeof(what))
		finish(g);
	g->has_served = true;
	if (what == ENT_FOLLOW && is_first)
		follow_first(g);
	else if (what != ENT_GO_ON) /* then the process is let go already */
		have_done(g, what);
	if (what != ENT_FOLLOW) /* the follower reports that itself */
		send(g->fd, &done, 1, MSG_NOSIGNAL);
}

static _Noreturn void
guard(struct guardian *g)
{
	struct pollfd fds[] = {
		{ .fd = g->fd, .events = POLLIN },
		{ .fd = g->dtrace, .events = POLLIN },
	};

	for (;;) {
		if (poll(fds, 2, g->worker != 0 ? IDLE_MS : -1) == 0)
			end_worker(g);
		if (fds[1].revents != 0)
			finish(g);
		if (fds[0].revents != 0)
			serve(g);
	}
}

/* ---- becoming the guardian ---------------------------------------------- */

static int
compare_fds(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Close dtrace's descriptors: a reader of its output must see the end. */
static void
keep_only(const struct guardian *g)
{
	int keep[] = { g->fd, g->dtrace, g->e->pidfd, g->e->code->file.fd,
		g->e->share.code_fd, g->e->share.data_fd, g->e->share.vars_fd };
	size_t n = sizeof(keep) / sizeof(keep[0]) - (g->e->share.vars_len == 0);
	unsigned from = 0;

	qsort(keep, n, sizeof(keep[0]), compare_fds);
	for (size_t i = 0; i < n; from = (unsigned)keep[i++] + 1) {
		if (from < (unsigned)keep[i])
			close_range(from, (unsigned)keep[i] - 1, 0);
	}
	close_range(from, ~0U, 0);
}

static _Noreturn void
become(struct guardian *g)
{
	prctl(PR_SET_NAME, ENT_GUARDIAN_NAME);
	signal(SIGCHLD, SIG_DFL); /* dtrace's handler is for stops: ent_nap() */
	setsid();
	keep_only(g);
	if (chdir("/") != 0)
		_exit(1);
	guard(g);
}

/* Fork with all signals blocked, so that the guardian begins so. */
static pid_t
fork_guardian(struct guardian *g)
{
	sigset_t all, old;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	pid = fork();
	if (pid == 0)
		become(g);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return pid;
}

int
ent_guardian_start(struct inproc_entry *e, struct err *err)
{
	struct guardian g = { .e = e, .fd = -1, .dtrace = -1 };
	int pair[2], code = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
		code = errno;
	} else {
		e->guardian_fd = pair[0];
		g.fd = pair[1];
		g.dtrace = (int)syscall(SYS_pidfd_open, getpid(), 0);
		e->guardian = g.dtrace < 0 ? -1 : fork_guardian(&g);
		if (e->guardian < 0)
			code = errno;
		close(g.fd);
		if (g.dtrace >= 0)
			close(g.dtrace);
	}
	if (code != 0)
		err_set(err, -code, "no guardian for process %d: %s",
		    (int)e->pid, strerror(code));
	return -code;
}

/* The guardian's next message; 0: it has ended. */
static char
hear(struct inproc_entry *e, int flags)
{
	char told = 0;
	ssize_t n;

	do
		n = recv(e->guardian_fd, &told, 1, flags);
	while (n < 0 && errno == EINTR);
	if (told == ENT_EXECUTED)
		e->outcome = INPROC_EXECUTED;
	else if (told == ENT_FAILED)
		e->outcome = INPROC_FAILED;
	return n == 1 ? told : 0;
}

void
ent_guardian_hear(struct inproc_entry *e)
{
	struct pollfd fd = { .fd = e->guardian_fd, .events = POLLIN };

	while (e->outcome == INPROC_WAITING && poll(&fd, 1, 0) > 0) {
		if (hear(e, MSG_DONTWAIT) == 0)
			e->outcome = INPROC_FAILED;
	}
}

int
ent_guardian_ask(struct inproc_entry *e, enum ent_work what, struct err *err)
{
	char told = 0;

	if (send(e->guardian_fd, &what, sizeof(what), MSG_NOSIGNAL) >= 0)
		do
			told = hear(e, 0);
		while (told != 0 && told != ENT_DONE);
	if (told != ENT_DONE)
		return err_set(err, -EPIPE,
		    "the guardian of process %d (process %d) was killed",
		    (int)e->pid, (int)e->guardian);
	if (e->ledger->rc != 0)
		err_set(err, e->ledger->rc, "%s", e->ledger->msg);
	return e->ledger->rc;
}

/*
 * The guardian sees the end of the socket, undoes what is left, and ends.  If
 * that takes long because a thread is in our code, do not wait for it.
 */
void
ent_guardian_end(struct inproc_entry *e)
{
	if (e->guardian_fd >= 0)
		close(e->guardian_fd);
	if (e->guardian > 0)
		waitpid(e->guardian, NULL, e->ledger->len == 0 ? 0 : WNOHANG);
}
