/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef INPROC_MODULE_IMPL_H
#define INPROC_MODULE_IMPL_H

/* Declarations shared by the files that analyse a module (module.c). */
#include "base/err.h"
#include "base/vec.h"
#include "inproc/module.h"
#include "sym/elf_syms.h"
#include "unwind/unwind.h"
#include "x86/insn.h"

/* A module that is being opened. */
struct ip_open {
	struct inproc_module *m;
	int fd;
	const struct elf_syms *es;
	struct err *err;
	VEC(struct data {
		uint64_t vaddr;
		size_t len;
		const uint8_t *bytes;
	})
	datas;
	VEC(uint64_t) tables; /* addresses that LEA made */
	VEC(struct code_address { uint64_t from, to; })
	addresses;		 /* the tables' addresses that are in code */
	VEC(uint64_t) far_jumps; /* jumps through a register or an index */
	VEC(uint64_t) stds;
	VEC(uint64_t) claims; /* starts that only .eh_frame has; sorted */
	uint64_t loaded;
};

/* ---- module.c: bytes and marks ------------------------------------------- */

bool ip_in_text(const struct ip_open *o, uint64_t vaddr);
void ip_mark_start(const struct ip_open *o, uint64_t vaddr);
void ip_mark(const struct ip_open *o, uint64_t vaddr, uint8_t marks);

/* `len` bytes at any address of the module; NULL: not all are in it. */
const uint8_t *ip_bytes_at(const struct ip_open *o, uint64_t vaddr, size_t len);
const struct elf_sect *ip_find_section(
    const struct ip_open *o, const char *name);
int ip_compare_numbers(const void *pa, const void *pb);
void ip_sort_numbers(uint64_t *v, size_t n);
bool ip_has_section_like(const struct elf_syms *es, const char *part);

/* ---- module_start.c: where functions begin ------------------------------- */

/*
 * Mark the landing pads of exceptions before anything is decoded; where they
 * are not known, whole functions are marked after decoding.
 */
bool ip_mark_places(struct ip_open *o, struct unw_places *places);

/* Labels first: a label that is also a function's beginning counts as one. */
void ip_mark_symbols(const struct ip_open *o);

/* ---- module_decode.c: instructions --------------------------------------- */

/*
 * Decode each section of code once; a hostile file may have overlapping ones.
 */
bool ip_decode(struct ip_open *o);

/* Note where an instruction leads besides the next one. */
void ip_note_branch(struct ip_open *o, const struct ip_text *t, size_t off,
    const struct x86_insn *insn);

/* Does an instruction never go on to the next? */
bool ip_leaves(const struct x86_insn *insn);

/* ---- module_data.c: addresses in data ------------------------------------ */

void ip_mark_tables(struct ip_open *o);

/* Sections may overlap, so read no more relocations than the file has bytes. */
bool ip_mark_relocations(const struct ip_open *o);

/* For fixed addresses, which have no relocations left. */
void ip_mark_all_words(const struct ip_open *o);

/* ---- module_func.c: functions -------------------------------------------- */

void ip_mark_unknown(struct ip_open *o, const struct unw_places *places);

/* ---- module_doubt.c: where instructions begin is not known --------------- */

/*
 * Decode again where something leads into an instruction, and note where that
 * code leads.  No instruction is known to begin there.
 */
void ip_read_twice(struct ip_open *o);

/* Take back the marks of instructions to which nothing leads. */
void ip_doubt_unreached(const struct ip_open *o);

/* ---- module_go.c: Go ----------------------------------------------------- */

/*
 * A new thread of Go shares its creator's words (gostack.c) in code that is
 * known only by name: does the file have the name?
 */
bool ip_knows_beginning(const struct ip_open *o);

#endif
