/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USDT_ARG_H
#define USDT_ARG_H

/*
 * The places of a site's arguments, parsed from the third string of its note.
 *
 *	"-4@%eax 8@-16(%rbp) 4@$5 8@table(,%rcx,8) 2@count+4(%rip)"
 *
 * An argument is a size in bytes, negative if signed, and an operand of the GNU
 * assembler for x86.  Its value is
 *
 *	disp + base + (index << shift)
 *
 * or, with is_memory, the memory at that address.  Addresses of symbols are
 * relative to the site: the base is then USDT_REG_IP, the site's own address.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usdt/usdt.h"

enum usdt_reg {
#define USDT_REG(NAME, r64, r32, r16, r8, high) USDT_REG_##NAME,
#include "usdt/usdt_regs.def"
#undef USDT_REG
	USDT_NREGS,
	USDT_REG_NONE = USDT_NREGS,
};

struct usdt_arg {
	int64_t disp;
	uint8_t base, index; /* enum usdt_reg */
	uint8_t shift;	     /* of the index: 0 to 3 */
	uint8_t skip;	     /* bits below the value: 8 in %ah; else 0 */
	uint8_t bits;	     /* of the value: 8, 16, 32, 64 */
	bool is_signed;
	bool is_memory;
	bool is_refused; /* D cannot read it; the value is 0 */
};

struct usdt_args {
	size_t n; /* number of arguments, up to USDT_MAXARGS */
	struct usdt_arg v[USDT_MAXARGS];
	int8_t sizes[USDT_MAXARGS]; /* as written: -4 */
};

/* Finds the address, in the file as linked, of a symbol in an operand. */
struct usdt_syms {
	bool (*find)(void *arg, const char *name, uint64_t *addr);
	void *arg;
};

/*
 * Parse the arguments of a site, whose address in the file as linked is `site`.
 * Returns NULL, or why arguments are refused (malloced): a line for each,
 * beginning with its name ("arg2").  The text is hostile.
 */
char *usdt_args_parse(const char *text, uint64_t site,
    const struct usdt_syms *syms, struct usdt_args *out);

/* The reason for argument n in such lines, or NULL (malloced). */
char *usdt_arg_reason(const char *why, unsigned n);

#endif
