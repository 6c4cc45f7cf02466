/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks, each operation a known number of times:
 *
 *	locks mutex|kinds|spin|cond|rw|interrupted|hammer
 *	locks forever
 *
 * If a thread has to wait for a lock, the owner goes on only when the kernel
 * says that the other thread is in futex(2).  Ends by _exit(), since the
 * dynamic linker has a mutex of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t recursive, checked, adaptive, robust, inherit;
pthread_mutex_t orphan;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
mtx_t plain;
static volatile pid_t waiter;
static pthread_t waiter_thread;
static volatile int go;

static void
expect(int got, int want, const char *what)
{
	if (got == want)
		return;
	fprintf(stderr, "locks: %s: %d, not %d\n", what, got, want);
	exit(1);
}
#define EXPECT(call, want) expect((call), (want), #call)

/* Is the thread in futex(2) for a word of the object?  The kernel then prints
 * "202 0x...", with the word's address. */
static int
waits_for(pid_t tid, const void *obj, size_t size)
{
	char path[64], buf[64] = "";
	unsigned long at = 0;
	int fd, nr = -1;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)tid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, buf, sizeof(buf) - 1) < 0)
		buf[0] = '\0';
	if (fd >= 0)
		close(fd);
	sscanf(buf, "%d 0x%lx", &nr, &at);
	return nr == SYS_futex && at - (unsigned long)obj < size;
}

static void
await_waiter(const void *obj, size_t size)
{
	while (waiter == 0 || !waits_for(waiter, obj, size))
		usleep(200);
}

/* Run f in a thread, and `then` once that thread waits. */
static void
with_waiter(
    void *(*f)(void *), void *lock, int (*then)(void *), const void *obj)
{
	waiter = 0;
	EXPECT(pthread_create(&waiter_thread, NULL, f, lock), 0);
	await_waiter(obj, sizeof(rw));
	then(lock);
	EXPECT(pthread_join(waiter_thread, NULL), 0);
}

static int
unlock(void *m)
{
	return pthread_mutex_unlock(m);
}

static int
unlock_rw(void *l)
{
	return pthread_rwlock_unlock(l);
}

static void
start_waiting(void)
{
	waiter = gettid();
}

static void *
lock_it(void *m)
{
	start_waiting();
	EXPECT(pthread_mutex_lock(m), 0);
	EXPECT(pthread_mutex_unlock(m), 0);
	return NULL;
}

/* A time so late that even a busy machine begins to wait before. */
static struct timespec
soon(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_nsec += 500000000;
	ts.tv_sec += ts.tv_nsec / 1000000000;
	ts.tv_nsec %= 1000000000;
	return ts;
}

static void *
lock_in_vain(void *m)
{
	struct timespec ts = soon();

	EXPECT(pthread_mutex_timedlock(m, &ts), ETIMEDOUT);
	return NULL;
}

static void *
try_it(void *m)
{
	EXPECT(pthread_mutex_trylock(m), EBUSY);
	return NULL;
}

static void
in_thread(void *(*f)(void *), void *arg)
{
	pthread_t t;

	EXPECT(pthread_create(&t, NULL, f, arg), 0);
	EXPECT(pthread_join(t, NULL), 0);
}

/* A mutex that no other thread wants, one that two threads want, and attempts
 * that fail. */
static void
mutex(void)
{
	struct timespec ts = soon();

	for (int i = 0; i < 10; i++) {
		EXPECT(pthread_mutex_lock(&normal), 0);
		EXPECT(pthread_mutex_unlock(&normal), 0);
	}
	EXPECT(pthread_mutex_trylock(&normal), 0);
	in_thread(try_it, &normal);
	EXPECT(pthread_mutex_unlock(&normal), 0);
	EXPECT(pthread_mutex_timedlock(&normal, &ts), 0);
	with_waiter(lock_it, &normal, unlock, &normal);
	EXPECT(pthread_mutex_clocklock(&normal, CLOCK_REALTIME, &ts), 0);
	in_thread(lock_in_vain, &normal);
	EXPECT(pthread_mutex_unlock(&normal), 0);
	EXPECT(mtx_init(&plain, mtx_plain), thrd_success);
	EXPECT(mtx_lock(&plain), thrd_success);
	EXPECT(mtx_unlock(&plain), thrd_success);
}

