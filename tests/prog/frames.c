/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames that are not a function's that was called.  Marks (mark.h), arg1 says
 * which; all from main() or above it, and so each as deep as the first, plus
 *
 *	1	nothing: main() marks
 *	2	a signal's handler: the handler, the signal's frame, kill()
 *	3	the same on a stack of its own
 *	4	a function of a library that came later (argv[1]: its path)
 *
 * Last, a call through the vdso that it passes on to the kernel.
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
