/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_FBT_H
#define PROVIDER_FBT_H

/* Facts about the kernel's functions, for substrates that arm their probes. */
#include "base/err.h"
#include "provider/kernel_btf.h"

struct fbt;

struct fbt_place {
	struct fbt_place *next;
	uint64_t addr;
};

/* A function that the kernel can trace: dt_probe.data. */
struct fbt_func {
	struct fbt *fbt;
	const char *name, *mod;
	uint32_t line;	       /* of the list, from 0 */
	struct fbt_func *next; /* same name, in another module */
	const char **types[2]; /* arguments of entry, return; made on demand */
	bool is_placed;
	struct fbt_place *places; /* of fbt_places() */
};

/*
 * The places of a function, one or several.  NULL: the kernel's symbols hide
 * it.  The symbols are read once, for all functions that were matched.  Returns
 * 0, or -errno with *err if they cannot be read.
 */
CHECKED int fbt_places(const struct fbt_func *fn,
    const struct fbt_place **places, struct err *err);

/* The function's FUNC in the BTF of vmlinux; 0: it has none there. */
uint32_t fbt_btf_id(const struct dt_probe *p);
/* Is the function at one place in vmlinux, and are its result and its arguments
 * (at most six) integers or pointers? */
bool fbt_is_simple(const struct dt_probe *p);
static inline bool
fbt_is_return(const struct dt_probe *p)
{
	return p->kind == DT_PROBE_KFUNC_RETURN;
}

#endif
