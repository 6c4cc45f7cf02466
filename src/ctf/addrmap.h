/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_ADDRMAP_H
#define CTF_ADDRMAP_H

/* Number addresses in the order in which they are first looked up. */
#include <stddef.h>
#include <stdint.h>

struct addrmap {
	struct addrmap_slot {
		const void *addr; /* NULL: free */
		uint32_t number;
	} * slots;
	size_t nslots;
	uint32_t n;
};

/* An all-zero map is empty. */
void addrmap_fini(struct addrmap *m);
/*
 * The address's number, from 0; a new one gets the value of m->n before the
 * call.
 */
uint32_t addrmap_number(struct addrmap *m, const void *addr);

#endif
