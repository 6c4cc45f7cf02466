/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The published API: symbols of the kernel and of the handle's processes.
 *
 * The name of an object is the kernel's module, or the file name of an object
 * that a process has mapped: "libc.so.6".  Processes are searched in the order
 * in which they were created or grabbed, and read again at each call.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/kallsyms.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "consume/ksyms.h"
#include "libdtrace/api_impl.h"
#include "sym/proc_maps.h"

/* ---- processes ---------------------------------------------------------- */

static struct sym_cache *
syms_of(dtrace_hdl_t *h)
{
	if (h->syms == NULL)
		h->syms = sym_cache_create();
	return h->syms;
}

static void
fill_user(dtrace_hdl_t *h, const struct elf_syms *es,
    const struct elf_sym *es_sym, const char *object, uint64_t bias,
    Elf64_Sym *sym, dtrace_syminfo_t *si)
{
	unsigned char type = elf_sym_is_code(es_sym) ? STT_FUNC : STT_OBJECT;
	unsigned char bind = es_sym->is_local ? STB_LOCAL : STB_GLOBAL;

	if (sym != NULL)
		*sym = (Elf64_Sym){ .st_value = es_sym->value + bias,
			.st_size = es_sym->size,
			.st_info = ELF64_ST_INFO(bind, type),
			.st_shndx = es_sym->shndx };
	if (si != NULL)
		*si = (dtrace_syminfo_t){ .dts_object = arena_strdup(
					      &h->dt->compiled.arena, object),
			.dts_name = arena_strdup(
			    &h->dt->compiled.arena, elf_sym_name(es, es_sym)) };
}

/* 1: found, 0: not in this process. */
static int
proc_by_addr(dtrace_hdl_t *h, pid_t pid, uint64_t addr, Elf64_Sym *sym,
    dtrace_syminfo_t *si)
{
	struct proc_maps pm;
	const struct proc_map *map;
	const struct proc_module *mod;
	const struct elf_sym *found = NULL;
	struct elf_syms *es = NULL;
	struct err err = { 0 };
	uint64_t vaddr, bias;

	if (proc_maps_read(&pm, pid, &err) != 0) {
		err_clear(&err);
		return 0;
	}
	map = proc_maps_find(&pm, addr);
	mod = map != NULL ? proc_maps_module(&pm, map) : NULL;
	if (mod != NULL)
		es = proc_map_syms(syms_of(h), pid, map, &err);
	if (es != NULL && proc_map_vaddr(map, es, addr, &vaddr) &&
	    proc_map_bias(map, es, &bias))
		found = elf_syms_by_addr(es, vaddr);
	if (found != NULL)
		fill_user(h, es, found, mod->name, bias, sym, si);
	proc_maps_fini(&pm);
	err_clear(&err);
	return found != NULL;
}

static int
user_by_addr(
    dtrace_hdl_t *h, uint64_t addr, Elf64_Sym *sym, dtrace_syminfo_t *si)
{
	VEC_FOREACH(&h->dt->procs.list, p) {
		if (!p->has_ended && proc_by_addr(h, p->pid, addr, sym, si))
			return 0;
	}
	return api_fail(h, EDT_NOSYMADDR);
}

/*
 * The kernel maps a process's program first, but its address may be anywhere,
 * so /proc/PID/exe is read.
 */
bool
api_is_program(const struct proc_maps *pm, const struct proc_module *mod)
{
	char *link = mem_printf("/proc/%d/exe", (int)pm->pid);
	char path[PATH_MAX];
	ssize_t n = readlink(link, path, sizeof(path) - 1);

	free(link);
	return n > 0 && (size_t)n == strlen(mod->path) &&
	    memcmp(mod->path, path, (size_t)n) == 0;
}

/* Does `object` name the module? */
static bool
is_meant(const struct proc_maps *pm, const struct proc_module *mod,
    const char *object)
{
	if (object == DTRACE_OBJ_EVERY || object == DTRACE_OBJ_UMODS)
		return true;
	if (object == DTRACE_OBJ_EXEC || strcmp(object, "a.out") == 0)
		return api_is_program(pm, mod);
	if (object == DTRACE_OBJ_RTLD)
		return strncmp(mod->name, "ld-", 3) == 0 ||
		    strncmp(mod->name, "ld.so", 5) == 0;
	return strcmp(mod->name, object) == 0;
}

static bool
module_by_name(dtrace_hdl_t *h, pid_t pid, const struct proc_module *mod,
    const char *name, Elf64_Sym *sym, dtrace_syminfo_t *si)
{
	const struct elf_sym *found;
	struct err err = { 0 };
	struct elf_syms *es;
	uint64_t bias;

	es = proc_map_syms(syms_of(h), pid, mod->maps, &err);
	err_clear(&err);
	if (es == NULL || !proc_map_bias(mod->maps, es, &bias))
		return false;
	found = elf_syms_by_name(es, name);
	if (found == NULL)
		return false;
	fill_user(h, es, found, mod->name, bias, sym, si);
	return true;
}

enum looked { NO_OBJECT, NO_SYMBOL, FOUND };

static enum looked
proc_by_name(dtrace_hdl_t *h, pid_t pid, const char *object, const char *name,
    Elf64_Sym *sym, dtrace_syminfo_t *si)
{
	enum looked result = NO_OBJECT;
	struct proc_maps pm;
	struct err err = { 0 };

	if (proc_maps_read(&pm, pid, &err) != 0) {
		err_clear(&err);
		return NO_OBJECT;
	}
	VEC_FOREACH(&pm.modules, mod) {
		if (result == FOUND || !is_meant(&pm, mod, object))
			continue;
		result = module_by_name(h, pid, mod, name, sym, si) ? FOUND :
								      NO_SYMBOL;
	}
	proc_maps_fini(&pm);
	return result;
}

