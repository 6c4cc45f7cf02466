/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_BPF_SITE_H
#define EXEC_BPF_SITE_H

/*
 * Sites of probes in programs, as the kernel and our programs there have them.
 *
 * The kernel is told an offset in a file and a cookie.  The lower half of the
 * cookie is the probe's place in its group's table.  The upper half is the
 * site's word, what the program must know of the site; its bits, from the top:
 *
 *	entry, offset	delta: 8 | is_entry: 1 | pushed: 23
 *	return		offset in the function, signed: 27 | condition: 5
 *	USDT		number of where the arguments are: 32
 *	loader		how far struct r_debug is, signed: 32
 *
 * `pushed` is how many bytes the stack pointer has moved down since the
 * function's entry, `delta` how many the instruction pointer has moved on.
 * Both mean something only where is_entry is set: at offsets within functions
 * nothing is known.
 *
 * site.c packs words; what unpacks them are programs (ctx.c, ustack.c, uregs.c,
 * load_barrier.c).
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

/* Where the kernel puts a site's uprobe. */
struct bx_place {
	uint64_t off; /* in the site's file */
	uint32_t word;
};

/* Where jumps lead in sections of code: each is decoded once for all places. */
struct bx_places;
struct bx_places *bx_places_create(void);
void bx_places_destroy(struct bx_places *ps);

/*
 * The place for a site of the probe.  An entry's may be behind the function's
 * first instruction, where that is cheaper (x86/entry.h), or where a debugger
 * has a breakpoint on the first.
 */
struct bx_place bx_place_of(struct bx_places *ps, const struct dt_probe *p,
    const struct dt_usite *site);

/* May that be the offset of the site's place?  Cheaper than to find it. */
bool bx_place_may_be(const struct dt_usite *site, uint64_t off);

/* Can the entry of a function that has been read have a place? */
bool bx_has_entry_place(const struct dt_code_place *at);

#endif
