/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_UNIT_FAKE_EXEC_H
#define TESTS_UNIT_FAKE_EXEC_H

/*
 * A substrate made of arrays: tests put records, entries of aggregations and
 * drops into them.
 */
#include "exec/exec.h"

#define MAX_ENTS 32
#define MAX_RECS 16
#define VAL_BYTES (127 * 8)

struct fake_ent {
	uint32_t agg_id;
	_Alignas(8) char key[64];
	_Alignas(8) char val[VAL_BYTES];
};

struct fake_exec {
	struct dt_exec e; /* must be first */
	struct dt_record recs[MAX_RECS];
	_Alignas(8) char data[MAX_RECS][128];
	size_t nrecs;
	struct fake_ent ents[MAX_ENTS];
	size_t nents;
	uint64_t drops[DT_DROP_MAX][2];
};

static struct fake_exec *
fake_of(struct dt_exec *e)
{
	return (struct fake_exec *)(void *)e;
}

static uint32_t
next_on_cpu(const struct fake_exec *x, size_t i)
{
	uint32_t cpu = x->recs[i].cpu;

	while (++i < x->nrecs) {
		if (x->recs[i].cpu == cpu)
			return x->recs[i].epid;
	}
	return 0;
}

static int
fake_drain(struct dt_exec *e, bool merged, dt_record_f *f, void *arg)
{
	struct fake_exec *x = fake_of(e);
	int error = 0;

	(void)merged;
	for (size_t i = 0; i < x->nrecs && error == 0; i++) {
		x->recs[i].next_epid = next_on_cpu(x, i);
		error = f(&x->recs[i], arg);
	}
	x->nrecs = 0;
	return error;
}

static int
fake_walk(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	struct fake_exec *x = fake_of(e);
	int error = 0;

	for (size_t i = 0; i < x->nents && error == 0; i++)
		if (x->ents[i].agg_id == agg_id)
			error = f(agg_id, x->ents[i].key, x->ents[i].val, arg);
	return error;
}

static int
fake_turn(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	struct fake_exec *x = fake_of(e);
	int error = fake_walk(e, agg_id, f, arg);

	for (size_t i = 0; i < x->nents; i++)
		if (x->ents[i].agg_id == agg_id)
			x->ents[i].agg_id = 0;
	return error;
}

static uint64_t
fake_drops(struct dt_exec *e, enum dt_drop kind, uint32_t cpu)
{
	return fake_of(e)->drops[kind][cpu];
}

/* A drop is of 100 bytes; dynamic variables have an unknown size. */
static uint64_t
fake_lost(struct dt_exec *e, enum dt_drop kind, uint32_t cpu)
{
	return kind == DT_DROP_DYNAMIC ? 0 : 100 * fake_drops(e, kind, cpu);
}

/* Say that CPU 1 was idle. */
static unsigned
fake_idle(const struct dt_exec *e, uint32_t cpu)
{
	(void)e;
	return cpu == 1 ? 97 : 0;
}

static const struct dt_exec_ops fake_ops = {
	.name = "fake",
	.drain = fake_drain,
	.agg_walk = fake_walk,
	.agg_turn = fake_turn,
	.drops = fake_drops,
	.lost = fake_lost,
	.idle = fake_idle,
};

#endif
