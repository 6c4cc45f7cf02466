/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of a module: find those that a description selects, read their
 * code, and make their entry, return, pause and offset probes.
 */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "provider/pid_impl.h"
#include "provider/provider.h"
#include "provider/provider_impl.h"
#include "provider/ufiles.h"
#include "provider/usdt_files.h"
#include "x86/entry.h"

/* ---- code ---------------------------------------------------------------- */

/* The beginning of the next function, or the section's end. */
static uint64_t
symbol_end(const struct pid_match *pm, const struct elf_sym *sym)
{
	const struct elf_sect *sect = elf_syms_sect(pm->es, sym->shndx);
	const struct elf_sym *next = elf_syms_next_code(pm->es, sym->value);

	if (next != NULL)
		return next->value;
	return sect != NULL ? sect->vaddr + sect->size : sym->value;
}

uint64_t
pid_symbol_size(const struct pid_match *pm, const struct elf_sym *sym)
{
	return sym->size != 0 ? sym->size : symbol_end(pm, sym) - sym->value;
}

/* May dtrace read so many bytes more?  Functions may share bytes: several names
 * of one, or parts of another.  A file in which all functions share all bytes
 * would be read for ever. */
static bool
may_read(struct pid_match *pm, uint64_t size)
{
	char *why;

	if (size <= pm->unread) {
		pm->unread -= size;
		return true;
	}
	why = bounds_refusal(LIMIT_OVERLAP);
	pm->rc = dt_registry_refuse(
	    pm->r, DT_REFUSE_LIB, -E2BIG, "%s: %s", pm->m->path, why);
	free(why);
	return false;
}

/* Read the code of a function.  False: it is not in the file. */
static bool
read_code(struct pid_match *pm, const struct elf_sym *sym)
{
	uint64_t size = pid_symbol_size(pm, sym), off;
	ssize_t n;

	if (size == 0 || size > PID_MAX_FUNC ||
	    !elf_syms_offset(pm->es, sym->value, &off) || !may_read(pm, size))
		return false;
	if (size > pm->bytes_cap) {
		pm->bytes_cap = size;
		pm->bytes = mem_realloc(pm->bytes, size);
	}
	n = pread(pm->file->fd, pm->bytes, size, (off_t)off);
	if (n < 0)
		pm->rc = dt_registry_fail(pm->r, -errno,
		    "cannot read the code of %s in %s: %s", pm->sym_name,
		    pm->m->path, strerror(errno));
	if (n != (ssize_t)size)
		return false;
	pm->code = (struct x86_code){ pm->bytes, size, pm->is_32 };
	return true;
}

/* ---- entries and returns ------------------------------------------------- */

/* The place of the next name within the function, or the function's end. */
static uint64_t
names_end(const struct pid_match *pm)
{
	uint64_t end = symbol_end(pm, pm->sym) - pm->sym->value;

	return end < pm->code.len ? end : pm->code.len;
}

static const struct elf_sect *
section_of(const struct elf_syms *es, uint64_t vaddr)
{
	for (size_t i = 0; i < elf_syms_nsects(es); i++) {
		const struct elf_sect *s = elf_syms_sect(es, i);

		if (s != NULL && s->is_exec && s->type == SHT_PROGBITS &&
		    vaddr - s->vaddr < s->size)
			return s;
	}
	return NULL;
}

/* The function at hand, which lives as long as the registry if it is copied. */
static struct dt_ufunc
describe_function(struct pid_match *pm)
{
	struct dt_ufunc func = { .len = pm->code.len,
		.own_len = names_end(pm) };
	const struct elf_sect *s = section_of(pm->es, pm->sym->value);

	func.taken = pid_taken(
	    pm, 0, pm->code.len < X86_ENTRY_MAX ? pm->code.len : X86_ENTRY_MAX);
	elf_syms_offset(pm->es, pm->sym->value, &func.off);
	if (s != NULL && elf_syms_offset(pm->es, s->vaddr, &func.text_off))
		func.text_len = s->size;
	return func;
}

static const struct dt_ufunc *
keep_function(const struct pid_match *pm, const struct dt_ufunc *func)
{
	struct dt_ufunc *kept =
	    ARENA_NEW(dt_registry_arena(pm->r), struct dt_ufunc);

	*kept = *func;
	return kept;
}

static void
add_entry(struct pid_match *pm)
{
	const struct dt_ufunc func = describe_function(pm);
	const struct dt_code_place at = { .code = &pm->code, .func = &func };
	struct dt_usite site = pid_site_at(pm, 0);

	if (dt_registry_can_arm(pm->r, DT_PROBE_FUNC_ENTRY, &at)) {
		site.func = keep_function(pm, &func);
		pid_add_probe(pm, "entry", DT_PROBE_FUNC_ENTRY, &site, 1);
	} else if (pid_can_probe(pm, "entry", 0)) {
		pid_refuse_taken(pm, "entry"); /* in front of it */
	}
}

