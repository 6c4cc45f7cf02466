/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Speculations: records that are kept until they are committed or discarded.
 *
 * The substrate writes speculative records into the principal buffer like any
 * others, each with its speculation's tag.  It also writes a record for each
 * commit() and discard() (exec/runtime/rt_spec.c).  The consumer keeps a tag's
 * records until it reads that decision; then it prints or forgets them.
 *
 * Without temporal order the decision may come before records of other CPUs,
 * and if a buffer was full it may be missing.  So a decision is remembered for
 * a while, and the next use of an id lets its earlier speculation expire.
 */
#include "consume/consume_impl.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"

/* Number of drains for which an ended speculation is remembered. */
#define KEEP_DRAINS 2

enum spec_state { SPEC_OPEN, SPEC_COMMITTED, SPEC_DISCARDED };

struct spec {
	uint64_t tag;
	enum spec_state state;
	bool expires;
	uint64_t last_drain; /* the drain after which it expires */
	VEC(char) recs;	     /* struct dt_record, its data, and so on */
	VEC(uint64_t) used;  /* bytes, by CPU */
	VEC(uint64_t) lost;  /* bytes beyond specsize, by CPU */
	struct spec *next;   /* in the bucket */
};

static uint32_t
tag_id(uint64_t tag)
{
	return (uint32_t)tag;
}

bool
spec_is_known(const struct consumer *c, uint64_t tag)
{
	return tag_id(tag) <= c->opts.nspec;
}

static struct spec **
bucket(struct spec_table *st, uint64_t tag)
{
	return &st->buckets[(tag >> 32 ^ tag * 0x9e3779b1U) &
	    (st->nbuckets - 1)];
}

static void
table_grow(struct spec_table *st)
{
	struct spec **old = st->buckets;
	size_t n = st->nbuckets;

	st->nbuckets = n != 0 ? 4 * n : 64;
	st->buckets = mem_alloc(st->nbuckets * sizeof(*st->buckets));
	for (size_t i = 0; i < n; i++) {
		for (struct spec *sp = old[i], *next; sp != NULL; sp = next) {
			struct spec **b = bucket(st, sp->tag);

			next = sp->next;
			sp->next = *b;
			*b = sp;
		}
	}
	free(old);
}

static struct spec *
spec_find(struct spec_table *st, uint64_t tag)
{
	struct spec *sp = st->nbuckets != 0 ? *bucket(st, tag) : NULL;

	while (sp != NULL && sp->tag != tag)
		sp = sp->next;
	return sp;
}

static void
spec_expire(struct spec_table *st, struct spec *sp)
{
	if (sp->expires)
		return;
	sp->expires = true;
	sp->last_drain = st->drain + KEEP_DRAINS;
}

/* At the first record of a tag: the earlier use of its id must have ended. */
static struct spec *
spec_add(struct spec_table *st, uint64_t tag)
{
	struct spec *sp = mem_alloc(sizeof(*sp)), *earlier;
	uint64_t *newest;

	if (st->n >= st->nbuckets)
		table_grow(st);
	sp->tag = tag;
	sp->next = *bucket(st, tag);
	*bucket(st, tag) = sp;
	st->n++;
	VEC_RESERVE(&st->newest, (size_t)tag_id(tag) + 1);
	newest = &st->newest.v[tag_id(tag)];
	if (*newest > tag) {
		spec_expire(st, sp);
		return sp;
	}
	earlier = *newest != 0 ? spec_find(st, *newest) : NULL;
	if (earlier != NULL)
		spec_expire(st, earlier);
	*newest = tag;
	return sp;
}

static struct spec *
spec_of(struct consumer *c, uint64_t tag)
{
	struct spec *sp = spec_find(&c->specs, tag);

	return sp != NULL ? sp : spec_add(&c->specs, tag);
}

static void
spec_forget_records(struct spec *sp)
{
	VEC_FREE(&sp->recs);
	VEC_FREE(&sp->used);
	VEC_FREE(&sp->lost);
}

static void
append(struct spec *sp, const void *data, size_t len)
{
	size_t at = sp->recs.n;

	VEC_RESERVE(&sp->recs, at + len);
	memcpy(sp->recs.v + at, data, len);
	sp->recs.n = at + len;
}

/* Count a record that does not fit, and note how large specsize had to be. */
static void
spec_drop(struct spec_table *st, struct spec *sp, const struct dt_record *rec)
{
	uint64_t enough;

	st->drops++;
	VEC_RESERVE(&sp->lost, (size_t)rec->cpu + 1);
	sp->lost.v[rec->cpu] += rec->size;
	enough = sp->used.v[rec->cpu] + sp->lost.v[rec->cpu];
	st->enough = enough > st->enough ? enough : st->enough;
}

/* Option specsize limits the bytes that one CPU adds to one speculation. */
bool
spec_keep(struct consumer *c, const struct dt_record *rec, uint64_t tag)
{
	struct spec *sp = spec_of(c, tag);
	uint64_t *used;

	if (sp->state != SPEC_OPEN)
		return sp->state == SPEC_DISCARDED;
	VEC_RESERVE(&sp->used, (size_t)rec->cpu + 1);
	used = &sp->used.v[rec->cpu];
	if (rec->size > c->opts.specsize ||
	    *used > c->opts.specsize - rec->size) {
		spec_drop(&c->specs, sp, rec);
		return true;
	}
	*used += rec->size;
	append(sp, rec, sizeof(*rec));
	append(sp, rec->data, rec->size);
	return true;
}

static void
spec_print(struct consumer *c, const struct spec *sp)
{
	size_t at = 0;

	while (at < sp->recs.n) {
		struct dt_record rec;

		memcpy(&rec, sp->recs.v + at, sizeof(rec));
		rec.data = sp->recs.v + at + sizeof(rec);
		chew_print(c, &rec);
		at += sizeof(rec) + rec.size;
	}
}

void
spec_end(struct consumer *c, uint64_t tag, bool is_commit)
{
	struct spec *sp = tag != 0 ? spec_of(c, tag) : NULL;

	if (sp == NULL || sp->state != SPEC_OPEN)
		return;
	sp->state = is_commit ? SPEC_COMMITTED : SPEC_DISCARDED;
	c->specs.nended++;
	spec_expire(&c->specs, sp);
	if (is_commit)
		spec_print(c, sp);
	spec_forget_records(sp);
}

static void
spec_free(struct spec *sp)
{
	spec_forget_records(sp);
	free(sp);
}

void
specs_age(struct consumer *c)
{
	struct spec_table *st = &c->specs;

	st->drain++;
	for (size_t i = 0; st->n != 0 && i < st->nbuckets; i++) {
		for (struct spec **spp = &st->buckets[i]; *spp != NULL;) {
			struct spec *sp = *spp;

			if (!sp->expires || sp->last_drain >= st->drain) {
				spp = &sp->next;
				continue;
			}
			*spp = sp->next;
			st->n--;
			spec_free(sp);
		}
	}
}

void
specs_fini(struct consumer *c)
{
	struct spec_table *st = &c->specs;

	for (size_t i = 0; i < st->nbuckets; i++) {
		for (struct spec *sp = st->buckets[i], *next; sp != NULL;
		     sp = next) {
			next = sp->next;
			spec_free(sp);
		}
	}
	free(st->buckets);
	VEC_FREE(&st->newest);
}
