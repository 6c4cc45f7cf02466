/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread of dtrace that connects dtrace and traced processes.
 *
 *	bell	pr_head.bell, a futex, on which the thread sleeps.  It turns
 *		each ring into an event of a descriptor, for poll() and epoll
 *	gate	pr_head.gate is the thread's id while probes fire.  When dtrace
 *		dies, in whatever way, the kernel changes the word (a robust
 *		futex, get_robust_list(2)), and no probe fires any more
 *
 * The list by which the kernel finds the word is in our own memory; no other
 * process can change it.
 */
#include "exec/process/impl.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

#define NS 1000000000
#define AGAIN_NS 50000000

struct pr_bell {
	pthread_t thread;
	int event_fd;
	struct pr_head *head; /* NULL: not mapped yet */
	bool is_ending;
	pthread_mutex_t lock; /* guards these three; nothing nests in it */
	pthread_cond_t changed;
	uint32_t tid;
	struct robust_list_head robust;
	struct robust_list node;
};

static void
hold_gate(struct pr_bell *b)
{
	uintptr_t gate = (uintptr_t)&b->head->gate;

	b->node.next = &b->robust.list;
	b->robust.list.next = &b->node;
	b->robust.futex_offset = (long)(gate - (uintptr_t)&b->node);
	syscall(SYS_set_robust_list, &b->robust, sizeof(b->robust));
}

static void
sleep_by_bell(struct pr_bell *b)
{
	uint32_t *bell = &b->head->bell;
	uint64_t one = 1;
	uint32_t seen = 0;

	__atomic_store_n(&b->head->naps, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&b->is_ending, __ATOMIC_ACQUIRE)) {
		syscall(SYS_futex, bell, FUTEX_WAIT, seen, NULL, NULL, 0);
		if (__atomic_load_n(bell, __ATOMIC_ACQUIRE) == seen)
			continue;
		seen = __atomic_load_n(bell, __ATOMIC_ACQUIRE);
		if (write(b->event_fd, &one, sizeof(one)) < 0)
			break;
	}
}

static void *
bell_thread(void *arg)
{
	struct pr_bell *b = arg;

	pthread_mutex_lock(&b->lock);
	b->tid = (uint32_t)gettid();
	pthread_cond_signal(&b->changed);
	while (b->head == NULL && !b->is_ending)
		pthread_cond_wait(&b->changed, &b->lock);
	pthread_mutex_unlock(&b->lock);
	if (b->head != NULL) {
		hold_gate(b);
		sleep_by_bell(b);
	}
	return NULL;
}

/* The thread blocks all signals: the main thread handles them. */
static int
start_thread(struct pr_bell *b)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&b->thread, NULL, bell_thread, b);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -rc;
}

struct pr_bell *
pr_bell_create(struct err *err)
{
	struct pr_bell *b = mem_alloc(sizeof(*b));
	int rc;

	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
	b->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = b->event_fd < 0 ? -errno : start_thread(b);
	if (rc != 0) {
		err_set(err, rc,
		    "cannot start a thread that waits for traced processes: %s",
		    strerror(-rc));
		if (b->event_fd >= 0)
			close(b->event_fd);
		free(b);
		return NULL;
	}
	pthread_mutex_lock(&b->lock);
	while (b->tid == 0)
		pthread_cond_wait(&b->changed, &b->lock);
	pthread_mutex_unlock(&b->lock);
	return b;
}

void
pr_bell_hang(struct pr_bell *b, struct pr_head *head)
{
	pthread_mutex_lock(&b->lock);
	b->head = head;
	pthread_cond_signal(&b->changed);
	pthread_mutex_unlock(&b->lock);
}

/* Ring until the thread ends: a process may keep the bell from ringing. */
static void
end_thread(struct pr_bell *b)
{
	struct timespec until;

	do {
		if (b->head != NULL) {
			__atomic_add_fetch(&b->head->bell, 1, __ATOMIC_SEQ_CST);
			syscall(SYS_futex, &b->head->bell, FUTEX_WAKE, 1, NULL,
			    NULL, 0);
		}
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += AGAIN_NS;
		until.tv_sec += until.tv_nsec / NS;
		until.tv_nsec %= NS;
	} while (pthread_timedjoin_np(b->thread, NULL, &until) == ETIMEDOUT);
}

void
pr_bell_destroy(struct pr_bell *b)
{
	pthread_mutex_lock(&b->lock);
	__atomic_store_n(&b->is_ending, true, __ATOMIC_RELEASE);
	pthread_cond_signal(&b->changed);
	pthread_mutex_unlock(&b->lock);
	end_thread(b);
	pthread_mutex_destroy(&b->lock);
	pthread_cond_destroy(&b->changed);
	close(b->event_fd);
	free(b);
}

uint32_t
pr_bell_tid(const struct pr_bell *b)
{
	return b->tid;
}

int
pr_bell_fd(const struct pr_bell *b)
{
	return b->event_fd;
}

/* Read the descriptor's event. */
void
pr_bell_clear(struct pr_bell *b)
{
	uint64_t n;

	while (read(b->event_fd, &n, sizeof(n)) > 0)
		;
}
