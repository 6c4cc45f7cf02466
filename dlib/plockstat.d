/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plockstat provider of a process: its mutexes and readers/writer locks of
 * glibc (in libc since 2.34, or in a static program).
 *
 * At the exit of a lock function, its result is known but not the lock.  So the
 * entry keeps the lock, and an exit belongs to it if the stack pointer is the
 * same: other calls in between, and other threads at the same `ret`, do not
 * match.  A signal handler may lock while its thread is within such a call: the
 * interrupted call is put aside, at most one.  (A function with the same lock
 * is a wrapper, not a handler.)  The variables are declared in glibc.d, once
 * for all processes.
 *
 * A thread blocks when it asks the kernel to wait for a word of the lock, by a
 * futex(2) of its own.  A release fires at the function's entry, if the mutex
 * shows that it will succeed: so it always comes before the acquisition by
 * another thread.
 */
provider plockstat$target {
	probe mutex__acquire(userland void *lock, int recursive, int spins);
	probe mutex__block(userland void *lock);
	probe mutex__spin(userland void *lock);
	probe mutex__spun(userland void *lock, int success, int spins);
	probe mutex__blocked(userland void *lock, int success);
	probe mutex__error(userland void *lock, int error);
	probe mutex__release(userland void *lock, int recursive);
	probe rw__acquire(userland void *lock, int writer);
	probe rw__block(userland void *lock, int writer);
	probe rw__blocked(userland void *lock, int writer, int success);
	probe rw__error(userland void *lock, int writer, int error);
	probe rw__release(userland void *lock, int writer);
};

#pragma D attributes Evolving/Evolving/ISA provider plockstat provider
#pragma D attributes Evolving/Evolving/ISA provider plockstat name
#pragma D attributes Evolving/Evolving/ISA provider plockstat args

/* ---- mutexes: lock, trylock, timedlock, clocklock ------------------------ */

pid$target:libc:pthread_mutex*[_ydk]lock:entry,
pid$target:a.out:pthread_mutex*[_ydk]lock:entry
/self->plockstat_of == $target && self->plockstat_sp > uregs[R_SP] &&
    self->plockstat_lock != arg0/
{
	self->plockstat_olock = self->plockstat_lock;
	self->plockstat_ocond = self->plockstat_cond;
	self->plockstat_osp = self->plockstat_sp;
	self->plockstat_oblocked = self->plockstat_blocked;
	self->plockstat_ospins = self->plockstat_spins;
}

pid$target:libc:pthread_mutex*[_ydk]lock:entry,
pid$target:a.out:pthread_mutex*[_ydk]lock:entry
{
	self->plockstat_of = $target;
	self->plockstat_lock = arg0;
	self->plockstat_cond = 0;
	self->plockstat_sp = uregs[R_SP];
	self->plockstat_blocked = 0;
	self->plockstat_spins = 0;
}

pid$target:libc:pthread_mutex*[_ydk]lock:exit,
pid$target:a.out:pthread_mutex*[_ydk]lock:exit,
pid$target:libc:pthread_cond_*wait:exit,
pid$target:a.out:pthread_cond_*wait:exit
/self->plockstat_of == $target &&
    self->plockstat_sp == uregs[R_SP] && self->plockstat_blocked/
{
	fire("plockstat$target:::mutex-blocked", self->plockstat_lock,
	    (int)arg1 == 0 || (int)arg1 == EOWNERDEAD ||
	    (self->plockstat_cond && (int)arg1 == ETIMEDOUT));
}

/* The thread got the lock by spinning alone. */
pid$target:libc:pthread_mutex*[_ydk]lock:exit,
pid$target:a.out:pthread_mutex*[_ydk]lock:exit
/self->plockstat_of == $target && !self->plockstat_cond &&
    self->plockstat_sp == uregs[R_SP] && self->plockstat_spins &&
    !self->plockstat_blocked/
{
	fire("plockstat$target:::mutex-spun", self->plockstat_lock,
	    (int)arg1 == 0 || (int)arg1 == EOWNERDEAD, self->plockstat_spins);
}