/* Is it the name of a part of the function that the compiler has moved away? */
static bool
is_cold_part(const struct pid_match *pm, const struct elf_sym *sym)
{
	const char *name = elf_sym_name(pm->es, sym);
	size_t n = strlen(pm->sym_name);

	return strncmp(name, pm->sym_name, n) == 0 &&
	    strncmp(name + n, ".cold", 5) == 0;
}

enum x86_outside
pid_outside(void *arg, int64_t off)
{
	const struct pid_match *pm = arg;
	uint64_t addr = pm->sym->value + (uint64_t)off;
	const struct elf_sym *sym = elf_syms_by_addr(pm->es, addr);

	if (sym == NULL || !elf_sym_is_code(sym))
		return X86_OUT_UNKNOWN;
	if (is_cold_part(pm, sym))
		return X86_OUT_PART;
	return sym->value == addr ? X86_OUT_FUNCTION : X86_OUT_UNKNOWN;
}

struct dt_usite
pid_return_at(const struct pid_match *pm, uint64_t off, uint8_t cond)
{
	struct dt_usite site = pid_site_at(pm, off);

	site.func_off = (int32_t)off;
	site.cond = cond;
	return site;
}

static void
add_returns(struct pid_match *pm)
{
	VEC(struct dt_usite) sites = { 0 };
	struct x86_exits exits = { 0 };

	x86_find_exits(&pm->code, pid_outside, pm, &exits);
	VEC_FOREACH(&exits.v, e) {
		if (pid_can_probe(pm, "return", e->off))
			VEC_PUSH(&sites, pid_return_at(pm, e->off, e->cond));
	}
	/* some exits without the others would be wrong */
	if (sites.n != 0 && sites.n == exits.v.n)
		pid_add_probe(
		    pm, "return", DT_PROBE_FUNC_RETURN, sites.v, sites.n);
	VEC_FREE(&sites);
	VEC_FREE(&exits.v);
}

/* ---- pauses and offsets -------------------------------------------------- */

/* PAUSE (F3 90) is where code waits for another CPU. */
static void
add_pauses(struct pid_match *pm)
{
	VEC(struct dt_usite) sites = { 0 };
	struct x86_insn insn;

	for (size_t off = 0; x86_decode(&pm->code, off, &insn);
	     off += insn.len) {
		const uint8_t *b = pm->code.bytes + off;

		if (insn.len == 2 && b[0] == 0xf3 && b[1] == 0x90 &&
		    pid_can_probe(pm, PID_PAUSE, off))
			VEC_PUSH(&sites, pid_site_at(pm, off));
	}
	if (sites.n != 0)
		pid_add_probe(
		    pm, PID_PAUSE, DT_PROBE_FUNC_OFFSET, sites.v, sites.n);
	VEC_FREE(&sites);
}

static void
add_offset(struct pid_match *pm, uint64_t off)
{
	struct dt_usite site = pid_site_at(pm, off);
	char name[20];

	snprintf(name, sizeof(name), "%" PRIx64, off);
	pid_add_probe(pm, name, DT_PROBE_FUNC_OFFSET, &site, 1);
}

static void
add_matching_offsets(struct pid_match *pm)
{
	struct x86_insn insn;

	size_t steps = 0;

	for (uint64_t off = 0; x86_decode(&pm->code, off, &insn) &&
	     pm->rc == 0 && !BOUNDS_POLL(steps);
	     off += insn.len) {
		char name[20];

		snprintf(name, sizeof(name), "%" PRIx64, off);
		if (dt_field_match(pm->name, name) &&
		    pid_can_probe(pm, name, off))
			add_offset(pm, off);
	}
}

/* A name that is no pattern: an offset.  Of several functions a pattern selects
 * those that have an instruction there. */
static void
add_named_offset(struct pid_match *pm)
{
	uint64_t off;

	if (!pid_offset_parse(pm->name, &off))
		pm->rc = dt_registry_refuse(pm->r, DT_REFUSE_NAME, -EINVAL,
		    "'%s' is neither entry, return, exit, pause nor an offset "
		    "in the function (in hexadecimal)",
		    pm->name);
	else if (!pid_is_alone(pm) &&
	    (off >= pm->code.len || !x86_is_boundary(&pm->code, off)))
		return;
	else if (off >= pm->code.len)
		pm->rc = dt_registry_refuse(pm->r, DT_REFUSE_OFF, -EINVAL,
		    "offset 0x%" PRIx64 " is outside of %s, which has 0x%zx "
		    "bytes",
		    off, pm->sym_name, pm->code.len);
	else if (!x86_is_boundary(&pm->code, off))
		pm->rc = dt_registry_refuse(pm->r, DT_REFUSE_ALIGN, -EINVAL,
		    "no instruction of %s begins at offset 0x%" PRIx64,
		    pm->sym_name, off);
	else if (pid_can_probe(pm, pm->name, off))
		add_offset(pm, off);
}

/* ---- functions of a module ----------------------------------------------- */

/* Do patterns select the symbol?  Only functions that are called. */
static bool
is_for_patterns(const struct elf_sym *sym, const char *name)
{
	return sym->kind == ELF_SYM_FUNC && sym->size != 0 &&
	    strcmp(name, "_init") != 0 && strcmp(name, "_fini") != 0;
}

