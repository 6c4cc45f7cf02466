/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes that run the same clauses share a body.  The region has a description
 * of each probe, or of each of its sites.
 */
#include "exec/process/emit/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "provider/usites.h"

/* ---- probes ------------------------------------------------------------- */

static uint32_t
probe_name(struct pr_exec *x, const char *s)
{
	return pr_const(x, s, strlen(s) + 1);
}

static bool
is_dtrace_own(const struct dt_probe *p)
{
	return strcmp(p->prov, "dtrace") == 0;
}

/* Bodies serve entries and offsets of functions alike (struct pr_body). */
static enum dt_probe_kind
body_kind(const struct dt_probe *p)
{
	return p->kind == DT_PROBE_FUNC_OFFSET ? DT_PROBE_FUNC_ENTRY : p->kind;
}

/* Fill in a site's own facts; NULL: the probe is in no program. */
static void
describe_site(struct pr_probe *desc, const struct dt_probe *p,
    const struct dt_usite *site)
{
	desc->cond = PR_ALWAYS;
	if (site == NULL)
		return;
	desc->place = site->off;
	desc->is_at_return = p->kind == DT_PROBE_FUNC_RETURN || site->is_first;
	if (p->kind == DT_PROBE_FUNC_RETURN) {
		desc->off = (uint64_t)(int64_t)site->func_off;
		if (site->cond < PR_ALWAYS)
			desc->cond = site->cond;
	}
}

/* tools/dtrace-gdb.py and dtrace-perf.py read these. */
_Static_assert(offsetof(struct pr_probe, place) == 16 &&
	offsetof(struct pr_probe, names[PR_NNAMES - 1]) == 48,
    "where they look");

/* A struct pr_probe, with a place for each clause's EPID; `site` may be NULL.
 */
static uint32_t
describe_probe(struct pr_exec *x, const struct dt_probe *p,
    const struct dt_usite *site, const uint32_t *epids, size_t n)
{
	const char *names[PR_NNAMES] = { p->prov, p->mod, p->func, p->name };
	size_t size = sizeof(struct pr_probe) + 4 * n;
	struct pr_probe *desc = mem_alloc(size);
	struct strbuf full = { 0 };
	uint32_t off;

	dt_probe_format(p, &full);
	names[PR_NNAMES - 1] = full.s;
	desc->id = p->id;
	desc->is_own = is_dtrace_own(p);
	describe_site(desc, p, site);
	for (unsigned i = 0; i < PR_NNAMES; i++) {
		desc->names[i] = probe_name(x, names[i]);
		desc->strids[i] = strtab_intern(x->pl->strs, names[i]);
	}
	memcpy(desc->epids, epids, 4 * n);
	off = pr_const(x, desc, size);
	strbuf_fini(&full);
	free(desc);
	return off;
}

/* ---- bodies ------------------------------------------------------------- */

/* Probes and their clauses, in the order of the plan. */
struct collected {
	struct pr_body body;
	struct idmap places; /* index in body.probes, by probe */
};

static struct pr_firing *
firing_of(struct collected *all, const struct dt_probe *p)
{
	const uint32_t *place = idmap_get(&all->places, p->id);

	if (place != NULL)
		return &all->body.probes.v[*place];
	idmap_put(&all->places, p->id, (uint32_t)all->body.probes.n);
	VEC_PUSH(&all->body.probes,
	    ((struct pr_firing){ .probe = p, .timer_fd = -1 }));
	return &all->body.probes.v[all->body.probes.n - 1];
}

static bool
runs_same(const struct pr_firing *a, const struct pr_firing *b)
{
	if (body_kind(a->probe) != body_kind(b->probe) ||
	    a->clauses.n != b->clauses.n)
		return false;
	return a->uargs == b->uargs &&
	    (dt_probe_family(a->probe) != 0) ==
	    (dt_probe_family(b->probe) != 0) &&
	    memcmp(a->clauses.v, b->clauses.v,
		a->clauses.n * sizeof(*a->clauses.v)) == 0;
}

/* BEGIN and END fire whatever the state, so they share no body. */
static struct pr_body *
body_of(struct pr_exec *x, const struct pr_firing *f)
{
	struct pr_body b = { .kind = body_kind(f->probe),
		.uargs = f->uargs,
		.always = is_dtrace_own(f->probe),
		.is_of_family = dt_probe_family(f->probe) != 0 };

	VEC_FOREACH(&x->bodies, have) {
		if (have->always == b.always &&
		    runs_same(&have->probes.v[0], f))
			return have;
	}
	VEC_FOREACH(&f->clauses, pc)
		VEC_PUSH(&b.clauses, *pc);
	b.wants_all = f->probe->kind == DT_PROBE_CLOCK || pr_walks(x, &b);
	VEC_PUSH(&x->bodies, b);
	return &x->bodies.v[x->bodies.n - 1];
}

static void
note_error(struct pr_exec *x, const struct plan_clause *pc,
    const struct dt_probe *p, uint32_t epid)
{
	x->error_probe = p;
	VEC_PUSH(&x->error_clauses, pc);
	VEC_PUSH(&x->error_epids, epid);
}