static void
init_kind(pthread_mutex_t *m, int type, int robustness, int protocol)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, type);
	pthread_mutexattr_setrobust(&a, robustness);
	pthread_mutexattr_setprotocol(&a, protocol);
	EXPECT(pthread_mutex_init(m, &a), 0);
}

static void *
unlock_of_others(void *m)
{
	EXPECT(pthread_mutex_unlock(m), EPERM);
	return NULL;
}

static void *
die_with(void *m)
{
	EXPECT(pthread_mutex_lock(m), 0);
	return NULL;
}

__attribute__((noinline)) static void
recursively(void)
{
	EXPECT(pthread_mutex_lock(&recursive), 0);
	EXPECT(pthread_mutex_lock(&recursive), 0);
	EXPECT(pthread_mutex_trylock(&recursive), 0);
	for (int i = 0; i < 3; i++)
		EXPECT(pthread_mutex_unlock(&recursive), 0);
	EXPECT(pthread_mutex_unlock(&recursive), EPERM);
}

static void
checking(void)
{
	EXPECT(pthread_mutex_lock(&checked), 0);
	EXPECT(pthread_mutex_lock(&checked), EDEADLK);
	in_thread(unlock_of_others, &checked);
	EXPECT(pthread_mutex_unlock(&checked), 0);
}

static void
kinds(void)
{
	const int robust_not = PTHREAD_MUTEX_STALLED;

	init_kind(&recursive, PTHREAD_MUTEX_RECURSIVE, robust_not, 0);
	init_kind(&checked, PTHREAD_MUTEX_ERRORCHECK, robust_not, 0);
	init_kind(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP, robust_not, 0);
	init_kind(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, 0);
	init_kind(&orphan, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, 0);
	init_kind(
	    &inherit, PTHREAD_MUTEX_NORMAL, robust_not, PTHREAD_PRIO_INHERIT);
	recursively();
	checking();
	EXPECT(pthread_mutex_lock(&adaptive), 0);
	with_waiter(lock_it, &adaptive, unlock, &adaptive);
	EXPECT(pthread_mutex_lock(&robust), 0);
	with_waiter(lock_it, &robust, unlock, &robust);
	EXPECT(pthread_mutex_lock(&inherit), 0);
	with_waiter(lock_it, &inherit, unlock, &inherit);
	in_thread(die_with, &orphan);
	EXPECT(pthread_mutex_lock(&orphan), EOWNERDEAD);
	EXPECT(pthread_mutex_unlock(&orphan), 0);
	EXPECT(pthread_mutex_lock(&orphan), ENOTRECOVERABLE);
}

static volatile sig_atomic_t is_spinning, is_free;

/* Runs in the spinning thread, which gets the mutex when it looks again. */
static void
let_free(int sig)
{
	(void)sig;
	is_spinning = 1;
	while (!is_free)
		;
}

/* The tracer sends SIGUSR1 to the thread while it spins. */
static void
spin(void)
{
	sigset_t usr1;
	pthread_t t;

	init_kind(
	    &adaptive, PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_MUTEX_STALLED, 0);
	signal(SIGUSR1, let_free);
	EXPECT(pthread_mutex_lock(&adaptive), 0);
	EXPECT(pthread_create(&t, NULL, lock_it, &adaptive), 0);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	EXPECT(pthread_sigmask(SIG_BLOCK, &usr1, NULL), 0);
	while (!is_spinning)
		usleep(200);
	EXPECT(pthread_mutex_unlock(&adaptive), 0);
	is_free = 1;
	EXPECT(pthread_join(t, NULL), 0);
}

static void *
await_cond(void *m)
{
	EXPECT(pthread_mutex_lock(m), 0);
	while (!go) {
		start_waiting();
		EXPECT(pthread_cond_wait(&cond, m), 0);
	}
	EXPECT(pthread_mutex_unlock(m), 0);
	return NULL;
}

/* The waiter wakes up while this thread has the mutex, and then waits for
 * it. */
static int
signal_it(void *m)
{
	EXPECT(pthread_mutex_lock(m), 0);
	go = 1;
	EXPECT(pthread_cond_signal(&cond), 0);
	await_waiter(m, sizeof(normal));
	return pthread_mutex_unlock(m);
}

static void
condition(void)
{
	struct timespec ts = soon(), bad = { .tv_nsec = 1000000000 };

	with_waiter(await_cond, &normal, signal_it, &cond);
	EXPECT(pthread_mutex_lock(&normal), 0);
	EXPECT(pthread_cond_timedwait(&cond, &normal, &ts), ETIMEDOUT);
	EXPECT(pthread_cond_timedwait(&cond, &normal, &bad), EINVAL);
	EXPECT(pthread_cond_clockwait(&cond, &normal, CLOCK_REALTIME, &ts),
	    ETIMEDOUT);
	EXPECT(pthread_mutex_unlock(&normal), 0);
}

