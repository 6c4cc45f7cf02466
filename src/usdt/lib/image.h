/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USDT_LIB_IMAGE_H
#define USDT_LIB_IMAGE_H

/*
 * Sites that a program makes while it runs, as what dtrace knows already: an
 *ELF file that is mapped.  The file is in memory and has no name in the file
 *system; dtrace reads it through the mapping.
 *
 *	ELF header, .text, .eh_frame, .SUNW_dof		mapped r-x
 *	.probes						mapped rw-
 *	.note.stapsdt, .symtab, ...			not needed here
 */
#include "usdt/stubs.h"

struct usdt_image {
	uint8_t *base; /* NULL: nothing is mapped */
	size_t len;
	int fd; /* held for a dtrace without privileges, which reads it so */
	uint64_t ino;
	uint64_t text, semaphores; /* offsets */
	VEC(uint32_t) offsets;	   /* of each stub in text */
};

/*
 * Make and map the image of stubs.  `functions` names the function of each.  It
 * is mapped where a jump of 32 bits from `near` leads to, unless that is 0.
 * Returns 0, or -1 with errno.
 */
int usdt_image_map(struct usdt_image *img, const char *module,
    const struct usdt_defs *defs, const struct usdt_stubs *stubs,
    const char *const *functions, uint64_t near);
void usdt_image_unmap(struct usdt_image *img);

#endif