/* Collect every probe with the clauses that it runs. */
CHECKED static int
collect_probes(struct pr_exec *x, struct collected *all, struct err *err)
{
	VEC_FOREACH(&x->pl->clauses, pc) {
		if (pc->may_grow && pc->probes.n == 0 &&
		    pr_growth_check(x, pc, err) != 0)
			return -ENOTSUP;
		x->may_grow |= pc->may_grow;
		for (size_t i = 0; i < pc->probes.n; i++) {
			const struct dt_probe *p = pc->probes.v[i];
			uint32_t epid = pc->epid_base + (uint32_t)i;
			struct pr_firing *f;

			if (pr_probe_check(x, p, err) != 0)
				return -EPERM;
			if (p->kind == DT_PROBE_ERROR) {
				note_error(x, pc, p, epid);
				continue;
			}
			f = firing_of(all, p);
			VEC_PUSH(&f->clauses, pc);
			VEC_PUSH(&f->epids, epid);
		}
	}
	return 0;
}

/* Locations at the site of the arguments that the probe's clauses read; NULL:
 * they read none, or the site is no USDT site that fires. */
static const struct dt_uargs *
args_read_at(const struct pr_firing *f, const struct dt_usite *site)
{
	if (site->args == NULL || site->is_enabled ||
	    pr_args_read(f->clauses.v, f->clauses.n) == 0)
		return NULL;
	return site->args;
}

static void
describe_firing(struct pr_exec *x, struct pr_firing *f)
{
	const struct dt_probe *p = f->probe;

	if (p->up == NULL) {
		f->desc = describe_probe(x, p, NULL, f->epids.v, f->epids.n);
		return;
	}
	VEC_FOREACH(&p->up->sites, site) {
		if (args_read_at(f, site) != f->uargs)
			continue;
		VEC_PUSH(&f->sites,
		    ((struct pr_site){ .site = site,
			.desc = describe_probe(
			    x, p, site, f->epids.v, f->epids.n) }));
	}
}

/* Give a body to some sites of a probe, or to a probe without sites. */
static void
add_part(
    struct pr_exec *x, const struct pr_firing *f, const struct dt_uargs *uargs)
{
	struct pr_firing part = {
		.probe = f->probe, .uargs = uargs, .timer_fd = -1
	};
	struct pr_body *b;

	VEC_FOREACH(&f->clauses, pc)
		VEC_PUSH(&part.clauses, *pc);
	VEC_FOREACH(&f->epids, epid)
		VEC_PUSH(&part.epids, *epid);
	b = body_of(x, &part);
	describe_firing(x, &part);
	VEC_PUSH(&b->probes, part);
}

/* Is this the first of the probe's sites with its arguments at these places? */
static bool
is_new_place(const struct pr_firing *f, const struct dt_usite *site)
{
	VEC_FOREACH(&f->probe->up->sites, s) {
		if (s == site)
			break;
		if (args_read_at(f, s) == args_read_at(f, site))
			return false;
	}
	return true;
}

static void
add_parts(struct pr_exec *x, const struct pr_firing *f)
{
	if (f->probe->up == NULL) {
		add_part(x, f, NULL);
		return;
	}
	VEC_FOREACH(&f->probe->up->sites, s) {
		if (is_new_place(f, s))
			add_part(x, f, args_read_at(f, s));
	}
}

static void
add_all(struct pr_exec *x, struct collected *all)
{
	VEC_FOREACH(&all->body.probes, f) {
		add_parts(x, f);
		VEC_FREE(&f->clauses);
		VEC_FREE(&f->epids);
	}
	VEC_FREE(&all->body.probes);
	idmap_fini(&all->places);
}

int
pr_bodies_make(struct pr_exec *x, struct err *err)
{
	struct collected all = { 0 };
	int rc = collect_probes(x, &all, err);

	add_all(x, &all);
	if (x->error_clauses.n != 0)
		x->error_desc = describe_probe(x, x->error_probe, NULL,
		    x->error_epids.v, x->error_epids.n);
	return rc;
}

/* Collect the probes that have come since the last call, with their clauses. */
CHECKED static int
collect_late(struct pr_exec *x, struct collected *all, struct err *err)
{
	const struct plan *pl = x->pl;
	int rc = 0;

	for (; rc == 0 && x->nlate < pl->late.n; x->nlate++) {
		const struct plan_late *l = &pl->late.v[x->nlate];
		const struct plan_clause *pc;
		struct pr_firing *f;

		if (l->clause == PLAN_ELSEWHERE)
			continue;
		pc = &pl->clauses.v[l->clause];
		f = firing_of(all, l->probe);
		VEC_PUSH(&f->clauses, pc);
		VEC_PUSH(&f->epids, pl->late_base + (uint32_t)x->nlate);
		rc = pr_probe_check(x, l->probe, err);
	}
	x->nlate = pl->late.n;
	return rc;
}

int
pr_bodies_make_late(struct pr_exec *x, struct err *err)
{
	struct collected all = { 0 };
	int rc = collect_late(x, &all, err);

	add_all(x, &all);
	return rc;
}
