/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_ADDRMAP_H
#define CTF_ADDRMAP_H

/* Addresses to numbers, in the order in which they are first asked for. */
#include <stddef.h>
#include <stdint.h>

struct addrmap {
	struct addrmap_slot {
		const void *addr;	/* NULL: free */
		uint32_t number;
	} *slots;
	size_t nslots;
	uint32_t n;
};

/* Zeroed is empty. */
void addrmap_fini(struct addrmap *m);
/* The address's number, from 0; a new one is m->n before the call. */
uint32_t addrmap_number(struct addrmap *m, const void *addr);

#endif
