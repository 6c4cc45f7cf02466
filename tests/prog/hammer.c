/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hammer THREADS: that many threads call functions, check the results, and
 * count, until standard input ends.  Prints "ready PID", and at the end "CALLS
 * calls, WRONG wrong".
 *
 * fn_hammer() must return its argument and keep its caller's registers,
 * whatever is planted in it; so must fn_first(), whose first instruction cannot
 * be emulated and must be single-stepped.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__asm__(".text\n"
	".globl fn_hammer\n.type fn_hammer, @function\nfn_hammer:\n"
	"push %rbx\n push %rbp\n mov %rdi, %rbx\n lea (%rbx), %rax\n"
	"pop %rbp\n pop %rbx\n ret\n.size fn_hammer, . - fn_hammer\n"
	".globl fn_first\n.type fn_first, @function\nfn_first:\n"
	"lea 0(%rdi), %rax\n test %rax, %rax\n jne 1f\n ret\n 1: ret\n"
	".size fn_first, . - fn_first\n");
uint64_t fn_hammer(uint64_t a);
uint64_t fn_first(uint64_t a);

static volatile int is_over;
static uint64_t calls, wrong;

static void *
hammer(void *arg)
{
	uint64_t n = 0, bad = 0, salt = (uintptr_t)arg << 32;

	for (; !is_over; n++) {
		bad += fn_hammer(salt + n) != salt + n;
		bad += fn_first(salt + n) != salt + n;
	}
	__atomic_add_fetch(&calls, n, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&wrong, bad, __ATOMIC_SEQ_CST);
	return NULL;
}

int
main(int argc, char *argv[])
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));
	char c;

	for (int i = 0; i < n; i++) {
		if (pthread_create(&threads[i], NULL, hammer,
			(void *)(uintptr_t)(i + 1)) != 0)
			return 1;
	}
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	is_over = 1;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%llu calls, %llu wrong\n", (unsigned long long)calls,
	    (unsigned long long)wrong);
	return wrong != 0;
}
