/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handlers of signals that come in the middle of a probe's firing.
 *
 *	jumper jump STACK TIMES	 fn_step(); a probe there raises SIGUSR1, whose
 *				 handler jumps out; then fn_calm(7)
 *	jumper timer STACK TIMES fn_outer() all the time, out of which, or of a
 *				 probe there, a handler of SIGALRM jumps; then
 *				 fn_calm(7)
 *	jumper nest STACK TIMES	 fn_outer() all the time, and fn_inner() in so
 *				 many handlers of SIGALRM, which return
 *
 * STACK is the handlers' stack: plain (the program's), above (a higher part of
 * the program's), below (a part of the heap).
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define STACK (1 << 16)

static sigjmp_buf back;
static volatile long handled;

__attribute__((noipa)) static long
fn_step(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

__attribute__((noipa)) static long
fn_calm(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 2;
}

__attribute__((noipa)) static long
fn_outer(const char *text)
{
	__asm__ volatile("" : "+r"(text));
	return text[0];
}

__attribute__((noipa)) static long
fn_inner(const char *text)
{
	__asm__ volatile("" : "+r"(text));
	return text[1];
}

/* Make the calls at several depths. */
__attribute__((noipa)) static long
descend(long n)
{
	volatile long here = n;

	return n == 0 ? fn_step(here) : descend(n - 1) + here;
}

static void
jump(int sig)
{
	(void)sig;
	handled++;
	siglongjmp(back, 1);
}

static void
inside(int sig)
{
	(void)sig;
	fn_inner("inner");
	handled++;
}

static int
do_jump(long times)
{
	for (volatile long i = 0; i < times; i++) {
		if (sigsetjmp(back, 1) == 0)
			descend(i * 5 % 7);
		fn_calm(7);
	}
	printf("jumps %ld\n", handled);
	return 0;
}

static const struct itimerval soon = { .it_value = { .tv_usec = 100 } };

static int
do_timer(long times)
{
	for (volatile long i = 0; i < times; i++) {
		if (sigsetjmp(back, 1) == 0) {
			setitimer(ITIMER_REAL, &soon, NULL);
			for (;;)
				fn_outer("outer");
		}
		fn_calm(7);
	}
	printf("jumps %ld\n", handled);
	return 0;
}

static int
do_nest(long times)
{
	for (long i = 0; i < times; i++) {
		setitimer(ITIMER_REAL, &soon, NULL);
		while (handled == i)
			fn_outer("outer");
	}
	return 0;
}

static const struct mode {
	const char *name;
	int (*run)(long times);
	int sig;
	void (*handler)(int sig);
} modes[] = {
	{ "jump", do_jump, SIGUSR1, jump },
	{ "timer", do_timer, SIGALRM, jump },
	{ "nest", do_nest, SIGALRM, inside },
};

static const struct mode *
find_mode(const char *name)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(name, modes[i].name) == 0)
			return &modes[i];
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	const struct mode *m = argc == 4 ? find_mode(argv[1]) : NULL;
	char room[STACK];
	stack_t own = { .ss_size = sizeof(room) };
	struct sigaction act = { .sa_flags = 0 };

	if (m == NULL) {
		fprintf(stderr, "usage: jumper jump|timer|nest STACK TIMES\n");
		return 2;
	}
	act.sa_handler = m->handler;
	if (strcmp(argv[2], "plain") != 0) {
		own.ss_sp =
		    strcmp(argv[2], "above") == 0 ? room : malloc(sizeof(room));
		act.sa_flags = SA_ONSTACK;
		sigaltstack(&own, NULL);
	}
	sigaction(m->sig, &act, NULL);
	return m->run(atol(argv[3]));
}
