/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locations are addresses of files, not of processes: so those of one file are
 * the same in all processes, and tools find them in the file by its build id.
 * Those of the kernel are where they run.
 */
#include "consume/pprof.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/protobuf.h"

#define KERNEL "vmlinux"

void
pprof_tab_init(struct pprof_tab *tab)
{
	strtab_init(&tab->texts);
	strtab_init(&tab->functions);
	strtab_init(&tab->files);
	strtab_init(&tab->places);
	strtab_init(&tab->frames);
	strtab_intern(&tab->texts, "");
}

void
pprof_tab_fini(struct pprof_tab *tab)
{
	strtab_fini(&tab->texts);
	strtab_fini(&tab->functions);
	strtab_fini(&tab->files);
	strtab_fini(&tab->places);
	strtab_fini(&tab->frames);
	VEC_FREE(&tab->frame_places);
	VEC_FREE(&tab->mappings);
	strbuf_fini(&tab->made);
}

/* ---- texts -------------------------------------------------------------- */

uint32_t
pprof_text(struct pprof_tab *tab, const char *s, size_t len)
{
	struct strbuf text = { 0 };
	uint32_t id;

	out_escape(&text, s, len, utf8_visible);
	strbuf_add(&text, "", 0);
	id = strtab_intern(&tab->texts, text.s) - 1;
	strbuf_fini(&text);
	return id;
}

static uint32_t
text(struct pprof_tab *tab, const char *s)
{
	return pprof_text(tab, s, strlen(s));
}

/* ---- files -------------------------------------------------------------- */

/* One path may have had several files. */
static uint32_t
segment_of(struct pprof_tab *tab, const struct record_mapping *m)
{
	struct strbuf key = { 0 };
	uint32_t id;

	strbuf_printf(&key, "%s\n%s %llx", m->path, m->build_id,
	    (unsigned long long)m->vaddr);
	id = strtab_intern(&tab->files, key.s);
	if (id > tab->mappings.n)
		VEC_PUSH(&tab->mappings,
		    ((struct pprof_mapping){ .low = m->vaddr,
			.high = m->vaddr + (m->end - m->start),
			.offset = m->offset,
			.path = text(tab, m->path),
			.build_id = text(tab, m->build_id) }));
	strbuf_fini(&key);
	return id;
}

static uint32_t
kernel_file(const struct consumer *c, struct pprof_tab *tab, const char *module)
{
	char *path = strcmp(module, KERNEL) == 0 ?
	    mem_strdup("[kernel.kallsyms]") :
	    mem_printf("[%s]", module);
	uint32_t id = strtab_intern(&tab->files, path);
	char build_id[RECORD_BUILD_ID_MAX + 1];

	if (id > tab->mappings.n) {
		consumer_kernel_build_id(c, module, build_id);
		VEC_PUSH(&tab->mappings,
		    ((struct pprof_mapping){ .low = UINT64_MAX,
			.is_kernel = true,
			.path = text(tab, path),
			.build_id = text(tab, build_id) }));
	}
	free(path);
	return id;
}

/* ---- locations ---------------------------------------------------------- */

struct pprof_place {
	uint32_t file; /* 0: none */
	uint64_t addr; /* 0: a name alone */
	const char *module, *name;
};

static void
user_place(struct consumer *c, struct pprof_tab *tab, uint64_t pid,
    const dtrace_frame_t *f, struct pprof_place *pl)
{
	struct consumer_file file;

	if (f->dtfr_module == NULL ||
	    !consumer_find_file(c, pid, f->dtfr_address, &file))
		return;
	pl->file = segment_of(tab, &file.map);
	pl->addr = f->dtfr_address - file.map.start + file.map.vaddr;
}

static uint32_t
function_of(struct pprof_tab *tab, const struct pprof_place *pl)
{
	char *key = mem_printf("%s`%s", pl->module, pl->name);
	size_t before = tab->functions.strs.n, at;
	uint32_t id = strtab_intern(&tab->functions, key);

	free(key);
	if (tab->functions.strs.n == before)
		return id;
	at = pb_open(&tab->made, PROFILE_FUNCTION);
	pb_uint(&tab->made, FUNCTION_ID, id);
	pb_uint(&tab->made, FUNCTION_NAME, text(tab, pl->name));
	pb_uint(&tab->made, FUNCTION_SYSTEM_NAME, text(tab, pl->name));
	pb_uint(&tab->made, FUNCTION_FILE, text(tab, pl->module));
	pb_close(&tab->made, at);
	return id;
}

static void
cover(struct pprof_mapping *m, uint64_t addr)
{
	if (!m->is_kernel)
		return;
	if (addr < m->low)
		m->low = addr;
	if (addr >= m->high)
		m->high = addr + 1;
}

