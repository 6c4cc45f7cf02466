/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of code in a module's data: switch tables, relocations, words. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/vec.h"
#include "inproc/module.h"
#include "inproc/module_impl.h"
#include "sym/elf_syms.h"

#define TABLE_MAX 65536 /* entries */

#ifndef SHT_RELR
#define SHT_RELR 19
#endif

/* A table ends at the next address that some LEA makes. */
static void
mark_table(const struct ip_open *o, uint64_t base, uint64_t limit)
{
	for (unsigned i = 0; i < TABLE_MAX; i++) {
		uint64_t at = base + 4ULL * i;
		const uint8_t *bytes = ip_bytes_at(o, at, 4);
		int32_t entry;

		if (bytes == NULL || at >= limit)
			return;
		memcpy(&entry, bytes, sizeof(entry));
		if (!ip_in_text(o, base + (uint64_t)(int64_t)entry))
			return;
		ip_mark(o, base + (uint64_t)(int64_t)entry, MARK_TARGET);
	}
}

void
ip_mark_tables(struct ip_open *o)
{
	uint64_t *v = o->tables.v;
	size_t steps = 0;

	ip_sort_numbers(v, o->tables.n);
	for (size_t i = 0; i < o->tables.n && !BOUNDS_POLL(steps); i++) {
		size_t next = i + 1;

		while (next < o->tables.n && v[next] == v[i])
			next++;
		mark_table(o, v[i], next < o->tables.n ? v[next] : UINT64_MAX);
		i = next - 1;
	}
}

static void
mark_rela(const struct ip_open *o, const uint8_t *bytes, size_t len)
{
	size_t steps = 0;

	for (size_t i = 0; i + sizeof(Elf64_Rela) <= len && !BOUNDS_POLL(steps);
	     i += sizeof(Elf64_Rela)) {
		Elf64_Rela r;

		memcpy(&r, bytes + i, sizeof(r));
		if (ELF64_R_TYPE(r.r_info) == R_X86_64_RELATIVE ||
		    ELF64_R_TYPE(r.r_info) == R_X86_64_IRELATIVE)
			ip_mark(o, (uint64_t)r.r_addend, MARK_TARGET);
	}
}

static void
mark_word(const struct ip_open *o, uint64_t at)
{
	const uint8_t *bytes = ip_bytes_at(o, at, 8);
	uint64_t value;

	if (bytes == NULL)
		return;
	memcpy(&value, bytes, sizeof(value));
	ip_mark(o, value, MARK_TARGET);
}

/*
 * RELR words: an address, or a bitmap of the 63 words behind the last one
 * (gABI, "Relative Relocations").
 */
static void
mark_relr(const struct ip_open *o, const uint8_t *bytes, size_t len)
{
	uint64_t where = 0, entry;
	size_t steps = 0;

	for (size_t i = 0; i + 8 <= len && !BOUNDS_POLL(steps); i += 8) {
		memcpy(&entry, bytes + i, sizeof(entry));
		if ((entry & 1) == 0) {
			mark_word(o, entry);
			where = entry + 8;
			continue;
		}
		for (unsigned bit = 1; bit < 64; bit++) {
			if (entry >> bit & 1)
				mark_word(o, where + 8 * (bit - 1));
		}
		where += 63 * 8;
	}
}

bool
ip_mark_relocations(const struct ip_open *o)
{
	uint64_t rest = o->loaded;

	for (size_t i = 0; i < elf_syms_nsects(o->es); i++) {
		const struct elf_sect *s = elf_syms_sect(o->es, i);
		const uint8_t *bytes = s == NULL || s->vaddr == 0 ?
		    NULL :
		    ip_bytes_at(o, s->vaddr, s->size);

		if (bytes == NULL ||
		    (s->type != SHT_RELA && s->type != SHT_RELR))
			continue;
		if (s->size > rest) {
			err_set(o->err, -EINVAL, "its relocations overlap");
			return false;
		}
		rest -= s->size;
		if (s->type == SHT_RELA)
			mark_rela(o, bytes, s->size);
		else
			mark_relr(o, bytes, s->size);
	}
	return true;
}

static void
mark_words(const struct ip_open *o, uint64_t vaddr, size_t len)
{
	size_t steps = 0;

	for (uint64_t at = (vaddr + 7) & ~7ULL;
	     at - vaddr + 8 <= len && !BOUNDS_POLL(steps); at += 8)
		mark_word(o, at);
}

void
ip_mark_all_words(const struct ip_open *o)
{
	VEC_FOREACH(&o->datas, d)
		mark_words(o, d->vaddr, d->len);
	VEC_FOREACH(&o->m->texts, t)
		mark_words(o, t->vaddr, t->len);
}
