/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes: -c commands, created stopped, and -p processes.
 *
 * A command is a child that dtrace seizes with ptrace before its exec, with
 * PTRACE_O_EXITKILL, so that it cannot run on untraced if dtrace dies:
 *
 *	child                          dtrace
 *	reads the gate            <--  PTRACE_SEIZE, then opens the gate
 *	exec                      -->  stopped by the exec event
 *	runs to the evaltime stop -->  stopped (stop.c); held while we compile
 *	runs                      <--  dt_proc_continue(): detached, no ptrace
 *
 * The gate is a pipe: if dtrace dies first, the child reads its end and exits.
 * A second pipe, closed by a successful exec, brings exec's errno.
 *
 * The end of a process is a readable pidfd in the handle's epoll set.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/privilege.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"

/* ---- words of a command ------------------------------------------------- */

struct words {
	VEC(char *) v; /* ends with NULL once split */
};

static void
words_free(struct words *w)
{
	VEC_FOREACH(&w->v, s)
		free(*s);
	VEC_FREE(&w->v);
}

/*
 * Read one word, with quotes as in the shell; returns the text after it, or
 * NULL if a quote is not closed.
 */
static const char *
word_take(const char *s, struct strbuf *word)
{
	char quote = 0;

	for (; *s != '\0' && (quote != 0 || strchr(" \t\n", *s) == NULL); s++) {
		if (quote == 0 && (*s == '\'' || *s == '"'))
			quote = *s;
		else if (quote != 0 && *s == quote)
			quote = 0;
		else if (*s == '\\' && quote != '\'' && s[1] != '\0' &&
		    (quote == 0 || strchr("\"\\$`", s[1]) != NULL))
			strbuf_addc(word, *++s);
		else
			strbuf_addc(word, *s);
	}
	return quote == 0 ? s : NULL;
}

static int
words_split(struct dt_hdl *h, const char *command, struct words *w)
{
	const char *s = command + strspn(command, " \t\n");

	while (*s != '\0') {
		struct strbuf word = { 0 };

		s = word_take(s, &word);
		VEC_PUSH(&w->v, strbuf_steal(&word));
		if (s == NULL)
			return dt_fail(
			    h, "unmatched quote in command '%s'", command);
		s += strspn(s, " \t\n");
	}
	if (w->v.n == 0)
		return dt_fail(h, "the command is empty");
	VEC_PUSH(&w->v, NULL);
	return 0;
}

/* ---- creating ----------------------------------------------------------- */

struct spawn {
	const struct dt_hdl *h;
	char *const *argv;
	int gate[2];	 /* dtrace writes */
	int fault[2];	 /* the child writes exec's errno */
	bool is_refused; /* the kernel does not let dtrace trace it */
};

void
dt_fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
spawn_close(struct spawn *sp)
{
	for (int i = 0; i < 2; i++) {
		dt_fd_close(&sp->gate[i]);
		dt_fd_close(&sp->fault[i]);
	}
}

/* Apply options setenv and unsetenv. */
static void
set_environment(const struct dt_hdl *h)
{
	VEC_FOREACH(&h->opts.vals[DT_OPT_SETENV].strs, s)
		putenv(*s);
	VEC_FOREACH(&h->opts.vals[DT_OPT_UNSETENV].strs, s)
		unsetenv(*s);
}

void
dt_proc_set_output(struct dt_hdl *h, int fd)
{
	h->procs.has_output = true;
	h->procs.output_fd = fd;
}

/* In the child. */
static bool
set_files(const struct dt_hdl *h)
{
	int none;

	if (!h->procs.has_output)
		return !dt_owns_stdout(h) ||
		    dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
	none = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return none >= 0 && dup2(none, STDIN_FILENO) >= 0 &&
	    dup2(h->procs.output_fd, STDOUT_FILENO) >= 0 &&
	    dup2(h->procs.output_fd, STDERR_FILENO) >= 0;
}

