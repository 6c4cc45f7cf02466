/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIF_FLOW_H
#define DIF_FLOW_H

/*
 * Abstract interpretation of a DIF object: facts of every register and of the
 * tuple stack on arrival at an instruction, true for every path to it.
 *
 * The verifier uses it, and so may a translator of the object: the facts hold
 * in every run, so they need not be checked at run time.
 */
#include "dif/dif.h"

enum dif_kind {
	DIF_K_UNSET,   /* not written on every path */
	DIF_K_ANY,     /* nothing is known */
	DIF_K_CONST,   /* the number v */
	DIF_K_STRING,  /* the address of byte v of the string table */
	DIF_K_SCRATCH, /* the address of byte v of `size` bytes of scratch
		        * memory, 8-aligned at byte 0; v may be outside. size 0:
		        * unknown */
	/* v bytes behind the address of a by-reference value of `size` bytes
	 * (0: strsize), or behind 0: */
	DIF_K_VAR,  /* the value of a variable */
	DIF_K_ELEM, /* the value of an array's element */
};
struct dif_value {
	uint8_t kind; /* enum dif_kind */
	uint32_t size;
	uint64_t v;
};

/* An element of the tuple stack. */
enum dif_pushed_kind {
	DIF_P_MIXED, /* differs by path */
	DIF_P_VALUE,
	DIF_P_STRING,
	DIF_P_BYTES, /* a reference to bytes */
};
struct dif_pushed {
	uint8_t kind;  /* enum dif_pushed_kind */
	uint8_t value; /* enum dif_kind of the pushed value; UNSET: not known */
	bool is_const; /* n is known and the same on every path */
	uint32_t n;    /* VALUE: the value; else the size given */
};

struct dif_state {
	struct dif_value regs[DIF_NREGS];
	struct dif_pushed tuple[DIF_NTREGS]; /* the first depth_max are used */
	uint8_t depth_min, depth_max;
};

/* False ends the walk. */
typedef bool dif_flow_f(void *arg, uint32_t pc, const struct dif_state *st);

/*
 * Walk an object from the first instruction to the last, calling f for each
 * reachable one with the state on arrival.  Fields must have been checked
 * (dif_verify() checks them before it walks).  Time and memory are in
 * proportion to the object's size.  Returns false if f did.
 */
bool dif_flow(const struct dif_obj *dp, dif_flow_f *f, void *arg);

/*
 * Is the access of `size` bytes through this value aligned, and inside of
 * scratch memory that the object allocated?
 */
static inline bool
dif_in_scratch(const struct dif_value *v, uint32_t size)
{
	return v->kind == DIF_K_SCRATCH && size <= v->size &&
	    v->v <= v->size - size && v->v % size == 0;
}

/* Registers that an instruction reads and writes, as sets: bit n is %rn. */
uint8_t dif_reads(uint32_t ins);
uint8_t dif_writes(uint32_t ins);

#endif
