/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames that are not those of called functions.  The program makes marks
 * (mark.h), numbered by arg1.  All come from main() or functions below it.  A
 * mark is as deep as the first one, plus
 *
 *	1	nothing: main() makes the mark
 *	2	a signal's handler: the handler, the signal's frame, kill()
 *	3	the same on a separate stack
 *	4	a function of a library that is loaded late (argv[1]: its path)
 *
 * Last comes a call through the vdso, which passes it on to the kernel.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mark.h"

static volatile long what;

static void
handler(int sig)
{
	(void)sig;
	MARK1(what);
}

static void
marked_signal(long n, int flags)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };

	what = n;
	sigaction(SIGUSR1, &sa, NULL);
}

int
main(int argc, char **argv)
{
	static char stack[65536];
	stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct timespec ts;
	void *lib;
	long (*f)(long) = NULL;

	MARK1(1);
	marked_signal(2, 0);
	kill(getpid(), SIGUSR1);
	sigaltstack(&ss, NULL);
	marked_signal(3, SA_ONSTACK);
	kill(getpid(), SIGUSR1);
	if (argc > 1 && (lib = dlopen(argv[1], RTLD_NOW)) != NULL)
		f = (long (*)(long))dlsym(lib, "later_mark");
	for (int i = 0; f != NULL && i < 200; i++) {
		struct timespec ms = { 0, 10000000 };

		nanosleep(&ms, NULL);
		f(4);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return 0;
}
