/* SPDX-License-Identifier: BSD-2-Clause */
#include "ctf/addrmap.h"

#include <stdlib.h>

#include "base/mem.h"

#define FIRST_SLOTS 256

void
addrmap_fini(struct addrmap *m)
{
	free(m->slots);
	*m = (struct addrmap){ 0 };
}

static struct addrmap_slot *
find(const struct addrmap *m, const void *addr)
{
	uint64_t h = (uint64_t)(uintptr_t)addr * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = h >> 20 & (m->nslots - 1);

	while (m->slots[i].addr != NULL && m->slots[i].addr != addr)
		i = (i + 1) & (m->nslots - 1);
	return &m->slots[i];
}

static void
grow(struct addrmap *m)
{
	struct addrmap old = *m;

	m->nslots = old.nslots != 0 ? 2 * old.nslots : FIRST_SLOTS;
	m->slots = mem_alloc(m->nslots * sizeof(*m->slots));
	for (size_t i = 0; i < old.nslots; i++) {
		if (old.slots[i].addr != NULL)
			*find(m, old.slots[i].addr) = old.slots[i];
	}
	free(old.slots);
}

uint32_t
addrmap_number(struct addrmap *m, const void *addr)
{
	struct addrmap_slot *s;

	if (m->n >= m->nslots / 2)
		grow(m);
	s = find(m, addr);
	if (s->addr == NULL) {
		s->addr = addr;
		s->number = m->n++;
	}
	return s->number;
}
