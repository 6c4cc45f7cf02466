/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * End by a signal, as asked.
 *
 *	crasher raise NUMBER	send it to itself
 *	crasher outside		fault in outside()
 *	crasher window [thread]	fault where window() begins: its page cannot be
 *				executed any more; in another thread
 *	crasher inside		jump to where dtrace's memory is, and fault
 *there crasher wait		say so, and wait for a signal
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static volatile int calls;

static __attribute__((noinline)) void
outside(void)
{
	calls++;
	__asm__ volatile("movl $1, 8");
}

void window(void), behind(void);

/* A page of its own. */
__attribute__((noinline, aligned(PAGE))) void
window(void)
{
	calls += 3;
}

__attribute__((noinline, aligned(PAGE))) void
behind(void)
{
	calls += 5;
}

static void *
fault_in_window(void *arg)
{
	(void)arg;
	window();
	behind();
	if (mprotect((void *)(uintptr_t)window, PAGE, PROT_READ) != 0)
		exit(3);
	window();
	return NULL;
}

static void
fault_in_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fault_in_window, NULL) == 0)
		pthread_join(thread, NULL);
}

/* Zeroes at the end of code are "add %al,(%rax)". */
static void
fault_inside(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[1024], prot[8];
	unsigned long lo, hi, last = 0;

	window();
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (strstr(line, "memfd:dtrace ") != NULL &&
		    sscanf(line, "%lx-%lx %7s", &lo, &hi, prot) == 3 &&
		    prot[2] == 'x')
			last = hi - 64;
	}
	if (last == 0)
		exit(4);
	__asm__ volatile("xorl %%eax, %%eax\n\tjmp *%0" : : "r"(last) : "rax");
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (strcmp(how, "raise") == 0 && argc > 2)
		raise(atoi(argv[2]));
	else if (strcmp(how, "outside") == 0)
		outside();
	else if (strcmp(how, "window") == 0 && argc > 2)
		fault_in_thread();
	else if (strcmp(how, "window") == 0)
		fault_in_window(NULL);
	else if (strcmp(how, "inside") == 0)
		fault_inside();
	else if (strcmp(how, "wait") == 0) {
		window();
		printf("waiting\n");
		fflush(stdout);
		for (;;)
			pause();
	}
	return 0;
}
