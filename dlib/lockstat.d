/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lockstat provider: threads that take the kernel's locks, and wait for
 * them.
 *
 * Waiting has tracepoints.  Taking and releasing a free lock has none; fbt
 * shows these where functions can be traced, except for spinlocks
 * (spin-acquire, spin-release), which probes take themselves.  An adaptive lock
 * is a mutex; a readers/writer lock that blocks is a rw_semaphore, one that
 * spins a rwlock_t.  Linux has no rw-upgrade and no thread locks (thread-spin).
 */
inline int RW_WRITER = 0;
inline int RW_READER = 1;

provider lockstat {
	probe adaptive__acquire(struct mutex *lock);
	probe adaptive__acquire__error(struct mutex *lock, int error);
	probe adaptive__block(struct mutex *lock, uint64_t ns);
	probe adaptive__release(struct mutex *lock);
	probe adaptive__spin(struct mutex *lock, uint64_t ns);
	probe rw__acquire(struct rw_semaphore *lock, int rw);
	probe rw__block(struct rw_semaphore *lock, uint64_t ns, int rw);
	probe rw__downgrade(struct rw_semaphore *lock);
	probe rw__release(struct rw_semaphore *lock, int rw);
	probe rw__spin(struct qrwlock *lock, uint64_t ns, int rw);
	probe rw__upgrade(struct rw_semaphore *lock);
	probe spin__acquire(struct qspinlock *lock);
	probe spin__release(struct qspinlock *lock);
	probe spin__spin(struct qspinlock *lock, uint64_t ns);
	probe thread__spin(struct qspinlock *lock, uint64_t ns);
};

#pragma D attributes Evolving/Evolving/Common provider lockstat provider
#pragma D attributes Evolving/Evolving/Common provider lockstat name
#pragma D attributes Evolving/Evolving/Common provider lockstat args

/* ---- waiting ------------------------------------------------------------- */

/*
 * contention_begin(lock, flags), contention_end(lock, errno): the flags of
 * include/trace/events/lock.h.  One wait can be within another: in an
 * interrupt, or for a lock that protects a lock.
 */
inline int ls_spins = 1;
inline int ls_reads = 2;
inline int ls_writes = 4;
inline int ls_mutex = 32;
inline int ls_is_rw[unsigned int flags] = (flags & (ls_reads | ls_writes)) != 0;

/* Times when waits began; 0: no wait. */
self uint64_t ls_blocked[uintptr_t], ls_spun[uintptr_t], ls_spinning[uintptr_t];
self uint64_t ls_rwait[uintptr_t], ls_srwait[uintptr_t];
self int ls_asked[uintptr_t], ls_rw[uintptr_t], ls_srw[uintptr_t];

/*
 * A thread first spins for a mutex if its owner runs, and then blocks; the
 * first thread of the queue spins again.  A wait that blocked once counts as
 * blocked.
 */
sdt:lock::contention_begin
/args[1] == ls_mutex && self->ls_blocked[(uintptr_t)args[0]] == 0/
{
	self->ls_blocked[(uintptr_t)args[0]] = timestamp;
}

sdt:lock::contention_end
/self->ls_blocked[(uintptr_t)args[0]] != 0 && args[1] == 0/
{
	fire("lockstat:::adaptive-block", args[0],
	    timestamp - self->ls_blocked[(uintptr_t)args[0]]);
}

sdt:lock::contention_end
/self->ls_blocked[(uintptr_t)args[0]] != 0/
{
	self->ls_blocked[(uintptr_t)args[0]] = 0;
}

/* 1: the thread has blocked for it. */
sdt:lock::contention_begin
/args[1] == (ls_mutex | ls_spins) && self->ls_spun[(uintptr_t)args[0]] == 0/
{
	self->ls_spun[(uintptr_t)args[0]] = timestamp;
}

sdt:lock::contention_begin
/args[1] == ls_mutex/
{
	self->ls_spun[(uintptr_t)args[0]] = 1;
}

sdt:lock::contention_end
/self->ls_spun[(uintptr_t)args[0]] > 1 && args[1] == 0/
{
	fire("lockstat:::adaptive-spin", args[0],
	    timestamp - self->ls_spun[(uintptr_t)args[0]]);
}

sdt:lock::contention_end
/self->ls_spun[(uintptr_t)args[0]] != 0/
{
	self->ls_spun[(uintptr_t)args[0]] = 0;
}

sdt:lock::contention_begin
/(args[1] & ls_mutex) != 0/
{
	self->ls_asked[(uintptr_t)args[0]] = 1;
}

sdt:lock::contention_end
/self->ls_asked[(uintptr_t)args[0]] && args[1] != 0/
{
	fire("lockstat:::adaptive-acquire-error", args[0], -args[1]);
}

sdt:lock::contention_end
/self->ls_asked[(uintptr_t)args[0]]/
{
	self->ls_asked[(uintptr_t)args[0]] = 0;
}

