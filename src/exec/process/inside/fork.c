/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * The steps by which descendants of a traced process get traced.  Part of the
 * freestanding code, as firing.c is.
 *
 *	fork()		the child has jumps, code and shared data, but no own
 *			part (area.h).  At a point behind the call it makes
 *			its own part from the seed, and tells dtrace
 *	execve()	before it, the thread waits until dtrace has seized it
 *			(inproc/follow.c)
 *	mmap()		of code: the thread waits until the code has its points
 */
#include "exec/process/inside/fire.h"
#include "exec/runtime/rt_os.h"

/* Numbers: arch/x86/entry/syscalls/syscall_64.tbl of the kernel. */
enum {
	SYS_MMAP = 9,
	SYS_CLONE = 56,
	SYS_FORK = 57,
	SYS_VFORK = 58,
	SYS_EXECVE = 59,
	SYS_EXECVEAT = 322,
	SYS_CLONE3 = 435,
};
enum { FUTEX_WAIT = 0, EBADF = 9 };

#define WAIT_NAP 1000000 /* length of one nap, ns */
#define WAIT_NAPS 5000	 /* naps at most */
#define TRIES 8		 /* to be heard: any process may scribble */

static struct pr_head *
head_of(const struct pr_own *own, const struct pr_conf *c)
{
	return (struct pr_head *)((u64)own - c->own + c->data);
}

static int
is_tracing(const struct pr_head *h, const struct pr_conf *c)
{
	return *(const volatile u64 *)&h->gate == c->gate;
}

/* ---- requests ----------------------------------------------------------- */

/* Wait while dtrace traces and has not heard the request, but not long,
 * whatever happens to dtrace. */
static void
wait_until_heard(struct pr_head *h, const struct pr_conf *c, u32 turn)
{
	u64 nap[2] = { 0, WAIT_NAP };

	for (u32 i = 0; i < WAIT_NAPS && is_tracing(h, c); i++) {
		u32 heard = __atomic_load_n(&h->heard, __ATOMIC_ACQUIRE);

		if ((s32)(heard - turn) >= 0)
			break;
		rt_syscall6(RT_SYS_FUTEX, (long)&h->heard, FUTEX_WAIT, heard,
		    (long)nap, 0, 0);
	}
}

/*
 * Write a request.  Returns its number + 1.  A thread that gets no CPU before
 * it has written the request may find that dtrace has given the number up
 * (descendants.c); it then asks again.  Either the thread sees that, or dtrace
 * sees the request, or both.
 */
static u32
ask(struct pr_head *h, const struct pr_conf *c, u32 asks, u32 arg, u64 addr)
{
	for (u32 tries = 0;; tries++) {
		u32 n = __sync_fetch_and_add(&h->asked, 1);
		struct pr_request *r = &h->requests[n & (PR_REQUESTS - 1)];

		wait_until_heard(h, c, n - PR_REQUESTS + 1);
		r->asks = asks;
		r->pid = rt_os_pid();
		r->arg = arg;
		r->addr = addr;
		__atomic_store_n(&r->turn, n + 1, __ATOMIC_SEQ_CST);
		__sync_synchronize();
		pr_wake(h);
		if (*(volatile u64 *)&r->given_up != n + 1)
			return n + 1;
		if (tries == TRIES) {
			__sync_fetch_and_add(&h->unheard, 1);
			return n + 1;
		}
	}
}

void
pr_tell(struct pr_own *own, const struct pr_conf *c, u32 asks)
{
	struct pr_head *h = head_of(own, c);

	if (own->start.live && is_tracing(h, c))
		ask(h, c, asks, 0, 0);
}

/* Ask, and wait if the process may make the calls that waiting needs. */
static void
ask_and_wait(struct pr_head *h, const struct pr_conf *c, u32 asks, u64 addr)
{
	u32 tid = rt_os_tid(), turn;

	if (tid == 0 || rt_is_denied(RT_SYS_GETPID) ||
	    rt_is_denied(RT_SYS_FUTEX))
		return;
	turn = ask(h, c, asks, tid, addr);
	wait_until_heard(h, c, turn);
	if ((s32)(h->heard - turn) < 0 && is_tracing(h, c))
		__sync_fetch_and_add(&h->unheard, 1);
}

/* ---- children ----------------------------------------------------------- */

