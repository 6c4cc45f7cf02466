/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses for trampolines.
 *
 * Most may be anywhere within the reach of a jump: they fill one area after the
 * other.  The few that must be in a narrow span take what is left of areas that
 * are there, else a page of their own.
 *
 * All lists are short (mappings of a process; some hundred pages), and sorted
 * once: what is taken later is found by going through it.
 */
#include <stdlib.h>

#include "inproc/inproc.h"

#define PAGE 4096
#define AREA (256 * 1024)
#define LOWEST 0x10000	       /* vm.mmap_min_addr, as it is set up */
#define HIGHEST 0x7ffffffff000 /* of user addresses, with four-level tables */
#define MAX_AREAS 4096 /* of the 65,530 mappings that a process may have */

void
inproc_space_init(struct inproc_space *s)
{
	*s = (struct inproc_space){ .max_areas = MAX_AREAS };
}

void
inproc_space_fini(struct inproc_space *s)
{
	VEC_FREE(&s->busy);
	VEC_FREE(&s->areas);
	VEC_FREE(&s->used);
}

void
inproc_space_busy(struct inproc_space *s, uint64_t lo, uint64_t hi)
{
	VEC_PUSH(&s->busy, (struct inproc_span){ lo, hi });
	s->is_sorted = false;
}

static int
compare(const void *a, const void *b)
{
	const struct inproc_span *sa = a, *sb = b;

	return (sa->lo > sb->lo) - (sa->lo < sb->lo);
}

/* Where what is mapped over an address ends; `at` itself: nothing is. */
static uint64_t
busy_end(const struct inproc_space *s, uint64_t at, size_t len)
{
	size_t lo = 0, hi = s->busy.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->busy.v[mid].hi <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < s->busy.n && s->busy.v[lo].lo < at + len)
		return s->busy.v[lo].hi;
	return at;
}

/* The end of a span that meets [at, at + len); `at`: none does. */
static uint64_t
met_end(const struct inproc_span *v, size_t n, uint64_t at, size_t len)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i].lo < at + len && at < v[i].hi)
			return v[i].hi;
	}
	return at;
}

/* Free pages that begin in [lo, hi), which is of pages. */
static uint64_t
find_pages(const struct inproc_space *s, uint64_t lo, uint64_t hi, size_t len)
{
	uint64_t at = lo;

	while (at < hi && at + len <= HIGHEST) {
		uint64_t next = busy_end(s, at, len);

		if (next == at)
			next = met_end(s->areas.v, s->areas.n, at, len);
		if (next == at)
			return at;
		at = (next + PAGE - 1) & -(uint64_t)PAGE;
	}
	return 0;
}

static uint64_t
take_pages(struct inproc_space *s, uint64_t lo, uint64_t hi, size_t len)
{
	uint64_t at = 0;

	if (s->areas.n < s->max_areas)
		at = find_pages(s, lo, hi, len);
	if (at != 0)
		VEC_PUSH(&s->areas, (struct inproc_span){ at, at + len });
	return at;
}

/* Room in pages that we have. */
static uint64_t
find_room(const struct inproc_space *s, uint64_t lo, uint64_t hi, size_t len)
{
	VEC_FOREACH(&s->areas, a) {
		uint64_t at = a->lo > lo ? a->lo : lo;

		while (at < hi && at + len <= a->hi) {
			uint64_t next = met_end(s->used.v, s->used.n, at, len);

			if (next == at)
				return at;
			at = next;
		}
	}
	return 0;
}

/* Pages so that [at, at + len) can begin in [lo, hi). */
static uint64_t
take_own(struct inproc_space *s, uint64_t lo, uint64_t hi, size_t len)
{
	uint64_t first = lo & -(uint64_t)PAGE;
	size_t room = (size_t)((lo - first + len + PAGE - 1) & -(size_t)PAGE);
	uint64_t at = take_pages(s, first, first + 1, room);

	if (at != 0)
		return lo;
	first = (lo + PAGE - 1) & -(uint64_t)PAGE;
	room = (len + PAGE - 1) & -(size_t)PAGE;
	return take_pages(s, first, hi, room);
}

/* A place in the area that is being filled, or in a new one. */
static uint64_t
take_anywhere(struct inproc_space *s, uint64_t lo, uint64_t hi, size_t len)
{
	uint64_t at;

	if (s->next < lo || s->next >= hi || s->next + len > s->limit) {
		at = take_pages(s, (lo + PAGE - 1) & -(uint64_t)PAGE, hi, AREA);
		if (at == 0)
			return 0;
		/* others keep off it */
		VEC_PUSH(&s->used, (struct inproc_span){ at, at + AREA });
		s->next = at;
		s->limit = at + AREA;
	}
	at = s->next;
	s->next += len;
	return at;
}

uint64_t
inproc_space_take(struct inproc_space *s, uint64_t lo, uint64_t hi, size_t len)
{
	uint64_t at = 0;

	if (!s->is_sorted && s->busy.n != 0)
		qsort(s->busy.v, s->busy.n, sizeof(*s->busy.v), compare);
	s->is_sorted = true;
	if (lo < LOWEST)
		lo = LOWEST;
	if (lo >= hi || len > AREA)
		return 0;
	if (hi - lo > AREA)
		at = take_anywhere(s, lo, hi, len);
	if (at != 0)
		return at;
	at = find_room(s, lo, hi, len);
	if (at == 0)
		at = take_own(s, lo, hi, len);
	if (at != 0)
		VEC_PUSH(&s->used, (struct inproc_span){ at, at + len });
	return at;
}
