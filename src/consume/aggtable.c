/* SPDX-License-Identifier: BSD-2-Clause */
#include "consume/aggtable.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "dif/acts.h"

#define MANY_BYTES 64

/* Keys and values are whole words, and mostly one or two of them. */
static inline void
copy_words(char *to, const char *from, uint32_t size)
{
	uint64_t w;

	if (size > MANY_BYTES) {
		memcpy(to, from, size);
		return;
	}
	for (uint32_t i = 0; i < size; i += sizeof(w)) {
		memcpy(&w, from + i, sizeof(w));
		memcpy(to + i, &w, sizeof(w));
	}
}

static inline bool
is_same_key(const char *a, const char *b, uint32_t size)
{
	uint64_t x, y;

	if (size > MANY_BYTES)
		return memcmp(a, b, size) == 0;
	for (uint32_t i = 0; i < size; i += sizeof(x)) {
		memcpy(&x, a + i, sizeof(x));
		memcpy(&y, b + i, sizeof(y));
		if (x != y)
			return false;
	}
	return true;
}

static uint32_t
key_hash(const char *key, uint32_t size)
{
	uint64_t h = 0x9e3779b97f4a7c15u, w;

	for (uint32_t i = 0; i < size; i += sizeof(w)) {
		memcpy(&w, key + i, sizeof(w));
		h = (h ^ w) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	return (uint32_t)h;
}

void
agg_table_fini(struct agg_table *t)
{
	free(t->ents);
	free(t->slots);
	t->ents = NULL;
	t->slots = NULL;
	t->n = t->cap = t->nslots = 0;
	t->npending = 0;
}

void
agg_table_reset(struct agg_table *t)
{
	t->n = 0;
	t->npending = 0;
	if (t->nslots != 0)
		memset(t->slots, 0, t->nslots * sizeof(*t->slots));
}

static int
table_grow_slots(struct agg_table *t)
{
	size_t nslots = t->nslots ? t->nslots * 2 : 256;
	struct agg_slot *slots = malloc(nslots * sizeof(*slots));

	if (slots == NULL)
		return -ENOMEM;
	memset(slots, 0, nslots * sizeof(*slots));
	for (size_t i = 0; i < t->nslots; i++) {
		size_t j = t->slots[i].hash & (nslots - 1);

		if (t->slots[i].num == 0)
			continue;
		while (slots[j].num != 0)
			j = (j + 1) & (nslots - 1);
		slots[j] = t->slots[i];
	}
	free(t->slots);
	t->slots = slots;
	t->nslots = nslots;
	return 0;
}

/* Room for one more set of pending entries, in `ents` and among the slots. */
static int
table_reserve(struct agg_table *t)
{
	size_t want = t->n + AGG_PENDING, cap = t->cap ? t->cap : 128;
	char *ents;

	if (want >= UINT32_MAX / 2)
		return -E2BIG;
	while (want * 3 > t->nslots * 2)
		if (table_grow_slots(t) != 0)
			return -ENOMEM;
	while (cap < want)
		cap *= 2;
	if (cap == t->cap)
		return 0;
	ents = realloc(t->ents, cap * (t->key_size + t->val_size));
	if (ents == NULL)
		return -ENOMEM;
	t->ents = ents;
	t->cap = cap;
	return 0;
}

/* The slot of a key, or the empty slot for it. */
static struct agg_slot *
table_slot(const struct agg_table *t, const char *key, uint32_t hash)
{
	size_t i = hash & (t->nslots - 1);

	while (t->slots[i].num != 0 &&
	    (t->slots[i].hash != hash ||
		!is_same_key(
		    agg_ent_key(t, t->slots[i].num - 1), key, t->key_size)))
		i = (i + 1) & (t->nslots - 1);
	return &t->slots[i];
}

static void
merge_sums(uint64_t *dst, const uint64_t *src, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		dst[i] += src[i];
}

/* count, sum, low and high word of the sum of squares */
static void
merge_stddev(uint64_t *dst, const uint64_t *src)
{
	merge_sums(dst, src, 4);
	dst[3] += dst[2] < src[2];
}

static void
merge_value(uint16_t kind, uint64_t *dst, const uint64_t *src, uint32_t size)
{
	if (kind == DT_ACT_MIN) {
		if ((int64_t)*src < (int64_t)*dst)
			*dst = *src;
	} else if (kind == DT_ACT_MAX) {
		if ((int64_t)*src > (int64_t)*dst)
			*dst = *src;
	} else if (kind == DT_ACT_STDDEV)
		merge_stddev(dst, src);
	else
		merge_sums(dst, src, size / sizeof(*dst));
}

void
agg_table_settle(struct agg_table *t)
{
	size_t first = t->n;

	for (uint32_t i = 0; i < t->npending; i++) {
		char *ent = agg_table_ent(t, first + i), *dst;
		struct agg_slot *s = table_slot(t, ent, t->pending[i]);

		if (s->num != 0) {
			dst = agg_table_ent(t, s->num - 1);
			merge_value(t->kind,
			    (uint64_t *)(void *)(dst + t->key_size),
			    (uint64_t *)(void *)(ent + t->key_size),
			    t->val_size);
			continue;
		}
		dst = agg_table_ent(t, t->n);
		if (dst != ent)
			memcpy(dst, ent, t->key_size + t->val_size);
		*s = (struct agg_slot){ t->pending[i], (uint32_t)++t->n };
	}
	t->npending = 0;
}

int
agg_table_merge(struct agg_table *t, const char *key, const void *val)
{
	uint32_t hash = key_hash(key, t->key_size);
	char *ent;
	int error;

	if (t->npending == AGG_PENDING)
		agg_table_settle(t);
	if (t->npending == 0) {
		error = table_reserve(t);
		if (error != 0)
			return error;
	}
	__builtin_prefetch(&t->slots[hash & (t->nslots - 1)], 1);
	ent = agg_table_ent(t, t->n + t->npending);
	copy_words(ent, key, t->key_size);
	copy_words(ent + t->key_size, val, t->val_size);
	t->pending[t->npending++] = hash;
	return 0;
}

const struct agg_slot *
agg_table_find_slot(const struct agg_table *t, const char *key)
{
	const struct agg_slot *s;

	if (t->nslots == 0)
		return NULL;
	s = table_slot(t, key, key_hash(key, t->key_size));
	return s->num != 0 ? s : NULL;
}

const void *
agg_table_val(const struct agg_table *t, const char *key)
{
	const struct agg_slot *s = agg_table_find_slot(t, key);

	return s != NULL ? agg_ent_val(t, s->num - 1) : NULL;
}

int
agg_table_keep(struct agg_table *t, const uint32_t *nums, size_t n)
{
	struct agg_table kept = { .key_size = t->key_size,
		.val_size = t->val_size,
		.kind = t->kind };
	int error = 0;

	for (size_t i = 0; i < n && error == 0; i++)
		error = agg_table_merge(&kept, agg_ent_key(t, nums[i] - 1),
		    agg_ent_val(t, nums[i] - 1));
	agg_table_settle(&kept);
	agg_table_fini(t);
	*t = kept;
	return error;
}