/* EOWNERDEAD: the owner died; the caller has the lock, and is told. */
pid$target:libc:pthread_mutex*[_ydk]lock:exit,
pid$target:a.out:pthread_mutex*[_ydk]lock:exit
/self->plockstat_of == $target && !self->plockstat_cond &&
    self->plockstat_sp == uregs[R_SP] &&
    ((int)arg1 == 0 || (int)arg1 == EOWNERDEAD)/
{
	fire("plockstat$target:::mutex-acquire", self->plockstat_lock,
	    xlate<struct glibc_unlock>(
	    (userland struct glibc_mutex *)self->plockstat_lock).is_nested,
	    self->plockstat_spins);
}

pid$target:libc:pthread_mutex*[_ydk]lock:exit,
pid$target:a.out:pthread_mutex*[_ydk]lock:exit
/self->plockstat_of == $target && !self->plockstat_cond &&
    self->plockstat_sp == uregs[R_SP] &&
    (int)arg1 != 0 && (int)arg1 != EOWNERDEAD && (int)arg1 != EBUSY/
{
	fire("plockstat$target:::mutex-error", self->plockstat_lock,
	    (int)arg1);
}

/* ---- conditions: wait, timedwait, clockwait ------------------------------ */

/*
 * A thread that begins to wait releases the mutex, unless the timeout is
 * invalid.  An old version of a function may continue in the new one: that is
 * the same call.
 */
pid$target:libc:pthread_cond_wait:entry,
pid$target:a.out:pthread_cond_wait:entry
/self->plockstat_wait != uregs[R_SP] &&
    xlate<struct glibc_unlock>(
    (userland struct glibc_mutex *)arg1).is_permitted/
{
	fire("plockstat$target:::mutex-release", arg1,
	    xlate<struct glibc_unlock>(
	    (userland struct glibc_mutex *)arg1).is_nested);
}

pid$target:libc:pthread_cond_timedwait:entry,
pid$target:a.out:pthread_cond_timedwait:entry
/self->plockstat_wait != uregs[R_SP] &&
    ((userland struct glibc_timespec *)arg2)->tv_nsec < 1000000000 &&
    xlate<struct glibc_unlock>(
    (userland struct glibc_mutex *)arg1).is_permitted/
{
	fire("plockstat$target:::mutex-release", arg1,
	    xlate<struct glibc_unlock>(
	    (userland struct glibc_mutex *)arg1).is_nested);
}

pid$target:libc:pthread_cond_clockwait:entry,
pid$target:a.out:pthread_cond_clockwait:entry
/self->plockstat_wait != uregs[R_SP] && arg2 <= 1 &&
    ((userland struct glibc_timespec *)arg3)->tv_nsec < 1000000000 &&
    xlate<struct glibc_unlock>(
    (userland struct glibc_mutex *)arg1).is_permitted/
{
	fire("plockstat$target:::mutex-release", arg1,
	    xlate<struct glibc_unlock>(
	    (userland struct glibc_mutex *)arg1).is_nested);
}

pid$target:libc:pthread_cond_*wait:entry,
pid$target:a.out:pthread_cond_*wait:entry
{
	self->plockstat_wait = uregs[R_SP];
}

pid$target:libc:pthread_cond_*wait:entry,
pid$target:a.out:pthread_cond_*wait:entry
/self->plockstat_of == $target && self->plockstat_sp > uregs[R_SP] &&
    self->plockstat_lock != arg1/
{
	self->plockstat_olock = self->plockstat_lock;
	self->plockstat_ocond = self->plockstat_cond;
	self->plockstat_osp = self->plockstat_sp;
	self->plockstat_oblocked = self->plockstat_blocked;
	self->plockstat_ospins = self->plockstat_spins;
}

