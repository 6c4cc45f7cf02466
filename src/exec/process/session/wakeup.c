/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread of dtrace that connects dtrace and traced processes.
 *
 *	wakeups	pr_head.wakeups, a futex, on which the thread sleeps.  It turns
 *		each wakeup into an event of a descriptor, for poll() and epoll
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
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"

#define NS 1000000000
#define AGAIN_NS 50000000

struct pr_wakeup {
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
hold_gate(struct pr_wakeup *w)
{
	uintptr_t gate = (uintptr_t)&w->head->gate;

	w->node.next = &w->robust.list;
	w->robust.list.next = &w->node;
	w->robust.futex_offset = (long)(gate - (uintptr_t)&w->node);
	syscall(SYS_set_robust_list, &w->robust, sizeof(w->robust));
}

static void
sleep_until_wakeup(struct pr_wakeup *w)
{
	uint32_t *wakeups = &w->head->wakeups;
	uint64_t one = 1;
	uint32_t seen = 0;

	__atomic_store_n(&w->head->naps, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&w->is_ending, __ATOMIC_ACQUIRE)) {
		syscall(SYS_futex, wakeups, FUTEX_WAIT, seen, NULL, NULL, 0);
		if (__atomic_load_n(wakeups, __ATOMIC_ACQUIRE) == seen)
			continue;
		seen = __atomic_load_n(wakeups, __ATOMIC_ACQUIRE);
		if (write(w->event_fd, &one, sizeof(one)) < 0)
			break;
	}
}

static void *
wakeup_thread(void *arg)
{
	struct pr_wakeup *w = arg;

	pthread_mutex_lock(&w->lock);
	w->tid = (uint32_t)gettid();
	pthread_cond_signal(&w->changed);
	while (w->head == NULL && !w->is_ending)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
	if (w->head != NULL) {
		hold_gate(w);
		sleep_until_wakeup(w);
	}
	return NULL;
}

struct pr_wakeup *
pr_wakeup_create(struct err *err)
{
	struct pr_wakeup *w = mem_alloc(sizeof(*w));
	int rc;

	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	w->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = w->event_fd < 0 ? -errno :
			       thread_start(&w->thread, wakeup_thread, w);
	if (rc != 0) {
		err_set(err, rc,
		    "cannot start a thread that waits for traced processes: %s",
		    strerror(-rc));
		if (w->event_fd >= 0)
			close(w->event_fd);
		free(w);
		return NULL;
	}
	pthread_mutex_lock(&w->lock);
	while (w->tid == 0)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
	return w;
}

void
pr_wakeup_watch(struct pr_wakeup *w, struct pr_head *head)
{
	pthread_mutex_lock(&w->lock);
	w->head = head;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

/* Wake the thread until it ends: a process may keep it from waking. */
static void
end_thread(struct pr_wakeup *w)
{
	struct timespec until;

	do {
		if (w->head != NULL) {
			__atomic_add_fetch(
			    &w->head->wakeups, 1, __ATOMIC_SEQ_CST);
			syscall(SYS_futex, &w->head->wakeups, FUTEX_WAKE, 1,
			    NULL, NULL, 0);
		}
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += AGAIN_NS;
		until.tv_sec += until.tv_nsec / NS;
		until.tv_nsec %= NS;
	} while (pthread_timedjoin_np(w->thread, NULL, &until) == ETIMEDOUT);
}

void
pr_wakeup_destroy(struct pr_wakeup *w)
{
	pthread_mutex_lock(&w->lock);
	__atomic_store_n(&w->is_ending, true, __ATOMIC_RELEASE);
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	end_thread(w);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
	close(w->event_fd);
	free(w);
}

uint32_t
pr_wakeup_tid(const struct pr_wakeup *w)
{
	return w->tid;
}

int
pr_wakeup_fd(const struct pr_wakeup *w)
{
	return w->event_fd;
}

/* Read the descriptor's event. */
void
pr_wakeup_clear(struct pr_wakeup *w)
{
	uint64_t n;

	while (read(w->event_fd, &n, sizeof(n)) > 0)
		;
}
