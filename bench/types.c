/* SPDX-License-Identifier: BSD-2-Clause */
/* types: the time that types of the kernel take, in microseconds, on one
 * line. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/vec.h"
#include "ctf/btf_import.h"

static double
now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

/* Microseconds to find a struct and its members, or -1. */
static double
look_up(struct ctf_graph *g, const char *name)
{
	double begin = now_us();
	struct ctf_type *t = ctf_find(g, CTF_SP_STRUCT, name);

	if (t == NULL || ctf_resolve(t)->is_incomplete)
		return -1;
	return now_us() - begin;
}

static double
look_up_nothing(void)
{
	struct ctf_graph g;
	double begin = now_us();

	ctf_graph_init(&g);
	btf_import_kernel(&g, NULL, NULL, NULL);
	ctf_find(&g, CTF_SP_STRUCT, "no such struct");
	ctf_graph_fini(&g);
	return now_us() - begin;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

int
main(void)
{
	VEC(double) times = { 0 };
	struct ctf_graph g;
	double first, nothing = look_up_nothing();

	ctf_graph_init(&g);
	btf_import_kernel(&g, NULL, NULL, NULL);
	first = look_up(&g, "task_struct");
	if (first < 0)
		return 1;
	VEC_FOREACH(&ctf_find(&g, CTF_SP_STRUCT, "task_struct")->members, m) {
		struct ctf_type *t = ctf_strip(m->type);
		double us = -1;

		if (t->kind == CTF_K_POINTER)
			t = ctf_strip(t->ref);
		if (t->kind == CTF_K_STRUCT && t->name != NULL)
			us = look_up(&g, t->name);
		if (us >= 0)
			VEC_PUSH(&times, us);
	}
	if (times.n == 0)
		return 1;
	qsort(times.v, times.n, sizeof(*times.v), compare);
	printf("%.1f %.1f %.1f %.1f %zu\n", first, nothing,
	    times.v[times.n - 1], times.v[times.n / 2], times.n);
	VEC_FREE(&times);
	ctf_graph_fini(&g);
	return 0;
}
