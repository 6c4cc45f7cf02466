/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace's side: start the child, send it a job, and wait.
 *
 * While dtrace waits it checks the clocks and the flag of base/bounds.h.  A
 * child that takes more CPU time than an analysis may, or does not answer, or
 * answers nonsense, is killed, and the file is refused.
 *
 * One child serves all handles, since it keeps no state of them; `lock` is held
 * for a whole job.  If the program that uses libdtrace forks, the new process
 * has no child and starts its own.
 */
#include "base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/confine_impl.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/regular.h"

#define LOOK_MS 20
#define SPARE_NS 1000000000ULL /* CPU time for work that is not measured */
#define IDLE_NS 30000000000ULL /* time without any CPU use: it does nothing */
#define AGE_NS 10000000000ULL  /* CPU time after which it is replaced */

/* Guarded by `lock`. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct child {
	pid_t owner; /* the process that forked it; 0: no child */
	pid_t pid;
	int sock;
	clockid_t clock;
	uint64_t max;  /* value of analysismax for which its limits are */
	bool is_ready; /* it has given up its privileges */
} child;

/* ---- life of the child --------------------------------------------------- */

static uint64_t
child_ns(void)
{
	struct timespec ts;

	if (clock_gettime(child.clock, &ts) != 0)
		return 0;
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

static bool
has_child(void)
{
	return child.owner == getpid();
}

/* Returns its status; -1: another waiter for all children got it. */
static int
child_end(void)
{
	int status = -1;

	if (!has_child())
		return -1;
	close(child.sock);
	kill(child.pid, SIGKILL);
	while (waitpid(child.pid, &status, 0) < 0) {
		if (errno != EINTR) {
			status = -1;
			break;
		}
	}
	child = (struct child){ 0 };
	return status;
}

void
confine_end(void)
{
	pthread_mutex_lock(&lock);
	child_end();
	pthread_mutex_unlock(&lock);
}

static int
child_start(void)
{
	int socks[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) != 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		confine_serve(socks[1], bounds_max());
	close(socks[1]);
	if (pid < 0) {
		close(socks[0]);
		return -EAGAIN;
	}
	child = (struct child){ .owner = getpid(),
		.pid = pid,
		.sock = socks[0],
		.max = bounds_max() };
	if (clock_getcpuclockid(pid, &child.clock) != 0)
		child.clock = CLOCK_MONOTONIC;
	return 0;
}

/*
 * Is the child waiting for a job?  False if it has died, or sent something
 * unasked.
 */
static bool
is_idle(void)
{
	struct pollfd fd = { .fd = child.sock, .events = POLLIN };

	return poll(&fd, 1, 0) == 0;
}

static int
need_child(void)
{
	if (has_child() && is_idle() && child.max >= bounds_max() &&
	    child_ns() < AGE_NS)
		return 0;
	child_end();
	return child_start();
}

/* ---- privileges ---------------------------------------------------------- */

/* Any capability counts: with most of them a process can get the others. */
static bool
has_privileges(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct caps[2] = { 0 };

	return geteuid() == 0 ||
	    (syscall(SYS_capget, &head, caps) == 0 &&
		(caps[0].effective | caps[1].effective) != 0);
}

/* ---- a job --------------------------------------------------------------- */

struct job {
	const struct confine_call *call;
	int answer_fd;
	uint64_t until_cpu; /* ns */
	struct err *err;
};

static int
refuse(const struct job *j, char *why)
{
	return err_take(j->err, -EINVAL, why);
}

/*
 * dtrace itself has no descriptor, memory or child for the job.  -ENOSYS would
 * tell the caller to do the job with its privileges: it becomes -EINVAL.
 */
static int
lack(const struct job *j, const char *what, int code)
{
	return err_set(j->err, code != ENOSYS ? -code : -EINVAL, "%s: %s", what,
	    strerror(code));
}

/* The child has closed its channel, or broke the protocol: give up on it. */
static int
lost(const struct job *j, const char *what)
{
	bool was_ready = child.is_ready;
	int status = child_end();
	const char *sig;

	/* once it reads files, its status may be a file's work */
	if (!was_ready && status != -1 && WIFEXITED(status) &&
	    WEXITSTATUS(status) != 0)
		return lack(j, "the child that reads it cannot begin",
		    WEXITSTATUS(status));
	if (status == -1 || !WIFSIGNALED(status) || WTERMSIG(status) == SIGKILL)
		return refuse(
		    j, mem_printf("the child that reads it %s", what));
	sig = sigabbrev_np(WTERMSIG(status));
	return refuse(j,
	    mem_printf("the child that reads it was ended by SIG%s",
		sig != NULL ? sig : "?"));
}

static int
await(const struct job *j)
{
	struct pollfd fd = { .fd = child.sock, .events = POLLIN };
	uint64_t cpu = 0, since = now_ns();

	while (poll(&fd, 1, LOOK_MS) <= 0) {
		if (bounds_is_stopped()) {
			child_end();
			return refuse(j, mem_strdup(BOUNDS_STOPPED));
		}
		if (child_ns() > j->until_cpu) {
			child_end();
			return refuse(j, bounds_time_refusal());
		}
		if (child_ns() != cpu) {
			cpu = child_ns();
			since = now_ns();
		}
		if (now_ns() - since > IDLE_NS)
			return lost(j, "does not answer");
	}
	return 0;
}

static int
ask(const struct job *j)
{
	struct confine_msg m = { .kind = CONFINE_JOB,
		.run = j->call->run,
		.is_ready = j->call->is_ready,
		.max = bounds_max(),
		.len = (uint32_t)j->call->len };
	const int fds[] = { j->call->fd, j->answer_fd };

	memcpy(m.text, j->call->arg, j->call->len);
	return confine_send(child.sock, &m, fds, 2) ? 0 : lost(j, "has ended");
}

static int
give_file(const struct job *j, const struct confine_msg *m)
{
	const struct confine_call *c = j->call;
	struct confine_msg answer = { .kind = CONFINE_FILE };
	bool may = c->may_open != NULL && c->may_open(c->arg, m->text);
	int fd = may ? regular_open(m->text) : -1, rc;
	bool is_sent;

	if (fd == -EMFILE || fd == -ENFILE) {
		rc = lack(j, m->text, -fd);
		child_end();
		return rc;
	}
	is_sent = confine_send(child.sock, &answer, &fd, fd >= 0 ? 1 : 0);
	if (fd >= 0)
		close(fd);
	return is_sent ? 0 : lost(j, "has ended");
}

#define AGAIN 1 /* try again with another child */

/* A job may ask for this many files. */
#define FILES_MAX 16

static int
converse(const struct job *j)
{
	struct confine_msg m;
	int rc = ask(j);

	for (int n = 0; rc == 0 && n <= FILES_MAX; n++) {
		rc = await(j);
		if (rc != 0)
			return rc;
		if (!confine_receive(child.sock, &m, NULL, 0))
			return lost(j, "has ended");
		switch (m.kind) {
		case CONFINE_DONE:
			return 0;
		case CONFINE_READY:
			child.is_ready = true;
			break;
		case CONFINE_FAILED:
			/* no other code is the child's to choose */
			return err_take(j->err, m.code == -EIO ? -EIO : -EINVAL,
			    mem_strdup(m.text));
		case CONFINE_UNREADY:
			return AGAIN;
		case CONFINE_OPEN:
			rc = give_file(j, &m);
			break;
		default:
			return lost(j, "sent an unknown message");
		}
	}
	return rc != 0 ? rc : lost(j, "asks for too many files");
}

static int
run_once(struct job *j)
{
	int rc = need_child();

	if (rc != 0)
		return lack(j,
		    "the child that reads it without privileges cannot be "
		    "started",
		    -rc);
	j->until_cpu = child_ns() + bounds_time_ns() + SPARE_NS;
	return converse(j);
}

/* Seal the answer: from here on it cannot change. */
static int
take_answer(const struct job *j, struct confine_answer *a)
{
	int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	struct stat st;

	*a = (struct confine_answer){ 0 };
	if (fcntl(j->answer_fd, F_ADD_SEALS, seals) != 0 ||
	    fstat(j->answer_fd, &st) != 0)
		return lost(j, "holds its answer back");
	if (st.st_size == 0)
		return 0;
	a->p = mmap(
	    NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, j->answer_fd, 0);
	if (a->p == MAP_FAILED) {
		a->p = NULL;
		return lack(j, "its answer cannot be mapped", errno);
	}
	a->len = (size_t)st.st_size;
	return 0;
}

int
confine_run(
    const struct confine_call *c, struct confine_answer *a, struct err *err)
{
	struct job j = { .call = c, .err = err };
	int rc;

	if (!has_privileges())
		return -ENOSYS;
	if (c->len > CONFINE_ARG_MAX)
		return refuse(&j, mem_printf("its name is too long"));
	j.answer_fd = memfd_create("answer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (j.answer_fd < 0)
		return lack(&j, "cannot make a file in memory", errno);
	pthread_mutex_lock(&lock);
	rc = run_once(&j);
	if (rc == AGAIN) {
		child_end();
		rc = run_once(&j);
	}
	if (rc == AGAIN)
		rc = lost(&j, "lacks a library");
	if (rc == 0)
		rc = take_answer(&j, a);
	pthread_mutex_unlock(&lock);
	close(j.answer_fd);
	return rc;
}

void
confine_answer_fini(struct confine_answer *a)
{
	if (a->p != NULL)
		munmap(a->p, a->len);
	*a = (struct confine_answer){ 0 };
}

const void *
confine_get(struct confine_in *in, uint64_t n, size_t size)
{
	const uint8_t *p = in->p;

	if (size != 0 && n > in->left / size) {
		in->is_bad = true;
		return NULL;
	}
	in->p += n * size;
	in->left -= n * size;
	return p;
}
