/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Choices of functions (IFUNC): which function a process has chosen.
 *
 * The symbol's own code is the resolver, which runs once.  A module that calls
 * such a function has a relocation R_X86_64_IRELATIVE with the resolver's
 * address, and the loader stores the chosen function's address in its slot.
 */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "provider/pid_impl.h"
#include "provider/provider.h"
#include "provider/provider_impl.h"
#include "provider/ufiles.h"

#define CHUNK 512	      /* relocations that are read at once */
#define MAX_RELOCS (1U << 20) /* that are looked at in a file */

/* Is the slot among `n` relocations? */
static bool
find_slot(const Elf64_Rela *rela, size_t n, uint64_t resolver, uint64_t *slot)
{
	for (size_t i = 0; i < n; i++) {
		if (ELF64_R_TYPE(rela[i].r_info) != R_X86_64_IRELATIVE ||
		    (uint64_t)rela[i].r_addend != resolver)
			continue;
		*slot = rela[i].r_offset;
		return true;
	}
	return false;
}

/* Read a section's relocations; *left of them may still be looked at. */
static bool
search_section(const struct pid_match *pm, const struct elf_sect *s,
    size_t *left, uint64_t *slot)
{
	Elf64_Rela rela[CHUNK];
	uint64_t end = s->size / sizeof(rela[0]);

	for (uint64_t at = 0; at < end && *left >= CHUNK; at += CHUNK) {
		size_t n = end - at < CHUNK ? end - at : CHUNK;
		ssize_t got = pread(pm->file->fd, rela, n * sizeof(rela[0]),
		    (off_t)(s->off + at * sizeof(rela[0])));

		if (got != (ssize_t)(n * sizeof(rela[0])) || bounds_is_over())
			return false;
		if (find_slot(rela, n, pm->ifunc_at, slot))
			return true;
		*left -= CHUNK;
	}
	return false;
}

/* The address in the file of the slot; false: the module never calls it. */
static bool
slot_of(const struct pid_match *pm, uint64_t *slot)
{
	size_t left = MAX_RELOCS;

	for (size_t i = 1; i <= elf_syms_nsects(pm->es); i++) {
		const struct elf_sect *s = elf_syms_sect(pm->es, i);

		if (s != NULL && s->type == SHT_RELA && s->vaddr != 0 &&
		    search_section(pm, s, &left, slot))
			return true;
	}
	return false;
}

/* The address in the file of the function that the process has chosen. */
static bool
chosen_by(struct pid_match *pm, uint64_t *vaddr)
{
	const pid_t pid = pm->mod_at->via;
	uint64_t slot, bias, addr;
	const struct elf_seg *seg;
	int fd;

	if (pm->is_32 || !slot_of(pm, &slot) ||
	    !proc_map_bias(pm->text, pm->es, &bias))
		return false;
	fd = pid_open_mem(pm, pid);
	if (fd < 0 ||
	    pread(fd, &addr, sizeof(addr), (off_t)(slot + bias)) !=
		(ssize_t)sizeof(addr))
		return false;
	/* before the loader is done, the slot has the resolver or PLT code */
	*vaddr = addr - bias;
	seg = elf_syms_seg_at(pm->es, *vaddr);
	return seg != NULL && seg->is_exec && *vaddr != pm->ifunc_at;
}

/* The name of the function that begins there; NULL: it has none. */
static const char *
function_at(const struct pid_match *pm, uint64_t vaddr)
{
	const struct elf_sym *sym = elf_syms_by_addr(pm->es, vaddr);

	if (sym == NULL || sym->value != vaddr || sym->kind != ELF_SYM_FUNC)
		return NULL;
	return elf_sym_name(pm->es, sym);
}

/* Open the module of the choice; false: what the process has chosen is unknown.
 */
static bool
find_chosen(struct pid_match *pm, uint64_t *vaddr)
{
	struct err err = { 0 };
	bool is_known;

	pid_set_module(pm, pm->ifunc_mod);
	is_known = pid_open_module(pm, &err) == 0 && chosen_by(pm, vaddr);
	err_clear(&err);
	return is_known;
}

bool
pid_chose_namesake(struct pid_match *pm)
{
	uint64_t vaddr;

	if (!find_chosen(pm, &vaddr))
		return false;
	for (size_t i = 0; i < elf_syms_count(pm->es); i++) {
		const struct elf_sym *sym = elf_syms_get(pm->es, i);

		if (sym->value == vaddr && sym->kind == ELF_SYM_FUNC &&
		    strcmp(elf_sym_name(pm->es, sym), pm->func) == 0)
			return true;
	}
	return false;
}

#define IS_A_CHOICE                                                            \
	"%s is a choice of functions (IFUNC), made when the program starts"

int
pid_explain_ifunc(struct pid_match *pm)
{
	const char *name = NULL;
	/* an old function of that name is not what is meant */
	int code = pm->nfuncs != 0 ? -EINVAL : 0;
	uint64_t vaddr;
	bool is_known = find_chosen(pm, &vaddr);

	if (is_known)
		name = function_at(pm, vaddr);
	if (name != NULL)
		return dt_registry_refuse(pm->r, DT_REFUSE_FUNC, code,
		    IS_A_CHOICE ": process %d has chosen %s; probe that",
		    pm->func, (int)pm->mod_at->via, name);
	if (is_known)
		return dt_registry_refuse(pm->r, DT_REFUSE_FUNC, code,
		    IS_A_CHOICE ": process %d has chosen the code at %" PRIx64
				" of the file, whose name is not known here. "
				"Install debug symbols, or probe "
				"pid*:%s:-:%" PRIx64 " as root",
		    pm->func, (int)pm->mod_at->via, vaddr, pm->m->name, vaddr);
	return dt_registry_refuse(pm->r, DT_REFUSE_FUNC, code,
	    IS_A_CHOICE ": name the one that is chosen; -l lists those that "
			"are named alike, for '%s:%s:*%s*:entry'",
	    pm->func, pm->pid != 0 ? "pid$target" : "pid*", pm->m->name,
	    pm->func);
}