/*
 * Of several names for an address a pattern means one: the first of those that
 * it matches, in the order of elf_syms_get(): global, weak, local, then by
 * leading underscores.
 */
static bool
is_alias(const struct pid_match *pm, const struct elf_syms *es,
    const struct elf_sym *sym)
{
	size_t i = (size_t)(sym - elf_syms_get(es, 0));

	while (i-- > 0) {
		const struct elf_sym *better = elf_syms_get(es, i);
		const char *name = elf_sym_name(es, better);

		if (better->value != sym->value)
			return false;
		if (is_for_patterns(better, name) &&
		    dt_field_match(pm->func, name))
			return true;
	}
	return false;
}

static int
match_function(void *arg, const struct elf_syms *es, const struct elf_sym *sym)
{
	struct pid_match *pm = arg;
	const char *name = elf_sym_name(es, sym);

	if (!elf_sym_is_code(sym) ||
	    (pid_field_is_pattern(pm->func) &&
		(!is_for_patterns(sym, name) || is_alias(pm, es, sym))))
		return 0;
	/* its code runs once, to choose the function's */
	if (sym->kind == ELF_SYM_IFUNC) {
		if (pm->ifunc_mod == NULL) {
			pm->ifunc_mod = pm->mod_at;
			pm->ifunc_at = sym->value;
		}
		return 0;
	}
	pm->sym = sym;
	pm->sym_name = name;
	if (!read_code(pm, sym))
		return pm->rc;
	pm->nfuncs++;
	if (dt_field_match(pm->name, "entry"))
		add_entry(pm);
	if (dt_field_match(pm->name, "return"))
		add_returns(pm);
	if (pid_field_is_pattern(pm->name))
		add_matching_offsets(pm);
	else if (strcmp(pm->name, PID_EXIT) == 0)
		pid_add_exits(pm);
	else if (strcmp(pm->name, PID_PAUSE) == 0)
		add_pauses(pm);
	else if (strcmp(pm->name, "entry") != 0 &&
	    strcmp(pm->name, "return") != 0)
		add_named_offset(pm);
	return pm->rc;
}

static bool
is_code(const struct elf_syms *es, uint64_t vaddr)
{
	for (size_t i = 0; i < elf_syms_nsegs(es); i++) {
		const struct elf_seg *s = elf_syms_seg(es, i);

		if (s->is_exec && vaddr - s->vaddr < s->filesz)
			return true;
	}
	return false;
}

/* Convert an address of the process, or of the file for all processes, to an
 * offset in the file.  False: the module has no code there. */
static bool
find_address(const struct pid_match *pm, uint64_t addr, uint64_t *off)
{
	const struct proc_map *map = proc_maps_find(&pm->maps, addr);

	if (pm->pid == 0)
		return is_code(pm->es, addr) &&
		    elf_syms_offset(pm->es, addr, off);
	if (map == NULL || !map->is_exec || map < pm->m->maps ||
	    map >= pm->m->maps + pm->m->nmaps)
		return false;
	*off = map->off + (addr - map->start);
	return true;
}

/* Of all processes' code: may a probe be at the address?  Its function is not
 * known, so the instruction is looked at as if one began there. */
static bool
may_probe_address(struct pid_match *pm, uint64_t addr, uint64_t off)
{
	struct elf_sym sym = { .value = addr };
	uint8_t bytes[16];
	ssize_t n = pread(pm->file->fd, bytes, sizeof(bytes), (off_t)off);
	bool may;

	if (n <= 0)
		return false;
	pm->sym = &sym;
	pm->code = (struct x86_code){ bytes, (size_t)n, pm->is_32 };
	may = pid_can_probe(pm, pm->name, 0);
	pm->sym = NULL;
	pm->code = (struct x86_code){ 0 };
	return may;
}

/* `-`: the name is an address. */
static void
match_address(struct pid_match *pm, uint64_t addr)
{
	struct dt_usite site = { .file = pm->file };
	char name[20];

	if (!find_address(pm, addr, &site.off))
		return;
	pm->nfuncs++;
	pm->sym_name = pm->name;
	if (pm->pid == 0 && !may_probe_address(pm, addr, site.off))
		return;
	site.semaphore = pid_semaphore_at(pm, site.off);
	pm->sym_name = "-";
	snprintf(name, sizeof(name), "%" PRIx64, addr);
	pid_add_probe(pm, name, DT_PROBE_FUNC_OFFSET, &site, 1);
}

void
pid_match_functions(struct pid_match *pm)
{
	uint64_t addr;

	if (strcmp(pm->func, "-") != 0)
		elf_syms_each(pm->es,
		    dt_field_is_empty(pm->func) ? "*" : pm->func,
		    match_function, pm);
	else if (pid_offset_parse(pm->name, &addr))
		match_address(pm, addr);
	else
		pm->rc = dt_registry_refuse(pm->r, DT_REFUSE_NAME, -EINVAL,
		    "with the function '-' the name is an address, in "
		    "hexadecimal, not '%s'",
		    pm->name);
}
