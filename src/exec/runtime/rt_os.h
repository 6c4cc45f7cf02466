/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_RT_OS_H
#define EXEC_RUNTIME_RT_OS_H

/*
 * The operating system's services for the runtime outside of the kernel, in
 * dtrace's own process or a traced one.
 *
 * In a traced process the runtime cannot call libc: its functions may hold
 * locks, or be probed themselves.  So the freestanding form (RT_FREESTANDING)
 * makes system calls directly and has its own memcpy() and the like
 * (rt_libc.c).
 *
 *	rt_os_read	bytes of this process; 0 or -1, never a signal
 *	rt_os_write	bytes into this process, where it may write itself
 *			(both: `tid` is of a thread of this process, which saves
 *			a system call; 0: not known)
 *	rt_os_file	the beginning of a file: how many bytes, or negative
 *	rt_os_pid, rt_os_tid	0: not to be known
 *
 * A traced process may install a seccomp filter that kills it for the runtime's
 * system calls. process/inside/filter.c checks what the filter permits, and
 * sets the bits of calls that must not be made any more: they fail with EPERM.
 */
#include "exec/runtime/rt.h"
#include "exec/runtime/rt_cpu.h"

/*
 * The system calls that the runtime makes, besides those that the program
 * itself was about to make.  Numbers: arch/x86/entry/syscalls/syscall_64.tbl of
 * the kernel.
 */
#define RT_CALLS(CALL)                                                         \
	CALL(READ, 0)                                                          \
	CALL(OPEN, 2)                                                          \
	CALL(CLOSE, 3)                                                         \
	CALL(STAT, 4)                                                          \
	CALL(FSTAT, 5)                                                         \
	CALL(PREAD64, 17)                                                      \
	CALL(SCHED_YIELD, 24)                                                  \
	CALL(MSYNC, 26)                                                        \
	CALL(GETPID, 39)                                                       \
	CALL(GETSOCKOPT, 55)                                                   \
	CALL(KILL, 62)                                                         \
	CALL(GETCWD, 79)                                                       \
	CALL(READLINK, 89)                                                     \
	CALL(GETUID, 102)                                                      \
	CALL(GETGID, 104)                                                      \
	CALL(GETEUID, 107)                                                     \
	CALL(GETEGID, 108)                                                     \
	CALL(GETPPID, 110)                                                     \
	CALL(GETPGID, 121)                                                     \
	CALL(SIGALTSTACK, 131)                                                 \
	CALL(PRCTL, 157)                                                       \
	CALL(ARCH_PRCTL, 158)                                                  \
	CALL(GETTID, 186)                                                      \
	CALL(FGETXATTR, 193)                                                   \
	CALL(TIME, 201)                                                        \
	CALL(FUTEX, 202)                                                       \
	CALL(CLOCK_GETTIME, 228)                                               \
	CALL(OPENAT, 257)                                                      \
	CALL(NEWFSTATAT, 262)                                                  \
	CALL(GETCPU, 309)                                                      \
	CALL(READV, 310) /* process_vm_readv */                                \
	CALL(WRITEV, 311)                                                      \
	CALL(FACCESSAT2, 439)
enum {
#define CALL(NAME, nr) RT_SYS_##NAME = (nr),
	RT_CALLS(CALL)
#undef CALL
};

#ifdef RT_FREESTANDING

typedef __SIZE_TYPE__ size_t;
void *memcpy(void *dst, const void *src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strnlen(const char *s, size_t n);
#ifndef RT_LIBC
/* without libc these are plain functions; builtins inline short calls */
#define memcpy __builtin_memcpy
#define memmove __builtin_memmove
#define memset __builtin_memset
#endif

#define RT_O_CLOEXEC 02000000
#define RT_EPERM 1
#define RT_ESRCH 3

/*
 * The offset from the beginning of this code to the bits (RT_NCALLS, in words
 * of 64); 0: there are none.  Written when the region is made.
 */
extern const s64 rt_denied_off;

RT_INLINE int
rt_is_denied(long nr)
{
	s64 off = *(const volatile s64 *)&rt_denied_off;
	const volatile u64 *denied =
	    (const volatile u64 *)((u64)&rt_denied_off + (u64)off);

	return off != 0 && (denied[nr / 64] >> (nr % 64) & 1);
}

RT_INLINE long
rt_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	if (__builtin_expect(rt_is_denied(nr), 0))
		return -RT_EPERM;
	return rt_cpu_syscall(nr, a, b, c, d, e, f);
}

RT_INLINE long
rt_syscall3(long nr, long a, long b, long c)
{
	return rt_syscall6(nr, a, b, c, 0, 0, 0);
}

