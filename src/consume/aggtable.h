/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_AGGTABLE_H
#define CONSUME_AGGTABLE_H

/*
 * Aggregated data, by key.  An entry is key bytes (without the key's header),
 * then value; entries are numbered in order of arrival, and an open-addressing
 * table finds them.  Nothing is allocated per key.
 *
 *	ents  [ 0 ... n-1: in the table | pending | free ... cap ]
 *
 * A table of a million keys does not fit in the CPU's caches, and waiting for
 * each slot in turn would take most of the time to build it.  So new data are
 * pending behind the entries while their slots are fetched, and are settled
 * many at a time.
 *
 * A table of zeroes with both sizes and the kind is empty.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define AGG_PENDING 64

struct agg_table {
	char *ents;
	size_t n, cap;		     /* entries */
	uint32_t key_size, val_size; /* multiples of 8 */
	uint16_t kind;		     /* enum dt_act: how values are merged */
	uint32_t npending;
	uint32_t pending[AGG_PENDING]; /* hashes */
	struct agg_slot {
		uint32_t hash;
		uint32_t num; /* entry number plus 1; 0: empty */
	} * slots;
	size_t nslots; /* power of 2, or 0 */
};

static inline const char *
agg_ent_key(const struct agg_table *t, uint32_t i)
{
	return t->ents + (size_t)i * (t->key_size + t->val_size);
}

static inline const void *
agg_ent_val(const struct agg_table *t, uint32_t i)
{
	return agg_ent_key(t, i) + t->key_size;
}

/* Entry i, whose value may be changed. */
static inline char *
agg_table_ent(struct agg_table *t, size_t i)
{
	return t->ents + i * (t->key_size + t->val_size);
}

void agg_table_fini(struct agg_table *t);
/* Forget the entries, keep the memory. */
void agg_table_reset(struct agg_table *t);
/*
 * Merge a value into the one of its key: 0, -ENOMEM, or -E2BIG.  It may stay
 * pending until agg_table_settle().
 */
CHECKED int agg_table_merge(
    struct agg_table *t, const char *key, const void *val);
/* Enter the pending values; a key that is there already is merged. */
void agg_table_settle(struct agg_table *t);
/* The slot of a key, or NULL. */
const struct agg_slot *agg_table_find_slot(
    const struct agg_table *t, const char *key);
/* A key's value in one of its tables, or NULL. */
const void *agg_table_val(const struct agg_table *t, const char *key);
/* Rebuild the table from n of its entries: 0, or an error of the merge. */
CHECKED int agg_table_keep(struct agg_table *t, const uint32_t *nums, size_t n);

#endif
