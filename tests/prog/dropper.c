/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A target that misbehaves: it calls fn_tick() ten times, does as argv[1] says,
 * calls fn_tick() ten times more, and again after a while.
 *
 *	dropper remove		punch a hole into dtrace's shared memory
 *	dropper dontneed	drop the pages of dtrace's private memory
 *	dropper private		map memory of its own over the shared one
 *	dropper part		... over its last page
 *	dropper traceme		ask to be traced, and take a signal
 *	dropper stop		stop
 *	dropper none
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <unistd.h>

#define TIMES 10
#define LATER_US 1000000
#define LINES 400
#define PAGE 4096

static volatile int ticks, handled;

__attribute__((noinline)) static void
fn_tick(void)
{
	ticks++;
}

static void
tick(void)
{
	for (int i = 0; i < TIMES; i++)
		fn_tick();
}

static void
on_signal(int sig)
{
	handled = sig;
}

static void
fail(const char *what)
{
	perror(what);
	exit(2);
}

static void
cover(unsigned long lo, unsigned long hi)
{
	void *at = (void *)lo;

	if (mmap(at, hi - lo, PROT_READ | PROT_WRITE,
		MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		0) != at)
		fail("mmap");
}

static void
drop(const char *how, unsigned long lo, unsigned long hi, bool is_shared)
{
	if (strcmp(how, "remove") == 0 && is_shared &&
	    madvise((void *)lo, hi - lo, MADV_REMOVE) != 0)
		fail("MADV_REMOVE");
	if (strcmp(how, "dontneed") == 0 && !is_shared &&
	    madvise((void *)lo, hi - lo, MADV_DONTNEED) != 0)
		fail("MADV_DONTNEED");
	if (strcmp(how, "private") == 0 && is_shared)
		cover(lo, hi);
	if (strcmp(how, "part") == 0 && is_shared)
		cover(hi - PAGE, hi);
}

/* The mappings are in the order: code, private part, shared part. */
static void
drop_all(const char *how)
{
	static char lines[LINES][512];
	FILE *f = fopen("/proc/self/maps", "r");
	int n = 0;

	while (f != NULL && n < LINES && fgets(lines[n], 512, f) != NULL)
		n++;
	for (int i = 1; i < n; i++) {
		bool is_shared = strstr(lines[i], "memfd:dtrace-data") != NULL;
		bool is_own =
		    strstr(lines[i - 1], "memfd:dtrace-code") != NULL &&
		    strstr(lines[i], "rw-p") != NULL;
		unsigned long lo, hi;

		if ((is_shared || is_own) &&
		    sscanf(lines[i], "%lx-%lx", &lo, &hi) == 2)
			drop(how, lo, hi, is_shared);
	}
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	signal(SIGUSR1, on_signal);
	tick();
	if (strcmp(how, "traceme") == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			fail("PTRACE_TRACEME");
		raise(SIGUSR1);
		printf("handled %d\n", handled == SIGUSR1);
	} else if (strcmp(how, "stop") == 0) {
		raise(SIGSTOP);
	} else if (strcmp(how, "none") != 0) {
		drop_all(how);
	}
	tick();
	usleep(LATER_US);
	tick();
	return 0;
}
