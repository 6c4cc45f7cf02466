/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * known MODE...: do what the modes say, in order, each a few system calls whose
 * arguments and results are fixed.  Marks are in mark.h.
 *
 *	args		one mark with the arguments 11 22 33 44 55
 *	seq:N		N marks, numbered 0 .. N-1
 *	fail		close(-1): fails with EBADF
 *	good		close() of a fresh descriptor: succeeds
 *	str		access("/nonexistent/known path", 0)
 *	long		access() of a path of 300 times 'x'
 *	badptr		access((char *)16, 0)
 *	wild		mark with a pointer that no mapping holds
 *	data		write(-1, record, sizeof(record)), see below
 *	buffer		a mark with a buffer of 16 bytes, "0123456789abcdef";
 *			then prints them, NULs as dots
 *	threads		two threads after each other, marks 1 and 2 in each
 *	signal		a mark, with SIGUSR1, which a handler counts; exits
 *			with the number of signals seen
 *	tsc:N		N marks with the time-stamp counter before each
 *	locks:MS	a mark with two descriptors, then for MS milliseconds
 *			write to the first (a memory file: holds its inode's
 *			i_rwsem) and read the second (/proc/kallsyms: holds its
 *			seq_file's lock)
 *	exit:N		exit with status N
 *	sleep:MS	wait
 *	woken:N		wait N times for a thread on the same CPU; nothing
 *			else runs there between a wake-up and its effect
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <x86intrin.h>

#include "mark.h"

/* The record of mode `data`; the D scripts repeat its layout. */
static const struct record {
	double d;
	float f;
	int32_t i;
	wchar_t wide[4];
	char text[8];
	uint8_t bytes[16];
} record = {
	.d = 1234.5,
	.f = 0.25f,
	.i = -7,
	.wide = L"wid",
	.text = "record",
	.bytes = { 0, 1, 2, 3, 0x41, 0x42, 0x7f, 0x80, 0xff, 9, 10, 11, 12, 13,
	    14, 15 },
};

static volatile sig_atomic_t signals;

static void
on_signal(int sig)
{
	(void)sig;
	signals++;
}

static void *
thread_marks(void *arg)
{
	(void)arg;
	MARK1(1);
	MARK1(2);
	return NULL;
}

static void
mode_threads(void)
{
	pthread_t t;

	for (int i = 0; i < 2; i++) {
		if (pthread_create(&t, NULL, thread_marks, NULL) != 0)
			abort();
		pthread_join(t, NULL);
	}
}

static void
mode_seq(long n)
{
	for (long i = 0; i < n; i++)
		MARK1(i);
}

static void
mode_long(void)
{
	char path[301];

	memset(path, 'x', 300);
	path[300] = '\0';
	(void)!access(path, 0);
}

static void
mode_buffer(void)
{
	char buf[16];

	memcpy(buf, "0123456789abcdef", sizeof(buf));
	MARK1(buf);
	for (size_t i = 0; i < sizeof(buf); i++)
		putchar(buf[i] == '\0' ? '.' : buf[i]);
	putchar('\n');
	fflush(stdout);
}

static void
mode_signal(void)
{
	signal(SIGUSR1, on_signal);
	MARK1(1);
	exit(signals);
}

static long
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void
mode_locks(long ms)
{
	static char block[1 << 20];
	int mem = memfd_create("locks", 0);
	int syms = open("/proc/kallsyms", O_RDONLY);
	long end = now_ms() + ms;

	MARK(mem, syms, 0, 0, 0);
	while (now_ms() < end) {
		if (pwrite(mem, block, sizeof(block), 0) < 0)
			abort();
		if (read(syms, block, 1 << 15) <= 0)
			lseek(syms, 0, SEEK_SET);
	}
}

static void
mode_tsc(long n)
{
	for (long i = 0; i < n; i++)
		MARK(__rdtsc(), i, 0, 0, 0);
}

/* Both threads run until they wait or yield: main is woken, and goes on when
 * this thread yields. */
static int turn;

static void *
wake_main(void *arg)
{
	for (long n = (long)arg; n > 0; n--) {
		turn++;
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1);
		sched_yield();
	}
	return NULL;
}

static void
mode_woken(long n)
{
	struct sched_param param = { .sched_priority = 1 };
	pthread_t waker;
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(sched_getcpu(), &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu) != 0 ||
	    sched_setscheduler(0, SCHED_FIFO, &param) != 0 ||
	    pthread_create(&waker, NULL, wake_main, (void *)n) != 0)
		abort();
	for (int i = 0; i < n; i++)
		syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, i, NULL);
}

static void
run_mode(const char *mode)
{
	const char *colon = strchr(mode, ':');
	long n = colon != NULL ? atol(colon + 1) : 0;

	if (strcmp(mode, "args") == 0)
		MARK(11, 22, 33, 44, 55);
	else if (strncmp(mode, "seq:", 4) == 0)
		mode_seq(n);
	else if (strcmp(mode, "fail") == 0)
		syscall(SYS_close, -1L);
	else if (strcmp(mode, "good") == 0)
		close(dup(0));
	else if (strcmp(mode, "str") == 0)
		(void)!access("/nonexistent/known path", 0);
	else if (strcmp(mode, "long") == 0)
		mode_long();
	else if (strcmp(mode, "badptr") == 0)
		syscall(SYS_access, 16L, 0L);
	else if (strcmp(mode, "wild") == 0)
		MARK1(0x123456789000);
	else if (strcmp(mode, "data") == 0)
		syscall(SYS_write, -1L, &record, sizeof(record));
	else if (strcmp(mode, "buffer") == 0)
		mode_buffer();
	else if (strcmp(mode, "threads") == 0)
		mode_threads();
	else if (strcmp(mode, "signal") == 0)
		mode_signal();
	else if (strncmp(mode, "tsc:", 4) == 0)
		mode_tsc(n);
	else if (strncmp(mode, "locks:", 6) == 0)
		mode_locks(n);
	else if (strncmp(mode, "exit:", 5) == 0)
		exit((int)n);
	else if (strncmp(mode, "woken:", 6) == 0)
		mode_woken(n);
	else if (strncmp(mode, "sleep:", 6) == 0)
		usleep((useconds_t)n * 1000);
	else
		abort();
}

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		run_mode(argv[i]);
	return 0;
}
