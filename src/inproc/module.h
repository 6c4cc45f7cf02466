/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef INPROC_MODULE_H
#define INPROC_MODULE_H

/*
 * What is known of each byte of a module's code.  For patch.c.
 */
#include "inproc/inproc.h"
#include "x86/insn.h"

enum {
	MARK_INSN = 1,	  /* an instruction begins */
	MARK_TARGET = 2,  /* something may lead here, not only what is before */
	MARK_FUNC = 4,	  /* a function begins, or a section */
	MARK_PAD = 8,	  /* the instruction is a NOP or INT3 */
	MARK_LEAVES = 16, /* the instruction never goes on to the next */
	MARK_LABEL = 64,  /* with MARK_FUNC: perhaps only a part of one */
	MARK_STD = 32,	  /* of a function that sets the direction flag */
};

/* Code that is loaded in one piece. */
struct ip_text {
	uint64_t vaddr;
	size_t len;
	bool is_go; /* flags mean nothing where functions return */
	const uint8_t *bytes;
	uint8_t *marks; /* one for each byte */
	/* Offsets, ascending, of what is no instruction or has to stay where
	 * it is; and where sections end. */
	VEC(size_t) bad;
	VEC(size_t)
	starts; /* offsets of functions, ascending; the first is 0 */
	VEC(size_t) keepers; /* of those whose callers still need flags */
};

/* Memory that goes with the module: pages, or malloced. */
struct ip_memory {
	void *p;
	size_t len; /* of pages; 0: it is malloced */
};

struct inproc_module {
	bool is_go;
	VEC(struct ip_text) texts;
	VEC(struct ip_memory)
	memory; /* bytes and marks that are nobody else's */
};

/*
 * `len` bytes of a file from `off` on, for the module to keep; NULL with *msg,
 * or an analysis is over.  In the child of base/confine.h they are pages of the
 * file, which anywhere else would be dangerous: it may be cut off at any time.
 */
const uint8_t *ip_load(
    struct inproc_module *m, int fd, uint64_t off, uint64_t len, char **msg);

/* The instruction that ends at `off`; `off` if none does. */
size_t ip_previous(const struct ip_text *t, size_t off);

/* Are [from, to) all instructions, and may be moved? */
bool ip_is_sound(const struct ip_text *t, uint64_t from, uint64_t to);

/* The function that an offset is in, by what is known without symbols. */
void ip_function(const struct ip_text *t, size_t off, size_t *from, size_t *to);

/* Do flags mean the same behind a call of the function at an offset? */
bool ip_keeps_flags(const struct ip_text *t, size_t target);

/* The text that an address is in, or NULL. */
struct ip_text *ip_text_at(const struct inproc_module *m, uint64_t vaddr);

#endif
