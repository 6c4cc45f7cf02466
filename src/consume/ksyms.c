/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel symbols: addresses to names.
 *
 * /proc/kallsyms has some 200,000 lines, so it is read only when the first
 * address needs a name.  If the kernel hides addresses (kptr_restrict) all of
 * them read as 0: then no symbol is known, and addresses are printed as
 * numbers.
 *
 * It gives the start of symbols, but not their end.  A symbol ends where the
 * next one begins, or where the kernel's code or the module that contains it
 * ends: addresses after that have no name.  Data is listed only with
 * CONFIG_KALLSYMS_ALL.
 *
 * Modules and BPF programs come and go, so the code around an address outside
 * of the kernel itself is looked up again, at most once a second.
 */
#include "consume/ksyms.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/kallsyms.h"
#include "base/lines.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#define MODULES "/proc/modules"
#define SECOND 1000000000ull
#define RARELY 64 /* times the duration of a load */

struct ksym {
	uint64_t addr;
	uint32_t name;	   /* offset in names */
	uint32_t mod : 31; /* id in mods; 0: only ends the symbol before */
	uint32_t is_data : 1;
};

/* A line of /proc/modules. */
struct ksyms_extent {
	uint64_t mod, start, end;
};
struct extents {
	VEC(struct ksyms_extent) v;
};

/* A module, or an owner of code that kallsyms lists like a module. */
struct ksyms_module {
	uint64_t lowest;     /* lowest known address; or 0 */
	uint64_t start, end; /* or 0 */
	bool is_listed;	     /* in /proc/modules: not bpf or other
				 * generated code */
	bool has_syms;
};

struct ksyms {
	ksyms_lookup_f *lookup; /* asked first; or NULL */
	void *lookup_arg;
	bool is_loaded;
	bool is_plain;
	bool has_data;
	int error;	 /* see ksyms_take_error() */
	uint32_t kernel; /* id in mods */
	uint32_t bpf;
	uint64_t next_look_ns; /* next reading of /proc/modules */
	uint64_t next_load_ns; /* next load, even if /proc/modules is the
				 * same */
	VEC(struct ksym) syms; /* by address */
	struct extents extents;
	VEC(struct ksyms_module) modules; /* by id */
	struct strbuf names;
	VEC(char *) past_names; /* names that callers may still hold */
	struct strtab mods;
};

struct ksyms *
ksyms_create(void)
{
	struct ksyms *ks = mem_alloc(sizeof(*ks));

	strtab_init(&ks->mods);
	ks->kernel = strtab_intern(&ks->mods, "vmlinux");
	ks->bpf = strtab_intern(&ks->mods, "bpf");
	return ks;
}

int
ksyms_take_error(struct ksyms *ks)
{
	int error = ks->error;

	ks->error = 0;
	return error;
}

/* A list that is not there has nothing that should be read. */
static void
note_list(struct ksyms *ks, bool is_read)
{
	if (!is_read && errno != ENOENT)
		ks->error = errno;
}

static struct ksyms_module *
module_of(struct ksyms *ks, uint32_t id)
{
	while (ks->modules.n <= id)
		VEC_PUSH(&ks->modules, (struct ksyms_module){ 0 });
	return &ks->modules.v[id];
}

/*
 * A module that only the lookup function knows keeps its address, since keys
 * contain it.
 */
static void
unload(struct ksyms *ks)
{
	VEC_FOREACH(&ks->modules, m) {
		*m = (struct ksyms_module){ .lowest =
						m->has_syms ? 0 : m->lowest };
	}
	VEC_FREE(&ks->syms);
	if (ks->names.s != NULL)
		VEC_PUSH(&ks->past_names, ks->names.s);
	memset(&ks->names, 0, sizeof(ks->names));
}

void
ksyms_forget(struct ksyms *ks)
{
	ks->is_loaded = false;
	unload(ks);
	VEC_FREE(&ks->extents.v);
	VEC_FOREACH(&ks->past_names, names) {
		free(*names);
	}
	VEC_FREE(&ks->past_names);
}

