/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations and drops of both parts.
 *
 * An aggregation that both update is in two places, as it is in the places of
 * several CPUs within one part: the consumer merges the entries by their keys.
 * Each part has generations of its own.
 */
#include "exec/both/impl.h"

#include "base/vec.h"

static bool
updates(const struct both_part *part, uint32_t agg_id)
{
	return !part->plan->pl.aggs.v[agg_id - 1].is_elsewhere;
}

/* Ask the parts that update the aggregation, in turn. */
static int
ask_parts(struct both_exec *x, uint32_t agg_id, bool is_turn, dt_aggent_f *f,
    void *arg)
{
	int rc = 0;

	BOTH_FOREACH(x, part)
	{
		if (rc == 0 && updates(part, agg_id))
			rc = (is_turn ?
				part->ops->agg_turn :
				part->ops->agg_walk)(part->x, agg_id, f, arg);
	}
	return rc;
}

int
both_agg_walk(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	return ask_parts(both_of(e), agg_id, false, f, arg);
}

int
both_agg_turn(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	return ask_parts(both_of(e), agg_id, true, f, arg);
}

/* Is a / b more than c / d?  They are numbers of entries, below 2^32. */
static bool
is_fuller(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return (unsigned __int128)a * d > (unsigned __int128)c * b;
}

/* Report the fill of the fuller part, which will drop first. */
void
both_agg_fill(
    struct dt_exec *e, uint32_t agg_id, uint64_t *used, uint64_t *room)
{
	struct both_exec *x = both_of(e);

	*used = 0;
	*room = 1;
	BOTH_FOREACH(x, part)
	{
		uint64_t n, max;

		if (!updates(part, agg_id))
			continue;
		part->ops->agg_fill(part->x, agg_id, &n, &max);
		if (*used == 0 || is_fuller(n, max, *used, *room)) {
			*used = n;
			*room = max;
		}
	}
}

bool
both_aggs_are_filling(const struct dt_exec *e)
{
	const struct both_exec *x = both_of(e);

	BOTH_FOREACH(x, part)
	{
		if (part->ops->aggs_are_filling != NULL &&
		    part->ops->aggs_are_filling(part->x))
			return true;
	}
	return false;
}

uint64_t
both_drops(struct dt_exec *e, enum dt_drop kind, uint32_t cpu)
{
	struct both_exec *x = both_of(e);
	uint64_t n = 0;

	BOTH_FOREACH(x, part)
	{
		if (cpu < part->x->ncpus)
			n += part->ops->drops(part->x, kind, cpu);
	}
	return n;
}

/* Each part has the option's memory for itself, so report the larger loss. */
uint64_t
both_lost(struct dt_exec *e, enum dt_drop kind, uint32_t cpu)
{
	struct both_exec *x = both_of(e);
	uint64_t most = 0;

	BOTH_FOREACH(x, part)
	{
		uint64_t lost = cpu < part->x->ncpus ?
		    part->ops->lost(part->x, kind, cpu) :
		    0;

		most = lost > most ? lost : most;
	}
	return most;
}

/* The largest value of the option that each part takes. */
uint64_t
both_most(const struct dt_exec *e, enum dt_drop kind)
{
	const struct both_exec *x = both_of(e);
	uint64_t least = 0;

	BOTH_FOREACH(x, part)
	{
		uint64_t most = part->ops->most(part->x, kind);

		if (most != 0 && (least == 0 || most < least))
			least = most;
	}
	return least;
}

unsigned
both_idle(const struct dt_exec *e, uint32_t cpu)
{
	const struct both_exec *x = both_of(e);

	BOTH_FOREACH(x, part)
	{
		if (part->ops->idle != NULL && cpu < part->x->ncpus)
			return part->ops->idle(part->x, cpu);
	}
	return 0;
}
