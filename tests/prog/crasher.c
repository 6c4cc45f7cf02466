/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * End by a signal, in the requested way.
 *
 *	crasher raise NUMBER	send it to itself
 *	crasher outside		fault in outside()
 *	crasher window [thread]	fault where window() begins: its page is no
 *				longer executable; in another thread
 *	crasher inside		jump into dtrace's memory, and fault there
 *	crasher back ours	fault, with a return address in dtrace's memory
 *	crasher back middle	... in the middle of the jump in window()
 *	crasher back begin	... at the beginning of that jump
 *	crasher child HOW...	a child does that; print its number and its end
 *	crasher exec HOW...	execute the program again, to do that
 *	crasher wait		say so, and wait for a signal
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
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

/* A function with a page of its own. */
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

/* An address near the end of dtrace's code, where zeros are "add
 * %al,(%rax)". */
static unsigned long
find_ours(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[1024], prot[8];
	unsigned long lo, hi, last = 0;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (strstr(line, "memfd:dtrace ") != NULL &&
		    sscanf(line, "%lx-%lx %7s", &lo, &hi, prot) == 3 &&
		    prot[2] == 'x')
			last = hi - 64;
	}
	if (f != NULL)
		fclose(f);
	if (last == 0)
		exit(4);
	return last;
}

static void
fault_inside(void)
{
	window();
	__asm__ volatile("xorl %%eax, %%eax\n\tjmp *%0"
			 :
			 : "r"(find_ours())
			 : "rax");
}

static void
fault_before(const char *what)
{
	/* dtrace would take a constant for the address of a jump target */
	volatile unsigned long middle = 2;
	unsigned long to = (unsigned long)(uintptr_t)window;

	window();
	if (strcmp(what, "ours") == 0)
		to = find_ours();
	else if (strcmp(what, "middle") == 0)
		to += middle;
	__asm__ volatile("xorl %%ebp, %%ebp\n\tpush %0\n\tmovl $1, 8"
			 :
			 : "r"(to));
}

static void crash(int argc, char **argv);

static void
have_child(int argc, char **argv)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		crash(argc, argv);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	printf("child %d ended by %d\n", (int)pid, WTERMSIG(status));
	fflush(stdout);
}

static void
crash(int argc, char **argv)
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
	else if (strcmp(how, "back") == 0 && argc > 2)
		fault_before(argv[2]);
	else if (strcmp(how, "child") == 0)
		have_child(argc - 1, argv + 1);
	else if (strcmp(how, "exec") == 0)
		execv("/proc/self/exe", argv + 1);
	else if (strcmp(how, "wait") == 0) {
		window();
		printf("waiting\n");
		fflush(stdout);
		for (;;)
			pause();
	}
}

int
main(int argc, char **argv)
{
	crash(argc, argv);
	return 0;
}
