/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Make system calls in one thread of a stopped process.
 *
 *	stopped (signals)	registers saved, all signals blocked
 *	  -> entry of the call	registers of our call, at a syscall instruction
 *	  -> exit of the call	its result; perhaps the next one, from here
 *	  -> stopped (signals)	interrupted once more; registers as they were
 *
 * We end in the same kind of stop that we began in, so a system call that we
 * interrupted is restarted as if nothing had happened.  The thread is never
 * single-stepped: a step ends with a forced SIGTRAP, which resets the program's
 * own handling of that signal.
 *
 * Each stop costs two context switches.  So if SIGTRAP is handled by default,
 * which a reset does not change, many calls are made at once: a loop of ours,
 * in free room behind the vdso's code, makes the calls of a table and ends with
 * a trap.
 */
#include <errno.h>
#include <linux/rseq.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/procstatus.h"
#include "base/vec.h"
#include "inproc/enter_impl.h"

#define CALL_NS 5000000000ULL
#define SPIN_NS 30000 /* after this the thread waits for a CPU, perhaps ours */
#define PAGE 4096
#define TRAP_FLAG 0x100 /* of EFLAGS */
#define SEARCH_MAX (1024 * 1024)

/* ---- where calls are made ----------------------------------------------- */

/* 0: there is none; *error is then an errno if the code cannot be read. */
static uint64_t
find_in(const struct ent_stop *s, const struct proc_map *map, int *error)
{
	uint64_t len = map->end - map->start;
	uint8_t *code, *at = NULL;
	uint64_t found = 0;

	if (len > SEARCH_MAX)
		len = SEARCH_MAX;
	code = mem_alloc(len);
	errno = 0;
	if (ent_read(s, map->start, code, len))
		at = memmem(code, len, "\x0f\x05", 2);
	else
		*error = errno != 0 ? errno : EIO;
	if (at != NULL)
		found = map->start + (uint64_t)(at - code);
	free(code);
	return found;
}

/* Makes %ebp calls of the table at %rbx (struct ent_call). */
static const uint8_t loop[] = {
	0x48, 0x8b, 0x03,	/* mov (%rbx),%rax */
	0x48, 0x8b, 0x7b, 0x08, /* mov 8(%rbx),%rdi */
	0x48, 0x8b, 0x73, 0x10, /* mov 16(%rbx),%rsi */
	0x48, 0x8b, 0x53, 0x18, /* mov 24(%rbx),%rdx */
	0x4c, 0x8b, 0x53, 0x20, /* mov 32(%rbx),%r10 */
	0x4c, 0x8b, 0x43, 0x28, /* mov 40(%rbx),%r8 */
	0x4c, 0x8b, 0x4b, 0x30, /* mov 48(%rbx),%r9 */
	0x0f, 0x05,		/* syscall */
	0x48, 0x89, 0x03,	/* mov %rax,(%rbx) */
	0x48, 0x83, 0xc3, 0x38, /* add $56,%rbx */
	0xff, 0xcd,		/* dec %ebp */
	0x75, 0xd8,		/* jnz, to the beginning */
	0xcc,			/* int3 */
};
_Static_assert(sizeof(struct ent_call) == 56, "the loop goes through these");

/* Free room behind the vdso's end, on its last page; 0: none. */
static uint64_t
find_room(const struct ent_stop *s, const struct proc_maps *pm)
{
	static const uint8_t zeroes[sizeof(loop) + 32];
	uint8_t code[PAGE], *at;

	VEC_FOREACH(&pm->maps, map) {
		uint64_t begin = map->end - sizeof(code);

		if (strcmp(map->path, "[vdso]") != 0 ||
		    !ent_read(s, begin, code, sizeof(code)))
			continue;
		at = memmem(code, sizeof(code), zeroes, sizeof(zeroes));
		return at != NULL ? begin + (uint64_t)(at - code) + 16 : 0;
	}
	return 0;
}

/* Is the signal handled by default? */
static bool
is_default(pid_t pid, int sig)
{
	static const char *const names[] = { "SigIgn", "SigCgt" };
	char text[32];

	for (size_t i = 0; i < 2; i++) {
		if (!proc_status(pid, names[i], text, sizeof(text)) ||
		    strtoull(text, NULL, 16) & 1ULL << (sig - 1))
			return false;
	}
	return true;
}

/* Our own mappings may be unmapped by the very call. */
static bool
may_call_from(const struct proc_map *map)
{
	return map->is_exec && map->is_read &&
	    !proc_path_is_of_dtrace(map->path);
}

/*
 * A syscall instruction of the vdso, which every process has; a kernel can be
 * told to map none.
 */
