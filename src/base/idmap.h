/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_IDMAP_H
#define BASE_IDMAP_H

/*
 * A map from numbers to numbers, whose keys are few out of a large range (ids
 * of probes).  Keys are not 0.
 */
#include <stddef.h>
#include <stdint.h>

struct idmap_slot {
	uint32_t key, value; /* key 0: free */
};

struct idmap {
	struct idmap_slot *slots;
	size_t n, nslots; /* nslots: a power of two, or 0 */
};

void idmap_fini(struct idmap *m);
/* The value of a key, or NULL; valid until the next idmap_put(). */
const uint32_t *idmap_get(const struct idmap *m, uint32_t key);
/* Set or replace a key's value. */
void idmap_put(struct idmap *m, uint32_t key, uint32_t value);

#endif
