/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel symbols: addresses to names.
 *
 * /proc/kallsyms has some 200,000 lines, so it is read only when the first
 * address is to be named, and only code symbols are kept.  Where the kernel
 * hides addresses (kptr_restrict) all of them read as 0: we then know no
 * symbol, and addresses are printed as numbers.
 */
#include "consume/consume_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/kallsyms.h"

struct ksym {
	uint64_t addr;
	uint32_t name;		/* offset in names */
	uint32_t mod;		/* id in mods */
};

struct ksyms {
	ksyms_lookup_f *lookup;	/* asked first; or NULL */
	void *lookup_arg;
	bool is_loaded;
	bool is_plain;
	VEC(struct ksym) syms;	/* by address */
	VEC(uint64_t) lowest;	/* addresses of modules, by id */
	struct strbuf names;
	struct strtab mods;
};

struct ksyms *
ksyms_create(void)
{
	struct ksyms *ks = mem_alloc(sizeof(*ks));

	strtab_init(&ks->mods);
	return ks;
}

void
ksyms_destroy(struct ksyms *ks)
{
	if (ks == NULL)
		return;
	VEC_FREE(&ks->syms);
	VEC_FREE(&ks->lowest);
	strbuf_fini(&ks->names);
	strtab_fini(&ks->mods);
	free(ks);
}

void
ksyms_forget(struct ksyms *ks)
{
	ks->is_loaded = false;
	VEC_FREE(&ks->syms);
	VEC_FREE(&ks->lowest);
	strbuf_fini(&ks->names);
	memset(&ks->names, 0, sizeof(ks->names));
}

void
ksyms_set_plain(struct ksyms *ks, bool is_plain)
{
	ks->is_plain = is_plain;
}

void
ksyms_set_lookup(struct ksyms *ks, ksyms_lookup_f *f, void *arg)
{
	ks->lookup = f;
	ks->lookup_arg = arg;
}

static bool
ksyms_add(const struct ksymbol *ksym, void *arg)
{
	struct ksym sym = { .addr = ksym->addr };
	struct ksyms *ks = arg;

	if (sym.addr == 0 || !ksym_is_code(ksym->type))
		return false;
	sym.name = (uint32_t)ks->names.len;
	sym.mod = strtab_intern(&ks->mods, ksym->module);
	strbuf_add(&ks->names, ksym->name, strlen(ksym->name) + 1);
	VEC_PUSH(&ks->syms, sym);
	return false;
}

/* By address; among equals, as the kernel lists them. */
static int
ksym_cmp(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static void
find_lowest(struct ksyms *ks)
{
	VEC_FOREACH(&ks->syms, sym) {
		while (ks->lowest.n <= sym->mod)
			VEC_PUSH(&ks->lowest, 0);
		if (ks->lowest.v[sym->mod] == 0)
			ks->lowest.v[sym->mod] = sym->addr;
	}
}

static void
ksyms_load(struct ksyms *ks)
{
	ks->is_loaded = true;
	kallsyms_each(ksyms_add, ks);
	if (ks->syms.n != 0)
		qsort(ks->syms.v, ks->syms.n, sizeof(*ks->syms.v), ksym_cmp);
	find_lowest(ks);
}

/* The first symbol at the highest address not above addr, or NULL. */
static const struct ksym *
ksyms_find(const struct ksyms *ks, uint64_t addr)
{
	size_t lo = 0, hi = ks->syms.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (ks->syms.v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return NULL;
	while (lo > 1 && ks->syms.v[lo - 2].addr == ks->syms.v[lo - 1].addr)
		lo--;
	return &ks->syms.v[lo - 1];
}

bool
ksyms_find_name(struct ksyms *ks, uint64_t addr, const char **mod,
    const char **name, uint64_t *offset)
{
	const struct ksym *sym;

	if (ks->is_plain)
		return false;
	if (ks->lookup != NULL &&
	    ks->lookup(ks->lookup_arg, addr, mod, name, offset))
		return true;
	if (!ks->is_loaded)
		ksyms_load(ks);
	sym = ksyms_find(ks, addr);
	if (sym == NULL)
		return false;
	*mod = strtab_str(&ks->mods, sym->mod);
	*name = ks->names.s + sym->name;
	*offset = addr - sym->addr;
	return true;
}

uint64_t
ksyms_module_addr(struct ksyms *ks, const char *mod)
{
	uint32_t id = strtab_find(&ks->mods, mod);

	return id < ks->lowest.n ? ks->lowest.v[id] : 0;
}

void
ksyms_format(struct ksyms *ks, uint64_t addr, struct strbuf *out)
{
	const char *mod, *name;
	uint64_t offset;

	if (!ksyms_find_name(ks, addr, &mod, &name, &offset)) {
		strbuf_add_hex(out, addr);
		return;
	}
	strbuf_adds(out, mod);
	strbuf_addc(out, '`');
	strbuf_adds(out, name);
	if (offset != 0) {
		strbuf_addc(out, '+');
		strbuf_add_hex(out, offset);
	}
}
