/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Progress: a thread that sleeps for a second and then shows the current stage
 * and each later one, until it is told to end.  A timer's signal would
 * interrupt system calls, and loading a program into the kernel would begin
 * anew.  The thread takes no signals.
 *
 * `lock` guards everything here; it is held during no wait but that for the
 * condition.
 */
#include "dtrace/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { DELAY_S = 1 };

static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const char *stage, *shown;
	bool is_shown, is_running, must_end;
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void
show(void)
{
	fprintf(stderr, "\r\033[Kdtrace: %s ...", progress.stage);
	progress.shown = progress.stage;
	progress.is_shown = true;
}

static void
hide(void)
{
	if (progress.is_shown)
		fputs("\r\033[K", stderr);
	progress.is_shown = false;
}

/* Wait until there is a note to show, or the thread should end. */
static void
wait_for_delay(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += DELAY_S;
	while (!progress.must_end &&
	    pthread_cond_timedwait(&progress.changed, &progress.lock, &until) ==
		0)
		continue;
}

static void *
watch(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&progress.lock);
	wait_for_delay();
	while (!progress.must_end) {
		if (progress.stage != progress.shown)
			show();
		pthread_cond_wait(&progress.changed, &progress.lock);
	}
	hide();
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

static int
init_condition(void)
{
	pthread_condattr_t attr;
	int rc = pthread_condattr_init(&attr);

	if (rc == 0)
		rc = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	if (rc == 0)
		rc = pthread_cond_init(&progress.changed, &attr);
	return rc;
}

void
progress_begin(void)
{
	sigset_t all, old;

	progress.stage = "starting";
	if (!isatty(STDERR_FILENO) || init_condition() != 0)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	progress.is_running =
	    pthread_create(&progress.thread, NULL, watch, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void
progress_stage(const char *what)
{
	pthread_mutex_lock(&progress.lock);
	progress.stage = what;
	if (progress.is_running)
		pthread_cond_signal(&progress.changed);
	pthread_mutex_unlock(&progress.lock);
}

void
progress_hide(void)
{
	pthread_mutex_lock(&progress.lock);
	hide();
	pthread_mutex_unlock(&progress.lock);
}

void
progress_end(void)
{
	if (!progress.is_running)
		return;
	pthread_mutex_lock(&progress.lock);
	progress.must_end = true;
	pthread_cond_signal(&progress.changed);
	pthread_mutex_unlock(&progress.lock);
	pthread_join(progress.thread, NULL);
	progress.is_running = false;
}
