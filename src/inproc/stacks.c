/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Search the stacks of a stopped process for addresses.
 *
 * Any word on a stack that looks like such an address counts as one.  A stack
 * is all that is mapped from the stack pointer on: return addresses and signal
 * frames are there.  The red zone below has only addresses of finished calls.
 */
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "inproc/plant_impl.h"

#define STACK_MAX (64ULL << 20)
#define STACK_PART (64 * 1024)
#define USER_CS 0x33 /* the kernel's __USER_CS */
#define CS_AFTER 2   /* words */

static bool
has_word(const uint64_t *words, size_t n, const struct ent_sought *what)
{
	for (size_t i = 0; i < n; i++) {
		if (what->is(what->arg, words[i]) &&
		    (!what->in_context ||
			(i + CS_AFTER < n &&
			    (uint16_t)words[i + CS_AFTER] == USER_CS)))
			return true;
	}
	return false;
}

/* Read the span in parts that overlap by CS_AFTER words. */
static bool
span_has(struct ent_stop *s, uint64_t at, uint64_t end,
    const struct ent_sought *what)
{
	uint64_t *part = mem_alloc(STACK_PART), len = 0;
	bool has = false;

	while (!has && at + len < end) {
		len = end - at < STACK_PART ? end - at : STACK_PART;
		if (!ent_read(s, at, part, len))
			break;
		has = has_word(part, len / 8, what);
		if (at + len < end)
			at += len - 8 * CS_AFTER;
	}
	free(part);
	return has;
}

bool
ent_stack_has(struct ent_stop *s, const struct proc_maps *pm,
    const struct ent_thread *t, const struct ent_sought *what)
{
	uint64_t at = t->regs.rsp & ~(uint64_t)7;
	const struct proc_map *map = proc_maps_find(pm, at);

	return map != NULL &&
	    span_has(s, at,
		map->end - at > STACK_MAX ? at + STACK_MAX : map->end, what);
}

bool
ent_heap_has(struct ent_stop *s, const struct proc_maps *pm,
    const struct ent_sought *what)
{
	bool has = false;

	VEC_FOREACH(&pm->maps, map) {
		if (map->is_write && !map->is_exec && map->ino == 0)
			has = has || span_has(s, map->start, map->end, what);
	}
	return has;
}

static bool
any_stack_has(struct ent_stop *s, const struct ent_sought *what)
{
	struct proc_maps pm;
	struct err err = { 0 };
	bool has = false;

	if (proc_maps_read(&pm, s->pid, &err) != 0) {
		err_clear(&err);
		return true;
	}
	VEC_FOREACH(&s->threads, t)
		has = has || ent_stack_has(s, &pm, t, what);
	proc_maps_fini(&pm);
	return has;
}

struct spans {
	const struct inproc_span *v;
	size_t n;
};

static bool
is_in_spans(const void *arg, uint64_t value)
{
	const struct spans *spans = arg;

	for (size_t i = 0; i < spans->n; i++) {
		if (value - spans->v[i].lo < spans->v[i].hi - spans->v[i].lo)
			return true;
	}
	return false;
}

bool
ent_refers(struct ent_stop *s, const struct inproc_span *v, size_t n)
{
	struct spans spans = { v, n };
	struct ent_sought what = { is_in_spans, &spans, true };

	VEC_FOREACH(&s->threads, t) {
		if (is_in_spans(&spans, t->regs.rip))
			return true;
	}
	return any_stack_has(s, &what);
}
