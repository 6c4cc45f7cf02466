/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef INPROC_MODULE_H
#define INPROC_MODULE_H

/* Facts of each byte of a module's code. For plan.c and patch.c. */
#include "base/err.h"
#include "base/vec.h"
#include "inproc/inproc.h"
#include "x86/insn.h"

enum {
	MARK_INSN = 1,	   /* an instruction begins */
	MARK_TARGET = 2,   /* reached by other ways than from the one before */
	MARK_FUNC = 4,	   /* a function begins, or a section */
	MARK_PAD = 8,	   /* the instruction is a NOP or INT3 */
	MARK_LEAVES = 16,  /* the instruction never goes on to the next */
	MARK_LABEL = 64,   /* with MARK_FUNC: perhaps only a part of one */
	MARK_STD = 32,	   /* its function sets the direction flag */
	MARK_BROKEN = 128, /* the decoder's readings before and here differ */
};

/* Code that is loaded in one piece. */
struct ip_text {
	uint64_t vaddr;
	size_t len;
	bool is_go; /* Go: flags mean nothing where functions return */
	const uint8_t *bytes;
	uint8_t *marks; /* one for each byte */
	/* Ascending offsets of bytes that are no instruction or must not move;
	 * and of ends of sections. */
	VEC(size_t) bad;
	VEC(size_t)
	starts; /* offsets of functions, ascending; the first is 0 */
	VEC(size_t) doubtful_calls; /* ascending; SYSCALLs that may be none */
	VEC(size_t) keepers; /* functions whose callers still use flags */
};

/* Memory that belongs to the module: pages, or malloced. */
struct ip_memory {
	void *p;
	size_t len; /* bytes of pages; 0: malloced */
};

struct inproc_module {
	bool is_go;
	VEC(struct ip_text) texts;
	VEC(struct ip_memory)
	memory; /* bytes and marks owned by the module */
};

/*
 * `len` bytes of a file from `off` on, kept by the module; NULL with *err, or
 * when an analysis was stopped.  In the child of base/confine.h these are pages
 * of the file; anywhere else that would be dangerous, since the file may be
 * truncated at any time.
 */
CHECKED const uint8_t *ip_load(struct inproc_module *m, int fd, uint64_t off,
    uint64_t len, struct err *err);

/* The offset of the instruction that ends at `off`; `off` if none does. */
size_t ip_previous(const struct ip_text *t, size_t off);

/* Are the bytes at any offset those of a SYSCALL? */
bool ip_is_call(const struct ip_text *t, size_t off);

/* Are [from, to) all instructions that may be moved? */
bool ip_is_sound(const struct ip_text *t, uint64_t from, uint64_t to);

/* The function that holds an offset, as far as it is known without symbols. */
void ip_function(const struct ip_text *t, size_t off, size_t *from, size_t *to);

/* Do callers of the function at `target` use flags across the call? */
bool ip_keeps_flags(const struct ip_text *t, size_t target);

/* The text that holds an address, or NULL. */
struct ip_text *ip_text_at(const struct inproc_module *m, uint64_t vaddr);

#endif
