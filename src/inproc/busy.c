/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses of a process where no trampoline may be: those that are mapped, and
 * those that heap and stacks grow into.
 */
#include "inproc/enter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "inproc/enter_impl.h"

/* Numbers this small are on every stack and would look like addresses. */
#define SMALL_NUMBERS (16ULL << 20)
#define HEAP_ROOM (1ULL << 30)
#define STACK_ROOM (256ULL << 20)

uint64_t
ent_stat_field(pid_t pid, int n)
{
	char path[32], text[2048] = "", *s;
	uint64_t value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	s = fgets(text, sizeof(text), f) != NULL ? strrchr(text, ')') : NULL;
	fclose(f);
	for (int field = 2; s != NULL && field < n; field++)
		s = strchr(s + 1, ' ');
	if (s != NULL)
		value = strtoull(s, NULL, 10);
	return value;
}

/* The spans that are mapped, and those that heap and stacks grow into. */
struct busy {
	VEC(struct inproc_span) v;
};

static void
add_map(struct busy *b, const struct proc_map *map)
{
	struct inproc_span span = { map->start, map->end };

	if (strcmp(map->path, "[stack]") == 0)
		span.lo -= STACK_ROOM;
	else if (strcmp(map->path, "[heap]") == 0)
		span.hi += HEAP_ROOM;
	VEC_PUSH(&b->v, span);
}

static int
compare_spans(const void *pa, const void *pb)
{
	const struct inproc_span *a = pa, *b = pb;

	return (a->lo > b->lo) - (a->lo < b->lo);
}

/* Spans of a space do not overlap. */
static void
merge(struct busy *b, struct inproc_space *space)
{
	struct inproc_span now = { 0, SMALL_NUMBERS };

	if (b->v.n != 0)
		qsort(b->v.v, b->v.n, sizeof(*b->v.v), compare_spans);
	space->busy.n = 0;
	VEC_FOREACH(&b->v, span) {
		if (span->lo > now.hi) {
			inproc_space_busy(space, now.lo, now.hi);
			now = *span;
		} else if (span->hi > now.hi) {
			now.hi = span->hi;
		}
	}
	inproc_space_busy(space, now.lo, now.hi);
}

void
inproc_describe_space(const struct inproc_proc *p, const struct proc_maps *pm,
    struct inproc_space *space)
{
	uint64_t heap = ent_stat_field(p->pid, ENT_STAT_HEAP);
	struct busy b = { 0 };

	if (heap != 0)
		VEC_PUSH(&b.v, (struct inproc_span){ heap, heap + HEAP_ROOM });
	VEC_FOREACH(&pm->maps, map)
		add_map(&b, map);
	merge(&b, space);
	VEC_FREE(&b.v);
}
