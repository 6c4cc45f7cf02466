/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USDT_ARG_H
#define USDT_ARG_H

/*
 * Where a site's arguments are: the third string of its note, as data.
 *
 *	"-4@%eax 8@-16(%rbp) 4@$5 8@table(,%rcx,8) 2@count+4(%rip)"
 *
 * is a size in bytes, negative when signed, and an operand of the GNU
 * assembler for x86.  An argument is
 *
 *	disp + base + (index << shift)
 *
 * or, with is_memory, what stands there.  Addresses of symbols are relative to
 * the site: the base is then USDT_REG_IP, which is the site's own address.
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
	uint8_t skip;	     /* bits below the value, in %ah: 8; else 0 */
	uint8_t bits;	     /* of the value: 8, 16, 32, 64 */
	bool is_signed;
	bool is_memory;
	bool is_refused; /* it cannot be had; the value is 0 */
};

struct usdt_args {
	size_t n; /* as many as there are, up to USDT_MAXARGS */
	struct usdt_arg v[USDT_MAXARGS];
	int8_t sizes[USDT_MAXARGS]; /* as written: -4 */
};

/* The address, as the file is linked, of a symbol that an operand names. */
struct usdt_syms {
	bool (*find)(void *arg, const char *name, uint64_t *addr);
	void *arg;
};

/*
 * Read the arguments of a site, at the address `site` as the file is linked.
 * Returns NULL, or why arguments are refused (malloced): a line for each, which
 * begins with its name ("arg2").  The text is hostile.
 */
char *usdt_args_parse(const char *text, uint64_t site,
    const struct usdt_syms *syms, struct usdt_args *out);

/* What such lines, or NULL, say of argument n (malloced). */
char *usdt_arg_reason(const char *why, unsigned n);

#endif
