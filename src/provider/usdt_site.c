/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The USDT probes of a file: their arguments, and the sites where they fire.
 */
#include "provider/usdt_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/ownfailure.h"
#include "base/str.h"
#include "base/vec.h"

/* The C type of a value with `size` bytes; negative: signed. */
static const char *
type_of_size(int8_t size)
{
	switch (size) {
	case -1:
		return "signed char";
	case 1:
		return "unsigned char";
	case -2:
		return "short";
	case 2:
		return "unsigned short";
	case -4:
		return "int";
	case 4:
		return "unsigned int";
	case -8:
		return "long";
	default:
		return "unsigned long";
	}
}

static void
args_by_size(struct usdt_probe *up, const struct usdt_args *args)
{
	for (size_t i = 0; i < args->n; i++)
		up->args[up->nargs++] =
		    (struct dt_argdesc){ .native = type_of_size(args->sizes[i]),
			    .mapping = (uint8_t)i };
}

/* Types from the probe's definition; the strings stay with the file. */
static void
args_by_type(
    struct arena *a, struct usdt_probe *up, const struct dof_usdt_probe *dp)
{
	for (size_t i = 0; i < dp->xargs.n && i < DT_NARGS_MAX; i++) {
		uint8_t from = dp->map.v[i];
		const char *native, *type = arena_strdup(a, dp->xargs.v[i]);

		if (from >= dp->nargs.n)
			return;
		native = arena_strdup(a, dp->nargs.v[from]);
		up->args[up->nargs++] = (struct dt_argdesc){ .native = native,
			.xlate = strcmp(native, type) != 0 ? type : NULL,
			.mapping = from,
			.is_userland = strchr(native, '*') != NULL };
	}
}

static void
set_attrs(struct arena *a, struct usdt_probe *up, const struct dof_usdt *u)
{
	for (int i = 0; i < DIF_NPROVATTRS; i++) {
		struct dif_attr attr;

		up->attrs[i] = usdt_attrs[i];
		if (u != NULL && dof_attr_of_word(u->attrs[i], &attr))
			up->attrs[i] =
			    arena_printf(a, "%s/%s/%s", dif_attr_name(&attr),
				dif_attr_data(&attr), dif_attr_class(&attr));
	}
}

static void
describe(struct arena *a, const struct usdt_match *um,
    const struct usdt_note *note, const struct usdt_args *args,
    struct usdt_probe *up)
{
	const struct dof_usdt *u =
	    usdt_types_provider(&um->file->types, note->provider);
	const struct dof_usdt_probe *dp =
	    u != NULL ? usdt_types_probe(u, note->name) : NULL;

	set_attrs(a, up, u);
	if (dp == NULL)
		args_by_size(up, args);
	else
		args_by_type(a, up, dp);
}

static const char *
function_at(struct usdt_match *um, uint64_t addr)
{
	const struct elf_sym *sym =
	    um->es != NULL ? elf_syms_by_addr(um->es, addr) : NULL;

	return sym != NULL && elf_sym_is_code(sym) ? elf_sym_name(um->es, sym) :
						     "";
}

bool
usdt_note_error(struct usdt_match *um, int err)
{
	if (!is_own_failure(err))
		return false;
	um->error = err;
	return true;
}

/* The file is one whose probes are wanted: it stays open, and its symbols are
 * read. */
static bool
look_into_file(struct usdt_match *um)
{
	struct dt_ufiles *files = dt_registry_ufiles(um->r);
	struct err err = { 0 };
	char *root;

	if (um->has_looked)
		return um->ufile != NULL;
	um->has_looked = true;
	um->ufile = dt_ufiles_open(files, um->pid, um->map, &err);
	if (um->ufile == NULL) {
		usdt_note_error(um, -err.code);
		goto out;
	}
	root = proc_root(um->pid);
	um->es = sym_cache_file(
	    dt_ufiles_syms(files), um->ufile->fd, um->map->path, root, &err);
	if (um->es == NULL && usdt_note_error(um, -err.code))
		um->ufile = NULL;
	free(root);
out:
	err_clear(&err);
	return um->ufile != NULL;
}

static void
register_site(struct usdt_match *um, const struct usdt_note *note, pid_t pid,
    const char *name, const char *func)
{
	const struct dt_uargs *args = dt_usdt_args(um->usdt, note, um->es);
	struct arena *a = dt_usdt_arena(um->usdt);
	struct usdt_probe *data = ARENA_NEW(a, struct usdt_probe);
	bool is_32 = um->file->notes.cls == USDT_CLASS_32;
	pid_t family = pid == 0 ? 0 : um->root;
	struct dt_usites up = {
		.pid = family != 0 ? 0 : pid, .family = family, .is_32 = is_32
	};
	struct dt_probe p = { .ops = &dt_provider_usdt,
		.mod = um->mod,
		.func = func,
		.name = name,
		.prov = pid == 0 ? arena_printf(a, "%s*", note->provider) :
				   arena_printf(a, "%s%d", note->provider,
				       (int)(family != 0 ? family : pid)),
		.kind = DT_PROBE_USDT,
		.group = family != 0 ?
		    DT_GROUP(USDT_FAMILY, 2 * (uint32_t)family + is_32) :
		    DT_GROUP(USDT, 2 * (uint32_t)pid + is_32),
		.up = &up,
		.data = data,
		.attrs = data->attrs };
	struct dt_usite site = { .file = um->ufile,
		.off = note->offset,
		.semaphore = note->semaphore,
		.args = args,
		.is_enabled = note->is_enabled };

	data->usdt = um->usdt;
	data->base_len = strlen(note->provider);
	describe(a, um, note, &args->args, data);
	dt_registry_add_sites(um->r, &p, &site, 1);
	um->nfound++;
}

static void
match_note(struct usdt_match *um, const struct usdt_note *note, pid_t pid)
{
	char *name = usdt_probe_name(note->name);

	um->has_provider = true;
	if (dt_field_match(um->desc->name, name) && look_into_file(um)) {
		const char *func = function_at(um, note->addr);

		if (dt_field_match(um->desc->func, func))
			register_site(um, note, pid, name, func);
	}
	free(name);
}

/* Note a process's other providers, for the message that nothing matches. */
static void
note_other(struct usdt_match *um, const char *base)
{
	char *name = mem_printf(" %s%d", base, (int)um->pid);

	if (um->others.len == 0 || strstr(um->others.s, name) == NULL)
		strbuf_printf(
		    &um->others, "%s%s", um->others.len != 0 ? "," : "", name);
	free(name);
}

void
usdt_match_file(struct usdt_match *um, const struct proc_map *map)
{
	um->map = map;
	um->has_looked = false;
	um->ufile = NULL;
	um->es = NULL;
	um->file = dt_usdt_file(um->usdt, um->pid, map);
	if (um->file == NULL)
		return;
	VEC_FOREACH(&um->file->notes.v, n) {
		if (usdt_is_wide(um, n->provider))
			match_note(um, n, 0);
		else if (usdt_selects_provider(um, n->provider))
			match_note(um, n, um->pid);
		else
			note_other(um, n->provider);
	}
}
