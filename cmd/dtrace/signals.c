/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

static struct dt_hdl *_Atomic signal_dtp; /* for the signal handler */
static volatile sig_atomic_t has_signal;  /* its number */
static void (*_Atomic rescue)(void);	  /* for it, too; or NULL */

/*
 * timeout(1) and others signal the process and then its group, so a second
 * signal within this time is the same one.
 */
#define SAME_SIGNAL_NS 1000000000LL

static long long
monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* The first signal ends tracing in order, a later one ends dtrace at once. */
static void
on_signal(int signo)
{
	static _Atomic long long began; /* 0: no signal yet */
	long long now = monotonic_ns(), first = 0;
	struct dt_hdl *dtp;
	void (*f)(void) = rescue;

	if (!atomic_compare_exchange_strong(&began, &first, now) &&
	    now - first >= SAME_SIGNAL_NS) {
		if (f != NULL)
			f();
		signal(signo, SIG_DFL);
		raise(signo);
		return;
	}
	has_signal = signo;
	dtp = signal_dtp;
	if (dtp != NULL)
		dt_interrupt(dtp);
}

static void
catch_signal(int signo)
{
	struct sigaction sa = { .sa_handler = on_signal,
		.sa_flags = SA_RESTART },
			 old;

	sigemptyset(&sa.sa_mask);
	if (sigaction(signo, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(signo, &sa, NULL);
}

void
signals_catch(struct dt_hdl *dtp)
{
	signal_dtp = dtp;
	catch_signal(SIGINT);
	catch_signal(SIGTERM);
	catch_signal(SIGHUP);
}

void
signals_before_death(void (*f)(void))
{
	rescue = f;
}

/* The time of -t has passed. */
static void
on_alarm(int signo)
{
	struct dt_hdl *dtp = signal_dtp;

	(void)signo;
	if (dtp != NULL)
		dt_interrupt(dtp);
}

int
signals_end_after(uint64_t ns)
{
	struct sigaction sa = { .sa_handler = on_alarm,
		.sa_flags = SA_RESTART };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGALRM };
	struct itimerspec at = { .it_value = { (time_t)(ns / 1000000000),
				     (long)(ns % 1000000000) } };
	sigset_t set;
	timer_t timer;

	sigemptyset(&sa.sa_mask);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	if (sigaction(SIGALRM, &sa, NULL) != 0 ||
	    sigprocmask(SIG_UNBLOCK, &set, NULL) != 0 ||
	    timer_create(CLOCK_MONOTONIC, &ev, &timer) != 0 ||
	    timer_settime(timer, 0, &at, NULL) != 0)
		return -errno;
	return 0;
}

static void
on_sigpipe(int signo)
{
	(void)signo;
}

void
signals_survive_sigpipe(void)
{
	struct sigaction sa = { .sa_handler = on_sigpipe,
		.sa_flags = SA_RESTART },
			 old;

	sigemptyset(&sa.sa_mask);
	if (sigaction(SIGPIPE, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(SIGPIPE, &sa, NULL);
}

void
signals_forget(void)
{
	signal_dtp = NULL;
}

int
signals_seen(void)
{
	return has_signal;
}

void
signals_end(void)
{
	signal(has_signal, SIG_DFL);
	raise(has_signal);
}
