/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_RT_OS_H
#define EXEC_RUNTIME_RT_OS_H

/*
 * What the runtime asks of the system outside of the kernel, in a process of
 * ours or in a traced one.
 *
 * In a traced process there is no libc that we may call: its functions may hold
 * locks, or be probed themselves.  So the freestanding form (RT_FREESTANDING)
 * makes system calls directly and brings its own memcpy() and kin (rt_libc.c).
 *
 *	rt_os_read	bytes of this process; 0 or -1, never a signal
 *	rt_os_write	bytes into this process, where it may write itself
 *			(both: `tid` is of a thread of this process, which saves
 *			a system call; 0: not known)
 *	rt_os_file	the beginning of a file: how many bytes, or negative
 */
#include "exec/runtime/rt.h"

#ifdef RT_FREESTANDING

typedef __SIZE_TYPE__ size_t;
void *memcpy(void *dst, const void *src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strnlen(const char *s, size_t n);
#ifndef RT_LIBC
/* without a libc the compiler takes these for anybody's: short ones inline */
#define memcpy __builtin_memcpy
#define memmove __builtin_memmove
#define memset __builtin_memset
#endif

/* Numbers: arch/x86/entry/syscalls/syscall_64.tbl of the kernel. */
enum {
	RT_SYS_READ = 0,
	RT_SYS_OPEN = 2,
	RT_SYS_CLOSE = 3,
	RT_SYS_SCHED_YIELD = 24,
	RT_SYS_GETPID = 39,
	RT_SYS_KILL = 62,
	RT_SYS_GETTID = 186,
	RT_SYS_CLOCK_GETTIME = 228,
	RT_SYS_READV = 310, /* process_vm_readv */
	RT_SYS_WRITEV = 311,
};
#define RT_O_CLOEXEC 02000000
#define RT_ESRCH 3

RT_INLINE long
rt_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 asm("r10") = d;
	register long r8 asm("r8") = e;
	register long r9 asm("r9") = f;
	long rc;

	asm volatile(
	    "syscall"
	    : "=a"(rc)
	    : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
	    : "rcx", "r11", "memory");
	return rc;
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
	return (u32)rt_syscall3(RT_SYS_GETPID, 0, 0, 0);
}

RT_INLINE u32
rt_os_tid(void)
{
	return (u32)rt_syscall3(RT_SYS_GETTID, 0, 0, 0);
}

RT_INLINE void
rt_os_yield(void)
{
	rt_syscall3(RT_SYS_SCHED_YIELD, 0, 0, 0);
}

RT_INLINE u64
rt_os_monotonic_ns(void)
{
	u64 ts[2] = { 0, 0 };

	rt_syscall3(RT_SYS_CLOCK_GETTIME, 1, (long)ts, 0);
	return ts[0] * 1000000000 + ts[1];
}

RT_INLINE int
rt_os_is_alive(u32 tid)
{
	return rt_syscall3(RT_SYS_KILL, (long)tid, 0, 0) != -RT_ESRCH;
}

/* A child of vfork() may outlive the thread that it runs as. */
RT_INLINE long
rt_os_move(long nr, u32 tid, void *own, u64 size, u64 addr)
{
	struct rt_iovec mine = { own, size };
	struct rt_iovec there = { (void *)addr, size };
	long n = rt_syscall6(nr, tid, (long)&mine, 1, (long)&there, 1, 0);

	if (n == -RT_ESRCH)
		n = rt_syscall6(nr, (long)rt_os_pid(), (long)&mine, 1,
		    (long)&there, 1, 0);
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
	u64 x = __builtin_ia32_rdtsc();

	x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
	return (u32)(x ^ x >> 33);
}

#else /* a process of ours */

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
