/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USDT_LIB_PAGES_H
#define USDT_LIB_PAGES_H

/*
 * Overwrite code, and restore the protection of its pages afterwards.  Sites
 * may be on pages of the heap (libusdt's are), to which malloc() goes on
 * writing.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct usdt_span {
	uintptr_t from, to;
	int prot; /* PROT_* */
};

/* The mappings of this process, by address. */
struct usdt_pages {
	VEC(struct usdt_span) v;
};

/*
 * Read them from /proc/self/maps.  False, with errno: the file is missing, or
 * could not be read to its end.  The earlier contents are kept then.
 */
bool usdt_pages_read(struct usdt_pages *pages);
void usdt_pages_fini(struct usdt_pages *pages);

/*
 * Overwrite code.  The caller ensures that no thread executes these bytes
 * meanwhile.  False, with errno: the kernel denies writing there.
 */
bool usdt_pages_overwrite(const struct usdt_pages *pages, uint8_t *at,
    const uint8_t *bytes, size_t len);

#endif
