// SPDX-License-Identifier: BSD-2-Clause
/*
 * The traced process: it makes one system call over and over, pinned to one
 * CPU, under the name "dtbench".
 *
 *	workload loop  CPU getppid|getuid CALLS	as fast as it can
 *	workload paced CPU RATE SECONDS		getppid, RATE calls a second
 *	workload deep  CPU DEPTH CALLS		getppid, so many functions deep
 *	workload keys  CPU COUNT		lseek, each time another offset
 *	workload hand  CPU ROUNDS		two processes hand a byte to and fro
 *
 * Each prints one line of "name value" pairs.  Times are per call, taken in
 * batches, so that an interrupt or another process spoils only some batches.
 * The lower quartile is the cost of an undisturbed call if a quarter of the run
 * is undisturbed.
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

typedef double batch_f(const void *arg, long calls);

static double
batch_ns(const void *nr, long calls)
{
	int64_t start = now_ns();

	for (long i = 0; i < calls; i++)
		syscall(*(const long *)nr);
	return (double)(now_ns() - start) / (double)calls;
}

static int
run_batches(batch_f *batch, const void *arg, long calls)
{
	long per_batch = calls / NBATCHES;
	double ns[NBATCHES];

	for (int i = 0; i < NBATCHES; i++)
		ns[i] = batch(arg, per_batch);
	qsort(ns, NBATCHES, sizeof(ns[0]), by_value);
	printf("calls %ld min_ns %.2f quartile_ns %.2f median_ns %.2f\n",
	    per_batch * NBATCHES, ns[0], ns[NBATCHES / 4], ns[NBATCHES / 2]);
	return 0;
}

static int
run_loop(char **arg)
{
	long nr = strcmp(arg[0], "getuid") == 0 ? SYS_getuid : SYS_getppid;

	return run_batches(batch_ns, &nr, atol(arg[1]));
}

/* Built without frame pointers, like all code here; work after the call
 * prevents a tail call. */
__attribute__((noinline, noclone)) static int
descend(long depth, long calls)
{
	static const long nr = SYS_getppid;
	volatile char room[64];

	room[depth % 64] = 1;
	room[0] = (char)(depth == 0 ? run_batches(batch_ns, &nr, calls) :
				      descend(depth - 1, calls));
	return room[0];
}

static int
run_deep(char **arg)
{
	return descend(atol(arg[0]), atol(arg[1]));
}

/* Each round is two switches between two processes on one CPU. */
static double
hand_ns(const void *pair, long rounds)
{
	const int *fd = pair;
	int64_t start = now_ns();
	char byte = 0;

	for (long i = 0; i < rounds; i++) {
		if (write(fd[1], &byte, 1) != 1 || read(fd[0], &byte, 1) != 1)
			exit(1);
	}
	return (double)(now_ns() - start) / (double)rounds;
}

static int
run_hand(char **arg)
{
	int there[2], back[2];
	char byte;

	if (pipe(there) != 0 || pipe(back) != 0)
		return 1;
	if (fork() == 0) {
		close(there[1]);
		while (read(there[0], &byte, 1) == 1 &&
		    write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	return run_batches(hand_ns, (int[]){ back[0], there[1] }, atol(arg[0]));
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

/* The file descriptor is -1: the call fails at once, and its arguments are free
 * to choose. */
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
	{ "hand", 1, run_hand },
	{ "hand", 1, run_hand },
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
		fprintf(stderr,
		    "usage: workload loop CPU getppid|getuid CALLS"
		    " | deep CPU DEPTH CALLS | paced CPU RATE SECONDS"
		    " | keys CPU COUNT | hand CPU ROUNDS\n");
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