pid$target:libc:pthread_cond_*wait:entry,
pid$target:a.out:pthread_cond_*wait:entry
{
	self->plockstat_of = $target;
	self->plockstat_lock = arg1;
	self->plockstat_cond = 1;
	self->plockstat_sp = uregs[R_SP];
	self->plockstat_blocked = 0;
	self->plockstat_spins = 0;
}

pid$target:libc:pthread_cond_*wait:exit,
pid$target:a.out:pthread_cond_*wait:exit
/self->plockstat_wait == uregs[R_SP]/
{
	self->plockstat_wait = 0;
}

/* The function locks the mutex again after a timeout, too. */
pid$target:libc:pthread_cond_*wait:exit,
pid$target:a.out:pthread_cond_*wait:exit
/self->plockstat_of == $target && self->plockstat_cond &&
    self->plockstat_sp == uregs[R_SP] &&
    ((int)arg1 == 0 || (int)arg1 == EOWNERDEAD || (int)arg1 == ETIMEDOUT)/
{
	fire("plockstat$target:::mutex-acquire", self->plockstat_lock,
	    xlate<struct glibc_unlock>(
	    (userland struct glibc_mutex *)self->plockstat_lock).is_nested,
	    self->plockstat_spins);
}

pid$target:libc:pthread_cond_*wait:exit,
pid$target:a.out:pthread_cond_*wait:exit
/self->plockstat_of == $target && self->plockstat_cond &&
    self->plockstat_sp == uregs[R_SP] &&
    ((int)arg1 == EPERM || (int)arg1 == ENOTRECOVERABLE)/
{
	fire("plockstat$target:::mutex-error", self->plockstat_lock,
	    (int)arg1);
}

pid$target:libc:pthread_mutex*[_ydk]lock:exit,
pid$target:a.out:pthread_mutex*[_ydk]lock:exit,
pid$target:libc:pthread_cond_*wait:exit,
pid$target:a.out:pthread_cond_*wait:exit
/self->plockstat_of == $target &&
    self->plockstat_sp == uregs[R_SP]/
{
	self->plockstat_of = 0;
}

pid$target:libc:pthread_mutex*[_ydk]lock:exit,
pid$target:a.out:pthread_mutex*[_ydk]lock:exit,
pid$target:libc:pthread_cond_*wait:exit,
pid$target:a.out:pthread_cond_*wait:exit
/self->plockstat_of == 0 && self->plockstat_osp != 0/
{
	self->plockstat_of = $target;
	self->plockstat_lock = self->plockstat_olock;
	self->plockstat_sp = self->plockstat_osp;
	self->plockstat_cond = self->plockstat_ocond;
	self->plockstat_blocked = self->plockstat_oblocked;
	self->plockstat_spins = self->plockstat_ospins;
	self->plockstat_osp = 0;
}

/* ---- unlock -------------------------------------------------------------- */

pid$target:libc:pthread_mutex_unlock:entry,
pid$target:a.out:pthread_mutex_unlock:entry
/xlate<struct glibc_unlock>(
    (userland struct glibc_mutex *)arg0).is_permitted/
{
	fire("plockstat$target:::mutex-release", arg0,
	    xlate<struct glibc_unlock>(
	    (userland struct glibc_mutex *)arg0).is_nested);
}

pid$target:libc:pthread_mutex_unlock:entry,
pid$target:a.out:pthread_mutex_unlock:entry
/!xlate<struct glibc_unlock>(
    (userland struct glibc_mutex *)arg0).is_permitted/
{
	fire("plockstat$target:::mutex-error", arg0, EPERM);
}

/* ---- readers/writer locks: also try, timed, clock ------------------------ */

