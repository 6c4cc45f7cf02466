/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses for trampolines.
 *
 * Most may be anywhere within the reach of a jump: these fill one area after
 * the other.  The few that must be in a narrow span use the rest of existing
 * areas, or else a page of their own.
 *
 * The mappings of a process are sorted once, and used parts of areas whenever
 * one is added.  Areas keep the order in which they were added, which the
 * caller relies on.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "inproc/inproc.h"

#define PAGE 4096
#define AREA (256 * 1024)
#define LOWEST 0x10000	       /* vm.mmap_min_addr, as it is set up */
#define HIGHEST 0x7ffffffff000 /* of user addresses, with four-level tables */
#define LAST_PAGE (-(uint64_t)PAGE) /* round_up() works up to this */
#define MAX_AREAS 4096 /* of the 65,530 mappings that a process may have */
#define SHARED 8       /* one of this many areas is for wide spans only */
/* Spans larger than the reach of jumps with a shared byte are wide. */
#define WIDE (1 << 24)

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
	VEC_FREE(&s->windows);
}

void
inproc_space_copy(struct inproc_space *to, const struct inproc_space *from)
{
	*to = *from;
	VEC_COPY(&to->busy, &from->busy);
	VEC_COPY(&to->areas, &from->areas);
	VEC_COPY(&to->used, &from->used);
	VEC_COPY(&to->windows, &from->windows);
}

void
inproc_space_forget(struct inproc_space *s, uint64_t lo, uint64_t hi)
{
	size_t n = 0;

	VEC_FOREACH(&s->windows, w) {
		if (w->lo < lo || w->lo >= hi)
			s->windows.v[n++] = *w;
	}
	s->windows.n = n;
}

void
inproc_space_busy(struct inproc_space *s, uint64_t lo, uint64_t hi)
{
	VEC_PUSH(&s->busy, (struct inproc_span){ lo, hi });
	s->is_sorted = false;
}

/*
 * All become larger by the same amount, so they stay sorted, by their ends too;
 * they may overlap.
 */
void
inproc_space_pad(struct inproc_space *s, uint64_t pad)
{
	VEC_FOREACH(&s->busy, b) {
		b->lo = b->lo > pad ? b->lo - pad : 0;
		b->hi = b->hi < LAST_PAGE - pad ? b->hi + pad : LAST_PAGE;
	}
}

static int
compare(const void *a, const void *b)
{
	const struct inproc_span *sa = a, *sb = b;

	return (sa->lo > sb->lo) - (sa->lo < sb->lo);
}

void
inproc_space_close(struct inproc_space *s)
{
	s->next = s->limit = 0;
	s->used.n = 0;
	VEC_FOREACH(&s->areas, a)
		VEC_PUSH(&s->used, *a);
	if (s->used.n != 0)
		qsort(s->used.v, s->used.n, sizeof(*s->used.v), compare);
}

/* The index of the first of some sorted spans that ends behind `at`. */
static size_t
first_behind(const struct inproc_span *v, size_t n, uint64_t at)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (v[mid].hi <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * The end of one of the sorted spans that meets [at, at + len); `at` if none
 * does.
 */
static uint64_t
sorted_end(const struct inproc_span *v, size_t n, uint64_t at, size_t len)
{
	size_t i = first_behind(v, n, at);

	return i < n && v[i].lo < at + len ? v[i].hi : at;
}

/* Parts of areas never overlap. */
static void
add_used(struct inproc_space *s, uint64_t lo, uint64_t hi)
{
	size_t i = first_behind(s->used.v, s->used.n, lo);

	VEC_PUSH(&s->used, (struct inproc_span){ 0 });
	memmove(&s->used.v[i + 1], &s->used.v[i],
	    (s->used.n - 1 - i) * sizeof(*s->used.v));
	s->used.v[i] = (struct inproc_span){ lo, hi };
}

/* The end of a span that meets [at, at + len); `at` if none does. */
static uint64_t
met_end(const struct inproc_span *v, size_t n, uint64_t at, size_t len)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i].lo < at + len && at < v[i].hi)
			return v[i].hi;
	}
	return at;
}

/* Free pages, the first in [lo, hi); both bounds are page-aligned. */
static uint64_t
find_pages(const struct inproc_space *s, uint64_t lo, uint64_t hi, size_t len)
{
	uint64_t at = lo;

	while (at < hi && at <= HIGHEST - len) {
		uint64_t next = sorted_end(s->busy.v, s->busy.n, at, len);

		if (next == at)
			next = met_end(s->areas.v, s->areas.n, at, len);
		if (next == at)
			return at;
		at = (next + PAGE - 1) & -(uint64_t)PAGE;
	}
	return 0;
}

static uint64_t
take_pages(struct inproc_space *s, uint64_t lo, uint64_t hi, size_t len,
    size_t max_areas)
{
	uint64_t at = 0;

	if (s->areas.n < max_areas)
		at = find_pages(s, lo, hi, len);
	if (at != 0)
		VEC_PUSH(&s->areas, (struct inproc_span){ at, at + len });
	return at;
}

/* Free room in the areas. */
static uint64_t
find_room(const struct inproc_space *s, uint64_t lo, uint64_t hi, size_t len)
{
	VEC_FOREACH(&s->areas, a) {
		uint64_t at = a->lo > lo ? a->lo : lo;

		while (at < hi && at + len <= a->hi) {
			uint64_t next =
			    sorted_end(s->used.v, s->used.n, at, len);

			if (next == at)
				return at;
			at = next;
		}
	}
	return 0;
}

/* Add an area in which [at, at + len) can begin in [lo, hi). */
static uint64_t
take_own(struct inproc_space *s, uint64_t lo, uint64_t hi, size_t len)
{
	uint64_t first = lo & -(uint64_t)PAGE;
	size_t room = (size_t)((lo - first + len + PAGE - 1) & -(size_t)PAGE);
	size_t max_areas = s->max_areas - s->max_areas / SHARED;
	uint64_t at = take_pages(s, first, first + 1, room, max_areas);

	if (at != 0)
		return lo;
	first = (lo + PAGE - 1) & -(uint64_t)PAGE;
	room = (len + PAGE - 1) & -(size_t)PAGE;
	return take_pages(s, first, hi, room, max_areas);
}

/* A place in the area that is being filled, or in a new one. */
static uint64_t
take_anywhere(struct inproc_space *s, uint64_t lo, uint64_t hi, size_t len)
{
	uint64_t at;

	if (s->next < lo || s->next >= hi || s->next + len > s->limit) {
		at = take_pages(s, (lo + PAGE - 1) & -(uint64_t)PAGE, hi, AREA,
		    s->max_areas);
		if (at == 0)
			return 0;
		/* narrow spans do not use it */
		add_used(s, at, at + AREA);
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
	if (hi - lo > WIDE)
		at = take_anywhere(s, lo, hi, len);
	if (at != 0)
		return at;
	at = find_room(s, lo, hi, len);
	if (at == 0)
		at = take_own(s, lo, hi, len);
	if (at != 0)
		add_used(s, at, at + len);
	return at;
}
