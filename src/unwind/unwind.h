/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

/*
 * Tables that say how to unwind the stacks of programs without frame pointers,
 * made of the .eh_frame of ELF files (Linux Standard Base 5.0 Core, section
 * 10.6; DWARF 5, section 6.4; the x86-64 psABI for the registers' numbers).
 *
 * All input is hostile.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "unwind/rule.h"

/* In the order of `off`, which is an offset in the file. */
struct unw_table {
	VEC(struct unw_row) rows;
};
void unw_table_fini(struct unw_table *t);
/* The rule at an offset; 0 (UNW_NONE) where no row is. */
uint32_t unw_table_rule(const struct unw_table *t, uint64_t off);

/* A part of a file that is mapped as code. */
struct unw_seg {
	uint64_t vaddr, size, off;
};

/*
 * Make the table of an .eh_frame of `len` bytes that is at address `vaddr`.
 * Returns 0, or -EINVAL with *err.  A function that cannot be
 * understood has UNW_NONE.
 */
CHECKED int unw_eh_frame(const uint8_t *data, size_t len, uint64_t vaddr,
    const struct unw_seg *segs, size_t nsegs, struct unw_table *out,
    struct err *err);

/*
 * Make the table of an ELF file, or of an image in memory (the vdso).  A file
 * without .eh_frame gives an empty table.  0, or a negative code with *err:
 * -EINVAL for a table that is none, else the errno of reading it.
 */
CHECKED int unw_file(int fd, struct unw_table *out, struct err *err);
CHECKED int unw_image(
    const void *image, size_t len, struct unw_table *out, struct err *err);

/* A section in memory. */
struct unw_bytes {
	const uint8_t *data;
	size_t len;
	uint64_t vaddr;
};

/*
 * Places in code that .eh_frame and .gcc_except_table name, as addresses:
 * where functions begin, and where exceptions lead to (Itanium C++ ABI:
 * Exception Handling, 1.2, and "Exception Handling Tables").
 */
struct unw_places {
	VEC(uint64_t) starts;
	/* Code that signal handlers return to.  Where an entry begins is no
	 * function's start: libc's begins a byte before the code, since
	 * unwinders look up a return address less one. */
	VEC(struct unw_seg) signals;
	VEC(uint64_t) pads;
	VEC(struct unw_seg)
	unknown; /* functions with pads who knows where */
		 /* of the segments only vaddr and size are set */
};
void unw_places_fini(struct unw_places *p);
/* 0, or -EINVAL with *err. */
CHECKED int unw_places(const struct unw_bytes *eh_frame,
    const struct unw_bytes *lsda, struct unw_places *out, struct err *err);

#endif
