/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIF_USES_H
#define DIF_USES_H

/*
 * Uses: what an object reads and calls, or all objects of a clause together.
 *
 * dif_verify() finds it once for each object that it passes (dif_obj.uses).
 * Sets of built-in variables and subroutines have a bit per row of their table,
 * so that they are small and can be added up.
 */
#include <stdbool.h>
#include <stdint.h>

enum dif_var_row {
#define DIF_VAR(val, NAME, ...) DIF_VROW_##NAME,
#include "dif/dif_vars.def"
#undef DIF_VAR
	DIF_NVROWS
};

enum dif_subr_row {
#define DIF_SUBR(val, NAME, ...) DIF_SROW_##NAME,
#include "dif/dif_subrs.def"
#undef DIF_SUBR
	DIF_NSROWS
};

_Static_assert(DIF_NVROWS <= 64 && DIF_NSROWS <= 64, "a set is one word");

#define DIF_USES_OPS (256 / 64)

struct dif_uses {
	uint64_t vars;	 /* built-in variables that are read, by row */
	uint64_t arrays; /* built-in arrays that are indexed, by row */
	uint64_t subrs;	 /* subroutines that are called, by row */
	uint64_t ops[DIF_USES_OPS]; /* opcodes */
	uint32_t args;	 /* elements of args[], a bit each; all ones: any */
	uint32_t ntext;	 /* instructions */
	bool has_byref;	 /* a user variable is by reference */
	bool has_locals; /* it has clause-local variables */
	bool
	    may_fault; /* false only where nothing but a constant is returned */
};

struct dif_obj;

/* Set dp->uses of a valid object. */
void dif_uses_find(struct dif_obj *dp);

/* Add what one uses to a sum, which begins as zeroes. */
void dif_uses_add(struct dif_uses *sum, const struct dif_uses *u);

/*
 * Is a built-in variable read, or an element of a built-in array?  args[i]
 * counts as each of arg0 to arg9, whatever i is.
 */
bool dif_uses_var(const struct dif_uses *u, uint32_t id);

/* Is a subroutine called? */
bool dif_uses_subr(const struct dif_uses *u, uint32_t subr);

/* Is there an instruction with this opcode? */
bool dif_uses_op(const struct dif_uses *u, uint8_t op);

/* Are thread-local variables read or set? */
bool dif_uses_tls(const struct dif_uses *u);

/*
 * Ids of the rows: DIF_VAR_*, DIF_SUBR_*.  Over a set, without those done:
 *
 *	for (left = u->vars; left != 0; left &= left - 1)
 *		dif_var_of_row(DIF_ROW_OF(left));
 */
#define DIF_ROW_OF(left) ((unsigned)__builtin_ctzll(left))
uint32_t dif_var_of_row(unsigned row);
uint32_t dif_subr_of_row(unsigned row);
/* The row of a built-in variable; DIF_NVROWS: there is none. */
unsigned dif_row_of_var(uint32_t id);

#endif