static uint64_t
find_syscall(const struct ent_stop *s, const struct proc_maps *pm, int *error)
{
	uint64_t at = 0;

	VEC_FOREACH(&pm->maps, map) {
		if (map->is_exec && strcmp(map->path, "[vdso]") == 0)
			at = find_in(s, map, error);
	}
	VEC_FOREACH(&pm->maps, map) {
		if (at == 0 && may_call_from(map))
			at = find_in(s, map, error);
	}
	return at;
}

/* ---- one call ----------------------------------------------------------- */

/*
 * Go on until a stop by `sig`, and hold back other signals.  Do not give up on
 * a thread that only waits for a CPU: it would go on in the middle.
 */
static bool
go_to(struct ent_remote *r, enum __ptrace_request how, int sig)
{
	uint64_t begin = now_ns(), waited = 0;
	int status;

	if (ptrace(how, r->t->tid, NULL, NULL) != 0)
		return false;
	for (; waited < CALL_NS || ent_wants_cpu(r->t->tid);
	     waited = now_ns() - begin) {
		pid_t got = waitpid(r->t->tid, &status, __WALL | WNOHANG);

		if (got == 0 && waited > SPIN_NS)
			ent_nap(r->s);
		if (got == 0)
			continue;
		if (got < 0 || !WIFSTOPPED(status))
			return false;
		if (status >> 16 == 0 && WSTOPSIG(status) == sig)
			return true;
		/* the only signal that cannot be blocked: send it later */
		r->has_sigstop |= status >> 16 == 0;
		ptrace(how, r->t->tid, NULL, NULL);
	}
	return false;
}

/* Go on to the call's next stop, its entry or its exit. */
static bool
to_call_stop(struct ent_remote *r)
{
	return go_to(r, PTRACE_SYSCALL, SIGTRAP | 0x80);
}

int64_t
ent_remote_call(struct ent_remote *r, long nr, const uint64_t args[6])
{
	struct user_regs_struct regs = r->t->regs;

	regs.rip = r->insn;
	regs.rax = (uint64_t)nr;
	regs.orig_rax = (uint64_t)-1;
	regs.rdi = args[0];
	regs.rsi = args[1];
	regs.rdx = args[2];
	regs.r10 = args[3];
	regs.r8 = args[4];
	regs.r9 = args[5];
	regs.eflags &= ~(unsigned long long)TRAP_FLAG;
	if (r->is_dead || ptrace(PTRACE_SETREGS, r->t->tid, NULL, &regs) != 0 ||
	    !to_call_stop(r) || !to_call_stop(r) ||
	    ptrace(PTRACE_GETREGS, r->t->tid, NULL, &regs) != 0) {
		r->is_dead = true;
		return -ESRCH;
	}
	return (int64_t)regs.rax;
}

/* ---- many calls --------------------------------------------------------- */

#define TABLE_AT 512 /* of the scratch page */
#define TABLE_MAX ((PAGE - TABLE_AT) / sizeof(struct ent_call))

/*
 * Run the loop.  A trap elsewhere was sent by another process while SIGTRAP was
 * not blocked: deliver it later, too.
 */
static bool
run_loop(struct ent_remote *r, size_t n)
{
	struct user_regs_struct regs = r->t->regs;
	uint64_t all = ~(uint64_t)0;

	regs.rip = r->room;
	regs.rbx = r->scratch + TABLE_AT;
	regs.rbp = n;
	regs.orig_rax = (uint64_t)-1;
	regs.eflags &= ~(unsigned long long)TRAP_FLAG;
	if (ptrace(PTRACE_SETREGS, r->t->tid, NULL, &regs) != 0)
		return false;
	while (go_to(r, PTRACE_CONT, SIGTRAP)) {
		if (ptrace(PTRACE_GETREGS, r->t->tid, NULL, &regs) != 0)
			return false;
		/* the trap has unblocked its own signal */
		ptrace(PTRACE_SETSIGMASK, r->t->tid, sizeof(all), &all);
		if (regs.rip == r->room + sizeof(loop))
			return true;
		r->has_sigtrap = true;
	}
	return false;
}

/* A thread is not dead because the kernel does not let us read its memory: it
 * has to get its registers back. */
static void
run_table(struct ent_remote *r, struct ent_call *v, size_t n)
{
	int64_t rc = 0;

	if (!run_loop(r, n)) {
		r->is_dead = true;
		rc = -ESRCH;
	} else if (!ent_read(r->s, r->scratch + TABLE_AT, v, n * sizeof(*v))) {
		rc = -EFAULT;
	}
	for (size_t i = 0; rc != 0 && i < n; i++)
		v[i].rc = rc;
}

