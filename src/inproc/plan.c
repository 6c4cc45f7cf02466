/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan of a module: its points in the order of addresses, which are served
 * from the last to the first (patch.c), and the code that gives threads of Go
 * their stacks.
 */
#include "inproc/patch_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "inproc/tramp.h"

static int
compare_points(const void *pa, const void *pb, void *arg)
{
	size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
	const struct inproc_point *points = arg;
	uint64_t va = points[a].vaddr, vb = points[b].vaddr;

	return va != vb ? (va > vb) - (va < vb) : (a > b) - (a < b);
}

static int
compare_writes(const void *pa, const void *pb)
{
	const struct inproc_write *a = pa, *b = pb;

	return (a->at > b->at) - (a->at < b->at);
}

/* The points that are on instructions, in order. */
static void
sort_points(struct ip_planner *p, const struct inproc_point *points, size_t n)
{
	p->numbers = mem_alloc((n + 1) * sizeof(*p->numbers));
	p->points = mem_alloc((n + 1) * sizeof(*p->points));
	for (size_t i = 0; i < n; i++) {
		uint64_t vaddr = points[i].vaddr;
		const struct ip_text *t = ip_text_at(p->m, vaddr);
		struct inproc_fate fate = { INPROC_REFUSED, 0,
			"no instruction is known to begin there" };

		if (t != NULL && t->marks[vaddr - t->vaddr] & MARK_INSN)
			p->numbers[p->n++] = i;
		VEC_PUSH(&p->plan->fates, fate);
	}
	qsort_r(p->numbers, p->n, sizeof(*p->numbers), compare_points,
	    (void *)(uintptr_t)points);
	for (size_t i = 0; i < p->n; i++) {
		p->points[i] = &points[p->numbers[i]];
		p->has_stays |= p->points[i]->stays;
	}
}

static void
leave_text(struct ip_planner *p)
{
	free(p->now);
	free(p->use);
	p->now = p->use = NULL;
	p->text = NULL;
}

/* Leave an earlier plan's window as it is. */
static void
use_earlier(struct ip_planner *p, const struct inproc_span *w)
{
	uint64_t at = p->text->vaddr + p->bias;

	if (w->lo >= at && w->hi <= at + p->text->len)
		ip_use(p, w->lo - at, w->hi - at,
		    USE_LOCKED | USE_TAKEN | USE_EARLIER);
}

static void
enter_text(struct ip_planner *p, const struct ip_text *t)
{
	if (p->text == t)
		return;
	leave_text(p);
	p->text = t;
	p->now = mem_alloc(t->len + X86_JUMP_LEN);
	memcpy(p->now, t->bytes, t->len);
	p->use = mem_alloc(t->len + X86_JUMP_LEN);
	VEC_FOREACH(&p->space->windows, w)
		use_earlier(p, w);
}

/* Returns the address of the code. */
static uint64_t
place_taker(struct ip_planner *p, const struct inproc_stacks *st)
{
	struct inproc_plan *plan = p->plan;
	size_t start = plan->code.len;
	uint64_t addr;

	ip_go_taker(st, &plan->code);
	addr =
	    inproc_space_take(p->space, 0, INT64_MAX, plan->code.len - start);
	VEC_PUSH(&plan->texts,
	    (struct inproc_text){
		addr, (uint32_t)start, (uint32_t)(plan->code.len - start) });
	return addr;
}

/* Place the code that gives threads of Go their stacks. */
static void
place_takers(struct ip_planner *p)
{
	struct inproc_stacks silent = p->space->stacks;

	p->plan->is_go = p->m->is_go;
	if (!p->plan->is_go || p->space->stacks.n == 0)
		return;
	silent.nowhere = silent.busy = silent.unheard;
	p->taker = place_taker(p, &p->space->stacks);
	p->silent_taker = place_taker(p, &silent);
}

void
inproc_plan(struct inproc_module *m, uint64_t bias,
    const struct inproc_point *points, size_t n, struct inproc_space *space,
    struct inproc_plan *plan)
{
	struct ip_planner p = {
		.m = m, .bias = bias, .space = space, .plan = plan
	};

	*plan = (struct inproc_plan){ .bias = bias };
	sort_points(&p, points, n);
	place_takers(&p);
	for (size_t i = p.n; i > 0 && !bounds_is_stopped();) {
		enter_text(&p, ip_text_at(m, p.points[i - 1]->vaddr));
		i = ip_serve(&p, i - 1);
	}
	leave_text(&p);
	if (plan->writes.n != 0)
		qsort(plan->writes.v, plan->writes.n, sizeof(*plan->writes.v),
		    compare_writes);
	free(p.numbers);
	free(p.points);
}

void
inproc_plan_again(const struct inproc_plan *plan, struct inproc_space *space)
{
	VEC_FOREACH(&plan->windows, w)
		VEC_PUSH(&space->windows, *w);
}

void
inproc_plan_copy(struct inproc_plan *to, const struct inproc_plan *from)
{
	to->bias = from->bias;
	VEC_COPY(&to->writes, &from->writes);
	VEC_COPY(&to->moves, &from->moves);
	VEC_COPY(&to->texts, &from->texts);
	VEC_COPY(&to->windows, &from->windows);
	VEC_COPY(&to->fates, &from->fates);
	VEC_COPY(&to->counters, &from->counters);
	strbuf_add(&to->code, from->code.s, from->code.len);
	to->is_go = from->is_go;
	to->nwindows = from->nwindows;
	to->first_window = from->first_window;
	to->group = from->group;
	to->epoch = from->epoch;
}

void
inproc_plan_fini(struct inproc_plan *plan)
{
	VEC_FREE(&plan->writes);
	VEC_FREE(&plan->moves);
	VEC_FREE(&plan->texts);
	VEC_FREE(&plan->windows);
	VEC_FREE(&plan->fates);
	VEC_FREE(&plan->counters);
	strbuf_fini(&plan->code);
}
