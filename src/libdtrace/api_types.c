/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The published API: types by name.
 *
 * Each request becomes a type name of D, which the compiler reads: "struct file
 * *" of the object ext4 is "ext4`struct file *".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "ctf/import.h"
#include "libdtrace/api_impl.h"

static struct ctf_type *
type_of(const dtrace_typeinfo_t *ti)
{
	return (struct ctf_type *)ti->dtt_type;
}

/* The type at the base of pointers, arrays and typedefs. */
static const struct ctf_type *
root_type(struct ctf_type *t)
{
	while (t->ref != NULL && t->import == NULL)
		t = t->ref;
	return ctf_resolve(t);
}

static void
fill_type(dtrace_hdl_t *h, struct ctf_type *t, const char *object,
    dtrace_typeinfo_t *ti)
{
	const struct ctf_type *root = root_type(t);
	const struct ctf_type *r = ctf_strip(t);

	if (root->import != NULL && root->import->name != NULL)
		object = root->import->name;
	*ti = (dtrace_typeinfo_t){
		.dtt_object = arena_strdup(&h->dt->compiled.arena, object),
		.dtt_ctfp = cg_session_types(h->dt->compiled.cg),
		.dtt_type = (uintptr_t)t,
		.dtt_flags = r->kind == CTF_K_POINTER && r->is_userland ?
		    DTT_FL_USER :
		    0,
	};
}

static int
compile_type(dtrace_hdl_t *h, const char *text, const char *object,
    dtrace_typeinfo_t *ti)
{
	struct ctf_type *t = dt_compile_type(h->dt, text);

	if (t == NULL)
		return api_fail_dt(h, EDT_NOTYPE);
	fill_type(h, t, object, ti);
	return 0;
}

int
dtrace_type_strcompile(dtrace_hdl_t *h, const char *text, dtrace_typeinfo_t *ti)
{
	return compile_type(h, text, "D", ti);
}

int
dtrace_type_fcompile(dtrace_hdl_t *h, FILE *fp, dtrace_typeinfo_t *ti)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t len = getdelim(&text, &size, '\0', fp);
	int rc = len < 0 ? api_fail(h, EDT_FIO) :
			   dtrace_type_strcompile(h, text, ti);

	free(text);
	return rc;
}

static int
type_in(dtrace_hdl_t *h, const char *object, const char *name,
    dtrace_typeinfo_t *ti)
{
	char *text = mem_printf("%s`%s", object, name);
	int rc = compile_type(h, text, object, ti);

	free(text);
	return rc;
}

struct api_types_seeking {
	const char *name;
	dtrace_typeinfo_t *ti;
};

static int
type_in_object(dtrace_hdl_t *h, const dtrace_objinfo_t *info, void *arg)
{
	struct api_types_seeking *se = arg;

	if ((info->dto_flags & DTRACE_OBJ_F_KERNEL) != 0)
		return 0;
	return type_in(h, info->dto_name, se->name, se->ti) == 0;
}

/* Search the files of processes, one after the other. */
static int
type_in_processes(dtrace_hdl_t *h, const char *name, dtrace_typeinfo_t *ti)
{
	struct api_types_seeking se = { name, ti };

	int rc = dtrace_object_iter(h, type_in_object, &se);

	if (rc == 0)
		return api_fail(h, EDT_NOTYPE);
	return rc == 1 ? 0 : -1;
}

static int
type_in_linker(dtrace_hdl_t *h, const char *name, dtrace_typeinfo_t *ti)
{
	dtrace_objinfo_t info;

	if (dtrace_object_info(h, DTRACE_OBJ_RTLD, &info) != 0)
		return -1;
	return type_in(h, info.dto_name, name, ti);
}

int
dtrace_lookup_by_type(dtrace_hdl_t *h, const char *object, const char *name,
    dtrace_typeinfo_t *ti)
{
	if (object == DTRACE_OBJ_EVERY)
		return compile_type(h, name, "D", ti);
	if (object == DTRACE_OBJ_KMODS)
		return type_in(h, "", name, ti);
	if (object == DTRACE_OBJ_EXEC)
		return type_in(h, "a.out", name, ti);
	if (object == DTRACE_OBJ_RTLD)
		return type_in_linker(h, name, ti);
	if (object == DTRACE_OBJ_UMODS)
		return type_in_processes(h, name, ti);
	if (object != DTRACE_OBJ_CDEFS && object != DTRACE_OBJ_DDEFS)
		return type_in(h, object, name, ti);
	if (compile_type(h, name, "D", ti) != 0)
		return -1;
	return root_type(type_of(ti))->import == NULL ? 0 :
							api_fail(h, EDT_NOTYPE);
}

int
dtrace_symbol_type(dtrace_hdl_t *h, const Elf64_Sym *sym,
    const dtrace_syminfo_t *si, dtrace_typeinfo_t *ti)
{
	struct ctf_symbol known = { 0 };
	struct ctf_import *im;

	(void)sym;
	if (dt_need_types(h->dt) != 0)
		return api_fail_dt(h, EDT_CTF);
	im = ctf_import_find(
	    cg_session_types(h->dt->compiled.cg), si->dts_object);
	if (im == NULL)
		return api_fail(h, EDT_NOCTF);
	if (im->ops->symbol == NULL ||
	    !im->ops->symbol(im, si->dts_name, &known) || known.type == NULL)
		return api_fail(h, EDT_NOTYPE);
	fill_type(h, known.type, si->dts_object, ti);
	return 0;
}

int
dtrace_type_name(
    dtrace_hdl_t *h, const dtrace_typeinfo_t *ti, char *buf, int size)
{
	struct strbuf sb = { 0 };
	int len;

	(void)h;
	ctf_type_text(type_of(ti), &sb);
	len = snprintf(
	    buf, size > 0 ? (size_t)size : 0, "%s", sb.s != NULL ? sb.s : "");
	strbuf_fini(&sb);
	return len;
}

size_t
dtrace_type_size(dtrace_hdl_t *h, const dtrace_typeinfo_t *ti)
{
	struct ctf_type *t = ctf_resolve(type_of(ti));

	if (t->kind == CTF_K_D_STRING)
		return (size_t)dt_opt(h->dt, DT_OPT_STRSIZE);
	return (size_t)t->size;
}

int
dtrace_type_member(dtrace_hdl_t *h, const dtrace_typeinfo_t *ti,
    const char *member, dtrace_typeinfo_t *mi, uint64_t *bit_offset)
{
	struct ctf_type *t = ctf_resolve(type_of(ti));
	const struct ctf_member *m;
	uint64_t off = 0;

	m = ctf_is_sou(t) ? ctf_member_find(t, member, &off) : NULL;
	if (m == NULL)
		return api_fail(h, EDT_NOTYPE);
	fill_type(h, m->type, ti->dtt_object, mi);
	if (bit_offset != NULL)
		*bit_offset = off;
	return 0;
}