sdt:lock::contention_begin
/ls_is_rw[args[1]] && (args[1] & ls_spins) == 0/
{
	self->ls_rw[(uintptr_t)args[0]] = (args[1] & ls_reads) != 0;
	self->ls_rwait[(uintptr_t)args[0]] = timestamp;
}

sdt:lock::contention_end
/self->ls_rwait[(uintptr_t)args[0]] != 0 && args[1] == 0/
{
	fire("lockstat:::rw-block", args[0],
	    timestamp - self->ls_rwait[(uintptr_t)args[0]],
	    self->ls_rw[(uintptr_t)args[0]]);
}

sdt:lock::contention_end
/self->ls_rwait[(uintptr_t)args[0]] != 0/
{
	self->ls_rw[(uintptr_t)args[0]] = 0;
	self->ls_rwait[(uintptr_t)args[0]] = 0;
}

sdt:lock::contention_begin
/ls_is_rw[args[1]] && (args[1] & ls_spins) != 0/
{
	self->ls_srw[(uintptr_t)args[0]] = (args[1] & ls_reads) != 0;
	self->ls_srwait[(uintptr_t)args[0]] = timestamp;
}

sdt:lock::contention_end
/self->ls_srwait[(uintptr_t)args[0]] != 0/
{
	fire("lockstat:::rw-spin", args[0],
	    timestamp - self->ls_srwait[(uintptr_t)args[0]],
	    self->ls_srw[(uintptr_t)args[0]]);
}

sdt:lock::contention_end
/self->ls_srwait[(uintptr_t)args[0]] != 0/
{
	self->ls_srw[(uintptr_t)args[0]] = 0;
	self->ls_srwait[(uintptr_t)args[0]] = 0;
}

sdt:lock::contention_begin
/args[1] == ls_spins/
{
	self->ls_spinning[(uintptr_t)args[0]] = timestamp;
}

sdt:lock::contention_end
/self->ls_spinning[(uintptr_t)args[0]] != 0/
{
	fire("lockstat:::spin-spin", args[0],
	    timestamp - self->ls_spinning[(uintptr_t)args[0]]);
}

sdt:lock::contention_end
/self->ls_spinning[(uintptr_t)args[0]] != 0/
{
	self->ls_spinning[(uintptr_t)args[0]] = 0;
}

/* ---- taking and leaving: the lock is known at the function's entry ------- */

self uintptr_t ls_taken, ls_rw_taken;

fbt::mutex_lock:entry, fbt::mutex_lock_io:entry, fbt::mutex_trylock:entry,
fbt::mutex_lock_interruptible:entry, fbt::mutex_lock_killable:entry
{
	self->ls_taken = arg0;
}

fbt::mutex_lock:return, fbt::mutex_lock_io:return
{
	fire("lockstat:::adaptive-acquire", self->ls_taken);
}

fbt::mutex_trylock:return
/arg1 != 0/
{
	fire("lockstat:::adaptive-acquire", self->ls_taken);
}

fbt::mutex_lock_interruptible:return, fbt::mutex_lock_killable:return
/arg1 == 0/
{
	fire("lockstat:::adaptive-acquire", self->ls_taken);
}

fbt::mutex_unlock:entry
{
	fire("lockstat:::adaptive-release", arg0);
}

fbt::down_read:entry, fbt::down_read_trylock:entry,
fbt::down_read_interruptible:entry, fbt::down_read_killable:entry,
fbt::down_write:entry, fbt::down_write_trylock:entry,
fbt::down_write_killable:entry
{
	self->ls_rw_taken = arg0;
}

fbt::down_read:return
{
	fire("lockstat:::rw-acquire", self->ls_rw_taken, RW_READER);
}

fbt::down_read_trylock:return
/arg1 != 0/
{
	fire("lockstat:::rw-acquire", self->ls_rw_taken, RW_READER);
}

fbt::down_read_interruptible:return, fbt::down_read_killable:return
/arg1 == 0/
{
	fire("lockstat:::rw-acquire", self->ls_rw_taken, RW_READER);
}

fbt::down_write:return
{
	fire("lockstat:::rw-acquire", self->ls_rw_taken, RW_WRITER);
}

fbt::down_write_trylock:return
/arg1 != 0/
{
	fire("lockstat:::rw-acquire", self->ls_rw_taken, RW_WRITER);
}

fbt::down_write_killable:return
/arg1 == 0/
{
	fire("lockstat:::rw-acquire", self->ls_rw_taken, RW_WRITER);
}

fbt::up_read:entry
{
	fire("lockstat:::rw-release", arg0, RW_READER);
}

fbt::up_write:entry
{
	fire("lockstat:::rw-release", arg0, RW_WRITER);
}

fbt::downgrade_write:entry
{
	fire("lockstat:::rw-downgrade", arg0);
}
