/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Apply plans to a process: write their code to the file of areas and their
 * writes to the ledger; then a worker stops the process and plants them.
 */
#include "inproc/enter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "inproc/enter_impl.h"

CHECKED static int
fail(int code, struct err *err, const char *what)
{
	return err_set(err, -code, "%s: %s", what, strerror(code));
}

/*
 * Has the plan been applied before?  Then its code is in the process and its
 * writes are in the ledger.
 */
static bool
is_known(const struct ent_ledger *l, const struct inproc_plan *plan)
{
	return plan->epoch == l->epoch;
}

/* Note new areas; the file of code grows by them. */
CHECKED static int
add_areas(
    struct inproc_entry *e, const struct inproc_space *space, struct err *err)
{
	struct ent_ledger *l = e->ledger;
	int rc;

	if (space->areas.n == l->nareas)
		return 0;
	if (space->areas.n > ENT_AREAS_MAX)
		return fail(E2BIG, err, "room for probes");
	for (size_t i = l->nareas; i < space->areas.n; i++) {
		const struct inproc_span *a = &space->areas.v[i];

		l->areas[i] =
		    (struct ent_area){ a->lo, a->hi - a->lo, e->code->len };
		e->code->len += a->hi - a->lo;
	}
	l->nareas = space->areas.n;
	if (e->code->len > CODE_MAX)
		return fail(E2BIG, err, "room for probes");
	rc = code_file_grow(&e->code->file, e->code->len);
	return rc != 0 ? fail(-rc, err,
			     "memory for code of probes (is it limited by "
			     "ulimit -v or -f? select fewer functions)") :
			 0;
}

static int
compare_areas(const void *pa, const void *pb)
{
	const struct ent_area *a = pa, *b = pb;

	return (a->at > b->at) - (a->at < b->at);
}

/* The area of sorted `v` that holds [at, at + len), or NULL. */
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
CHECKED static int
write_texts(const struct inproc_entry *e, const struct ent_area *areas,
    const struct inproc_plan *plan, struct err *err)
{
	VEC_FOREACH(&plan->texts, t) {
		const struct ent_area *a =
		    find_area(areas, e->ledger->nareas, t->at, t->len);
		int rc = a == NULL ?
		    -ERANGE :
		    code_file_put(&e->code->file, a->off + (t->at - a->at),
			plan->code.s + t->off, t->len);

		if (rc != 0)
			return fail(-rc, err, "code of probes");
	}
	return 0;
}

CHECKED static int
write_all_texts(const struct inproc_entry *e, struct inproc_plan *const *plans,
    size_t n, struct err *err)
{
	size_t len = e->ledger->nareas * sizeof(struct ent_area);
	struct ent_area *areas = mem_alloc(len + 1);
	int rc = 0;

	memcpy(areas, e->ledger->areas, len);
	qsort(areas, e->ledger->nareas, sizeof(*areas), compare_areas);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (!is_known(e->ledger, plans[i]))
			rc = write_texts(e, areas, plans[i], err);
	}
	free(areas);
	return rc;
}

static void
add_moves(struct ent_ledger *l, const struct inproc_plan *plan)
{
	VEC_FOREACH(&plan->moves, m) {
		ent_moves(l)[l->nmoves] = *m;
		ent_moves(l)[l->nmoves++].window += plan->first_window;
	}
}

CHECKED static int
add_plan(struct ent_ledger *l, struct inproc_plan *plan, struct err *err)
{
	if (plan->writes.n > ENT_WRITES_MAX - l->nwrites ||
	    plan->moves.n > ENT_MOVES_MAX - l->nmoves ||
	    plan->counters.n > ENT_COUNTERS_MAX - l->ncounters ||
	    plan->nwindows > ENT_WINDOWS_MAX - l->nwindows ||
	    l->ngroups == ENT_GROUPS_MAX)
		return fail(E2BIG, err, "probes in one process");
	plan->first_window = (uint32_t)l->nwindows;
	VEC_FOREACH(&plan->writes, w) {
		ent_writes(l)[l->nwrites] = *w;
		ent_writes(l)[l->nwrites++].window += plan->first_window;
	}
	add_moves(l, plan);
	memset(l->waits + l->nwindows, ENT_PLANTED, plan->nwindows);
	l->nwindows += plan->nwindows;
	VEC_FOREACH(&plan->counters, at)
		l->counters[l->ncounters++] =
		    (struct ent_counter){ *at, l->ngroups };
	l->is_gone[l->ngroups] = false;
	plan->epoch = l->epoch;
	plan->group = (uint32_t)l->ngroups;
	l->groups[l->ngroups++] = plan->writes.n;
	l->is_go |= plan->is_go;
	return 0;
}

/* ---- plans that are applied again ---------------------------------------- */

static void
set_due(struct ent_ledger *l, const struct inproc_plan *plan, enum ent_due due)
{
	memset(l->waits + plan->first_window, due, plan->nwindows);
}

/* The file was mapped anew, so its counter words do not count us yet. */
static void
count_anew(struct ent_ledger *l, uint64_t group)
{
	struct ent_counter *v = l->counters, counter;
	uint64_t end = l->ncounted, n = 0;

	for (uint64_t i = 0; i < end;) {
		if (v[i].group != group) {
			i++;
			continue;
		}
		counter = v[i];
		memmove(&v[i], &v[i + 1], (l->ncounters - i - 1) * sizeof(*v));
		v[l->ncounters - 1] = counter;
		end--;
		n++;
	}
	l->ncounted -= n;
}

static uint64_t
first_write(const struct ent_ledger *l, uint64_t group)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < group; i++)
		n += l->groups[i];
	return n;
}

