/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clauses of a large group, in an order that keeps those of a probe together.
 *
 * A firing runs the parts (part.c) that hold clauses of its probe.  In a script
 * that goes through its probes again and again, these would be most parts.
 * Only clauses that share a probe have an order between them.  So each probe
 * has a queue of its clauses, and a clause may be next when it is the head of
 * all its queues.  Of the candidates, the algorithm takes one that shares a
 * probe with the last clause, or else the first of the script.
 *
 * Probes found while tracing are not known here.  Each has the function that
 * its clauses name, so each such name stands for a probe.  If a clause names no
 * function, the order stays as it is.
 */
#include "exec/bpf/tr.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

/* The clauses of a probe, in the order of the script. */
struct queue {
	VEC(uint32_t) clauses;
	size_t head;
};

struct order {
	const struct bx_facts *facts;
	struct idmap probes; /* id of a probe -> index in queues */
	struct strtab names; /* of functions */
	VEC(uint32_t) funcs; /* id in names -> index in queues, + 1 */
	VEC(struct queue) queues;
	struct turn {
		VEC(uint32_t) queues; /* queues of the clause */
		uint32_t nheads;      /* how many it is the head of */
		bool is_taken;
	} * turns; /* per clause */
};

/* A clause may name a probe or a function more than once. */
static void
join(struct order *o, uint32_t clause, uint32_t queue)
{
	const struct queue *q = &o->queues.v[queue];

	if (q->clauses.n != 0 && q->clauses.v[q->clauses.n - 1] == clause)
		return;
	VEC_PUSH(&o->queues.v[queue].clauses, clause);
	VEC_PUSH(&o->turns[clause].queues, queue);
}

static uint32_t
new_queue(struct order *o)
{
	struct queue q = { 0 };

	VEC_PUSH(&o->queues, q);
	return (uint32_t)o->queues.n - 1;
}

static uint32_t
queue_of_probe(struct order *o, uint32_t id)
{
	const uint32_t *known = idmap_get(&o->probes, id);
	uint32_t queue;

	if (known != NULL)
		return *known;
	queue = new_queue(o);
	idmap_put(&o->probes, id, queue);
	return queue;
}

static uint32_t
queue_of_func(struct order *o, const char *func)
{
	uint32_t id = strtab_intern(&o->names, func);

	while (o->funcs.n <= id)
		VEC_PUSH(&o->funcs, 0);
	if (o->funcs.v[id] == 0)
		o->funcs.v[id] = new_queue(o) + 1;
	return o->funcs.v[id] - 1;
}

static bool
is_named(const char *func)
{
	return func != NULL && *func != '\0' && !glob_is_pattern(func);
}

/* Put the clause in its queues.  False: probes that it may get have no name. */
static bool
join_all(struct order *o, uint32_t clause)
{
	const struct plan_clause *pc = o->facts->clauses.v[clause];

	VEC_FOREACH(&pc->probes, pp)
		join(o, clause, queue_of_probe(o, (*pp)->id));
	if (!pc->may_grow)
		return true;
	VEC_FOREACH(&pc->clause->pdescs, d) {
		if (!is_named(d->func))
			return false;
		join(o, clause, queue_of_func(o, d->func));
	}
	return true;
}

static bool
may_be_next(const struct order *o, uint32_t clause)
{
	const struct turn *turn = &o->turns[clause];

	return !turn->is_taken && turn->nheads == turn->queues.n;
}

static void
note_head(struct order *o, const struct queue *q)
{
	if (q->head < q->clauses.n)
		o->turns[q->clauses.v[q->head]].nheads++;
}

static void
take(struct order *o, uint32_t clause)
{
	struct turn *turn = &o->turns[clause];

	turn->is_taken = true;
	VEC_FOREACH(&turn->queues, q) {
		o->queues.v[*q].head++;
		note_head(o, &o->queues.v[*q]);
	}
}

/* The next clause of the first probe of the last clause, if it may be next. */
static bool
next_of_probe(const struct order *o, uint32_t last, uint32_t *clause)
{
	const struct turn *turn = &o->turns[last];
	const struct queue *q;

	if (turn->queues.n == 0)
		return false;
	q = &o->queues.v[turn->queues.v[0]];
	if (q->head >= q->clauses.n)
		return false;
	*clause = q->clauses.v[q->head];
	return may_be_next(o, *clause);
}

static void
put_in_order(struct order *o, const struct plan_clause **to)
{
	const struct bx_facts *f = o->facts;
	uint32_t first = 0, last = 0;

	VEC_FOREACH(&o->queues, q)
		note_head(o, q);
	for (size_t n = 0; n < f->clauses.n; n++) {
		/* the first clause that was not taken has no predecessors */
		while (o->turns[first].is_taken)
			first++;
		if (n == 0 || !next_of_probe(o, last, &last))
			last = first;
		take(o, last);
		to[n] = f->clauses.v[last];
	}
}

static void
order_fini(struct order *o)
{
	VEC_FOREACH(&o->queues, q)
		VEC_FREE(&q->clauses);
	VEC_FREE(&o->queues);
	for (size_t i = 0; i < o->facts->clauses.n; i++)
		VEC_FREE(&o->turns[i].queues);
	free(o->turns);
	VEC_FREE(&o->funcs);
	strtab_fini(&o->names);
	idmap_fini(&o->probes);
}

void
bx_clauses_order(struct bx_facts *facts)
{
	size_t n = facts->clauses.n;
	const struct plan_clause **to = mem_alloc((n + 1) * sizeof(*to));
	struct order o = { .facts = facts,
		.turns = mem_alloc((n + 1) * sizeof(*o.turns)) };
	bool is_known = true;

	strtab_init(&o.names);
	for (uint32_t i = 0; is_known && i < n; i++)
		is_known = join_all(&o, i);
	if (is_known) {
		put_in_order(&o, to);
		memcpy(facts->clauses.v, to, n * sizeof(*to));
	}
	order_fini(&o);
	free(to);
}