static _Noreturn void
spawn_child(struct spawn *sp)
{
	ssize_t n;
	char go;
	int err;

	close(sp->gate[1]);
	n = read(sp->gate[0], &go, 1);
	if (n == 0)
		_exit(1);
	if (n == 1 && set_files(sp->h)) {
		set_environment(sp->h);
		execvp(sp->argv[0], sp->argv);
	}
	err = errno;
	if (write(sp->fault[1], &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

/*
 * Wait for the exec event.  Returns 0, or an errno: of the exec or of dtrace.
 */
static int
await_exec(struct spawn *sp, pid_t pid)
{
	int status, err;

	for (;;) {
		if (waitpid(pid, &status, __WALL) < 0)
			return errno;
		if (WIFEXITED(status) || WIFSIGNALED(status))
			break;
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
			return 0;
		if (status >> 16 != 0 || WSTOPSIG(status) == SIGTRAP)
			ptrace(PTRACE_CONT, pid, NULL, NULL);
		else
			ptrace(PTRACE_CONT, pid, NULL, WSTOPSIG(status));
	}
	if (read(sp->fault[0], &err, sizeof(err)) == sizeof(err))
		return err;
	return ECHILD;
}

/*
 * Seize the child, open the gate, stop after the exec.  Returns 0 or an errno;
 * ECHILD: the child was ended.
 */
static int
spawn_parent(struct spawn *sp, pid_t pid)
{
	long opts = PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC;
	int err = 0, status;

	dt_fd_close(&sp->gate[0]);
	dt_fd_close(&sp->fault[1]);
	if (ptrace(PTRACE_SEIZE, pid, NULL, opts) != 0) {
		err = errno;
		sp->is_refused = true;
	} else if (write(sp->gate[1], "", 1) != 1)
		err = errno;
	else
		return await_exec(sp, pid);
	dt_fd_close(&sp->gate[1]);
	if (waitpid(pid, &status, __WALL) == pid && WIFSIGNALED(status)) {
		sp->is_refused = false;
		return ECHILD;
	}
	return err;
}

static int
fail_spawn(struct dt_hdl *h, const struct spawn *sp, int err)
{
	char *why = sp->is_refused ? dt_ptrace_refusal(true) : NULL;

	dt_fail(h, "cannot run command '%s': %s", sp->argv[0],
	    why != NULL	      ? why :
		err == ECHILD ? "it was ended before it could be traced" :
				strerror(err));
	free(why);
	return -1;
}

/* Returns the pid of the command, stopped after its exec, or -1. */
static pid_t
spawn(struct dt_hdl *h, char *const argv[])
{
	struct spawn sp = { h, argv, { -1, -1 }, { -1, -1 }, false };
	pid_t pid;
	int err;

	if (pipe2(sp.gate, O_CLOEXEC) != 0 || pipe2(sp.fault, O_CLOEXEC) != 0) {
		err = errno;
		spawn_close(&sp);
		return fail_spawn(h, &sp, err);
	}
	pid = fork();
	if (pid == 0)
		spawn_child(&sp);
	err = pid < 0 ? errno : spawn_parent(&sp, pid);
	spawn_close(&sp);
	return err != 0 ? fail_spawn(h, &sp, err) : pid;
}

/* ---- the handle's processes --------------------------------------------- */

static int
pidfd_of(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* The folder where its core file would be (ending.c). */
static char *
cwd_of(pid_t pid)
{
	char link[32], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/cwd", (int)pid);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	return mem_strdup(path);
}

static int
add_proc(struct dt_hdl *h, const struct dt_proc *proc)
{
	struct epoll_event ev = { .events = EPOLLIN,
		.data.u64 = (uint64_t)proc->pid };

	if (epoll_ctl(h->wait.epoll_fd, EPOLL_CTL_ADD, proc->pidfd, &ev) != 0)
		return dt_fail(h, "cannot wait for process %d: %s",
		    (int)proc->pid, strerror(errno));
	dt_ending_begin(h);
	VEC_PUSH(&h->procs.list, *proc);
	h->procs.list.v[h->procs.list.n - 1].cwd = cwd_of(proc->pid);
	h->procs.nalive++;
	return 0;
}

static void
kill_child(const struct dt_proc *proc)
{
	syscall(SYS_pidfd_send_signal, proc->pidfd, SIGKILL, NULL, 0);
	waitpid(proc->pid, NULL, __WALL);
}

/* Add the new command, stopped after its exec, to the handle's processes. */
static int
adopt(struct dt_hdl *h, const char *command, pid_t pid)
{
	struct dt_proc proc = { .pid = pid,
		.is_created = true,
		.is_held = true,
		.is_turned = dt_owns_stdout(h),
		.pidfd = pidfd_of(pid) };
	int rc;

	if (proc.pidfd < 0) {
		int err = errno;
		char *why = dt_privilege_calls();

		dt_fail(h, "cannot watch command '%s': %s", command,
		    why != NULL ? why : strerror(err));
		free(why);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, __WALL);
		return -1;
	}
	if (dt_proc_run_to(h, pid) != 0)
		rc = -1;
	else
		rc = add_proc(h, &proc);
	if (rc != 0) {
		kill_child(&proc);
		close(proc.pidfd);
	}
	return rc;
}

int
dt_proc_create_argv(struct dt_hdl *h, char *const argv[])
{
	pid_t pid = spawn(h, argv);

	return pid < 0 ? -1 : adopt(h, argv[0], pid);
}

int
dt_proc_create(struct dt_hdl *h, const char *command)
{
	struct words words = { 0 };
	int rc = words_split(h, command, &words);

	if (rc == 0)
		rc = dt_proc_create_argv(h, words.v.v);
	words_free(&words);
	return rc;
}

int
dt_proc_grab(struct dt_hdl *h, int pid)
{
	struct dt_proc proc = { .pid = pid };

	if (pid <= 0)
		return dt_fail(h, "%d is not a process id", pid);
	proc.pidfd = pidfd_of(pid);
	if (proc.pidfd < 0 && (errno == EINVAL || errno == ENOENT))
		return dt_fail(
		    h, "%d is a thread; give the id of its process", pid);
	if (proc.pidfd < 0)
		return dt_fail(h, "cannot trace process %d: %s", pid,
		    errno == ESRCH ? "there is no such process" :
				     strerror(errno));
	if (add_proc(h, &proc) != 0) {
		close(proc.pidfd);
		return -1;
	}
	return 0;
}

void
dt_proc_release(struct dt_proc *proc)
{
	if (proc->is_held)
		ptrace(PTRACE_DETACH, proc->pid, NULL, NULL);
	proc->is_held = false;
}

/* The substrate is told before a process that it has entered goes on. */
static void
let_go(struct dt_hdl *h, pid_t pid)
{
	const struct dt_exec_code_ops *code = h->ops->code;

	if (h->exec != NULL && code != NULL && code->let_go != NULL)
		code->let_go(h->exec, pid);
}

void
dt_proc_continue(struct dt_hdl *h)
{
	VEC_FOREACH(&h->procs.list, proc) {
		if (proc->is_held)
			let_go(h, proc->pid);
		dt_proc_release(proc);
	}
}

int64_t
dt_proc_target(const struct dt_hdl *h)
{
	if (dt_is_query(h))
		return dt_tapes_target(h);
	return h->procs.list.n != 0 ? h->procs.list.v[0].pid : -1;
}

void
dt_proc_forget(struct dt_hdl *h, struct dt_proc *proc)
{
	if (proc->is_forgotten)
		return;
	dt_proc_release(proc);
	epoll_ctl(h->wait.epoll_fd, EPOLL_CTL_DEL, proc->pidfd, NULL);
	proc->is_created = false;
	proc->is_forgotten = true;
	h->procs.nalive--;
	h->procs.nforgotten++;
}

/* Called when epoll reports the end of the process. */
void
dt_procs_poll(struct dt_hdl *h, pid_t pid)
{
	for (size_t i = 0; i < h->procs.list.n; i++) {
		struct dt_proc *proc = &h->procs.list.v[i];

		if (proc->pid != pid || proc->has_ended)
			continue;
		epoll_ctl(h->wait.epoll_fd, EPOLL_CTL_DEL, proc->pidfd, NULL);
		proc->status = dt_ending_status(proc);
		dt_ending_tell(h, proc, proc->status);
		proc->has_ended = true;
		h->procs.nalive--;
		if (h->procs.on_end != NULL)
			h->procs.on_end(h->procs.on_end_arg, i);
	}
}

void
dt_procs_look(struct dt_hdl *h)
{
	for (size_t i = 0; i < h->procs.list.n; i++) {
		const struct dt_proc *proc = &h->procs.list.v[i];
		struct pollfd fd = { .fd = proc->pidfd, .events = POLLIN };

		if (!proc->has_ended && !proc->is_forgotten && !proc->is_held &&
		    poll(&fd, 1, 0) > 0)
			dt_procs_poll(h, proc->pid);
	}
}

void
dt_procs_close(struct dt_hdl *h)
{
	VEC_FOREACH(&h->procs.list, proc) {
		if (proc->is_created && !proc->has_ended)
			kill_child(proc);
		dt_fd_close(&proc->pidfd);
		free(proc->cwd);
	}
	VEC_FREE(&h->procs.list);
	dt_ending_fini(h);
}