pid$target:libc:pthread_rwlock_*rdlock:entry,
pid$target:a.out:pthread_rwlock_*rdlock:entry,
pid$target:libc:pthread_rwlock_*wrlock:entry,
pid$target:a.out:pthread_rwlock_*wrlock:entry
/self->plockstat_rw_of == $target && self->plockstat_rw_sp > uregs[R_SP] &&
    self->plockstat_rw_lock != arg0/
{
	self->plockstat_rw_olock = self->plockstat_rw_lock;
	self->plockstat_rw_owrite = self->plockstat_rw_write;
	self->plockstat_rw_osp = self->plockstat_rw_sp;
	self->plockstat_rw_oblocked = self->plockstat_rw_blocked;
}

pid$target:libc:pthread_rwlock_*rdlock:entry,
pid$target:a.out:pthread_rwlock_*rdlock:entry
{
	self->plockstat_rw_of = $target;
	self->plockstat_rw_lock = arg0;
	self->plockstat_rw_write = 0;
	self->plockstat_rw_sp = uregs[R_SP];
	self->plockstat_rw_blocked = 0;
}

pid$target:libc:pthread_rwlock_*wrlock:entry,
pid$target:a.out:pthread_rwlock_*wrlock:entry
{
	self->plockstat_rw_of = $target;
	self->plockstat_rw_lock = arg0;
	self->plockstat_rw_write = 1;
	self->plockstat_rw_sp = uregs[R_SP];
	self->plockstat_rw_blocked = 0;
}

pid$target:libc:pthread_rwlock_*rdlock:exit,
pid$target:a.out:pthread_rwlock_*rdlock:exit,
pid$target:libc:pthread_rwlock_*wrlock:exit,
pid$target:a.out:pthread_rwlock_*wrlock:exit
/self->plockstat_rw_of == $target &&
    self->plockstat_rw_sp == uregs[R_SP] && self->plockstat_rw_blocked/
{
	fire("plockstat$target:::rw-blocked", self->plockstat_rw_lock,
	    self->plockstat_rw_write, (int)arg1 == 0);
}

pid$target:libc:pthread_rwlock_*rdlock:exit,
pid$target:a.out:pthread_rwlock_*rdlock:exit,
pid$target:libc:pthread_rwlock_*wrlock:exit,
pid$target:a.out:pthread_rwlock_*wrlock:exit
/self->plockstat_rw_of == $target &&
    self->plockstat_rw_sp == uregs[R_SP] && (int)arg1 == 0/
{
	fire("plockstat$target:::rw-acquire", self->plockstat_rw_lock,
	    self->plockstat_rw_write);
}

pid$target:libc:pthread_rwlock_*rdlock:exit,
pid$target:a.out:pthread_rwlock_*rdlock:exit,
pid$target:libc:pthread_rwlock_*wrlock:exit,
pid$target:a.out:pthread_rwlock_*wrlock:exit
/self->plockstat_rw_of == $target &&
    self->plockstat_rw_sp == uregs[R_SP] && (int)arg1 != 0 &&
    (int)arg1 != EBUSY/
{
	fire("plockstat$target:::rw-error", self->plockstat_rw_lock,
	    self->plockstat_rw_write, (int)arg1);
}

pid$target:libc:pthread_rwlock_*rdlock:exit,
pid$target:a.out:pthread_rwlock_*rdlock:exit,
pid$target:libc:pthread_rwlock_*wrlock:exit,
pid$target:a.out:pthread_rwlock_*wrlock:exit
/self->plockstat_rw_of == $target &&
    self->plockstat_rw_sp == uregs[R_SP]/
{
	self->plockstat_rw_of = 0;
}

pid$target:libc:pthread_rwlock_*rdlock:exit,
pid$target:a.out:pthread_rwlock_*rdlock:exit,
pid$target:libc:pthread_rwlock_*wrlock:exit,
pid$target:a.out:pthread_rwlock_*wrlock:exit
/self->plockstat_rw_of == 0 && self->plockstat_rw_osp != 0/
{
	self->plockstat_rw_of = $target;
	self->plockstat_rw_lock = self->plockstat_rw_olock;
	self->plockstat_rw_sp = self->plockstat_rw_osp;
	self->plockstat_rw_write = self->plockstat_rw_owrite;
	self->plockstat_rw_blocked = self->plockstat_rw_oblocked;
	self->plockstat_rw_osp = 0;
}

