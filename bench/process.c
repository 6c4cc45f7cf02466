/* SPDX-License-Identifier: BSD-2-Clause */
/* Requirements on probes of processes: see README.md. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define COST_ROUNDS 40
#include "cost.h"

#ifdef WITH_LTTNG /* f_record then also passes a tracepoint of LTTng-UST */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_record.h"
#define RECORD(a, p) lttng_ust_tracepoint(bench, record, a, p)
#else
#define RECORD(a, p) (void)0
#endif

#define REST_US 5000 /* time for the consumer to read records */

#define WORK(name, ...)                                                        \
	__attribute__((noinline, noclone)) uint64_t name(                      \
	    uint64_t a, const void *p);                                        \
	uint64_t name(uint64_t a, const void *p)                               \
	{                                                                      \
		__asm__ volatile("" : "+r"(a), "+r"(p));                       \
		__VA_ARGS__;                                                   \
		return a + (p != NULL);                                        \
	}

WORK(f_count)
WORK(f_keys)
WORK(f_predicate)
WORK(f_record, RECORD(a, p))
WORK(f_latency)
WORK(f_proved)
WORK(f_foreign)

#define NKEYS 1000

static const char text[] = "sixteen of these";
static char *foreign;

#define CALLER(name, arg, ptr)                                                 \
	static void call_##name(void)                                          \
	{                                                                      \
		static _Thread_local uint64_t n;                               \
                                                                               \
		n++;                                                           \
		name(arg, ptr);                                                \
	}
CALLER(f_count, n, NULL)
CALLER(f_keys, n % NKEYS, NULL)
CALLER(f_predicate, n, NULL)
CALLER(f_record, n, text)
CALLER(f_latency, n, NULL)
CALLER(f_proved, n, text)
CALLER(f_foreign, n, foreign)

static const struct {
	const char *name;
	void (*f)(void);
} functions[] = {
	{ "f_count", call_f_count },
	{ "f_keys", call_f_keys },
	{ "f_predicate", call_f_predicate },
	{ "f_record", call_f_record },
	{ "f_latency", call_f_latency },
	{ "f_proved", call_f_proved },
	{ "f_foreign", call_f_foreign },
};
#define NFUNCTIONS (sizeof(functions) / sizeof(functions[0]))

static pthread_barrier_t both;
static void (*measured)(void);

static void *
measure(void *result)
{
	pthread_barrier_wait(&both);
	*(double *)result =
	    cost_rested(measured, measured == call_f_record ? REST_US : 0);
	return NULL;
}

static void
find(const char *name)
{
	for (size_t i = 0; i < NFUNCTIONS; i++) {
		if (strcmp(functions[i].name, name) == 0)
			measured = functions[i].f;
	}
}

#define SLOT_NS 1000000

static void
sleep_until(uint64_t when)
{
	struct timespec ts = { (time_t)(when / 1000000000),
		(long)(when % 1000000000) };

	while (
	    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

static bool
pin(const char *cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)atoi(cpu), &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus) == 0;
}

/* Call at a fixed rate; calls catch up after another process had the CPU. */
static int
paced(char *argv[])
{
	uint64_t per_slot =
	    strtoull(argv[1], NULL, 10) / (1000000000 / SLOT_NS);
	uint64_t nslots = strtoull(argv[2], NULL, 10) * (1000000000 / SLOT_NS);
	uint64_t n = 0, start;

	if (!pin(argv[0]))
		return 1;
	start = now_ns();
	for (uint64_t slot = 0; slot < nslots; slot++) {
		sleep_until(start + slot * SLOT_NS);
		for (uint64_t i = 0; i < per_slot; i++)
			f_record(++n, text);
	}
	printf("calls %llu elapsed_ns %llu\n", (unsigned long long)n,
	    (unsigned long long)(now_ns() - start));
	return 0;
}

static volatile bool is_ending;

static void *
read_input(void *arg)
{
	char c;

	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	is_ending = true;
	return arg;
}

static void *
nap(void *arg)
{
	while (!is_ending)
		usleep(SLOT_NS / 1000);
	return arg;
}

/* Number of times that another process took the CPU from this thread. */
static long
taken_away(void)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	return ru.ru_nivcsw;
}

/* The longest time between two readings of the clock without such a loss. */
static uint64_t
stand_still(void)
{
	uint64_t longest = 0, last = now_ns();
	long before = taken_away();

	while (!is_ending) {
		long after = taken_away();
		uint64_t now = now_ns();

		if (after == before && now - last > longest)
			longest = now - last;
		before = after;
		last = now;
	}
	return longest;
}

static int
still(char *argv[])
{
	pthread_t threads[65];
	long n = atol(argv[1]);
	uint64_t longest;

	if (!pin(argv[0]) || n < 0 || n > 64)
		return 1;
	for (long i = 0; i <= n; i++)
		pthread_create(
		    &threads[i], NULL, i == 0 ? read_input : nap, NULL);
	puts("running");
	fflush(stdout);
	longest = stand_still();
	for (long i = 0; i <= n; i++)
		pthread_join(threads[i], NULL);
	printf("still_ns %llu\n", (unsigned long long)longest);
	return 0;
}

int
main(int argc, char *argv[])
{
	unsigned nthreads = argc > 1 && strcmp(argv[1], "two") == 0 ? 2 : 1;
	double ns[2] = { 0 };
	pthread_t other;

	if (argc == 5 && strcmp(argv[1], "paced") == 0)
		return paced(argv + 2);
	if (argc == 4 && strcmp(argv[1], "still") == 0)
		return still(argv + 2);
	if (argc > 2)
		find(argv[2]);
	if (measured == NULL)
		return 1;
	foreign = strdup(text);
	pthread_barrier_init(&both, NULL, nthreads);
	if (nthreads == 2 && pthread_create(&other, NULL, measure, &ns[1]) != 0)
		return 1;
	measure(&ns[0]);
	if (nthreads == 2)
		pthread_join(other, NULL);
	printf("%s %.2f\n", argv[2], ns[0] > ns[1] ? ns[0] : ns[1]);
	return 0;
}