static void
call_each(struct ent_remote *r, struct ent_call *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i].rc = ent_remote_call(r, (long)v[i].rc, v[i].args);
}

void
ent_remote_calls(struct ent_remote *r, struct ent_call *v, size_t n)
{
	for (size_t done = 0, part; done < n; done += part) {
		part = n - done < TABLE_MAX ? n - done : TABLE_MAX;
		if (r->room != 0 && !r->is_dead &&
		    ent_write(r->s, r->scratch + TABLE_AT, &v[done],
			part * sizeof(*v)))
			run_table(r, &v[done], part);
		else
			call_each(r, &v[done], part);
	}
}

/* Write the loop to free room, where it stays until ent_remote_end(). */
static void
put_loop(struct ent_remote *r, const struct proc_maps *pm)
{
	uint64_t at = is_default(r->s->pid, SIGTRAP) ? find_room(r->s, pm) : 0;

	if (at != 0 && ent_write(r->s, at, loop, sizeof(loop)))
		r->room = at;
}

static void
take_loop(struct ent_remote *r)
{
	static const uint8_t zeroes[sizeof(loop)];

	if (r->room != 0)
		ent_write(r->s, r->room, zeroes, sizeof(zeroes));
}

/* ---- restartable sequences ---------------------------------------------- */

#ifndef PTRACE_GET_RSEQ_CONFIGURATION
#define PTRACE_GET_RSEQ_CONFIGURATION 0x420f /* <linux/ptrace.h>, 5.13 */
#endif

/* <linux/ptrace.h>, struct ptrace_rseq_configuration */
struct rseq_config {
	uint64_t pointer;
	uint32_t size, signature, flags, pad;
};

/*
 * Abort a restartable sequence, as the kernel may at any time.  Without this
 * the thread would go on in its middle after our calls: the kernel looks only
 * at the instruction to which it returns.
 */
static void
abort_sequence(struct ent_remote *r)
{
	struct user_regs_struct *regs = &r->t->regs;
	struct rseq_config conf = { 0 };
	struct rseq_cs cs;
	uint64_t at = 0;

	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, r->t->tid, sizeof(conf),
		&conf) <= 0 ||
	    conf.pointer == 0 ||
	    !ent_read(r->s, conf.pointer + offsetof(struct rseq, rseq_cs), &at,
		sizeof(at)) ||
	    at == 0 || !ent_read(r->s, at, &cs, sizeof(cs)) ||
	    regs->rip - cs.start_ip >= cs.post_commit_offset)
		return;
	regs->rip = cs.abort_ip;
	regs->orig_rax = (uint64_t)-1;
	at = 0;
	ent_write(r->s, conf.pointer + offsetof(struct rseq, rseq_cs), &at,
	    sizeof(at));
}

/* ------------------------------------------------------------------------- */

CHECKED static int
refuse(
    const struct ent_remote *r, struct err *err, const char *what, int64_t rc)
{
	if (rc == -ESRCH)
		err_set(err, (int)rc, "process %d ended while it was entered",
		    (int)r->s->pid);
	else
		err_set(err, (int)rc, "process %d cannot be entered: %s: %s",
		    (int)r->s->pid, what, strerror((int)-rc));
	return (int)rc;
}

int
ent_remote_begin(struct ent_remote *r, struct ent_stop *s,
    const struct proc_maps *pm, struct err *err)
{
	uint64_t all = ~(uint64_t)0;
	int64_t at;
	int error = 0;

	*r = (struct ent_remote){ .s = s, .t = s->threads.v };
	s->remote = NULL;
	r->insn = find_syscall(s, pm, &error);
	if (r->insn == 0 && error != 0)
		return refuse(r, err, "its code cannot be read", -error);
	if (r->insn == 0)
		return refuse(r, err, "no system call instruction", -ENOEXEC);
	if (ptrace(PTRACE_GETSIGMASK, r->t->tid, sizeof(r->mask), &r->mask) !=
		0 ||
	    ptrace(PTRACE_SETSIGMASK, r->t->tid, sizeof(all), &all) != 0)
		return refuse(r, err, "its signals", -errno);
	abort_sequence(r);
	s->remote = r;
	at = ENT_REMOTE(r, SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1);
	if (at < 0 && at > -PAGE) {
		ent_remote_end(r);
		return refuse(r, err, "a page of memory", at);
	}
	r->scratch = (uint64_t)at;
	put_loop(r, pm);
	return 0;
}