struct rt_iovec {
	void *base;
	u64 len;
};

RT_INLINE u32
rt_os_pid(void)
{
	long pid = rt_syscall3(RT_SYS_GETPID, 0, 0, 0);

	return pid > 0 ? (u32)pid : 0;
}

RT_INLINE u32
rt_os_tid(void)
{
	long tid = rt_syscall3(RT_SYS_GETTID, 0, 0, 0);

	return tid > 0 ? (u32)tid : 0;
}

RT_INLINE void
rt_os_yield(void)
{
	rt_syscall3(RT_SYS_SCHED_YIELD, 0, 0, 0);
}

/* Without a clock, cycles: shorter than nanoseconds, but they pass. */
RT_INLINE u64
rt_os_monotonic_ns(void)
{
	u64 ts[2] = { 0, 0 };

	if (rt_syscall3(RT_SYS_CLOCK_GETTIME, 1, (long)ts, 0) != 0)
		return rt_cpu_cycles();
	return ts[0] * 1000000000 + ts[1];
}

RT_INLINE int
rt_os_is_alive(u32 tid)
{
	return rt_syscall3(RT_SYS_KILL, (long)tid, 0, 0) != -RT_ESRCH;
}

/* A child of vfork() may outlive the thread whose id it uses. */
RT_INLINE long
rt_os_move(long nr, u32 tid, void *own, u64 size, u64 addr)
{
	struct rt_iovec mine = { own, size };
	struct rt_iovec there = { (void *)addr, size };
	long n = rt_syscall6(nr, tid, (long)&mine, 1, (long)&there, 1, 0);

	if (n == -RT_ESRCH)
		n = rt_syscall6(
		    nr, (long)rt_os_pid(), (long)&mine, 1, (long)&there, 1, 0);
	return n == (long)size ? 0 : -1;
}

RT_INLINE long
rt_os_read(u32 tid, void *dst, u64 size, u64 addr)
{
	return rt_os_move(RT_SYS_READV, tid, dst, size, addr);
}

RT_INLINE long
rt_os_write(u32 tid, u64 addr, const void *src, u64 size)
{
	return rt_os_move(RT_SYS_WRITEV, tid, (void *)(u64)src, size, addr);
}

RT_INLINE long
rt_os_file(const char *path, char *dst, u64 size)
{
	long fd = rt_syscall3(RT_SYS_OPEN, (long)path, RT_O_CLOEXEC, 0), n;

	if (fd < 0)
		return fd;
	n = rt_syscall3(RT_SYS_READ, fd, (long)dst, (long)size);
	rt_syscall3(RT_SYS_CLOSE, fd, 0, 0);
	return n;
}

/* The time-stamp counter, mixed (the finaliser of MurmurHash3). */
RT_INLINE u32
rt_os_random(void)
{
	u64 x = rt_cpu_cycles();

	x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
	return (u32)(x ^ x >> 33);
}

#else /* dtrace's own process */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

RT_INLINE u32
rt_os_pid(void)
{
	return (u32)getpid();
}

RT_INLINE u32
rt_os_tid(void)
{
	return (u32)gettid();
}

RT_INLINE void
rt_os_yield(void)
{
	sched_yield();
}

RT_INLINE u64
rt_os_monotonic_ns(void)
{
	struct timespec ts = { 0, 0 };

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

RT_INLINE int
rt_os_is_alive(u32 tid)
{
	return kill((pid_t)tid, 0) == 0 || errno != ESRCH;
}

RT_INLINE long
rt_os_read(u32 tid, void *dst, u64 size, u64 addr)
{
	struct iovec to = { .iov_base = dst, .iov_len = size };
	struct iovec from = { .iov_base = (void *)(uintptr_t)addr,
		.iov_len = size };

	(void)tid;
	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) ==
		(ssize_t)size ?
	    0 :
	    -1;
}

RT_INLINE long
rt_os_write(u32 tid, u64 addr, const void *src, u64 size)
{
	struct iovec from = { .iov_base = (void *)(uintptr_t)src,
		.iov_len = size };
	struct iovec to = { .iov_base = (void *)(uintptr_t)addr,
		.iov_len = size };

	(void)tid;
	return process_vm_writev(getpid(), &from, 1, &to, 1, 0) ==
		(ssize_t)size ?
	    0 :
	    -1;
}

RT_INLINE long
rt_os_file(const char *path, char *dst, u64 size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, dst, size);
	close(fd);
	return n;
}

RT_INLINE u32
rt_os_random(void)
{
	return (u32)mrand48();
}

#endif
#endif
