/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/bounds.h"

#include <stdlib.h>
#include <time.h>

#include "base/mem.h"

/*
 * Per thread: the flag that it watches, the limit of its analyses, and the
 * meter of the current one.
 */
static _Thread_local bounds_flag *watched;
static _Thread_local uint64_t max_bytes = BOUNDS_MAX;
static _Thread_local struct bounds_meter *metered;

bounds_flag *
bounds_watch(bounds_flag *flag)
{
	bounds_flag *before = watched;

	watched = flag;
	return before;
}

bool
bounds_is_stopped(void)
{
	return watched != NULL && *watched != 0;
}

/* ---- analyses of files -------------------------------------------------- */

static const char memory_over[] = "memory";
static const char time_over[] = "CPU time";

void
bounds_set_max(uint64_t bytes)
{
	max_bytes = bytes;
}

uint64_t
bounds_max(void)
{
	return max_bytes;
}

static uint64_t
cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

/* CPU time in proportion to the memory, plus what an empty file takes. */
#define LEAST_NS 100000000ULL
static uint64_t
allowed_ns(void)
{
	double ns = (double)BOUNDS_NS * (double)max_bytes / (double)BOUNDS_MAX;

	return ns < (double)LEAST_NS ? LEAST_NS : (uint64_t)ns;
}

void
bounds_begin(struct bounds_meter *m)
{
	*m = (struct bounds_meter){ .outer = metered };
	if (metered != NULL)
		return;
	m->left = max_bytes;
	m->until_ns = cpu_ns() + allowed_ns();
	metered = m;
}

/* The size limit in words ("200 MB") and as the option's value ("400m"). */
static char *
why_over(const char *over)
{
	bool is_small = max_bytes < 1 << 20;
	unsigned long long n = max_bytes >> (is_small ? 10 : 20);
	char *most = over == time_over ?
	    mem_printf("%.3g s of CPU time", (double)allowed_ns() / 1e9) :
	    mem_printf("%llu %s of memory", n, is_small ? "KB" : "MB");
	char *why = mem_printf("its analysis takes more than %s; -x "
			       "analysismax=%llu%c permits twice as much",
	    most, 2 * n, is_small ? 'k' : 'm');

	free(most);
	return why;
}

char *
bounds_time_refusal(void)
{
	return why_over(time_over);
}

uint64_t
bounds_time_ns(void)
{
	return allowed_ns();
}

char *
bounds_end(struct bounds_meter *m)
{
	const struct bounds_meter *all = metered;

	if (m->outer == NULL)
		metered = NULL;
	if (bounds_is_stopped())
		return mem_strdup(BOUNDS_STOPPED);
	return all->over != NULL ? why_over(all->over) : NULL;
}

char *
bounds_refusal(enum bounds_limit limit)
{
	switch (limit) {
#define LIMIT(name, number, what)                                              \
	case LIMIT_##name:                                                     \
		return mem_printf("it has more than %d " what, (int)limit);
		BOUNDS_LIMITS(LIMIT)
#undef LIMIT
	}
	return NULL;
}

bool
bounds_take(uint64_t bytes)
{
	struct bounds_meter *m = metered;

	if (m == NULL)
		return true;
	if (m->over == NULL && bytes > m->left)
		m->over = memory_over;
	if (m->over != NULL)
		return false;
	m->left -= bytes;
	return true;
}

void
bounds_give(uint64_t bytes)
{
	if (metered != NULL)
		metered->left += bytes;
}

bool
bounds_is_over(void)
{
	struct bounds_meter *m = metered;

	if (bounds_is_stopped())
		return true;
	if (m == NULL)
		return false;
	if (m->over == NULL && cpu_ns() > m->until_ns)
		m->over = time_over;
	return m->over != NULL;
}