/* Make the child's own part.  Set `live` last. */
static void
be_born(struct pr_own *own, const struct pr_conf *c)
{
	struct pr_seed *seed = seed_of(own, c);
	u32 parent = (u32)seed->start.pid, pid;

	if (!seed->follows || !is_tracing(head_of(own, c), c))
		return;
	pid = rt_os_pid();
	if (pid == 0)
		return;
	seed->start.pid = pid;
	seed->start.is_named = 0;
	seed->start.live = 0;
	memcpy(&own->start, &seed->start, sizeof(seed->start));
	if (!pr_knows_tid(own, c))
		own->start.tid_off = seed->start.tid_off = -1;
	*(volatile u64 *)&own->start.live = 1;
	ask(head_of(own, c), c, PR_BORN, parent, 0);
}

/*
 * A child of vfork() or posix_spawn() runs in its parent's memory, with its
 * parent's thread control block, until it executes a program; the parent sleeps
 * meanwhile.
 */
u64
pr_sys_cloned(struct pr_own *own, const struct pr_conf *c, const u64 *frame)
{
	struct pr_thread *t;
	u64 tid;

	if (!own->start.live && frame[RAX] == 0)
		be_born(own, c);
	t = pr_thread_of_call(own, c);
	if (t == NULL)
		return 0;
	tid = frame[RAX] == 0 && own->start.tid_off >= 0 ? rt_os_tid() : 0;
	if (tid != 0 && tid != t->tid)
		pr_thread_becomes(t, rt_os_pid());
	else if (frame[RAX] != 0 && t->child != 0)
		pr_thread_becomes(t, 0);
	return 0;
}

/* ---- programs ----------------------------------------------------------- */

/* asm/stat.h */
struct fork_kernel_stat {
	u64 dev, ino, nlink;
	u32 mode, uid, gid, pad;
	u64 rdev, rest[13];
};
enum {
	MODE_TYPE = 0170000,
	MODE_FILE = 0100000,
	MODE_SETUID = 04000,
	MODE_SETGID = 02010, /* with permission to execute, else it is a lock */
};
enum { X_OK = 1, AT_FDCWD = -100, AT_EACCESS = 0x200 };
enum { AT_SYMLINK_NOFOLLOW = 0x100, AT_EMPTY_PATH = 0x1000 };
#define O_NOFOLLOW 0400000

#define LINE_MAX 256  /* BINPRM_BUF_SIZE */
#define SCRIPTS_MAX 5 /* fs/exec.c, exec_binprm() */

/* A file that may be executed. */
struct fork_program {
	long dir, path, flags;
	char line[LINE_MAX]; /* its first bytes; a script's interpreter */
};

enum verdict { FAILS, PLAIN, GAINS };

/* Does the file's mode or capability raise privileges?  Ignores mount flags. */
static int
gains(const struct fork_kernel_stat *st, long fd)
{
	u64 uid = (u64)rt_syscall3(RT_SYS_GETEUID, 0, 0, 0);

	if (uid != 0) {
		long n = rt_syscall6(RT_SYS_FGETXATTR, fd,
		    (long)"security.capability", 0, 0, 0, 0);

		if (n > 0 || n == -EBADF)
			return 1;
	}
	return (st->mode & MODE_SETUID && st->uid != uid) ||
	    ((st->mode & MODE_SETGID) == MODE_SETGID &&
		st->gid != (u64)rt_syscall3(RT_SYS_GETEGID, 0, 0, 0));
}

/* The interpreter that a script's first line names; 0: no script. */
static char *
interpreter(char *line, long len)
{
	char *s = line + 2, *end;

	if (len < 3 || line[0] != '#' || line[1] != '!')
		return 0;
	line[len < LINE_MAX ? len : LINE_MAX - 1] = '\0';
	while (*s == ' ' || *s == '\t')
		s++;
	for (end = s;
	     *end != '\0' && *end != ' ' && *end != '\t' && *end != '\n'; end++)
		;
	*end = '\0';
	return s;
}

/* Does executing the file gain privileges?  A file that cannot be read is left
 * alone. */
