/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USDT_NOTES_H
#define USDT_NOTES_H

/*
 * The probe sites of an ELF file, from the notes in its section .note.stapsdt:
 * https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation
 */
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "usdt/usdt.h"

struct usdt_note {
	char *provider, *name; /* as in C: query__start */
	char *args;	       /* "-4@%eax 8@(%rdi)": usdt/arg.h */
	uint64_t addr;	       /* of the nop, in the file as linked */
	uint64_t offset;       /* of the nop in the file */
	uint64_t semaphore;    /* its offset in the file; 0: none */
	bool is_enabled;       /* an is-enabled site, with 0 in %rax */
};

struct usdt_notes {
	enum usdt_class cls;
	VEC(struct usdt_note) v;
	/* Notes that are not of a site in this file: of code that the linker
	 * dropped, for example. */
	size_t nskipped;
};

/*
 * Read a hostile file's notes.  Returns 0, also if there are none, or -EINVAL
 * with *err if it is not an ELF file or a note is damaged.  Notes of
 * relocatable objects have no addresses yet.  usdt_notes_fini() releases them
 * in every case.
 */
CHECKED int usdt_notes_read(int fd, struct usdt_notes *out, struct err *err);
CHECKED int usdt_notes_read_mem(
    const void *img, size_t len, struct usdt_notes *out, struct err *err);
/*
 * Add sites that only DOF describes, as other systems' dtrace -G makes it:
 * overwritten calls.  They become notes like the others, with the arguments
 * where the call has them.  A site that is not in the file is skipped.
 */
struct usdt_types;
CHECKED int usdt_sites_read(int fd, const struct usdt_types *types,
    struct usdt_notes *out, struct err *err);
void usdt_notes_fini(struct usdt_notes *n);

#endif
