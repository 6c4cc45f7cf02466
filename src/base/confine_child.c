/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The child's side: give up privileges, then serve jobs.
 *
 * The child is a copy of dtrace at the moment of fork(2), with dtrace's secrets
 * in its memory, and must not be able to pass them on: it can write to the
 * answer and to its channel only.  Memory shared with traced processes, which
 * has their probes' code, is unmapped.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/confine_impl.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#define NOBODY 65534
#define PAGE 4096
#define SPARE_BYTES ((uint64_t)64 << 20) /* bytes of memory for libraries */
#define FILE_BYTES ((uint64_t)16 << 30)	 /* address space for the file */
#define LIFE_S 20			 /* CPU time in addition to a job's */

static int channel = -1; /* in the child, from its beginning on */

bool
confine_is_inside(void)
{
	return channel >= 0;
}

/* ---- the channel --------------------------------------------------------- */

#define FDS_MAX 2
union fds_room {
	char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
	struct cmsghdr align;
};

bool
confine_send(int sock, const struct confine_msg *m, const int *fds, size_t nfds)
{
	struct iovec part = { (void *)(uintptr_t)m,
		offsetof(struct confine_msg, text) + m->len };
	union fds_room room = { 0 };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t n;

	if (nfds != 0) {
		struct cmsghdr *c = &room.align;

		msg.msg_control = &room;
		msg.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(nfds * sizeof(int));
		memcpy(CMSG_DATA(c), fds, nfds * sizeof(int));
	}
	do
		n = sendmsg(sock, &msg, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)part.iov_len;
}

static void
take_fds(const struct msghdr *msg, int *fds, size_t nfds)
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	size_t len = c != NULL ? c->cmsg_len - CMSG_LEN(0) : 0;

	for (size_t i = 0; i < nfds; i++)
		fds[i] = -1;
	if (len <= nfds * sizeof(int) && len != 0)
		memcpy(fds, CMSG_DATA(c), len);
}

bool
confine_receive(int sock, struct confine_msg *m, int *fds, size_t nfds)
{
	const size_t head = offsetof(struct confine_msg, text);
	struct iovec part = { m, sizeof(*m) - 1 };
	union fds_room room = { 0 };
	struct msghdr msg = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = nfds != 0 ? &room : NULL,
		.msg_controllen = nfds != 0 ? sizeof(room) : 0 };
	ssize_t n;

	do
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < (ssize_t)head)
		return false;
	m->text[(size_t)n - head] = '\0';
	m->len = (uint32_t)((size_t)n - head);
	take_fds(&msg, fds, nfds);
	return true;
}

/* ---- giving up privileges ------------------------------------------------ */

/* The parent finds the errno in the child's status. */
static _Noreturn void
end_with_errno(void)
{
	_exit(errno != 0 ? errno : EINVAL);
}

static void
end_without_memory(void *arg)
{
	(void)arg;
	_exit(ENOMEM);
}

/*
 * Read the whole map before unmapping any; lines are shorter than the buffer.
 */
static void
unmap_shared(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	VEC(struct span { unsigned long from, to; }) spans = { 0 };
	struct span s;
	char line[8192], perms[5];

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "%lx-%lx %4s", &s.from, &s.to, perms) == 3 &&
		    perms[3] == 's')
			VEC_PUSH(&spans, s);
	}
	/* a mapping that was not read would stay shared */
	if (f == NULL || !feof(f))
		end_with_errno();
	fclose(f);
	VEC_FOREACH(&spans, sp)
		munmap((void *)sp->from, sp->to - sp->from);
	VEC_FREE(&spans);
}

static void
limit(int what, uint64_t max)
{
	struct rlimit now, r = { max, max };

	if (getrlimit((__rlimit_resource_t)what, &now) == 0 &&
	    r.rlim_max > now.rlim_max)
		r.rlim_cur = r.rlim_max = now.rlim_max;
	if (setrlimit((__rlimit_resource_t)what, &r) != 0)
		end_with_errno();
}

/* Bytes of memory in use: all, and the writable private part. */
static void
measure(uint64_t *space, uint64_t *data)
{
	unsigned long long size = 0, own = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f == NULL ||
	    fscanf(f, "%llu %*u %*u %*u %*u %llu", &size, &own) != 2)
		end_with_errno();
	fclose(f);
	*space = size * PAGE;
	*data = own * PAGE;
}

static void
set_limits(uint64_t max)
{
	uint64_t space, data;

	measure(&space, &data);
	limit(RLIMIT_AS, space + 2 * max + FILE_BYTES);
	limit(RLIMIT_DATA, data + max + SPARE_BYTES);
	limit(RLIMIT_FSIZE, max + SPARE_BYTES);
	limit(RLIMIT_CPU, LIFE_S + bounds_time_ns() / 1000000000);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, 16);
}

/*
 * Drop capabilities even where the change to user 65534 fails: a user namespace
 * may not know it, or not permit it.
 */
static void
drop_privileges(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	const struct __user_cap_data_struct none[2] = { 0 };

	if (setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0)
		(void)!setresuid(NOBODY, NOBODY, NOBODY);
	if (syscall(SYS_capset, &head, none) != 0 ||
	    prctl(PR_SET_DUMPABLE, 0) != 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		end_with_errno();
}

/* ---- the filter ---------------------------------------------------------- */

#define LOAD(field)                                                            \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define CALL(nr) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##nr, 0, 1), ALLOW
/* Kill on the call if its argument's lower half has one of these bits. */
#define CALL_WITHOUT(nr, arg, bits)                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##nr, 0, 4), LOAD(args[arg]),  \
	    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), KILL, ALLOW

/*
 * Permit reading, memory that is not executable, the answer and the channel.
 * The filter checks x86-64's calls only; other kinds of calls kill.
 */
