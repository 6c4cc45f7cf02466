/* SPDX-License-Identifier: BSD-2-Clause */
#include "sym/usyms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/ownfailure.h"
#include "base/str.h"
#include "sym/demangle.h"
#include "sym/usyms_impl.h"

#define JIT "[jit]"

struct usyms *
usyms_create(struct sym_cache *sc)
{
	struct usyms *us = mem_alloc(sizeof(*us));

	us->sc = sc;
	strtab_init(&us->strs);
	return us;
}

void
usyms_destroy(struct usyms *us)
{
	if (us == NULL)
		return;
	uprocs_fini(us);
	ufiles_fini(us);
	ukeys_destroy(us->keys);
	strtab_fini(&us->strs);
	free(us->cache);
	free(us);
}

void
usyms_note_error(struct usyms *us, int err)
{
	if (is_own_failure(err))
		us->error = err;
}

int
usyms_take_error(struct usyms *us)
{
	int error = us->error;

	us->error = 0;
	return error;
}

void
usyms_set_demangle(struct usyms *us, bool on)
{
	us->demangle = on;
}

void
usyms_follow(struct usyms *us, struct sideband *sb)
{
	uproc_follow(us, sb);
}

void
usyms_note(struct usyms *us, pid_t pid)
{
	struct uproc *p = uproc_find(us, pid);

	if (p == NULL)
		uproc_get(us, pid, USYM_NOW);
	else
		uproc_refresh(us, p);
}

/* ---- one address --------------------------------------------------------- */

static const char *
readable_name(struct usyms *us, const char *name)
{
	char *text = us->demangle ? demangle_name(name) : NULL;

	if (text == NULL)
		return name;
	name = strtab_str(&us->strs, strtab_intern(&us->strs, text));
	free(text);
	return name;
}

/* Find a function in the JIT compiler's table; the table may be replaced. */
static bool
find_jitted(struct usyms *us, struct uproc *p, uint64_t addr, struct usym *out)
{
	struct elf_syms *es = uproc_jit(p);
	const struct elf_sym *sym =
	    es != NULL ? elf_syms_by_addr(es, addr) : NULL;
	const char *name;

	if (sym == NULL)
		return false;
	name = strtab_str(
	    &us->strs, strtab_intern(&us->strs, elf_sym_name(es, sym)));
	*out = (struct usym){ .module = JIT,
		.path = "",
		.name = name,
		.offset = addr - sym->value,
		.symbol = sym->value,
		.size = sym->size,
		.is_code = true };
	return true;
}

/* The beginning of the module: the address of offset 0 of the file. */
static uint64_t
module_base(const struct umap *map, const struct elf_syms *es, uint64_t bias)
{
	const struct elf_seg *s = es != NULL ? elf_syms_seg(es, 0) : NULL;

	return s != NULL ? bias + s->vaddr - s->off : map->start - map->off;
}

static void
name_it(struct usyms *us, const struct elf_syms *es, uint64_t vaddr,
    struct usym *out)
{
	const struct elf_sym *sym = elf_syms_by_addr(es, vaddr);

	if (sym == NULL)
		return;
	out->name = readable_name(us, elf_sym_name(es, sym));
	out->offset = vaddr - sym->value;
	out->vaddr = sym->value;
	out->size = sym->size;
	out->is_code = elf_sym_is_code(sym);
}

static void
find_in_file(struct usyms *us, struct uproc *p, const struct umap *map,
    uint64_t addr, struct usym *out)
{
	struct elf_syms *es = ufile_syms(us, p->pid, map);
	const struct ufile *f = &us->files.v[map->file];
	uint64_t off = addr - map->start + map->off, vaddr = off;
	bool has_vaddr = es != NULL &&
	    (elf_syms_vaddr(es, off, map->is_exec, &vaddr) ||
		elf_syms_vaddr(es, off, !map->is_exec, &vaddr));

	*out = (struct usym){
		.module = f->name, .path = f->id.path, .is_code = map->is_exec
	};
	out->base = module_base(map, has_vaddr ? es : NULL, addr - vaddr);
	out->offset = addr - out->base;
	if (has_vaddr) {
		out->file = es;
		out->file_addr = vaddr;
		name_it(us, es, vaddr, out);
	}
	if (out->name != NULL)
		out->symbol = addr - out->offset;
}

