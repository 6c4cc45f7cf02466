/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols from bytes: an ELF file; or, by the first word, the text of
 * /proc/PID/maps ("maps") or of a JIT compiler ("perf"), or a mangled name
 * ("name").  A lookup finds each accepted symbol again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "sym/demangle.h"
#include "sym/usyms_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sink;

static int
look_up(void *arg, const struct elf_syms *es, const struct elf_sym *sym)
{
	const struct elf_sym *found = elf_syms_by_addr(es, sym->value);
	const struct elf_sect *sect = elf_syms_sect(es, sym->shndx);
	uint64_t off;

	if (sym->size != 0 && found == NULL && sym->value != UINT64_MAX)
		abort();
	if (found != NULL)
		sink += strlen(elf_sym_name(es, found));
	if (sect != NULL)
		sink += strlen(sect->name);
	if (elf_syms_by_name(arg, elf_sym_name(es, sym)) == NULL)
		abort();
	elf_syms_offset(es, sym->value, &off);
	return 0;
}

static void
read_elf(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct elf_syms *es = elf_syms_parse(data, size, &err);
	struct proc_map map = { .start = 4096, .end = 8192, .is_exec = true };
	uint64_t bias;

	if (es == NULL) {
		if (err.text == NULL)
			abort();
		err_clear(&err);
		return;
	}
	elf_syms_each(es, "*", look_up, es);
	proc_map_bias(&map, es, &bias);
	proc_map_vaddr(&map, es, 4100, &bias);
	elf_syms_rele(es);
}

static void
read_maps(const char *text, size_t size)
{
	char *copy = mem_strndup(text, size);
	struct proc_maps pm = { 0 };

	proc_maps_parse(&pm, copy);
	VEC_FOREACH(&pm.modules, m) {
		sink += strlen(m->path) + strlen(m->name);
		if (proc_maps_module(&pm, m->maps) != m)
			abort();
	}
	VEC_FOREACH(&pm.maps, map)
		sink += proc_maps_find(&pm, map->start) != NULL;
	proc_maps_fini(&pm);
	free(copy);
}

static void
read_perf(const char *text, size_t size)
{
	struct strbuf copy = { 0 };
	struct elf_syms *es;

	strbuf_add(&copy, text, size);
	es = perf_map_parse(&copy);
	elf_syms_each(es, "*", look_up, es);
	elf_syms_rele(es);
}

static void
read_name(const char *text, size_t size)
{
	char *name = mem_strndup(text, size), *plain = demangle_rust(name);

	if (plain != NULL)
		sink += strlen(plain);
	free(plain);
	free(name);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= 4 && memcmp(data, "maps", 4) == 0)
		read_maps((const char *)data + 4, size - 4);
	else if (size >= 4 && memcmp(data, "perf", 4) == 0)
		read_perf((const char *)data + 4, size - 4);
	else if (size >= 4 && memcmp(data, "name", 4) == 0)
		read_name((const char *)data + 4, size - 4);
	else
		read_elf(data, size);
	return 0;
}
