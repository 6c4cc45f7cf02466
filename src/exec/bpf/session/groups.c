/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups: which probes and clauses share a BPF program.
 */
#include "exec/bpf/bpf_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

void
bx_group_init(struct bx_group *g)
{
	memset(g, 0, sizeof(*g));
	g->facts = mem_alloc(sizeof(*g->facts));
	g->tr.facts = g->facts;
	g->timer_fd = g->image.btf_fd = -1;
}

struct bx_group *
bx_group_create(struct bx_exec *x, const struct dt_probe *p)
{
	struct bx_group *g;

	x->groups =
	    mem_realloc(x->groups, (x->ngroups + 1) * sizeof(*x->groups));
	g = &x->groups[x->ngroups];
	bx_group_init(g);
	g->group = p->group;
	g->grows = p->ops != NULL && p->ops->grows;
	g->facts->ctx = bx_attach(p->kind)->ctx;
	g->tr.name = dt_probe_shown(p)->name;
	g->tr.lo = &x->lo;
	g->facts->table =
	    arena_printf(&x->lo.arena, "rtm_probes%zu", x->ngroups);
	g->tr.parts.map =
	    arena_printf(&x->lo.arena, "rtm_parts%zu", x->ngroups);
	g->facts->steps = p->steps;
	g->facts->always_fires = strcmp(p->prov, "dtrace") == 0;
	g->facts->is_clock = p->period_ns != 0;
	if (p->kind == DT_PROBE_CLOCK)
		g->facts->perf_index = x->lo.nperf++;
	x->ngroups++;
	return g;
}

void
bx_group_take(struct bx_group *g, const struct dt_probe *p)
{
	struct bx_facts *f = g->facts;

	if (idmap_get(&f->places, p->id) != NULL)
		return;
	idmap_put(&f->places, p->id, (uint32_t)f->probes.n);
	VEC_PUSH(&f->probes, p);
}

struct bx_group *
bx_group_add(struct bx_exec *x, size_t first, const struct plan_clause *pc,
    const struct dt_probe *p)
{
	struct bx_group *g = NULL;
	struct bx_facts *f;

	for (size_t i = first; g == NULL && i < x->ngroups; i++) {
		if (x->groups[i].group == p->group)
			g = &x->groups[i];
	}
	if (g == NULL)
		g = bx_group_create(x, p);
	f = g->facts;
	if (f->clauses.n == 0 || f->clauses.v[f->clauses.n - 1] != pc)
		VEC_PUSH(&f->clauses, pc);
	bx_group_take(g, p);
	return g;
}

/* Does the origin have a step that fires the probe, or that keeps data for one
 * which does? */
static bool
is_needed(const struct bx_layout *lo, const struct dt_probe *origin,
    const struct dt_probe *p)
{
	for (const struct dt_step *s = origin->steps; s != NULL; s = s->next) {
		if (bx_step_serves(lo, s, p) || bx_step_keeps_for(s, p))
			return true;
	}
	return false;
}

/* Name a program that only serves one derived probe after that probe. */
static void
name_group(struct bx_group *g, const struct dt_probe *p)
{
	if (g->facts->clauses.n == 1 && g->facts->probes.n == 1)
		g->tr.name = p->name;
}

/* Add the probe, or its origins if it is derived. */
static void
add_probe(
    struct bx_exec *x, const struct plan_clause *pc, const struct dt_probe *p)
{
	if (p->norigins == 0)
		bx_group_add(x, 0, pc, p);
	for (size_t i = 0; i < p->norigins; i++) {
		const struct dt_probe *o = p->origins[i];

		if (is_needed(&x->lo, o, p))
			name_group(bx_group_add(x, 0, pc, o), p);
	}
}

const struct dt_probe *
bx_clause_error(const struct plan_clause *pc)
{
	VEC_FOREACH(&pc->probes, pp) {
		if ((*pp)->kind == DT_PROBE_ERROR)
			return *pp;
	}
	return NULL;
}

bool
bx_clause_is_error(const struct plan_clause *pc)
{
	return bx_clause_error(pc) != NULL;
}

static void
finish_group(struct bx_group *g)
{
	struct bx_facts *f = g->facts;
	const struct bx_attach *attach = bx_attach(f->probes.v[0]->kind);
	const struct bx_ctx *ctx;

	if (attach->choose != NULL)
		f->ctx = attach->choose(f->probes.v, f->probes.n);
	if (bx_tr_has_threads(&g->tr))
		f->ctx = BX_CTX_TYPED_TP;
	ctx = bx_ctx(f->ctx);
	f->has_table = g->grows || f->probes.n > 1;
	f->is_patched = f->has_table && !ctx->by_number &&
	    (ctx->per_target || !bx_ctx_has_cookies(ctx));
}

/* Decide what depends on all probes of the groups. */
void
bx_groups_finish(struct bx_exec *x, size_t first)
{
	VEC_FOREACH(&x->pl->clauses, pc) {
		if (!bx_clause_is_error(pc))
			continue;
		for (size_t i = first; i < x->ngroups; i++)
			VEC_PUSH(&x->groups[i].facts->error_clauses, pc);
	}
	for (size_t i = first; i < x->ngroups; i++)
		finish_group(&x->groups[i]);
}

/* Make groups of all probes of all clauses.  ERROR has no program: its clauses
 * are part of every program that can fault. */
int
bx_groups_make(struct bx_exec *x, struct err *err)
{
	int rc = bx_threads_choose(&x->lo, x->diags, err);

	if (rc != 0)
		return rc;
	VEC_FOREACH(&x->pl->clauses, pc) {
		VEC_FOREACH(&pc->probes, pp) {
			if ((*pp)->kind != DT_PROBE_ERROR)
				add_probe(x, pc, *pp);
		}
	}
	bx_groups_split(x);
	if (x->lo.nperf <= BX_NPERF)
		return 0;
	err_set(err, -E2BIG,
	    "%u different profile probes: at most %u can be enabled at once",
	    x->lo.nperf, BX_NPERF);
	return -E2BIG;
}

static void
facts_destroy(struct bx_facts *f)
{
	VEC_FREE(&f->clauses);
	VEC_FREE(&f->error_clauses);
	VEC_FREE(&f->probes);
	idmap_fini(&f->places);
	free(f);
}

void
bx_group_fini(struct bx_group *g)
{
	VEC_FOREACH(&g->progs, fd)
		close(*fd);
	VEC_FREE(&g->progs);
	bx_table_close(g);
	if (g->timer_fd >= 0)
		close(g->timer_fd);
	bl_image_fini(&g->image);
	bx_parts_unload(g);
	bx_tr_fini(&g->tr);
	facts_destroy(g->facts);
	bx_asm_fini(&g->elem);
}
