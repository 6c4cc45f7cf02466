/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_BPF_SITE_H
#define EXEC_BPF_SITE_H

/*
 * Sites of probes in programs, as the kernel and BPF programs know them.
 *
 * dtrace gives the kernel an offset in a file and a cookie.  The lower half of
 * the cookie is the probe's place in its group's table.  The upper half is the
 * site's word, which describes the site to the program.  Its bits, from the
 * top:
 *
 *	entry, offset	delta: 8 | is_entry: 1 | pushed: 23
 *	return		offset in the function, signed: 27 | condition: 5
 *	USDT		number of where the arguments are: 32
 *	loader		how far struct r_debug is, signed: 32
 *
 * The stack pointer has moved down by `pushed` bytes since the function's
 * entry, and the instruction pointer has moved on by `delta` bytes.  Both are
 * valid only if is_entry is set: at offsets within functions they are not
 * known.
 *
 * site.c packs words; ctx.c, ustack.c, uregs.c and load_barrier.c emit programs
 * that unpack them.
 */
#include <stdbool.h>
#include <stdint.h>

#include "provider/provider.h"
#include "provider/usites.h"

#define BX_SITE_IS_ENTRY (1U << 23)
#define BX_SITE_PUSHED_MASK (BX_SITE_IS_ENTRY - 1)
#define BX_SITE_DELTA_SHIFT 24
#define BX_SITE_COND_BITS 5
#define BX_SITE_COND_MASK ((1U << BX_SITE_COND_BITS) - 1)

/* The place at which the kernel puts a site's uprobe. */
struct bx_place {
	uint64_t off; /* in the site's file */
	uint32_t word;
};

/* The jump targets in sections of code.  Each section is decoded once for all
 * places. */
struct bx_places;
struct bx_places *bx_places_create(void);
void bx_places_destroy(struct bx_places *ps);

/*
 * The place for a site of the probe.  An entry's place may be behind the
 * function's first instruction, if a later one is cheaper (x86/entry.h) or a
 * debugger has a breakpoint on the first.
 */
struct bx_place bx_place_of(struct bx_places *ps, const struct dt_probe *p,
    const struct dt_usite *site);

/* Can the site's place be at this offset?  Cheaper than bx_place_of(). */
bool bx_place_may_be(const struct dt_usite *site, uint64_t off);

/* Is there a place for the entry of a function that was read? */
bool bx_has_entry_place(const struct dt_code_place *at);

#endif
