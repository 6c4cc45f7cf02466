/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The C library sorts runs of the table.  They are then merged between two
 * halves of the memory, so that there are points in time to stop.
 */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"

#define RUN ((size_t)4096) /* rows that are sorted in a millisecond */

struct sorting {
	char *from, *to;
	size_t n, size;
	sort_cmp_f *cmp;
	void *arg;
};

static bool
sort_runs(const struct sorting *s)
{
	for (size_t at = 0; at < s->n; at += RUN) {
		size_t len = s->n - at < RUN ? s->n - at : RUN;

		if (bounds_is_over())
			return false;
		qsort_r(s->from + at * s->size, len, s->size, s->cmp, s->arg);
	}
	return true;
}

/* Merge rows [a, b) and [b, end). False: stopped. */
static bool
merge_two(const struct sorting *s, size_t a, size_t b, size_t end)
{
	size_t size = s->size, x = a, y = b, steps = 0;

	for (size_t i = a; i < end; i++) {
		bool is_first = y == end ||
		    (x < b &&
			s->cmp(s->from + x * size, s->from + y * size,
			    s->arg) <= 0);

		memcpy(s->to + i * size,
		    s->from + (is_first ? x++ : y++) * size, size);
		if (BOUNDS_POLL(steps))
			return false;
	}
	return true;
}

/* False: stopped; `from` has all rows. */
static bool
merge_all(struct sorting *s, size_t width)
{
	char *from = s->from;

	for (size_t a = 0; a < s->n; a += 2 * width) {
		size_t b = s->n - a < width ? s->n : a + width;
		size_t end = s->n - b < width ? s->n : b + width;

		if (bounds_is_over() || !merge_two(s, a, b, end))
			return false;
	}
	s->from = s->to;
	s->to = from;
	return true;
}

void
sort_rows(void *v, size_t n, size_t size, sort_cmp_f *cmp, void *arg)
{
	struct sorting s = { v, NULL, n, size, cmp, arg };
	char *room;

	if (n <= 1)
		return;
	if (!sort_runs(&s) || n <= RUN)
		return;
	if (!bounds_take(n * size))
		return;
	room = s.to = mem_alloc(n * size);
	for (size_t width = RUN; width < n; width *= 2) {
		if (!merge_all(&s, width))
			break;
	}
	if (s.from != v)
		memcpy(v, s.from, n * size);
	free(room);
	bounds_give(n * size);
}