CHECKED static int
add_again(struct ent_ledger *l, const struct inproc_plan *plan, struct err *err)
{
	uint64_t group = plan->group, first = first_write(l, group);

	if (plan->moves.n > ENT_MOVES_MAX - l->nmoves)
		return fail(E2BIG, err, "probes in one process");
	l->is_gone[group] = false;
	set_due(l, plan, ENT_ANEW);
	add_moves(l, plan);
	count_anew(l, group);
	if (first < l->first_due)
		l->first_due = first;
	return 0;
}

/* Nothing of the group is in the process: do not plant or restore it. */
static void
forget_group(struct ent_ledger *l, uint64_t group, const struct inproc_write *w)
{
	l->is_gone[group] = true;
	for (uint64_t n = l->groups[group]; n > 0; n--, w++) {
		l->nwaiting -= l->waits[w->window] == ENT_WAITS;
		l->waits[w->window] = ENT_PLANTED;
	}
}

void
inproc_forget(struct inproc_proc *p, uint64_t lo, uint64_t hi)
{
	struct ent_ledger *l = p->e->ledger;
	const struct inproc_write *w = ent_writes(l);

	for (uint64_t i = 0; i < l->ngroups; w += l->groups[i++]) {
		if (l->groups[i] != 0 && w->at >= lo && w->at < hi &&
		    !l->is_gone[i])
			forget_group(l, i, w);
	}
}

/* ------------------------------------------------------------------------- */

static int
compare_moves(const void *pa, const void *pb)
{
	const struct inproc_move *a = pa, *b = pb;

	return (a->from > b->from) - (a->from < b->from);
}

/* Keep the moves of waiting windows and drop the others. */
static void
forget_moves(struct ent_ledger *l)
{
	struct inproc_move *moves = ent_moves(l);
	uint64_t n = 0;

	for (uint64_t i = 0; i < l->nmoves; i++) {
		uint32_t window = moves[i].window;

		if (window < l->nwindows && l->waits[window] != ENT_PLANTED)
			moves[n++] = moves[i];
	}
	l->nmoves = n;
}

/*
 * Plans that were applied before come first: their counters, to be counted
 * anew, precede those of the new plans.
 */
CHECKED static int
add_plans(struct ent_ledger *l, struct inproc_plan *const *plans, size_t n,
    struct err *err)
{
	int rc = 0;

	l->first_due = l->nwaiting != 0 ? 0 : l->nplanted;
	for (size_t i = 0; i < n; i++) {
		if (is_known(l, plans[i]))
			set_due(l, plans[i], ENT_PLANTED);
	}
	forget_moves(l);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (is_known(l, plans[i]))
			rc = add_again(l, plans[i], err);
	}
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (!is_known(l, plans[i]))
			rc = add_plan(l, plans[i], err);
	}
	qsort(
	    ent_moves(l), l->nmoves, sizeof(struct inproc_move), compare_moves);
	return rc;
}

/* The number of entries that each table of the ledger had before new plans. */
struct apply_extent {
	uint64_t nwrites, ngroups, ncounters, nwindows;
};

static struct apply_extent
extent_of(const struct ent_ledger *l)
{
	return (struct apply_extent){ .nwrites = l->nwrites,
		.ngroups = l->ngroups,
		.ncounters = l->ncounters,
		.nwindows = l->nwindows };
}

/* The process has nothing of the new plans: make the ledger what it was. */
static void
take_back(struct ent_ledger *l, const struct apply_extent *was,
    struct inproc_plan *const *plans, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!is_known(l, plans[i]))
			continue;
		if (plans[i]->group >= was->ngroups)
			plans[i]->epoch = 0;
		else
			set_due(l, plans[i], ENT_PLANTED);
	}
	l->nwrites = was->nwrites;
	l->ngroups = was->ngroups;
	l->ncounters = l->ncounted = was->ncounters;
	l->nwindows = was->nwindows;
	l->nareas = l->nmapped;
	forget_moves(l);
}

CHECKED static int
make_room(struct inproc_entry *e, struct inproc_plan *const *plans, size_t n,
    struct err *err)
{
	uint64_t nwrites = e->ledger->nwrites, nmoves = e->ledger->nmoves;
	int rc;

	for (size_t i = 0; i < n; i++) {
		nwrites += plans[i]->writes.n;
		nmoves += plans[i]->moves.n;
	}
	rc = ent_ledger_grow(e, nwrites, nmoves);
	return rc != 0 ? fail(-rc, err, "memory for so many probes") : 0;
}

int
inproc_apply(struct inproc_proc *p, const struct inproc_space *space,
    struct inproc_plan *const *plans, size_t n, struct err *err)
{
	int rc = make_room(p->e, plans, n, err);
	struct ent_ledger *l = p->e->ledger;
	struct apply_extent was = extent_of(l);

	if (rc != 0)
		goto out;
	rc = add_areas(p->e, space, err);
	if (rc != 0)
		goto out;
	rc = write_all_texts(p->e, plans, n, err);
	if (rc != 0)
		goto out;
	rc = add_plans(l, plans, n, err);
	if (rc != 0)
		goto out;
	rc = ent_ask(p->e, ENT_APPLY, err);
out:
	if (rc == -EIO) /* a worker that died may have planted some */
		l->nplanted = l->nwrites;
	else if (rc != 0)
		take_back(l, &was, plans, n);
	return rc;
}

void
inproc_take_back(struct inproc_proc *p, struct inproc_space *space,
    const struct inproc_space *before)
{
	struct inproc_space now = *space;

	inproc_space_copy(space, before);
	for (size_t i = before->areas.n; i < p->e->ledger->nmapped; i++)
		VEC_PUSH(&space->areas, now.areas.v[i]);
	inproc_space_fini(&now);
}