/* A function before its location: the messages are not nested. */
static void
make_location(struct pprof_tab *tab, uint32_t id, const struct pprof_place *pl)
{
	uint32_t function = pl->name != NULL ? function_of(tab, pl) : 0;
	size_t at = pb_open(&tab->made, PROFILE_LOCATION), line;

	pb_uint(&tab->made, LOCATION_ID, id);
	if (pl->file != 0) {
		pb_uint(&tab->made, LOCATION_MAPPING, pl->file);
		cover(&tab->mappings.v[pl->file - 1], pl->addr);
	}
	if (pl->addr != 0)
		pb_uint(&tab->made, LOCATION_ADDRESS, pl->addr);
	if (function != 0) {
		line = pb_open(&tab->made, LOCATION_LINE);
		pb_uint(&tab->made, LINE_FUNCTION, function);
		pb_close(&tab->made, line);
	}
	pb_close(&tab->made, at);
}

static struct pprof_place
place_of(struct consumer *c, struct pprof_tab *tab, const dtrace_value_t *stack,
    const dtrace_frame_t *f)
{
	struct pprof_place pl = { .addr = f->dtfr_address,
		.module = f->dtfr_module != NULL ? f->dtfr_module : "",
		.name = f->dtfr_symbol };

	if (stack->dtva_kind == DTRACE_VALUE_STACK)
		pl.file = *pl.module != '\0' && *pl.module != '[' ?
		    kernel_file(c, tab, pl.module) :
		    0;
	else
		user_place(c, tab, stack->dtva_pid, f, &pl);
	if (f->dtfr_helper != NULL)
		pl.name = f->dtfr_helper;
	/* why a stack ends: its module is "[cut]" */
	if (*pl.module == '[' && pl.file == 0 && pl.name != NULL)
		pl.addr = 0;
	return pl;
}

static uint32_t
make_place(struct consumer *c, struct pprof_tab *tab,
    const dtrace_value_t *stack, const dtrace_frame_t *f)
{
	struct pprof_place pl = place_of(c, tab, stack, f);
	char *key =
	    mem_printf("%u %llx %s`%s", pl.file, (unsigned long long)pl.addr,
		pl.module, pl.name != NULL ? pl.name : "");
	size_t before = tab->places.strs.n;
	uint32_t id = strtab_intern(&tab->places, key);

	free(key);
	if (tab->places.strs.n != before)
		make_location(tab, id, &pl);
	return id;
}

/* A process may have had several programs: names are part of the key. */
uint32_t
pprof_location(struct consumer *c, struct pprof_tab *tab,
    const dtrace_value_t *stack, const dtrace_frame_t *f)
{
	char *key = mem_printf("%llx %llx %s`%s %s",
	    (unsigned long long)stack->dtva_pid,
	    (unsigned long long)f->dtfr_address,
	    f->dtfr_module != NULL ? f->dtfr_module : "",
	    f->dtfr_symbol != NULL ? f->dtfr_symbol : "",
	    f->dtfr_helper != NULL ? f->dtfr_helper : "");
	uint32_t frame = strtab_intern(&tab->frames, key);

	free(key);
	if (frame > tab->frame_places.n)
		VEC_PUSH(&tab->frame_places, make_place(c, tab, stack, f));
	return tab->frame_places.v[frame - 1];
}

/* ---- writing ------------------------------------------------------------ */

static void
write_mapping(struct strbuf *sb, uint32_t id, const struct pprof_mapping *m)
{
	size_t at = pb_open(sb, PROFILE_MAPPING);

	pb_uint(sb, MAPPING_ID, id);
	pb_uint(sb, MAPPING_START, m->low);
	pb_uint(sb, MAPPING_LIMIT, m->high);
	pb_uint(sb, MAPPING_OFFSET, m->offset);
	pb_uint(sb, MAPPING_FILE, m->path);
	if (m->build_id != 0)
		pb_uint(sb, MAPPING_BUILD_ID, m->build_id);
	pb_uint(sb, MAPPING_HAS_FUNCTIONS, 1);
	pb_close(sb, at);
}

/* Readers take the first file for the program. */
void
pprof_tab_write(struct pprof_tab *tab, struct strbuf *sb)
{
	for (int is_kernel = 0; is_kernel < 2; is_kernel++) {
		for (uint32_t i = 0; i < tab->mappings.n; i++) {
			const struct pprof_mapping *m = &tab->mappings.v[i];

			if (m->is_kernel == is_kernel)
				write_mapping(sb, i + 1, m);
		}
	}
	strbuf_add(sb, tab->made.s, tab->made.len);
	VEC_FOREACH(&tab->texts.strs, s)
		pb_str(sb, PROFILE_STRING, *s);
}