/* EDT_NOSYM, or EDT_NOMOD when no process has such an object. */
static int
user_by_name(dtrace_hdl_t *h, const char *object, const char *name,
    Elf64_Sym *sym, dtrace_syminfo_t *si)
{
	enum looked best = NO_OBJECT;

	VEC_FOREACH(&h->dt->procs.list, p) {
		enum looked got = p->has_ended ?
		    NO_OBJECT :
		    proc_by_name(h, p->pid, object, name, sym, si);

		if (got == FOUND)
			return 0;
		best = got > best ? got : best;
	}
	return api_fail(h, best == NO_OBJECT ? EDT_NOMOD : EDT_NOSYM);
}

/* ---- the kernel --------------------------------------------------------- */

static struct ksyms *
ksyms_of(dtrace_hdl_t *h)
{
	if (h->ksyms == NULL) {
		h->ksyms = ksyms_create();
		ksyms_set_lookup(
		    h->ksyms, h->dt->output.lookup, h->dt->output.lookup_arg);
	}
	return h->ksyms;
}

static void
fill_symbol(const char *mod, const char *name, uint64_t addr, bool is_data,
    Elf64_Sym *sym, dtrace_syminfo_t *si)
{
	unsigned char type = is_data ? STT_OBJECT : STT_FUNC;

	if (sym != NULL)
		*sym = (Elf64_Sym){ .st_value = addr,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, type),
			.st_shndx = SHN_ABS };
	if (si != NULL)
		*si = (dtrace_syminfo_t){ .dts_object = mod, .dts_name = name };
}

/* The kernel has the upper half of the addresses. */
static bool
is_user_addr(uint64_t addr)
{
	return addr >> 63 == 0;
}

int
dtrace_lookup_by_addr(
    dtrace_hdl_t *h, uint64_t addr, Elf64_Sym *sym, dtrace_syminfo_t *si)
{
	struct ksym_name found;
	int error;

	if (is_user_addr(addr) && h->dt->procs.list.n != 0 &&
	    user_by_addr(h, addr, sym, si) == 0)
		return 0;
	if (!ksyms_find_name(ksyms_of(h), addr, &found)) {
		error = ksyms_take_error(h->ksyms);
		return api_fail(h, error != 0 ? error : EDT_NOSYMADDR);
	}
	fill_symbol(found.module, found.name, addr - found.offset,
	    found.is_data, sym, si);
	return 0;
}

int
dtrace_addr2str(dtrace_hdl_t *h, uint64_t addr, char *buf, int size)
{
	struct strbuf sb = { 0 };
	int len;

	ksyms_format(ksyms_of(h), addr, &sb);
	len = snprintf(buf, size > 0 ? (size_t)size : 0, "%s", sb.s);
	strbuf_fini(&sb);
	return len;
}

int
dtrace_uaddr2str(dtrace_hdl_t *h, pid_t pid, uint64_t addr, char *buf, int size)
{
	struct strbuf sb = { 0 };
	int len;

	usyms_format(dt_usyms(h->dt), pid, addr, USYM_NOW, &sb);
	len = snprintf(buf, size > 0 ? (size_t)size : 0, "%s", sb.s);
	strbuf_fini(&sb);
	return len;
}

static int
kernel_by_name(dtrace_hdl_t *h, const char *module, const char *name,
    Elf64_Sym *sym, dtrace_syminfo_t *si)
{
	struct kallsyms *ks = cg_session_kallsyms(h->dt->compiled.cg);
	char *found, type;
	uint64_t addr;

	switch (kallsyms_find(ks, module, name, &addr, &type, &found)) {
	case KSYM_FOUND:
		fill_symbol(arena_strdup(&h->dt->compiled.arena, found),
		    arena_strdup(&h->dt->compiled.arena, name), addr,
		    !ksym_is_code(type), sym, si);
		free(found);
		return 0;
	case KSYM_NO_MODULE:
		return api_fail(h, EDT_NOMOD);
	case KSYM_UNREADABLE:
		if (ks->error != EACCES && ks->error != EPERM &&
		    ks->error != ENODATA)
			return api_fail(h, ks->error);
		return api_fail(h, EDT_ACCESS);
	case KSYM_HIDDEN:
		return api_fail(h, EDT_ACCESS);
	case KSYM_ABSENT:
	case KSYM_NO_DATA:
		break;
	}
	return api_fail(h, EDT_NOSYM);
}

/* Names of objects that only processes have. */
static bool
is_user_object(const char *object)
{
	return object == DTRACE_OBJ_EXEC || object == DTRACE_OBJ_UMODS ||
	    object == DTRACE_OBJ_RTLD;
}

int
dtrace_lookup_by_name(dtrace_hdl_t *h, const char *object, const char *name,
    Elf64_Sym *sym, dtrace_syminfo_t *si)
{
	bool is_any = object == DTRACE_OBJ_EVERY || object == DTRACE_OBJ_KMODS;
	int error;

	if (object == DTRACE_OBJ_CDEFS || object == DTRACE_OBJ_DDEFS)
		return api_fail(h, EDT_NOSYM);
	if (is_user_object(object))
		return user_by_name(h, object, name, sym, si);
	if (kernel_by_name(h, is_any ? NULL : object, name, sym, si) == 0)
		return 0;
	error = h->error;
	if (object != DTRACE_OBJ_KMODS && h->dt->procs.list.n != 0 &&
	    (error == EDT_NOSYM || error == EDT_NOMOD))
		return user_by_name(h, object, name, sym, si);
	return -1;
}
