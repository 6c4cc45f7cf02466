/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is what a host records to be read by the first host's program?
 *
 * The objects may differ: kernels have members at other places, and each host
 * its own name and labels.  What says how data are printed must not.
 */
#include <errno.h>
#include <string.h>

#include "ctf/ctf.h"
#include "dif/prog.h"
#include "dof/dof.h"
#include "libdtrace/fleet.h"

static bool
is_same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool
is_same_action(const struct dif_action *a, const struct dif_action *b)
{
	return a->kind == b->kind && a->in_tuple == b->in_tuple &&
	    a->has_incr == b->has_incr && a->ntuple == b->ntuple &&
	    a->arg == b->arg && a->group == b->group &&
	    a->is_signed == b->is_signed && is_same_text(a->fmt, b->fmt) &&
	    is_same_text(a->type_name, b->type_name);
}

static bool
is_same_clause(const struct dif_clause *a, const struct dif_clause *b)
{
	if (a->actions.n != b->actions.n ||
	    a->default_action != b->default_action ||
	    !is_same_text(a->fires, b->fires))
		return false;
	for (size_t i = 0; i < a->actions.n; i++) {
		if (!is_same_action(&a->actions.v[i], &b->actions.v[i]))
			return false;
	}
	return true;
}

static bool
is_same_agg(const struct dif_agg *a, const struct dif_agg *b)
{
	return a->id == b->id && a->kind == b->kind && a->arg == b->arg &&
	    a->nkeys == b->nkeys && is_same_text(a->name, b->name);
}

/* ---- types --------------------------------------------------------------- */

/* Is a value printed by more than its size? */
static bool
has_members(struct ctf_type *t)
{
	enum ctf_kind kind = t != NULL ? ctf_resolve(t)->kind : CTF_K_UNKNOWN;

	return kind == CTF_K_STRUCT || kind == CTF_K_UNION ||
	    kind == CTF_K_ENUM || kind == CTF_K_ARRAY;
}

static bool
needs_types(const struct dif_prog *p)
{
	VEC_FOREACH(&p->clauses, c) {
		VEC_FOREACH(&c->actions, act) {
			if (has_members(act->type))
				return true;
		}
	}
	return false;
}

/* The bytes of the types that were saved with the program. */
static const void *
types_of(const struct dof *d, uint64_t *size)
{
	for (uint32_t i = 0; i < d->hdr.dofh_secnum; i++) {
		if (d->secs[i].dofs_type != DOF_SECT_X_TYPES)
			continue;
		*size = d->secs[i].dofs_size;
		return dof_str(d, i, 0);
	}
	*size = 0;
	return "";
}

static bool
has_same_types(const struct fleet_program *p, const struct dof *theirs)
{
	struct err err = { 0 };
	struct dof *first;
	const void *ours, *others;
	uint64_t n, m;
	bool is_same;

	if (!needs_types(p->dif))
		return true;
	if (dof_decode(p->dof.s, p->dof.len, &err, &first) != 0) {
		err_clear(&err);
		return false;
	}
	ours = types_of(first, &n);
	others = types_of(theirs, &m);
	is_same = n == m && memcmp(ours, others, (size_t)n) == 0;
	dof_destroy(first);
	return is_same;
}

/* ---- programs ------------------------------------------------------------ */

CHECKED static int
compare(const struct dif_prog *a, const struct dif_prog *b, struct err *err)
{
	if (a->clauses.n != b->clauses.n || a->aggs.n != b->aggs.n)
		return tape_merge_is_other(err);
	for (size_t i = 0; i < a->clauses.n; i++) {
		if (!is_same_clause(&a->clauses.v[i], &b->clauses.v[i]))
			return tape_merge_differs("clause", i + 1, err);
	}
	for (size_t i = 0; i < a->aggs.n; i++) {
		if (!is_same_agg(&a->aggs.v[i], &b->aggs.v[i]))
			return tape_merge_differs("aggregation", i + 1, err);
	}
	return 0;
}

int
dt_fleet_same(
    const struct fleet_program *p, const void *dof, size_t len, struct err *err)
{
	struct dif_prog *prog = NULL;
	struct dof *d = NULL;
	int rc;

	if (len == p->dof.len && memcmp(dof, p->dof.s, len) == 0)
		return 0;
	rc = dof_decode(dof, len, err, &d);
	if (rc == 0)
		rc = dof_check_enabling(d, err);
	if (rc == 0)
		rc = dof_decode_prog(d, DOF_ABI_GUESS, err, &prog);
	if (rc == 0)
		rc = compare(p->dif, prog, err);
	if (rc == 0 && !has_same_types(p, d))
		rc = err_set(err, -EINVAL,
		    "its types of printed values differ from the first "
		    "host's: ask it alone (--hosts)");
	dif_prog_destroy(prog);
	dof_destroy(d);
	return rc;
}
