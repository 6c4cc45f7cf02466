/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of the kernel symbols that a saved program names. */
#include "libdtrace/dof_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/kallsyms.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "ctf/ctf_import.h"
#include "libdtrace/dt_impl.h"

/*
 * Kernel symbols that a program names, found in one reading of the kernel's
 * list: `keys` are "module`symbol", `symbols` the part after the backquote.
 */
struct dof_ksyms {
	struct strtab keys, symbols;
	VEC(uint64_t) addrs; /* by key; 0: not found */
};

static void
for_each_krel(const struct dif_prog *dif,
    void (*f)(const struct dif_obj *dp, const struct dif_krel *k, void *arg),
    void *arg)
{
	VEC_FOREACH(&dif->clauses, cl) {
		for (size_t i = 0; i <= cl->actions.n; i++) {
			const struct dif_obj *dp = i == cl->actions.n ?
			    cl->pred :
			    cl->actions.v[i].difo;

			for (uint32_t k = 0; dp != NULL && k < dp->nkrel; k++)
				f(dp, &dp->krels[k], arg);
		}
	}
}

static uint32_t
ksyms_key(struct dof_ksyms *ks, const char *module, const char *symbol)
{
	char *key = mem_printf("%s`%s", module, symbol);
	uint32_t id = strtab_intern(&ks->keys, key);

	free(key);
	while (ks->addrs.n < id)
		VEC_PUSH(&ks->addrs, 0);
	return id;
}

static void
want_symbol(const struct dif_obj *dp, const struct dif_krel *k, void *arg)
{
	struct dof_ksyms *ks = arg;

	(void)dp;
	strtab_intern(&ks->symbols, k->symbol);
	ksyms_key(ks, k->module, k->symbol);
}

static bool
take_symbol(const struct ksymbol *sym, void *arg)
{
	struct dof_ksyms *ks = arg;
	uint32_t id;

	if (strtab_find(&ks->symbols, sym->name) == 0)
		return false;
	id = ksyms_key(ks, sym->module, sym->name);
	if (ks->addrs.v[id - 1] == 0)
		ks->addrs.v[id - 1] = sym->addr;
	return false;
}

/* A per-CPU variable's number in the kernel's BTF, or 0. */
static uint64_t
percpu_id(struct dt_hdl *h, const struct dif_krel *k)
{
	struct ctf_symbol sym = { 0 };
	struct ctf_import *im;

	if (dt_need_types(h) != 0)
		return 0;
	im = ctf_import_find(cg_session_types(h->compiled.cg), k->module);
	if (im == NULL || im->ops->symbol == NULL ||
	    !im->ops->symbol(im, k->symbol, &sym) || !sym.is_percpu)
		return 0;
	return sym.percpu_id;
}

struct resolving {
	struct dt_hdl *h;
	struct dof_ksyms ks;
	int rc;
};

static void
resolve_krel(const struct dif_obj *dp, const struct dif_krel *k, void *arg)
{
	struct resolving *r = arg;
	uint64_t value = k->is_percpu ?
	    percpu_id(r->h, k) :
	    r->ks.addrs.v[ksyms_key(&r->ks, k->module, k->symbol) - 1];

	dp->inttab[k->int_index] = value + k->addend;
	if (value == 0 && r->rc == 0)
		r->rc = dt_fail(r->h,
		    "the DOF file uses the kernel symbol "
		    "%s`%s, which this kernel does not have or does not show",
		    k->module, k->symbol);
}

/* Store the addresses of the symbols on this kernel. */
int
dt_dof_resolve(struct dt_hdl *h, const struct dif_prog *dif)
{
	struct resolving r = { .h = h };

	strtab_init(&r.ks.keys);
	strtab_init(&r.ks.symbols);
	for_each_krel(dif, want_symbol, &r.ks);
	/* a kernel without the list is one that does not show its symbols */
	if (r.ks.addrs.n != 0 && !kallsyms_each(take_symbol, &r.ks) &&
	    errno != ENOENT)
		r.rc = dt_fail(h,
		    "the DOF file uses kernel symbols, and they cannot be "
		    "read: /proc/kallsyms: %s",
		    strerror(errno));
	else
		for_each_krel(dif, resolve_krel, &r);
	strtab_fini(&r.ks.keys);
	strtab_fini(&r.ks.symbols);
	VEC_FREE(&r.ks.addrs);
	return r.rc;
}
