/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plans on their way into a process: their code goes to the file of areas, what
 * they write into the ledger, and then a worker stops the process and does it.
 */
#include "inproc/enter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inproc/enter_impl.h"

static int
fail(int err, char **msg, const char *what)
{
	*msg = mem_printf("%s: %s", what, strerror(err));
	return -err;
}

/* Note new areas; the file of code grows by them. */
static int
add_areas(struct inproc_entry *e, const struct inproc_space *space, char **msg)
{
	struct ent_ledger *l = e->ledger;

	if (space->areas.n > ENT_AREAS_MAX)
		return fail(E2BIG, msg, "room for probes");
	for (size_t i = l->nareas; i < space->areas.n; i++) {
		const struct inproc_span *a = &space->areas.v[i];

		l->areas[i] =
		    (struct ent_area){ a->lo, a->hi - a->lo, e->code->len };
		e->code->len += a->hi - a->lo;
	}
	l->nareas = space->areas.n;
	if (e->code->len > CODE_ROOM)
		return fail(E2BIG, msg, "room for probes");
	if (ftruncate(e->code->file.fd, (off_t)e->code->len) != 0)
		return fail(errno, msg, "memory for code of probes");
	return 0;
}

static int
compare_areas(const void *pa, const void *pb)
{
	const struct ent_area *a = pa, *b = pb;

	return (a->at > b->at) - (a->at < b->at);
}

/* The area that an address is in, of sorted ones; NULL: of none. */
static const struct ent_area *
find_area(const struct ent_area *v, size_t n, uint64_t at, uint64_t len)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (v[mid].at + v[mid].len <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == n || at < v[lo].at || len > v[lo].at + v[lo].len - at)
		return NULL;
	return &v[lo];
}

/* Write a plan's code into the file. */
static int
write_texts(const struct inproc_entry *e, const struct ent_area *areas,
    const struct inproc_plan *plan, char **msg)
{
	VEC_FOREACH(&plan->texts, t) {
		const struct ent_area *a =
		    find_area(areas, e->ledger->nareas, t->at, t->len);
		int rc = a == NULL ?
		    -ERANGE :
		    code_file_put(&e->code->file, a->off + (t->at - a->at),
			plan->code.s + t->off, t->len);

		if (rc != 0)
			return fail(-rc, msg, "code of probes");
	}
	return 0;
}

static int
write_all_texts(const struct inproc_entry *e, struct inproc_plan *const *plans,
    size_t n, char **msg)
{
	size_t len = e->ledger->nareas * sizeof(struct ent_area);
	struct ent_area *areas = mem_alloc(len + 1);
	int rc = 0;

	memcpy(areas, e->ledger->areas, len);
	qsort(areas, e->ledger->nareas, sizeof(*areas), compare_areas);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = write_texts(e, areas, plans[i], msg);
	free(areas);
	return rc;
}

static int
add_plan(struct ent_ledger *l, struct inproc_plan *plan, char **msg)
{
	if (plan->writes.n > ENT_WRITES_MAX - l->nwrites ||
	    plan->moves.n > ENT_MOVES_MAX - l->nmoves ||
	    plan->counters.n > ENT_COUNTERS_MAX - l->ncounters ||
	    plan->nwindows > ENT_WINDOWS_MAX - l->nwindows ||
	    l->ngroups == ENT_GROUPS_MAX)
		return fail(E2BIG, msg, "probes in one process");
	plan->first_window = (uint32_t)l->nwindows;
	VEC_FOREACH(&plan->writes, w) {
		l->writes[l->nwrites] = *w;
		l->writes[l->nwrites++].window += plan->first_window;
	}
	VEC_FOREACH(&plan->moves, m) {
		l->moves[l->nmoves] = *m;
		l->moves[l->nmoves++].window += plan->first_window;
	}
	memset(l->waits + l->nwindows, 0, plan->nwindows);
	l->nwindows += plan->nwindows;
	VEC_FOREACH(&plan->counters, at)
		l->counters[l->ncounters++] =
		    (struct ent_counter){ *at, l->ngroups };
	l->groups[l->ngroups++] = plan->writes.n;
	l->is_go |= plan->is_go;
	return 0;
}

static int
compare_moves(const void *pa, const void *pb)
{
	const struct inproc_move *a = pa, *b = pb;

	return (a->from > b->from) - (a->from < b->from);
}

/* Those of windows that wait are still needed. */
static void
forget_moves(struct ent_ledger *l)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < l->nmoves; i++) {
		uint32_t window = l->moves[i].window;

		if (window < l->nwindows && l->waits[window])
			l->moves[n++] = l->moves[i];
	}
	l->nmoves = n;
}

static int
add_plans(struct ent_ledger *l, struct inproc_plan *const *plans, size_t n,
    char **msg)
{
	int rc = 0;

	forget_moves(l);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = add_plan(l, plans[i], msg);
	qsort(l->moves, l->nmoves, sizeof(*l->moves), compare_moves);
	return rc;
}

int
inproc_apply(struct inproc_proc *p, const struct inproc_space *space,
    struct inproc_plan *const *plans, size_t n, char **msg)
{
	struct ent_ledger *l = p->e->ledger;
	uint64_t nwrites = l->nwrites, ngroups = l->ngroups,
		 ncounters = l->ncounters, nwindows = l->nwindows;
	int rc = add_areas(p->e, space, msg);

	if (rc == 0)
		rc = write_all_texts(p->e, plans, n, msg);
	if (rc == 0)
		rc = add_plans(l, plans, n, msg);
	if (rc == 0)
		rc = ent_ask(p->e, ENT_APPLY, msg);
	if (rc != 0) {
		l->nwrites = nwrites;
		l->ngroups = ngroups;
		l->ncounters = ncounters;
		l->nwindows = nwindows;
		forget_moves(l);
	}
	return rc;
}