void
ksyms_destroy(struct ksyms *ks)
{
	if (ks == NULL)
		return;
	ksyms_forget(ks);
	VEC_FREE(&ks->modules);
	strtab_fini(&ks->mods);
	free(ks);
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

/* ---- reading ------------------------------------------------------------- */

struct reading {
	struct ksyms *ks;
	struct extents extents;
};

/* "nfs 483328 1 nfsv4, Live 0xffffffffc0a00000"; the address may be hidden. */
static bool
take_module(char *line, void *arg)
{
	struct reading *r = arg;
	struct ksyms_extent e;
	uint64_t size;
	char name[128];

	if (sscanf(line, "%127s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &size,
		&e.start) != 3)
		return false;
	e.mod = strtab_intern(&r->ks->mods, name);
	e.end = e.start != 0 ? e.start + size : 0;
	VEC_PUSH(&r->extents.v, e);
	return false;
}

/*
 * Returns false if the modules are still the same.  A kernel without modules
 * has no list.
 */
static bool
read_modules(struct ksyms *ks)
{
	int fd = open(MODULES, O_RDONLY | O_CLOEXEC);
	struct reading r = { .ks = ks };
	size_t n;

	note_list(ks, fd >= 0 && lines_each(fd, take_module, &r));
	if (fd >= 0)
		close(fd);
	n = r.extents.v.n;
	if (n == ks->extents.v.n &&
	    (n == 0 ||
		memcmp(r.extents.v.v, ks->extents.v.v,
		    n * sizeof(struct ksyms_extent)) == 0)) {
		VEC_FREE(&r.extents.v);
		return false;
	}
	VEC_FREE(&ks->extents.v);
	ks->extents = r.extents;
	return true;
}

/*
 * Types of symbols, as nm(1) has them.  Symbols of other types are not
 * addresses: the values of 'a' are numbers.
 */
static bool
is_data(char type)
{
	return type != '\0' && strchr("bBdDrRvV", type) != NULL;
}

/* Symbols that mark the end of a part of the kernel: nothing begins at them. */
static bool
is_end(const char *name)
{
	return strcmp(name, "_etext") == 0 || strcmp(name, "_einittext") == 0 ||
	    strcmp(name, "_end") == 0 ||
	    strcmp(name, "__init_scratch_end") == 0;
}

/* Hidden addresses and per-CPU offsets are below the kernel's half. */
static bool
ksyms_add(const struct ksymbol *ksym, void *arg)
{
	struct ksym sym = { .addr = ksym->addr,
		.is_data = is_data(ksym->type) };
	struct ksyms *ks = arg;

	if (sym.addr >> 63 == 0 || !(sym.is_data || ksym_is_code(ksym->type)))
		return false;
	sym.name = (uint32_t)ks->names.len;
	sym.mod = strtab_intern(&ks->mods, ksym->module);
	if (sym.mod == ks->kernel && is_end(ksym->name))
		sym.mod = 0;
	if (sym.mod == ks->kernel && strcmp(ksym->name, KALLSYMS_DATA) == 0)
		ks->has_data = true;
	strbuf_add(&ks->names, ksym->name, strlen(ksym->name) + 1);
	VEC_PUSH(&ks->syms, sym);
	return false;
}

/*
 * Order by address; among equal ones an end first, then as the kernel lists
 * them.
 */
static int
ksym_cmp(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if ((x->mod == 0) != (y->mod == 0))
		return x->mod == 0 ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/*
 * Some data symbols are always listed; data after them does not belong to them.
 */
static void
drop_data(struct ksyms *ks)
{
	size_t n = 0;

	VEC_FOREACH(&ks->syms, sym) {
		if (!sym->is_data || sym->mod == 0)
			ks->syms.v[n++] = *sym;
	}
	ks->syms.n = n;
}

static void
fill_modules(struct ksyms *ks)
{
	VEC_FOREACH(&ks->syms, sym) {
		struct ksyms_module *m = module_of(ks, sym->mod);

		if (m->lowest == 0)
			m->lowest = sym->addr;
		m->has_syms = true;
	}
	VEC_FOREACH(&ks->extents.v, e) {
		struct ksyms_module *m = module_of(ks, (uint32_t)e->mod);

		m->start = e->start;
		m->end = e->end;
		m->is_listed = true;
	}
	module_of(ks, ks->kernel)->is_listed = true;
}

static void
load_symbols(struct ksyms *ks)
{
	uint64_t begin = now_ns(), end, wait;

	ks->has_data = false;
	note_list(ks, kallsyms_each(ksyms_add, ks));
	if (!ks->has_data)
		drop_data(ks);
	if (ks->syms.n != 0)
		qsort(ks->syms.v, ks->syms.n, sizeof(*ks->syms.v), ksym_cmp);
	fill_modules(ks);
	end = now_ns();
	wait = (end - begin) * RARELY;
	ks->next_look_ns = end + SECOND;
	ks->next_load_ns = end + (wait > SECOND ? wait : SECOND);
}

/* Read the modules first: a module loaded meanwhile is then noticed later. */
static void
ksyms_load(struct ksyms *ks)
{
	ks->is_loaded = true;
	read_modules(ks);
	load_symbols(ks);
}

/* ---- finding ------------------------------------------------------------- */

/*
 * Does the last symbol that is not above addr extend to addr?  If a module is
 * not contiguous, or its length is unknown, each of its parts ends in the page
 * of its last symbol; BPF programs are longer.
 */
static bool
reaches(struct ksyms *ks, const struct ksym *sym, uint64_t addr)
{
	const struct ksyms_module *m = module_of(ks, sym->mod);
	const struct ksym *end = ks->syms.v + ks->syms.n, *next = sym;

	if (sym->mod == 0)
		return false;
	if (sym->addr >= m->start && sym->addr < m->end)
		return addr < m->end;
	while (next < end && next->addr == sym->addr)
		next++;
	if (m->is_listed && next < end &&
	    (next->mod == sym->mod || next->mod == 0))
		return true;
	return addr - sym->addr < (sym->mod == ks->bpf ? 0x10000 : 0x1000);
}

/* The first symbol at the highest address not above addr, or NULL. */
static const struct ksym *
ksyms_find(struct ksyms *ks, uint64_t addr)
{
	size_t lo = 0, hi = ks->syms.n;
	const struct ksym *sym;

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
	sym = &ks->syms.v[lo - 1];
	return reaches(ks, sym, addr) ? sym : NULL;
}

/*
 * Code calls targets less than 2 GB away: modules and other code are within
 * that distance.
 */
static bool
is_near_kernel(struct ksyms *ks, uint64_t addr)
{
	uint64_t kernel = module_of(ks, ks->kernel)->lowest;

	return kernel != 0 && addr - kernel + (1u << 31) < 1ull << 32;
}

/*
 * Were the symbols read again?  They are read when modules have changed.
 * Generated code (BPF programs) is listed only among all symbols, which take
 * long to read.
 */
static bool
look_again(struct ksyms *ks, const struct ksym *sym)
{
	bool is_listed;
	uint64_t now;

	if (sym != NULL && sym->mod == ks->kernel)
		return false;
	now = now_ns();
	if (now < ks->next_look_ns)
		return false;
	ks->next_look_ns = now + SECOND;
	is_listed = sym != NULL && module_of(ks, sym->mod)->is_listed;
	if (!read_modules(ks) && (is_listed || now < ks->next_load_ns))
		return false;
	unload(ks);
	load_symbols(ks);
	return true;
}

bool
ksyms_find_name(struct ksyms *ks, uint64_t addr, struct ksym_name *found)
{
	const struct ksym *sym;

	*found = (struct ksym_name){ 0 };
	if (ks->is_plain)
		return false;
	if (ks->lookup != NULL &&
	    ks->lookup(ks->lookup_arg, addr, &found->module, &found->name,
		&found->offset))
		return true;
	if (!ks->is_loaded)
		ksyms_load(ks);
	sym = ksyms_find(ks, addr);
	if (is_near_kernel(ks, addr) && look_again(ks, sym))
		sym = ksyms_find(ks, addr);
	if (sym == NULL)
		return false;
	*found = (struct ksym_name){ .module = strtab_str(&ks->mods, sym->mod),
		.name = ks->names.s + sym->name,
		.offset = addr - sym->addr,
		.is_data = sym->is_data };
	return true;
}

uint64_t
ksyms_module_addr(struct ksyms *ks, const char *mod, uint64_t addr)
{
	struct ksyms_module *m = module_of(ks, strtab_intern(&ks->mods, mod));

	if (m->lowest == 0)
		m->lowest = addr;
	return m->lowest;
}

void
ksyms_format(struct ksyms *ks, uint64_t addr, struct strbuf *out)
{
	struct ksym_name found;

	if (!ksyms_find_name(ks, addr, &found)) {
		strbuf_add_hex(out, addr);
		return;
	}
	strbuf_adds(out, found.module);
	strbuf_addc(out, '`');
	strbuf_adds(out, found.name);
	if (found.offset != 0) {
		strbuf_addc(out, '+');
		strbuf_add_hex(out, found.offset);
	}
}
