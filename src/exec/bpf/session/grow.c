/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes added while tracing: those of a process that begins, or of a library
 * that it loads.
 *
 * A new probe takes an entry in a table and a link.  A group whose probes may
 * grow has a table from the start, with room, so a probe whose clauses are in
 * the group's program joins it.  If they are not (the program was made for the
 * clauses that had such probes then), or the table is full, the new pairs make
 * a group of their own, with another program:
 *
 *	pairs of clause and probe --> a loaded group has clause and room: join it
 *				  \-> otherwise: a new group of the same number
 *
 * Layouts and maps stay those of the start: they cover all clauses that may
 * grow, whether they had probes then or not.
 */
#include "exec/bpf/bpf_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

/* Create the maps that the library reads: they must exist when it maps them. */
static int
reserve_maps(struct bx_exec *x)
{
	bool ok =
	    bx_map_fd(x, "rtm_bufs") >= 0 && bx_map_fd(x, "rtm_wakeup") >= 0;

	VEC_FOREACH(&x->pl->aggs, pa) {
		char sym[32];

		if (pa->is_elsewhere)
			continue;
		snprintf(sym, sizeof(sym), "rtm_agg%u", pa->agg->id);
		ok = ok && bx_map_fd(x, sym) >= 0;
	}
	return ok ? 0 : -errno;
}

int
bx_grow_prepare(struct bx_exec *x, struct err *err)
{
	int rc = x->may_grow ? reserve_maps(x) : 0;

	if (rc != 0)
		err_take(err, rc,
		    x->link_error != NULL ? mem_strdup(x->link_error) :
					    bx_no_permission());
	return rc;
}

static bool
has_clause(const struct bx_group *g, const struct plan_clause *pc)
{
	VEC_FOREACH(&g->tr.facts->clauses, c) {
		if (*c == pc)
			return true;
	}
	return false;
}

/* Can the probe join this loaded group, for this clause? */
static bool
can_join(const struct bx_group *g, const struct plan_clause *pc,
    const struct dt_probe *p)
{
	return g->group == p->group && has_clause(g, pc) &&
	    (g->tr.facts->probes.n < g->nents ||
		idmap_get(&g->tr.facts->places, p->id) != NULL);
}

/* Index of the group that serves a pair; groups from `first` on are new. */
static size_t
find_home(struct bx_exec *x, size_t first, const struct plan_late *l)
{
	const struct plan_clause *pc = &x->pl->clauses.v[l->clause];

	for (size_t i = 0; i < first; i++) {
		if (can_join(&x->groups[i], pc, l->probe)) {
			bx_group_take(&x->groups[i], l->probe);
			return i;
		}
	}
	return (size_t)(bx_group_add(x, first, pc, l->probe) - x->groups);
}

/* homes[i] <- the group of the i-th new pair, in the order of the clauses. */
static void
find_homes(struct bx_exec *x, size_t first, size_t *homes)
{
	const struct plan *pl = x->pl;

	for (uint32_t c = 0; c < pl->clauses.n; c++) {
		for (size_t i = x->nlate; i < pl->late.n; i++) {
			if (pl->late.v[i].clause == c)
				homes[i - x->nlate] =
				    find_home(x, first, &pl->late.v[i]);
		}
	}
}

static void
enter_pairs(struct bx_exec *x, const size_t *homes)
{
	const struct plan *pl = x->pl;

	for (size_t i = x->nlate; i < pl->late.n; i++) {
		const struct plan_late *l = &pl->late.v[i];

		if (l->clause == PLAN_ELSEWHERE)
			continue;
		bx_table_add(&x->groups[homes[i - x->nlate]],
		    &pl->clauses.v[l->clause], l->probe,
		    pl->late_base + (uint32_t)i);
	}
}

CHECKED static int
renew_strs(struct bx_exec *x, struct err *err)
{
	int rc = bx_strs_renew(x);

	if (rc != 0)
		err_set(err, rc,
		    "no room for the names of probes that came while tracing: %s",
		    strerror(-rc));
	return rc;
}

/* Arm all groups; one that fails does not keep others from arming. */
CHECKED static int
arm_groups(struct bx_exec *x, struct err *err)
{
	int first_rc = 0;

	for (size_t i = 0; i < x->ngroups; i++) {
		struct err one = { 0 };
		int rc = bx_group_arm(x, &x->groups[i], &one);

		if (first_rc == 0 && rc != 0) {
			first_rc = rc;
			err_move(err, &one);
		}
		err_clear(&one);
	}
	return first_rc != 0 ? first_rc : bx_is_enabled_armed(x, err);
}

/* Mark all probes as armed: those that failed to load will never be armed. */
static void
give_up(struct bx_exec *x)
{
	for (size_t i = 0; i < x->ngroups; i++)
		x->groups[i].narmed = x->groups[i].tr.facts->probes.n;
}

int
bx_grow(struct dt_exec *e, struct err *err)
{
	struct bx_exec *x = bx_of(e);
	size_t first = x->ngroups, n = x->pl->late.n - x->nlate;
	size_t *homes = mem_alloc((n + 1) * sizeof(*homes));
	int rc;

	find_homes(x, first, homes);
	rc = bx_groups_load(x, first, err);
	if (rc == 0)
		enter_pairs(x, homes);
	if (rc == 0)
		rc = renew_strs(x, err);
	if (rc == 0)
		rc = arm_groups(x, err);
	else
		give_up(x);
	x->nlate = x->pl->late.n;
	bx_kernel_close(&x->lo);
	free(homes);
	return rc;
}
