/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * glibc's locks in x86-64 processes, as data for plockstat.d, and the variables
 * of a thread's call of a lock function.
 */

/* pthread_mutex_t (sysdeps/x86/nptl/bits/struct_mutex.h) */
struct glibc_mutex {
	int lock;
	unsigned int count;
	int owner;
	unsigned int nusers;
	int kind;
	unsigned int rest[5];
};

/* pthread_rwlock_t (sysdeps/x86/nptl/bits/struct_rwlock.h) */
struct glibc_rwlock {
	unsigned int words[6];
	int cur_writer;
	unsigned int rest[7];
};

struct glibc_timespec {
	long tv_sec;
	unsigned long tv_nsec;
};

/* The thread's number in its own pid namespace, as glibc knows it. */
inline int glibc_tid =
    curthread->thread_pid->numbers[curthread->thread_pid->level].nr;

/*
 * The effect of unlocking a mutex.  `kind`: the type in the lowest two bits (1
 * recursive, 2 error checking), and 16 for a robust mutex.  Only the owner can
 * unlock these three; any thread can unlock other mutexes.
 */
struct glibc_unlock {
	int is_permitted;
	int is_nested;		/* the mutex stays locked */
};

translator struct glibc_unlock < userland struct glibc_mutex *M > {
	is_permitted = (M->kind & 16) != 0 ?
	    (M->lock & 0x3fffffff) == glibc_tid :
	    (M->kind & 3) == 1 || (M->kind & 3) == 2 ?
	    M->owner == glibc_tid : 1;
	is_nested = (M->kind & 3) == 1 && M->count > 1;
};

self int64_t plockstat_of;	/* process of the variables below; 0: none */
self int64_t plockstat_lock;	/* the lock of the call */
self int64_t plockstat_cond;	/* the call waits for a condition */
self uint64_t plockstat_sp;	/* the stack pointer at the entry */
self int64_t plockstat_blocked;	/* the call has blocked */
self int64_t plockstat_spins;	/* number of spins in the call */
/* The call that a signal handler has interrupted; plockstat_osp 0: none. */
self int64_t plockstat_olock;
self int64_t plockstat_ocond;
self uint64_t plockstat_osp;
self int64_t plockstat_oblocked;
self int64_t plockstat_ospins;

self uint64_t plockstat_wait;	/* stack pointer at a condition wait */

/* The same variables for readers/writer locks. */
self int64_t plockstat_rw_of;
self int64_t plockstat_rw_lock;
self int64_t plockstat_rw_write;
self uint64_t plockstat_rw_sp;
self int64_t plockstat_rw_blocked;
self int64_t plockstat_rw_olock;
self int64_t plockstat_rw_owrite;
self uint64_t plockstat_rw_osp;
self int64_t plockstat_rw_oblocked;
