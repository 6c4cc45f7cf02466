/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_USITES_H
#define PROVIDER_USITES_H

/*
 * Probes on instructions of programs: what pid and USDT providers share.
 *
 * A probe (struct dt_probe with `up` set) has one or many sites, places in
 * files. What fires is known by the cookie of the site: the lower half is the
 * probe's place in the group's table, the upper half what the program must know
 * of the site.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/mem.h"
#include "usdt/arg.h"

/* A file with code, open as long as the registry lives: so it is found again
 * when its name is gone. */
struct dt_ufile {
	int fd;
	const char *path; /* for messages */
	uint64_t dev, ino;
};

/* Where the arguments of a USDT site are, interned: equal ones have the same
 * number, which is the site's extra word. */
struct dt_uargs {
	uint32_t number;
	struct usdt_args args;
	char *why; /* which are refused: usdt_args_parse(); or NULL */
};

struct dt_usite {
	const struct dt_ufile *file;
	uint64_t off;
	uint32_t extra;
	/* USDT only */
	uint64_t semaphore; /* its offset in the file; 0: none */
	const struct dt_uargs *args;
	bool is_enabled; /* no probe: %rax becomes 1 there */
};

struct dt_usites {
	pid_t pid;	 /* 0: whatever process maps the file */
	bool is_program; /* in the process's program, not in a library */
	bool is_32;	 /* 32-bit code */
	VEC(struct dt_usite) sites;
};

/*
 * The extra word at entries: how many bytes the stack pointer has moved down
 * since the entry, that this is known, and how far the instruction pointer has
 * moved on.  At offsets within functions nothing is known.
 */
#define DT_UX_IS_ENTRY (1U << 23)
#define DT_UX_PUSHED_MASK (DT_UX_IS_ENTRY - 1)
#define DT_UX_DELTA_SHIFT 24
#define DT_UX_ENTRY(pushed, delta)                                             \
	((uint32_t)(pushed) | DT_UX_IS_ENTRY |                                 \
	    (uint32_t)(delta) << DT_UX_DELTA_SHIFT)
#define DT_UX_WITHIN 0
/* At returns: the offset in the function, which may be negative, above the
 * condition under which it is one (x86/entry.h). */
#define DT_UX_COND_BITS 5
#define DT_UX_COND_MASK ((1U << DT_UX_COND_BITS) - 1)
#define DT_UX_RETURN(off, cond)                                                \
	((uint32_t)(off) << DT_UX_COND_BITS | (uint32_t)(cond))

/* Of the dynamic linker's report (dt_pid_loader()) it is how far struct r_debug
 * is from there, or 0. */

#endif
