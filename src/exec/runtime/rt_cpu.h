/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_RT_CPU_H
#define EXEC_RUNTIME_RT_CPU_H

/*
 * The instructions of the processor that C has no words for, for the runtime
 * outside of the kernel and the code in traced processes.  Another processor
 * has its own section here.
 *
 *	rt_cpu_cycles	a counter of cycles, which all threads may read
 *	rt_cpu_number	the number of this CPU; bits above EXEC_CPU_MASK are its node's
 *	rt_cpu_pause	a hint: this thread waits for another one
 *	rt_cpu_base	the base of the thread's own memory; asks no kernel
 *	rt_cpu_syscall	a system call
 *	rt_cpu_copy, _copy_down, _fill	memory: upwards, downwards, one byte
 *
 * These are atomic for signal handlers of the same thread, not for other CPUs:
 *
 *	rt_cpu_add	*word += n
 *	rt_cpu_add128	the same of two words, the lower one first
 *	rt_cpu_fetch_add	*word += n; the old value
 *	rt_cpu_exchange, _exchange32	*word <- next if it is old; its old value
 */
#include "exec/runtime/rt.h"

#if defined(__x86_64__)

RT_INLINE u64
rt_cpu_cycles(void)
{
	return __builtin_ia32_rdtsc();
}

RT_INLINE u32
rt_cpu_number(void)
{
	u32 cpu = 0;

	__builtin_ia32_rdtscp(&cpu);
	return cpu;
}

RT_INLINE void
rt_cpu_pause(void)
{
	__builtin_ia32_pause();
}

RT_INLINE u64
rt_cpu_base(void)
{
	u64 base;

	asm volatile("rdfsbase %0" : "=r"(base));
	return base;
}

RT_INLINE long
rt_cpu_syscall(long nr, long a, long b, long c, long d, long e, long f)
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

RT_INLINE void
rt_cpu_copy(void *to, const void *from, u64 n)
{
	asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

/* `to` and `from` are the last bytes. */
RT_INLINE void
rt_cpu_copy_down(void *to, const void *from, u64 n)
{
	asm volatile("std; rep movsb; cld"
		     : "+D"(to), "+S"(from), "+c"(n)
		     :
		     : "memory");
}

RT_INLINE void
rt_cpu_fill(void *to, int c, u64 n)
{
	asm volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(c) : "memory");
}

RT_INLINE void
rt_cpu_add(u64 *word, u64 n)
{
	asm volatile("addq %1, %0" : "+m"(*word) : "er"(n) : "cc");
}

/* The carry is in the flags, which a signal handler restores. */
RT_INLINE void
rt_cpu_add128(u64 *words, u64 low, u64 high)
{
	asm volatile("addq %2, %0; adcq %3, %1"
		     : "+m"(words[0]), "+m"(words[1])
		     : "r"(low), "r"(high)
		     : "cc");
}

RT_INLINE u64
rt_cpu_fetch_add(u64 *word, u64 n)
{
	asm volatile("xaddq %0, %1" : "+r"(n), "+m"(*word) : : "cc");
	return n;
}

/* The type of `next` says how many bytes are compared and exchanged. */
#define RT_CPU_CMPXCHG(word, old, next)                                        \
	asm volatile("cmpxchg %2, %1"                                          \
		     : "+a"(old), "+m"(*(word))                                \
		     : "r"(next)                                               \
		     : "cc", "memory")

RT_INLINE u64
rt_cpu_exchange(u64 *word, u64 old, u64 next)
{
	RT_CPU_CMPXCHG(word, old, next);
	return old;
}

RT_INLINE u32
rt_cpu_exchange32(u32 *word, u32 old, u32 next)
{
	RT_CPU_CMPXCHG(word, old, next);
	return old;
}

#else
#error "rt_cpu.h has no section for this processor"
#endif
#endif