void
ent_remote_end(struct ent_remote *r)
{
	r->s->remote = NULL;
	take_loop(r);
	if (r->scratch != 0)
		ENT_REMOTE(r, SYS_munmap, r->scratch, PAGE);
	if (r->is_dead) {
		r->t->is_gone = true;
		return;
	}
	ptrace(PTRACE_INTERRUPT, r->t->tid, NULL, NULL);
	ptrace(PTRACE_CONT, r->t->tid, NULL, NULL);
	if (!ent_await_stop(r->s, r->t, now_ns() + CALL_NS))
		return;
	ptrace(PTRACE_SETREGS, r->t->tid, NULL, &r->t->regs);
	ptrace(PTRACE_SETSIGMASK, r->t->tid, sizeof(r->mask), &r->mask);
	if (r->has_sigstop)
		syscall(SYS_tgkill, r->s->pid, r->t->tid, SIGSTOP);
	if (r->has_sigtrap)
		syscall(SYS_tgkill, r->s->pid, r->t->tid, SIGTRAP);
}

/* ---- descriptors -------------------------------------------------------- */

/* The contents of the scratch page while descriptors are received. */
struct parcel {
	int pair[2];
	struct msghdr msg;
	struct iovec iov;
	char byte;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(ENT_FDS_MAX * sizeof(int))];
	} ctl;
};

/* Send descriptors from here through our copy of the process's socket pair. */
static int
send_fds(pid_t pid, int end, const int *fds, size_t n)
{
	struct parcel p = { 0 };
	struct cmsghdr *head = &p.ctl.head;
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0), fd, rc = 0;

	if (pidfd < 0)
		return -errno;
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, end, 0);
	if (fd < 0)
		rc = -errno;
	close(pidfd);
	if (rc != 0)
		return rc;
	p.iov = (struct iovec){ &p.byte, 1 };
	p.msg = (struct msghdr){ .msg_iov = &p.iov,
		.msg_iovlen = 1,
		.msg_control = &p.ctl,
		.msg_controllen = CMSG_SPACE(n * sizeof(int)) };
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(head), fds, n * sizeof(int));
	if (sendmsg(fd, &p.msg, MSG_NOSIGNAL) != 1)
		rc = -errno;
	close(fd);
	return rc;
}

_Static_assert(sizeof(struct parcel) <= TABLE_AT, "both are on the page");

static void
close_pair(struct ent_remote *r, const int *pair)
{
	struct ent_call calls[] = {
		ENT_CALL(SYS_close, (uint64_t)pair[0]),
		ENT_CALL(SYS_close, (uint64_t)pair[1]),
	};

	ent_remote_calls(r, calls, 2);
}

/* Let the process receive them from its end, and close both. */
static int
receive_fds(struct ent_remote *r, const int *pair, size_t n, int *there)
{
	uint64_t at = r->scratch;
	struct parcel p = { 0 };
	struct ent_call calls[] = {
		ENT_CALL(SYS_recvmsg, (uint64_t)pair[1],
		    at + offsetof(struct parcel, msg),
		    MSG_CMSG_CLOEXEC | MSG_DONTWAIT),
		ENT_CALL(SYS_close, (uint64_t)pair[0]),
		ENT_CALL(SYS_close, (uint64_t)pair[1]),
	};

	p.iov.iov_base = (void *)(at + offsetof(struct parcel, byte));
	p.iov.iov_len = 1;
	p.msg.msg_iov = (void *)(at + offsetof(struct parcel, iov));
	p.msg.msg_iovlen = 1;
	p.msg.msg_control = (void *)(at + offsetof(struct parcel, ctl));
	p.msg.msg_controllen = sizeof(p.ctl);
	if (!ent_write(r->s, at, &p, sizeof(p))) {
		close_pair(r, pair);
		return -EFAULT;
	}
	ent_remote_calls(r, calls, 3);
	if (calls[0].rc < 0)
		return (int)calls[0].rc;
	if (!ent_read(r->s, at, &p, sizeof(p)) ||
	    p.ctl.head.cmsg_len != CMSG_LEN(n * sizeof(int)))
		return -EMFILE;
	memcpy(there, CMSG_DATA(&p.ctl.head), n * sizeof(int));
	return 0;
}

int
ent_remote_give_fds(
    struct ent_remote *r, const int *fds, size_t n, int there[ENT_FDS_MAX])
{
	struct ent_call made = ENT_CALL(
	    SYS_socketpair, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, r->scratch);
	int pair[2], rc;

	ent_remote_calls(r, &made, 1);
	if (made.rc < 0)
		return (int)made.rc;
	if (!ent_read(r->s, r->scratch, pair, sizeof(pair)))
		return -EFAULT;
	rc = send_fds(r->s->pid, pair[0], fds, n);
	if (rc == 0)
		return receive_fds(r, pair, n, there);
	close_pair(r, pair);
	return rc;
}
