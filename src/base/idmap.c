/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open addressing, at most half full.  Ids come in runs, so the hash only has
 * to separate runs that lie a power of two apart.
 */
#include "base/idmap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SLOTS_MIN 16

void
idmap_fini(struct idmap *m)
{
	free(m->slots);
	memset(m, 0, sizeof(*m));
}

/* The slot that holds the key, or the free one where it would go. */
static struct idmap_slot *
slot_of(const struct idmap *m, uint32_t key)
{
	/* 2^32 / the golden ratio: Knuth's multiplicative hashing */
	size_t i = ((uint64_t)key * 0x9e3779b1U >> 8) & (m->nslots - 1);

	while (m->slots[i].key != 0 && m->slots[i].key != key)
		i = (i + 1) & (m->nslots - 1);
	return &m->slots[i];
}

static void
grow(struct idmap *m)
{
	struct idmap old = *m;

	m->nslots = old.nslots != 0 ? 2 * old.nslots : SLOTS_MIN;
	m->slots = mem_alloc(m->nslots * sizeof(*m->slots));
	for (size_t i = 0; i < old.nslots; i++) {
		if (old.slots[i].key != 0)
			*slot_of(m, old.slots[i].key) = old.slots[i];
	}
	free(old.slots);
}

const uint32_t *
idmap_get(const struct idmap *m, uint32_t key)
{
	const struct idmap_slot *s;

	if (m->nslots == 0 || key == 0)
		return NULL;
	s = slot_of(m, key);
	return s->key != 0 ? &s->value : NULL;
}

void
idmap_put(struct idmap *m, uint32_t key, uint32_t value)
{
	struct idmap_slot *s;

	assert(key != 0);
	if (2 * (m->n + 1) > m->nslots)
		grow(m);
	s = slot_of(m, key);
	m->n += s->key == 0;
	*s = (struct idmap_slot){ key, value };
}