static void *
read_it(void *l)
{
	start_waiting();
	EXPECT(pthread_rwlock_rdlock(l), 0);
	EXPECT(pthread_rwlock_unlock(l), 0);
	return NULL;
}

static void *
write_it(void *l)
{
	start_waiting();
	EXPECT(pthread_rwlock_wrlock(l), 0);
	EXPECT(pthread_rwlock_unlock(l), 0);
	return NULL;
}

static void *
write_in_vain(void *l)
{
	struct timespec ts = soon();

	EXPECT(pthread_rwlock_trywrlock(l), EBUSY);
	EXPECT(pthread_rwlock_timedwrlock(l, &ts), ETIMEDOUT);
	return NULL;
}

static void
readers_writer(void)
{
	struct timespec ts = soon();

	for (int i = 0; i < 3; i++)
		EXPECT(pthread_rwlock_rdlock(&rw), 0);
	EXPECT(pthread_rwlock_tryrdlock(&rw), 0);
	for (int i = 0; i < 4; i++)
		EXPECT(pthread_rwlock_unlock(&rw), 0);
	EXPECT(pthread_rwlock_wrlock(&rw), 0);
	EXPECT(pthread_rwlock_wrlock(&rw), EDEADLK);
	with_waiter(read_it, &rw, unlock_rw, &rw);
	EXPECT(pthread_rwlock_clockrdlock(&rw, CLOCK_REALTIME, &ts), 0);
	with_waiter(write_it, &rw, unlock_rw, &rw);
	EXPECT(pthread_rwlock_rdlock(&rw), 0);
	in_thread(write_in_vain, &rw);
	EXPECT(pthread_rwlock_unlock(&rw), 0);
}

static volatile sig_atomic_t is_handled;

static void
lock_other(int sig)
{
	(void)sig;
	EXPECT(pthread_mutex_lock(&other), 0);
	EXPECT(pthread_mutex_unlock(&other), 0);
	is_handled = 1;
}

/* The waiter is interrupted, and waits again. */
static int
interrupt_it(void *m)
{
	EXPECT(pthread_kill(waiter_thread, SIGUSR1), 0);
	while (!is_handled)
		usleep(200);
	await_waiter(m, sizeof(normal));
	return pthread_mutex_unlock(m);
}

static void
interrupted(void)
{
	struct sigaction sa = { .sa_handler = lock_other,
		.sa_flags = SA_RESTART };

	sigaction(SIGUSR1, &sa, NULL);
	EXPECT(pthread_mutex_lock(&normal), 0);
	with_waiter(lock_it, &normal, interrupt_it, &normal);
}

static void *
lock_often(void *m)
{
	for (int i = 0; i < 500; i++) {
		EXPECT(pthread_mutex_lock(m), 0);
		EXPECT(pthread_mutex_unlock(m), 0);
	}
	return NULL;
}

/* Four threads lock 500 times each. */
static void
hammer(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		EXPECT(
		    pthread_create(&threads[i], NULL, lock_often, &normal), 0);
	for (int i = 0; i < 4; i++)
		EXPECT(pthread_join(threads[i], NULL), 0);
}

/* Use two locks every millisecond, until killed. */
static void
forever(void)
{
	for (;;) {
		EXPECT(pthread_mutex_lock(&normal), 0);
		EXPECT(pthread_rwlock_rdlock(&rw), 0);
		usleep(1000);
		EXPECT(pthread_rwlock_unlock(&rw), 0);
		EXPECT(pthread_mutex_unlock(&normal), 0);
	}
}

int
main(int argc, char *argv[])
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "mutex") == 0)
		mutex();
	else if (strcmp(what, "kinds") == 0)
		kinds();
	else if (strcmp(what, "spin") == 0)
		spin();
	else if (strcmp(what, "cond") == 0)
		condition();
	else if (strcmp(what, "rw") == 0)
		readers_writer();
	else if (strcmp(what, "interrupted") == 0)
		interrupted();
	else if (strcmp(what, "hammer") == 0)
		hammer();
	else if (strcmp(what, "forever") == 0)
		forever();
	else
		return 2;
	_exit(0);
}
