/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The published API: objects: the kernel, its modules, and the files that the
 * handle's processes have mapped.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/kallsyms.h"
#include "base/mem.h"
#include "base/procstatus.h"
#include "base/vec.h"
#include "libdtrace/api_impl.h"
#include "sym/proc_maps.h"

#define KERNEL "vmlinux"

/* An iteration: the function and its result. */
struct api_objects_iterating {
	dtrace_hdl_t *h;
	dtrace_obj_f *f;
	void *arg;
	int id, rc;
};

static void
hand_object(struct api_objects_iterating *it, dtrace_objinfo_t *info)
{
	struct arena *arena = &it->h->dt->compiled.arena;

	if (it->rc != 0)
		return;
	info->dto_id = it->id++;
	info->dto_name = arena_strdup(arena, info->dto_name);
	info->dto_file = arena_strdup(arena, info->dto_file);
	it->rc = it->f(it->h, info, it->arg);
}

/* ---- the kernel --------------------------------------------------------- */

/* Start and end of the kernel's parts, from its list of symbols. */
struct bounds {
	uint64_t text, etext, data, edata, bss, ebss;
};

static bool
take_bound(const struct ksymbol *sym, void *arg)
{
	struct bounds *b = arg;
	const struct {
		const char *name;
		uint64_t *addr;
	} known[] = { { "_text", &b->text }, { "_etext", &b->etext },
		{ "_sdata", &b->data }, { "_edata", &b->edata },
		{ "__bss_start", &b->bss }, { "__bss_stop", &b->ebss } };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(sym->name, known[i].name) == 0)
			*known[i].addr = sym->addr;
	}
	return false;
}

static uint64_t
extent(uint64_t from, uint64_t to)
{
	return from != 0 && to > from ? to - from : 0;
}

static void
types_path(const char *module, char *path, size_t size)
{
	snprintf(path, size, "/sys/kernel/btf/%s", module);
	if (access(path, F_OK) != 0)
		*path = '\0';
}

static void
each_kernel(struct api_objects_iterating *it)
{
	struct bounds b = { 0 };
	char path[64];
	dtrace_objinfo_t info = { .dto_name = KERNEL,
		.dto_file = path,
		.dto_flags = DTRACE_OBJ_F_KERNEL | DTRACE_OBJ_F_PRIMARY };

	/* a kernel without a list still is an object */
	if (!kallsyms_each(take_bound, &b) && errno != ENOENT) {
		it->rc = api_fail(it->h, errno);
		return;
	}
	types_path(KERNEL, path, sizeof(path));
	info.dto_text_va = b.text;
	info.dto_text_size = extent(b.text, b.etext);
	info.dto_data_va = b.data;
	info.dto_data_size = extent(b.data, b.edata);
	info.dto_bss_va = b.bss;
	info.dto_bss_size = extent(b.bss, b.ebss);
	hand_object(it, &info);
}

/* "ext4 1142784 1 - Live 0xffffffffc0401000": all parts in one piece. */
static void
take_module(struct api_objects_iterating *it, const char *line)
{
	char name[128], path[192];
	uint64_t size, addr;
	dtrace_objinfo_t info = { .dto_name = name,
		.dto_file = path,
		.dto_flags = DTRACE_OBJ_F_KERNEL };

	if (sscanf(line, "%127s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &size,
		&addr) != 3)
		return;
	types_path(name, path, sizeof(path));
	info.dto_text_va = addr;
	info.dto_text_size = size;
	hand_object(it, &info);
}

/* A kernel without modules has no list of them. */
static void
each_module(struct api_objects_iterating *it)
{
	FILE *f = fopen("/proc/modules", "re");
	char *line = NULL;
	size_t size = 0;

	if (f == NULL) {
		if (errno != ENOENT && it->rc == 0)
			it->rc = api_fail(it->h, errno);
		return;
	}
	while (getline(&line, &size, f) > 0)
		take_module(it, line);
	if (!feof(f) && it->rc == 0)
		it->rc = api_fail(it->h, errno);
	free(line);
	fclose(f);
}

/* ---- processes ---------------------------------------------------------- */

static void
take_maps(const struct proc_module *mod, dtrace_objinfo_t *info)
{
	for (size_t i = 0; i < mod->nmaps; i++) {
		const struct proc_map *map = &mod->maps[i];
		uint64_t *va =
		    map->is_exec ? &info->dto_text_va : &info->dto_data_va;
		uint64_t *size =
		    map->is_exec ? &info->dto_text_size : &info->dto_data_size;

		if ((!map->is_exec && !map->is_write) ||
		    strcmp(map->path, mod->path) != 0)
			continue;
		if (*size == 0)
			*va = map->start;
		*size = map->end - *va;
	}
}

static void
each_mapped(struct api_objects_iterating *it, pid_t pid)
{
	struct proc_maps pm;
	struct err err = { 0 };

	if (proc_maps_read(&pm, pid, &err) != 0) {
		if (!proc_is_gone(-err.code) && it->rc == 0)
			it->rc = api_fail(it->h, -err.code);
		err_clear(&err);
		return;
	}
	VEC_FOREACH(&pm.modules, mod) {
		dtrace_objinfo_t info = { .dto_name = mod->name,
			.dto_file = mod->path,
			.dto_flags = api_is_program(&pm, mod) ?
			    DTRACE_OBJ_F_PRIMARY :
			    0 };

		take_maps(mod, &info);
		hand_object(it, &info);
	}
	proc_maps_fini(&pm);
}

/* ---- both --------------------------------------------------------------- */

int
dtrace_object_iter(dtrace_hdl_t *h, dtrace_obj_f *f, void *arg)
{
	struct api_objects_iterating it = { h, f, arg, 0, 0 };

	each_kernel(&it);
	each_module(&it);
	VEC_FOREACH(&h->dt->procs.list, p) {
		if (!p->has_ended)
			each_mapped(&it, p->pid);
	}
	return it.rc;
}

struct api_objects_seeking {
	const char *object;
	dtrace_objinfo_t *info;
};

static bool
is_sought(const char *object, const dtrace_objinfo_t *info)
{
	bool is_kernel = (info->dto_flags & DTRACE_OBJ_F_KERNEL) != 0;
	bool is_primary = (info->dto_flags & DTRACE_OBJ_F_PRIMARY) != 0;

	if (object == DTRACE_OBJ_EXEC || strcmp(object, "a.out") == 0)
		return !is_kernel && is_primary;
	if (object == DTRACE_OBJ_RTLD)
		return !is_kernel && strncmp(info->dto_name, "ld-", 3) == 0;
	return strcmp(object, info->dto_name) == 0;
}

static int
seek_object(dtrace_hdl_t *h, const dtrace_objinfo_t *info, void *arg)
{
	struct api_objects_seeking *se = arg;

	(void)h;
	if (!is_sought(se->object, info))
		return 0;
	*se->info = *info;
	return 1;
}

int
dtrace_object_info(dtrace_hdl_t *h, const char *object, dtrace_objinfo_t *info)
{
	struct api_objects_seeking se = { object, info };

	if (object == DTRACE_OBJ_EVERY || object == DTRACE_OBJ_KMODS ||
	    object == DTRACE_OBJ_UMODS || object == DTRACE_OBJ_CDEFS ||
	    object == DTRACE_OBJ_DDEFS)
		return api_fail(h, EINVAL);
	switch (dtrace_object_iter(h, seek_object, &se)) {
	case 0:
		return api_fail(h, EDT_NOMOD);
	case 1:
		return 0;
	default:
		return -1;
	}
}
