/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Function boundaries of the kernel: fbt:<module>:<function>:entry and :return.
 *
 * The functions are those that the kernel's function tracer lists: it knows
 * which are compiled with a place for a probe and which must not be probed.
 * A name that several functions of a module have is one probe, armed at all.
 * The place in the list makes the id.
 *
 * A function's arguments and result are typed by its BTF; those that the
 * compiler changed (names like foo.isra.0) have none.  arg0 of a return would be
 * the offset of the return in the function, which nobody tells: it is 0.
 */
#include "provider/fbt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/kallsyms.h"

#define LIST "available_filter_functions"
#define VMLINUX "vmlinux"
#define NFUNCS 131072	/* more are numbered on demand */

struct fbt {
	struct dt_kbtf *btf;
	struct arena arena;
	VEC(struct fbt_func) funcs;
	struct strtab names;	/* "function module": no two are the same */
	struct strtab mods;
	char *why;		/* why there are none */
};

/* ---- the list ------------------------------------------------------------ */

static void
add_func(struct fbt *f, const char *name, const char *mod)
{
	struct fbt_func fn = { .fbt = f };
	char *key = mem_printf("%s %s", name, mod);
	uint32_t id = strtab_intern(&f->names, key);

	free(key);
	if (id != f->funcs.n + 1)
		return;		/* another of that name */
	fn.name = arena_strdup(&f->arena, name);
	fn.mod = strtab_str(&f->mods, strtab_intern(&f->mods, mod));
	VEC_PUSH(&f->funcs, fn);
}

/* "name\n" or "name [module]\n"; what was discarded stays in the list under a
 * made-up name. */
static void
take_line(struct fbt *f, char *line)
{
	size_t len = strcspn(line, " \t\n");
	char *mod = strchr(line + len, '[');

	line[len] = '\0';
	if (*line == '\0' || strncmp(line, "__ftrace_invalid", 16) == 0)
		return;
	if (mod != NULL)
		mod[strcspn(mod, "]\n")] = '\0';
	add_func(f, line, mod != NULL ? mod + 1 : VMLINUX);
}

static char *
no_list(int err)
{
	bool is_denied = err == EPERM || err == EACCES;

	if (!fbt_has_kprobes())
		return mem_printf("this kernel has no kprobes, and its "
		    "function tracer lists no functions: %s", strerror(err));
	return mem_printf("cannot read tracefs's " LIST ": %s%s", strerror(err),
	    !is_denied ? "" : geteuid() != 0 ? " (needs root)" :
	    " (the kernel is locked down)");
}

static void *
fbt_create(struct dt_registry *r)
{
	struct fbt *f = mem_alloc(sizeof(*f));
	FILE *list = dt_tracefs_open(LIST);
	char *line = NULL;
	size_t size = 0;

	f->btf = dt_kbtf(r);
	arena_init(&f->arena);
	strtab_init(&f->names);
	strtab_init(&f->mods);
	if (list == NULL)
		f->why = no_list(errno);
	while (list != NULL && getline(&line, &size, list) > 0)
		take_line(f, line);
	free(line);
	if (list != NULL)
		fclose(list);
	return f;
}

static void
fbt_destroy(void *arg)
{
	struct fbt *f = arg;

	VEC_FREE(&f->funcs);
	strtab_fini(&f->names);
	strtab_fini(&f->mods);
	arena_fini(&f->arena);
	free(f->why);
	free(f);
}

/* ---- matching ------------------------------------------------------------ */

static uint32_t
fbt_nids(struct dt_registry *r)
{
	(void)r;
	return 2 * NFUNCS;
}

static void
add_probes(struct dt_registry *r, const struct dif_pdesc *desc,
    struct fbt_func *fn, uint32_t i, uint32_t id_base)
{
	struct dt_probe p = { .ops = &dt_provider_fbt, .prov = "fbt",
		.mod = fn->mod, .func = fn->name, .data = fn };

	for (uint32_t is_return = 0; is_return < 2; is_return++) {
		p.id = i < NFUNCS ? id_base + 2 * i + is_return : 0;
		p.name = is_return ? "return" : "entry";
		p.ctx = is_return ? DT_CTX_KRETPROBE : DT_CTX_KPROBE;
		p.group = DT_GROUP(FBT, is_return);
		if (dt_pdesc_match(desc, &p))
			dt_registry_add(r, &p);
	}
}

struct search {
	const struct dif_pdesc *desc;
	bool is_found;
};

static bool
is_such_function(const struct ksymbol *sym, void *arg)
{
	struct search *s = arg;

	s->is_found = ksym_is_code(sym->type) &&
	    strcmp(sym->name, s->desc->func) == 0 &&
	    dt_field_match(s->desc->mod, sym->module);
	return s->is_found;
}

/*
 * A function that was named and is there, but not in the list: say so, rather
 * than that there is no such thing.
 */
static int
check_refused(struct dt_registry *r, const struct dif_pdesc *desc)
{
	struct search s = { .desc = desc };

	if (!dt_field_is(desc->prov, "fbt") || dt_field_is_empty(desc->func) ||
	    glob_is_pattern(desc->func))
		return 0;
	kallsyms_each(is_such_function, &s);
	if (!s.is_found)
		return 0;
	return dt_registry_fail(r, -EPERM, "the kernel does not let function "
	    "%s be probed: its function tracer leaves it out (notrace, or code "
	    "that a probe itself may run through)", desc->func);
}

