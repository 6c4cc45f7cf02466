/* SPDX-License-Identifier: BSD-2-Clause */
/* A replay at work, from its first drain to its end. */
#include "exec/replay/impl.h"

#include <stdlib.h>

#include "base/mem.h"

bool
rp_has_ended(const struct dt_exec *x)
{
	const struct rp *rp = (const struct rp *)x;

	return rp->is_read || rp->is_exiting;
}

static void
reel_fini(struct rp_reel *reel)
{
	for (size_t i = 0; i < reel->nshapes; i++)
		VEC_FREE(&reel->shapes[i].moves);
	free(reel->shapes);
	VEC_FREE(&reel->recorded);
}

void
rp_destroy(struct dt_exec *x)
{
	struct rp *rp = (struct rp *)x;

	rp_crew_destroy(rp->crew);
	if (rp->m != NULL)
		in_machine_destroy(rp->m);
	rp_aggs_fini(rp);
	VEC_FOREACH(&rp->clauses, c) {
		VEC_FOREACH(&c->steps, s)
			VEC_FREE(&s->keys);
		VEC_FREE(&c->steps);
	}
	VEC_FREE(&rp->clauses);
	VEC_FOREACH(&rp->probes, p)
		VEC_FREE(&p->enabled);
	VEC_FREE(&rp->probes);
	VEC_FREE(&rp->ticks);
	for (uint32_t i = 0; i <= rp->src.ntapes; i++)
		reel_fini(&rp->reels[i]);
	free(rp->reels);
	VEC_FREE(&rp->objs);
	strtab_fini(&rp->names);
	for (uint32_t i = 0; i < rp->max_waits; i++) {
		for (uint32_t k = 0; k < RT_NARGS; k++)
			free(rp->waits[i].texts[k].text);
		for (uint32_t k = 0; k < RP_NSTACKS; k++)
			free(rp->waits[i].stacks[k].pcs);
	}
	free(rp->waits);
	free(rp->text);
	free(rp->record);
	free(rp);
}

static int
rp_go(struct dt_exec *x, struct err *err)
{
	(void)x;
	(void)err;
	return 0; /* the first drain() fires BEGIN */
}

static int
rp_stop(struct dt_exec *x)
{
	((struct rp *)x)->is_read = true;
	return 0;
}

static int
rp_end(struct dt_exec *x)
{
	((struct rp *)x)->must_end = true;
	return 0;
}

static void
fire_end(struct rp *rp)
{
	bool was_exiting = rp->is_exiting;

	if (!rp->must_end || rp->has_ended)
		return;
	rp->has_ended = true;
	rp->is_exiting = false;
	if (rp->end != RP_NONE)
		rp_fire_own(rp, rp->end, rp->now_ns);
	rp->is_exiting |= was_exiting;
}

static void
read_more(struct rp *rp)
{
	int rc;

	if (rp->is_read || rp->is_exiting || rp->rc != 0)
		return;
	rc = rp->crew != NULL ?
	    rp_crew_read(rp->crew) :
	    rp->src.read(rp->src.arg, &rp->reel, rp_take, rp);
	if (rc != 0 && rc != 1 && rp->rc == 0)
		rp->rc = rc;
	if (rc != 0)
		return;
	rp_flush(rp);
	rp->is_read = true;
}

static int
rp_drain(struct dt_exec *x, bool merged, dt_record_f *f, void *arg)
{
	struct rp *rp = (struct rp *)x;

	(void)merged;
	rp->f = f;
	rp->farg = arg;
	rp->rc = 0;
	if (!rp->has_begun) {
		rp->has_begun = true;
		if (rp->begin != RP_NONE)
			rp_fire_own(rp, rp->begin, rp->start_ns);
	}
	read_more(rp);
	fire_end(rp);
	return rp->rc;
}

static uint64_t
rp_drops(struct dt_exec *x, enum dt_drop kind, uint32_t cpu)
{
	const struct rp *rp = (const struct rp *)x;

	if (cpu != 0)
		return 0;
	return kind == DT_DROP_DYNAMIC ? in_drops(rp->m) : rp->drops[kind];
}

static uint64_t
rp_lost(struct dt_exec *x, enum dt_drop kind, uint32_t cpu)
{
	(void)x;
	(void)kind;
	(void)cpu;
	return 0;
}

static uint64_t
rp_most(const struct dt_exec *x, enum dt_drop kind)
{
	(void)x;
	(void)kind;
	return 0;
}

static bool
rp_exiting(struct dt_exec *x)
{
	return ((struct rp *)x)->is_exiting;
}

/* Of the ops, a replay has those that a consumer calls, and the session's
 * (libdtrace/query.c); rp_load() loads. */
const struct dt_exec_ops dt_exec_replay = {
	.name = "recording",
	.go = rp_go,
	.stop = rp_stop,
	.end = rp_end,
	.drain = rp_drain,
	.agg_walk = rp_agg_walk,
	.agg_turn = rp_agg_turn,
	.agg_fill = rp_agg_fill,
	.drops = rp_drops,
	.lost = rp_lost,
	.most = rp_most,
	.exiting = rp_exiting,
	.destroy = rp_destroy,
};
