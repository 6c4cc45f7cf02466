/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Locks of Linux, read from the words that hold their state.  No lock is taken:
 * a result was true when the word was read.  dif/dif_locks.def numbers the
 * kinds of locks.
 *
 *	struct mutex		owner: task | 3 flag bits
 *				(kernel/locking/mutex.h)
 *	struct rw_semaphore	count: readers << 8 | flags | writer locked
 *				owner: task of the writer (or of some reader)
 *				| 2 flag bits	(kernel/locking/rwsem.c)
 *	qspinlock		lowest byte of val: locked
 *				(asm-generic/qspinlock_types.h)
 *	qrwlock			cnts: readers << 9 | waiting | locked
 *				(asm-generic/qrwlock.h)
 */
#include "exec/runtime/rt_code.h"

#define MUTEX_FLAGS 7
#define RWSEM_WRITER 1
#define RWSEM_READER_SHIFT 8
#define RWSEM_GUARD ((u64)1 << 63) /* there are too many readers */
#define RWSEM_READER_OWNED 1
#define RWSEM_OWNER_FLAGS 3
#define SPIN_LOCKED 0xff
#define RWLOCK_WRITER 0xff
#define RWLOCK_READER_SHIFT 9

/* The state at `addr`; 0 after a fault. */
RT_INLINE u64
lock_word(struct rt_mstate *ms, u64 addr, u64 size)
{
	u64 word = 0;

	if (rt_peek(ms, &word, size, addr) != 0)
		return rt_fault(ms, DIF_FLT_BADADDR, addr);
	return word;
}

/* ---- mutex_*: struct mutex, spinlocks ------------------------------------ */

/* Is a spinlock locked?  For a mutex, its owner. 0 after a fault. */
RT_INLINE u64
mutex_state(struct rt_mstate *ms, u64 lock, u64 kind)
{
	if (kind == DIF_LOCK_SLEEP)
		return lock_word(ms, lock + RTC(ms, mutex_word), 8) &
		    ~(u64)MUTEX_FLAGS;
	if (kind == DIF_LOCK_SPIN)
		lock += RTC(ms, spin_raw);
	else if (kind != DIF_LOCK_RAWSPIN)
		return rt_fault(ms, DIF_FLT_ILLOP, kind);
	lock += RTC(ms, rawspin_arch) + RTC(ms, qspin_val);
	return (lock_word(ms, lock, 4) & SPIN_LOCKED) != 0;
}

/* The owner of a spinlock is unknown: true if any thread holds it. */
RT_PUBLIC u64
rt_mutex_owned(u64 slot, u64 lock, u64 kind)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 state;

	if (ms == NULL)
		return 0;
	state = mutex_state(ms, lock, kind);
	return kind == DIF_LOCK_SLEEP ? state == rt_task_struct(ms) : state;
}

RT_PUBLIC u64
rt_mutex_owner(u64 slot, u64 lock, u64 kind)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 state;

	if (ms == NULL)
		return 0;
	state = mutex_state(ms, lock, kind);
	return kind == DIF_LOCK_SLEEP ? state : 0;
}

RT_PUBLIC u64
rt_mutex_type_adaptive(u64 slot, u64 lock, u64 kind)
{
	struct rt_mstate *ms = rt_ms(slot);

	if (ms == NULL)
		return 0;
	mutex_state(ms, lock, kind);
	return kind == DIF_LOCK_SLEEP;
}

RT_PUBLIC u64
rt_mutex_type_spin(u64 slot, u64 lock, u64 kind)
{
	struct rt_mstate *ms = rt_ms(slot);

	if (ms == NULL)
		return 0;
	mutex_state(ms, lock, kind);
	return kind != DIF_LOCK_SLEEP;
}

/* ---- rw_*: struct rw_semaphore, rwlock_t --------------------------------- */

/* The word that counts readers and shows a writer; 0 after a fault. */
RT_INLINE u64
rw_state(struct rt_mstate *ms, u64 lock, u64 kind)
{
	if (kind == DIF_LOCK_RWSEM)
		return lock_word(ms, lock + RTC(ms, rwsem_count), 8);
	if (kind != DIF_LOCK_RWLOCK)
		return rt_fault(ms, DIF_FLT_ILLOP, kind);
	lock += RTC(ms, rwlock_arch) + RTC(ms, qrwlock_cnts);
	return lock_word(ms, lock, 4);
}

RT_INLINE u64
is_written(u64 state, u64 kind)
{
	return (state &
		   (kind == DIF_LOCK_RWSEM ? RWSEM_WRITER : RWLOCK_WRITER)) !=
	    0;
}

/* A reader that waits for a writer is counted, but does not hold the lock. */
RT_PUBLIC u64
rt_rw_read_held(u64 slot, u64 lock, u64 kind)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 state;

	if (ms == NULL)
		return 0;
	state = rw_state(ms, lock, kind);
	if (is_written(state, kind))
		return 0;
	if (kind == DIF_LOCK_RWSEM)
		return (state & ~RWSEM_GUARD) >> RWSEM_READER_SHIFT != 0;
	return state >> RWLOCK_READER_SHIFT != 0;
}

RT_PUBLIC u64
rt_rw_write_held(u64 slot, u64 lock, u64 kind)
{
	struct rt_mstate *ms = rt_ms(slot);

	return ms == NULL ? 0 : is_written(rw_state(ms, lock, kind), kind);
}

/*
 * The writer of an rwlock_t is unknown: true if any thread writes.  A
 * semaphore's owner may also be a reader, which a flag tells.
 */
RT_PUBLIC u64
rt_rw_iswriter(u64 slot, u64 lock, u64 kind)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 owner;

	if (ms == NULL)
		return 0;
	if (kind != DIF_LOCK_RWSEM)
		return is_written(rw_state(ms, lock, kind), kind);
	owner = lock_word(ms, lock + RTC(ms, rwsem_owner), 8);
	return !(owner & RWSEM_READER_OWNED) &&
	    (owner & ~(u64)RWSEM_OWNER_FLAGS) == rt_task_struct(ms);
}