static bool
names_no_probe(const struct dif_pdesc *desc)
{
	return desc->id == 0 && !dt_field_match(desc->name, "entry") &&
	    !dt_field_match(desc->name, "return");
}

static int
fbt_match(struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id_base)
{
	static const struct dt_keep keep = { fbt_create, fbt_destroy };
	bool is_exact = desc->id == 0 && !dt_field_is_empty(desc->func) &&
	    !glob_is_pattern(desc->func);
	bool is_known = false;
	struct fbt *f;

	if (names_no_probe(desc))
		return 0;
	f = dt_registry_keep(r, &keep);
	if (f->why != NULL)
		return dt_field_is_empty(desc->prov) ? 0 :
		    dt_registry_fail(r, -ENOTSUP, "fbt is not available: %s",
			f->why);
	if (desc->id != 0) {
		uint32_t i = (desc->id - id_base) / 2;

		if (i < f->funcs.n)
			add_probes(r, desc, &f->funcs.v[i], i, id_base);
		return 0;
	}
	for (uint32_t i = 0; i < f->funcs.n; i++) {
		struct fbt_func *fn = &f->funcs.v[i];

		if (is_exact && strcmp(fn->name, desc->func) != 0)
			continue;
		is_known = true;
		add_probes(r, desc, fn, i, id_base);
	}
	return is_known ? 0 : check_refused(r, desc);
}

/* ---- types --------------------------------------------------------------- */

/* The function's prototype, with the BTF that has it; 0: none. */
static uint32_t
func_proto(const struct fbt_func *fn, struct btf_blob **b)
{
	const struct btf_type *t;

	*b = dt_kbtf_module(fn->fbt->btf, fn->mod);
	if (*b == NULL)
		return 0;
	t = btf_blob_type(*b, btf_blob_find(*b, BTF_KIND_FUNC, fn->name));
	if (t == NULL)
		return 0;
	return btf_blob_type(*b, t->type) != NULL &&
	    btf_type_kind(btf_blob_type(*b, t->type)) == BTF_KIND_FUNC_PROTO ?
	    t->type : 0;
}

uint32_t
fbt_btf_id(const struct dt_probe *p)
{
	const struct fbt_func *fn = p->data;
	struct btf_blob *b;

	if (strcmp(fn->mod, VMLINUX) != 0 || func_proto(fn, &b) == 0)
		return 0;
	return btf_blob_find(b, BTF_KIND_FUNC, fn->name);
}

/* Through typedefs and the like: is it an integer or a pointer? */
static bool
is_scalar(struct btf_blob *b, uint32_t id)
{
	for (unsigned depth = 0; depth < 16; depth++) {
		const struct btf_type *t = btf_blob_type(b, id);

		if (id == 0 || t == NULL)
			return id == 0;
		switch (btf_type_kind(t)) {
		case BTF_KIND_INT:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
			return t->size <= 8;
		case BTF_KIND_PTR:
			return true;
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = t->type;
			break;
		default:
			return false;
		}
	}
	return false;
}

bool
fbt_is_simple(const struct dt_probe *p)
{
	const struct fbt_func *fn = p->data;
	struct btf_blob *b;
	uint32_t proto = func_proto(fn, &b);
	const struct btf_type *t = btf_blob_type(b, proto);
	const struct btf_param *params;
	uint32_t n;

	if (proto == 0 || strcmp(fn->mod, VMLINUX) != 0)
		return false;
	params = btf_type_tail(t);
	n = btf_type_vlen(t);
	if (n > 6 || !is_scalar(b, t->type))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		/* "..." is a nameless parameter of type void */
		if (params[i].type == 0 || !is_scalar(b, params[i].type))
			return false;
	}
	return true;
}

static const char **
find_types(const struct fbt_func *fn, bool is_return)
{
	struct arena *a = &fn->fbt->arena;
	struct btf_blob *b;
	uint32_t proto = func_proto(fn, &b), n = 0, nparams;
	const struct btf_param *params;
	const char **types;

	if (proto == 0)
		return arena_alloc(a, sizeof(char *));
	params = btf_type_tail(btf_blob_type(b, proto));
	nparams = btf_type_vlen(btf_blob_type(b, proto));
	types = arena_alloc(a, (nparams + 3) * sizeof(char *));
	if (!is_return) {
		for (; n < nparams && params[n].type != 0; n++)
			types[n] = dt_kbtf_text(a, b, params[n].type);
		return types;
	}
	types[n++] = "int";
	if (btf_blob_type(b, proto)->type != 0)
		types[n++] = dt_kbtf_text(a, b, btf_blob_type(b, proto)->type);
	return types;
}

static const char *const *
fbt_arg_types(const struct dt_probe *p)
{
	struct fbt_func *fn = p->data;
	bool is_return = fbt_is_return(p);

	if (fn->types[is_return] == NULL)
		fn->types[is_return] = find_types(fn, is_return);
	return fn->types[is_return];
}

static const char *const fbt_attrs[] = {
	"Evolving/Evolving/Common",
	"Private/Private/Unknown",
	"Private/Private/Unknown",
	"Evolving/Evolving/Common",
	"Private/Private/ISA",
};

const struct dt_provider_ops dt_provider_fbt = {
	.name = "fbt",
	.nids = fbt_nids,
	.match = fbt_match,
	.arg_types = fbt_arg_types,
	.choose = fbt_choose,
	.btf_id = fbt_btf_id,
	.arm = fbt_arm,
	.attrs = fbt_attrs,
};
