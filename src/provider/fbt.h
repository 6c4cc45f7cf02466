/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_FBT_H
#define PROVIDER_FBT_H

/* What is known of the kernel's functions, for those who arm their probes. */
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
	uint32_t line;		/* of the list, from 0 */
	struct fbt_func *next;	/* of its name, in another module */
	const char **types[2];	/* arguments of entry and return, when asked */
	bool is_placed;
	struct fbt_place *places;	/* of fbt_places() */
};

/*
 * Where it is: a function of several places has several.  NULL: the kernel's
 * symbols, which are read once for all functions that were matched, hide it.
 */
const struct fbt_place *fbt_places(const struct fbt_func *fn);

/* Its FUNC in the BTF of vmlinux; 0: it has none there. */
uint32_t fbt_btf_id(const struct dt_probe *p);
/* Is it at one place in vmlinux, and are its result and its arguments, six at
 * most, integers or pointers? */
bool fbt_is_simple(const struct dt_probe *p);
static inline bool
fbt_is_return(const struct dt_probe *p)
{
	return p->kind == DT_PROBE_KFUNC_RETURN;
}

#endif