static void
set_filter(void)
{
	struct sock_filter code[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
		KILL,
		LOAD(nr),
		CALL(read),
		CALL(pread64),
		CALL(write),
		CALL(sendmsg),
		CALL(recvmsg),
		CALL(close),
		CALL(fstat),
		CALL(newfstatat),
		CALL(lseek),
		CALL(munmap),
		CALL(mremap),
		CALL(madvise),
		CALL(brk),
		CALL(futex),
		CALL(clock_gettime),
		CALL(getrandom),
		CALL(getpid),
		CALL(gettid),
		CALL(sched_yield),
		CALL(sysinfo),
		CALL(sigaltstack),
		CALL(rt_sigprocmask),
		CALL(rt_sigreturn),
		CALL(exit),
		CALL(exit_group),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 5),
		LOAD(args[1]),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_GETFD, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_GETFL, 1, 0),
		KILL,
		ALLOW,
		CALL_WITHOUT(mprotect, 2, PROT_EXEC),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 7),
		LOAD(args[2]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
		KILL,
		LOAD(args[3]),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, MAP_TYPE),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MAP_PRIVATE, 0, 1),
		ALLOW,
		KILL,
	};
	const struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	/* EINVAL: a kernel without filters; do without */
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) != 0 &&
	    errno != EINVAL)
		end_with_errno();
}

static int
compare_bytes(const void *a, const void *b)
{
	return memcmp(a, b, 1);
}

/*
 * When the C library first sorts a large table it asks for the amount of
 * memory; some versions open a file for that.  Do it before the filter.
 */
static void
sort_first(void)
{
	char *table = mem_alloc(PAGE);

	qsort(table, PAGE, 1, compare_bytes);
	free(table);
}

static void
give_up(uint64_t max)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sort_first();
	unmap_shared();
	set_limits(max);
	drop_privileges();
	set_filter();
}

/* ---- serving ------------------------------------------------------------- */

void
confine_put(struct confine_out *out, const void *p, size_t n)
{
	const char *from = p;

	while (n != 0 && !out->is_bad) {
		ssize_t done = write(out->fd, from, n);

		if (done <= 0) {
			out->is_bad = true;
			return;
		}
		from += done;
		n -= (size_t)done;
		out->len += (uint64_t)done;
	}
}

void
confine_align(struct confine_out *out)
{
	static const char zeroes[PAGE];

	confine_put(out, zeroes, (size_t)(-out->len & (PAGE - 1)));
}

int
confine_open(const char *path)
{
	struct confine_msg *m = mem_alloc(sizeof(*m));
	int fd = -1;

	m->kind = CONFINE_OPEN;
	m->len = (uint32_t)strlen(path);
	if (m->len <= CONFINE_ARG_MAX) {
		memcpy(m->text, path, m->len);
		if (!confine_send(channel, m, NULL, 0) ||
		    !confine_receive(channel, m, &fd, 1))
			_exit(EXIT_FAILURE);
	}
	free(m);
	return fd;
}

static void
answer(struct confine_msg *m, int rc, struct err *err)
{
	size_t len = err_is_set(err) ? strlen(err_text(err)) : 0;

	m->kind = rc == 0 ? CONFINE_DONE : CONFINE_FAILED;
	m->code = err->code;
	m->len = (uint32_t)(len < CONFINE_ARG_MAX ? len : CONFINE_ARG_MAX);
	if (m->len != 0)
		memcpy(m->text, err_text(err), m->len);
	err_clear(err);
}

static void
work(struct confine_msg *m, const int fds[2])
{
	struct confine_out out = { .fd = fds[1] };
	struct err err = { 0 };
	int rc;

	if (m->is_ready != NULL && !m->is_ready()) {
		m->kind = CONFINE_UNREADY;
		m->len = 0;
		return;
	}
	bounds_set_max(m->max);
	rc = m->run(fds[0], m->text, m->len, &out, &err);
	if (rc == 0 && out.is_bad)
		rc = err_set(&err, -ENOMEM, "no memory for it");
	answer(m, rc, &err);
}

/*
 * Move the channel to the first descriptor, and close all others.
 *
 * When dtrace dies the channel is closed and the child ends: at once, or after
 * its job, whose CPU time is limited.  PR_SET_PDEATHSIG would end it earlier,
 * but also when the thread that forked it ends.
 */
static void
keep_channel(int sock)
{
	channel = fcntl(sock, F_DUPFD, 3);
	if (channel < 0)
		end_with_errno();
	if (channel != 3 && dup2(channel, 3) != 3)
		end_with_errno();
	channel = 3;
	if (syscall(SYS_close_range, 4, ~0U, 0) != 0) {
		for (int fd = (int)sysconf(_SC_OPEN_MAX); fd > 3; fd--)
			close(fd);
	}
	for (int fd = 0; fd < 3; fd++)
		close(fd);
}

void
confine_serve(int sock, uint64_t max)
{
	struct confine_msg *m;
	int fds[2];

	mem_at_failure(end_without_memory, NULL);
	m = mem_alloc(sizeof(*m));
	bounds_watch(NULL);
	keep_channel(sock);
	give_up(max);
	/* from now on a file may be what exhausts the memory */
	mem_at_failure(NULL, NULL);
	m->kind = CONFINE_READY;
	m->len = 0;
	if (!confine_send(channel, m, NULL, 0))
		_exit(EXIT_FAILURE);
	while (confine_receive(channel, m, fds, 2) && m->kind == CONFINE_JOB &&
	    fds[0] >= 0 && fds[1] >= 0) {
		work(m, fds);
		close(fds[0]);
		close(fds[1]);
		if (!confine_send(channel, m, NULL, 0))
			break;
	}
	_exit(EXIT_SUCCESS);
}