/* While a thread writes, only that thread may unlock. */
pid$target:libc:pthread_rwlock_unlock:entry,
pid$target:a.out:pthread_rwlock_unlock:entry
{
	fire("plockstat$target:::rw-release", arg0,
	    ((userland struct glibc_rwlock *)arg0)->cur_writer != 0);
}

/*
 * ---- spinning: adaptive mutexes, a PAUSE at a time --------------------------
 */

pid$target:libc:pthread_mutex_lock:pause,
pid$target:a.out:pthread_mutex_lock:pause
/self->plockstat_of == $target && self->plockstat_spins == 0/
{
	fire("plockstat$target:::mutex-spin", self->plockstat_lock);
}

pid$target:libc:pthread_mutex_lock:pause,
pid$target:a.out:pthread_mutex_lock:pause
/self->plockstat_of == $target/
{
	self->plockstat_spins = self->plockstat_spins + 1;
}

/* ---- waiting: FUTEX_WAIT, LOCK_PI, WAIT_BITSET, LOCK_PI2 ----------------- */

syscall::futex:entry
/self->plockstat_of == $target && !self->plockstat_blocked &&
    self->plockstat_spins &&
    (uint64_t)(arg0 - self->plockstat_lock) < sizeof (struct glibc_mutex) &&
    ((arg1 & 0x7f) == 0 || (arg1 & 0x7f) == 6 || (arg1 & 0x7f) == 9 ||
    (arg1 & 0x7f) == 13)/
{
	fire("plockstat$target:::mutex-spun", self->plockstat_lock, 0,
	    self->plockstat_spins);
}

syscall::futex:entry
/self->plockstat_of == $target && !self->plockstat_blocked &&
    (uint64_t)(arg0 - self->plockstat_lock) < sizeof (struct glibc_mutex) &&
    ((arg1 & 0x7f) == 0 || (arg1 & 0x7f) == 6 || (arg1 & 0x7f) == 9 ||
    (arg1 & 0x7f) == 13)/
{
	fire("plockstat$target:::mutex-block", self->plockstat_lock);
}

syscall::futex:entry
/self->plockstat_of == $target && !self->plockstat_blocked &&
    (uint64_t)(arg0 - self->plockstat_lock) < sizeof (struct glibc_mutex) &&
    ((arg1 & 0x7f) == 0 || (arg1 & 0x7f) == 6 || (arg1 & 0x7f) == 9 ||
    (arg1 & 0x7f) == 13)/
{
	self->plockstat_blocked = 1;
}

syscall::futex:entry
/self->plockstat_rw_of == $target && !self->plockstat_rw_blocked &&
    (uint64_t)(arg0 - self->plockstat_rw_lock) < sizeof (struct glibc_rwlock) &&
    ((arg1 & 0x7f) == 0 || (arg1 & 0x7f) == 6 || (arg1 & 0x7f) == 9 ||
    (arg1 & 0x7f) == 13)/
{
	fire("plockstat$target:::rw-block", self->plockstat_rw_lock,
	    self->plockstat_rw_write);
}

syscall::futex:entry
/self->plockstat_rw_of == $target && !self->plockstat_rw_blocked &&
    (uint64_t)(arg0 - self->plockstat_rw_lock) < sizeof (struct glibc_rwlock) &&
    ((arg1 & 0x7f) == 0 || (arg1 & 0x7f) == 6 || (arg1 & 0x7f) == 9 ||
    (arg1 & 0x7f) == 13)/
{
	self->plockstat_rw_blocked = 1;
}
