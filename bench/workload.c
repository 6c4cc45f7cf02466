// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is traced: a process that makes one system call over and over, pinned
 * to one CPU, under the name "dtbench".
 *
 *	workload loop  CPU getppid|getuid CALLS	as fast as it can
 *	workload paced CPU RATE SECONDS		getppid, RATE calls a second
 *	workload deep  CPU DEPTH CALLS		getppid, so many functions deep
 *	workload keys  CPU COUNT		lseek, each time another offset
 *
 * Each prints one line of "name value" pairs.  Times are per call and come in
 * batches, so that an interrupt or another process spoils some batches instead
 * of the answer: the lower quartile is what a call costs while nothing else
 * happens, as long as that is so for a quarter of the run.
 */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NBATCHES 200
#define SLOTS_PER_SEC 1000 /* a paced run sleeps this often */
#define NS_PER_SEC 1000000000LL

static int64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
batch_ns(long nr, long calls)
{
	int64_t start = now_ns();

	for (long i = 0; i < calls; i++)
		syscall(nr);
	return (double)(now_ns() - start) / (double)calls;
}

static int
run_batches(long nr, long calls)
{
	long per_batch = calls / NBATCHES;
	double ns[NBATCHES];

	for (int i = 0; i < NBATCHES; i++)
		ns[i] = batch_ns(nr, per_batch);
	qsort(ns, NBATCHES, sizeof(ns[0]), by_value);
	printf("calls %ld min_ns %.2f quartile_ns %.2f median_ns %.2f\n",
	    per_batch * NBATCHES, ns[0], ns[NBATCHES / 4], ns[NBATCHES / 2]);
	return 0;
}

static int
run_loop(char **arg)
{
	return run_batches(strcmp(arg[0], "getuid") == 0 ? SYS_getuid :
	    SYS_getppid, atol(arg[1]));
}

/* Without frame pointers, as everything here; work behind the call keeps it one. */
__attribute__((noinline, noclone)) static int
descend(long depth, long calls)
{
	volatile char room[64];

	room[depth % 64] = 1;
	room[0] = (char)(depth == 0 ? run_batches(SYS_getppid, calls) :
	    descend(depth - 1, calls));
	return room[0];
}

static int
run_deep(char **arg)
{
	return descend(atol(arg[0]), atol(arg[1]));
}

static void
sleep_until(int64_t when)
{
	struct timespec ts = { when / NS_PER_SEC, when % NS_PER_SEC };

	while (
	    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

static int
run_paced(char **arg)
{
	long per_slot = atol(arg[0]) / SLOTS_PER_SEC;
	long nslots = atol(arg[1]) * SLOTS_PER_SEC;
	int64_t start = now_ns(), late, worst = 0;

	for (long slot = 0; slot < nslots; slot++) {
		int64_t due = start + slot * (NS_PER_SEC / SLOTS_PER_SEC);

		sleep_until(due);
		late = now_ns() - due;
		worst = late > worst ? late : worst;
		for (long i = 0; i < per_slot; i++)
			syscall(SYS_getppid);
	}
	printf("calls %ld elapsed_ns %lld worst_late_ns %lld\n",
	    per_slot * nslots, (long long)(now_ns() - start), (long long)worst);
	return 0;
}

/* File descriptor -1: the call ends at once, and its arguments are ours. */
static int
run_keys(char **arg)
{
	long count = atol(arg[0]);
	int64_t start = now_ns();

	for (long i = 0; i < count; i++)
		syscall(SYS_lseek, -1, i, SEEK_SET);
	printf("calls %ld elapsed_ns %lld\n", count,
	    (long long)(now_ns() - start));
	return 0;
}

static const struct mode {
	const char *name;
	int nargs;
	int (*run)(char **arg);
} modes[] = {
	{ "loop", 2, run_loop },
	{ "deep", 2, run_deep },
	{ "paced", 2, run_paced },
	{ "keys", 1, run_keys },
};

static const struct mode *
find_mode(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (argc == 3 + modes[i].nargs &&
		    strcmp(argv[1], modes[i].name) == 0)
			return &modes[i];
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	const struct mode *mode = find_mode(argc, argv);
	cpu_set_t cpus;

	if (!mode) {
		fprintf(stderr, "usage: workload loop CPU getppid|getuid CALLS"
				" | deep CPU DEPTH CALLS | paced CPU RATE SECONDS"
				" | keys CPU COUNT\n");
		return 2;
	}
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[2]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0) {
		perror("workload: cannot stay on that CPU");
		return 1;
	}
	prctl(PR_SET_NAME, "dtbench");
	return mode->run(argv + 3);
}
