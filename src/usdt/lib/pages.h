/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USDT_LIB_PAGES_H
#define USDT_LIB_PAGES_H

/*
 * Overwrite code, and leave its pages with the protection that they had.  Sites
 * may be on pages of the heap (libusdt's are), which malloc() goes on writing
 * to.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

struct usdt_span {
	uintptr_t from, to;
	int prot; /* PROT_* */
};

/* The mappings of this process, by address. */
struct usdt_pages {
	VEC(struct usdt_span) v;
};

/* Read them from /proc/self/maps.  False, with errno: that is not there, and
 * what was read before is kept. */
bool usdt_pages_read(struct usdt_pages *pages);
void usdt_pages_fini(struct usdt_pages *pages);

/* Write over code.  The caller sees to it that no thread executes these bytes
 * meanwhile.  False, with errno: the kernel does not let us write there. */
bool usdt_pages_overwrite(const struct usdt_pages *pages, uint8_t *at,
    const uint8_t *bytes, size_t len);

#endif
