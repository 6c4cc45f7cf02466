/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USDT_LIB_IMAGE_H
#define USDT_LIB_IMAGE_H

/*
 * Sites that a program makes while it runs, in a form that dtrace knows: a
 * mapped ELF file.  The file is in memory and has no path name; dtrace reads it
 * through the mapping.
 *
 *	ELF header, .text, .eh_frame, .SUNW_dof		mapped r-x
 *	.probes						mapped rw-
 *	.note.stapsdt, .symtab, ...			not needed here
 */
#include "base/vec.h"
#include "usdt/stubs.h"

struct usdt_image {
	uint8_t *base; /* NULL: not mapped */
	size_t len;
	int fd; /* kept open: a dtrace without privileges reads it so */
	uint64_t ino;
	uint64_t text, semaphores; /* offsets */
	VEC(uint32_t) offsets;	   /* offset of each stub in text */
};

/*
 * Make and map the image of stubs.  `functions` has the function name of each.
 * Unless `near` is 0, the image is mapped in reach of a 32-bit jump from
 * there.  Returns 0, or -1 with errno.
 */
int usdt_image_map(struct usdt_image *img, const char *module,
    const struct usdt_defs *defs, const struct usdt_stubs *stubs,
    const char *const *functions, uint64_t near);
void usdt_image_unmap(struct usdt_image *img);

#endif