/* The mapping at that address and time, as far as it can be found out. */
static const struct umap *
find_map(struct usyms *us, struct uproc *p, uint64_t addr, uint64_t time_ns)
{
	const struct umap *map = uproc_map(p, addr, time_ns);

	if (map == NULL && uproc_refresh(us, p))
		map = uproc_map(p, addr, time_ns);
	return map;
}

bool
usyms_code(struct usyms *us, pid_t pid, uint64_t addr, uint64_t time_ns,
    struct ucode *code)
{
	struct uproc *p = uproc_get(us, pid, time_ns);
	const struct umap *map =
	    p != NULL ? find_map(us, p, addr, time_ns) : NULL;
	const struct ufile *f;

	if (map == NULL || !map->is_exec)
		return false;
	f = &us->files.v[map->file];
	*code = (struct ucode){ .start = map->start,
		.end = map->end,
		.off = map->off,
		.dev = f->id.dev,
		.ino = f->id.ino,
		.is_vdso = ufile_is_vdso(f),
		.file = map->file };
	return true;
}

static bool
find_now(struct usyms *us, struct uproc *p, uint64_t addr, uint64_t time_ns,
    struct usym *out)
{
	const struct umap *map = find_map(us, p, addr, time_ns);

	if (map == NULL)
		return false;
	if (us->files.v[map->file].name[0] == '\0')
		return find_jitted(us, p, addr, out);
	find_in_file(us, p, map, addr, out);
	if (out->name == NULL && map->is_exec) {
		struct usym jitted;

		if (find_jitted(us, p, addr, &jitted))
			*out = jitted;
	}
	return true;
}

static struct ucached *
cache_slot(struct usyms *us, const struct uproc *p, uint64_t addr)
{
	uint64_t h = (addr ^ ((uint64_t)p->pid << 40)) * 0x9e3779b97f4a7c15u;

	if (us->cache == NULL)
		us->cache = mem_alloc(UCACHE_SIZE * sizeof(*us->cache));
	return &us->cache[h >> 49];
}
_Static_assert(UCACHE_SIZE == 1 << (64 - 49), "all slots, and no others");

bool
usyms_find(struct usyms *us, pid_t pid, uint64_t addr, uint64_t time_ns,
    struct usym *sym)
{
	struct uproc *p = uproc_get(us, pid, time_ns);
	struct ucached *c;
	bool found;

	if (p == NULL)
		return false;
	c = cache_slot(us, p, addr);
	if (c->proc == p && c->addr == addr && c->gen == p->gen &&
	    (time_ns == USYM_NOW || time_ns >= p->changed)) {
		*sym = c->sym;
		return c->is_found;
	}
	found = find_now(us, p, addr, time_ns, sym);
	if (time_ns == USYM_NOW || time_ns >= p->changed)
		*c = (struct ucached){ .proc = p,
			.addr = addr,
			.gen = p->gen,
			.is_found = found,
			.sym = found ? *sym : (struct usym){ 0 } };
	return found;
}

uint64_t
usyms_version(struct usyms *us, pid_t pid, uint64_t time_ns)
{
	const struct uproc *p = uproc_get(us, pid, time_ns);

	return p == NULL || time_ns < p->changed ?
	    0 :
	    (p->changed << 8) + p->gen + 1;
}

/* ---- as text ------------------------------------------------------------- */

void
usym_format(const struct usym *sym, struct strbuf *out)
{
	strbuf_adds(out, sym->module);
	strbuf_addc(out, '`');
	if (sym->name != NULL)
		strbuf_adds(out, sym->name);
	if (sym->offset != 0 || sym->name == NULL) {
		strbuf_addc(out, '+');
		strbuf_add_hex(out, sym->offset);
	}
}

void
usyms_format(struct usyms *us, pid_t pid, uint64_t addr, uint64_t time_ns,
    struct strbuf *out)
{
	struct usym sym;

	if (usyms_find(us, pid, addr, time_ns, &sym))
		usym_format(&sym, out);
	else
		strbuf_add_hex(out, addr);
}