static enum verdict
judge_file(struct fork_program *p, char **next)
{
	enum verdict v;
	struct fork_kernel_stat st;
	long open_flags =
	    RT_O_CLOEXEC | (p->flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0);
	long fd;
	int is_open; /* execveat() executes an open descriptor */

	*next = 0;
	if (rt_syscall6(RT_SYS_NEWFSTATAT, p->dir, p->path, (long)&st,
		p->flags & (AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH), 0, 0) != 0 ||
	    (st.mode & MODE_TYPE) != MODE_FILE ||
	    rt_syscall6(RT_SYS_FACCESSAT2, p->dir, p->path, X_OK,
		p->flags | AT_EACCESS, 0, 0) != 0)
		return FAILS;
	is_open = *(const char *)p->path == '\0';
	fd = is_open ?
	    p->dir :
	    rt_syscall6(RT_SYS_OPENAT, p->dir, p->path, open_flags, 0, 0, 0);
	if (fd < 0)
		return GAINS;
	v = gains(&st, fd) ? GAINS : PLAIN;
	*next = interpreter(p->line,
	    rt_syscall6(RT_SYS_PREAD64, fd, (long)p->line, LINE_MAX, 0, 0, 0));
	if (!is_open)
		rt_syscall3(RT_SYS_CLOSE, fd, 0, 0);
	return v;
}

static enum verdict
judge(struct fork_program *p)
{
	enum verdict v = FAILS;
	char *next;

	for (u32 i = 0; i < SCRIPTS_MAX; i++) {
		v = judge_file(p, &next);
		if (next == 0)
			break;
		p->dir = AT_FDCWD;
		p->path = (long)next;
		p->flags = 0;
	}
	return v;
}

/* A program that gains privileges is not traced: under ptrace(2) the kernel
 * would withhold them. */
static void
executes(struct pr_own *own, const struct pr_conf *c, struct fork_program *p)
{
	struct pr_head *h = head_of(own, c);
	u64 path = (u64)p->path;

	if (!own->start.live || !is_tracing(h, c))
		return;
	switch (judge(p)) {
	case FAILS:
		break;
	case PLAIN:
		ask_and_wait(h, c, PR_EXECUTES, 0);
		break;
	case GAINS:
		ask_and_wait(h, c, PR_GAINS, path);
		break;
	}
}

u64
pr_sys_executes(struct pr_own *own, const struct pr_conf *c, const u64 *frame)
{
	struct fork_program p = { .dir = AT_FDCWD, .path = (long)frame[RDI] };

	executes(own, c, &p);
	return 0;
}

u64
pr_sys_executes_at(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame)
{
	struct fork_program p = { .dir = (long)frame[RDI],
		.path = (long)frame[RSI],
		.flags = (long)frame[R8] };

	executes(own, c, &p);
	return 0;
}

/* ---- code that is mapped ------------------------------------------------ */

#define PROT_EXEC 4
#define MAP_SHARED 1
#define MAP_ANONYMOUS 0x20

u64
pr_sys_mapped(struct pr_own *own, const struct pr_conf *c, const u64 *frame)
{
	struct pr_head *h = head_of(own, c);

	if (own->start.live && is_tracing(h, c) && frame[RAX] < -4095ULL &&
	    frame[RDX] & PROT_EXEC &&
	    !(frame[R10] & (MAP_SHARED | MAP_ANONYMOUS)))
		ask_and_wait(h, c, PR_MAPPED, 0);
	return 0;
}

/* ---- where any call is made --------------------------------------------- */

static int
makes_processes(u64 nr)
{
	return nr == SYS_CLONE || nr == SYS_FORK || nr == SYS_VFORK ||
	    nr == SYS_CLONE3;
}

/* Notes of calls are in the own part, which a child lacks. */
u64
pr_sys_before(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame, u64 site)
{
	u64 nr = frame[RAX];

	pr_sys_note(own, c, frame, site);
	if (own->start.live && makes_processes(nr))
		seed_of(own, c)->call =
		    (struct pr_call){ frame[RSP], (u32)site, (u32)nr };
	pr_sys_filters(own, c, frame);
	if (nr == SYS_EXECVE)
		pr_sys_executes(own, c, frame);
	else if (nr == SYS_EXECVEAT)
		pr_sys_executes_at(own, c, frame);
	return 0;
}

static u64
number(struct pr_own *own, const struct pr_conf *c, const u64 *frame, u64 site)
{
	const struct pr_call *call = &seed_of(own, c)->call;

	if (own->start.live)
		return pr_sys_number(own, c, frame, site);
	return call->site == site && call->sp == frame[RSP] ? call->nr :
							      PR_NO_CALL;
}

u64
pr_sys_behind(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame, u64 site)
{
	u64 nr = number(own, c, frame, site);

	pr_sys_filtered(own, c, frame);
	if (makes_processes(nr))
		pr_sys_cloned(own, c, frame);
	else if (nr == SYS_MMAP)
		pr_sys_mapped(own, c, frame);
	return nr;
}
