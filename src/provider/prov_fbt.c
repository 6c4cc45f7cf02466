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
#include "base/lines.h"

#define LIST "available_filter_functions"
#define VMLINUX "vmlinux"
#define NFUNCS 131072	/* more are numbered on demand */

struct fbt {
	struct dt_kbtf *btf;
	struct arena arena;
	VEC(struct fbt_func) funcs;
	struct strtab names, mods;
	VEC(uint32_t) by_name;	/* by id in names: the first one's place + 1 */
	bool has_places;
	char *why;		/* why there are none */
};

/* ---- the list ------------------------------------------------------------ */

/* Where to note the place (+ 1) of a module's function: behind the others that
 * have its name, unless it is there already. */
static uint32_t *
place_of(struct fbt *f, uint32_t name, const char *mod)
{
	uint32_t *at = &f->by_name.v[name - 1];

	while (*at != 0 && strcmp(f->funcs.v[*at - 1].mod, mod) != 0)
		at = &f->funcs.v[*at - 1].next;
	return at;
}

/* NULL: it is not in the list */
static struct fbt_func *
find_func(struct fbt *f, const char *name, const char *mod)
{
	uint32_t id = strtab_find(&f->names, name);
	uint32_t at = id != 0 ? *place_of(f, id, mod) : 0;

	return at != 0 ? &f->funcs.v[at - 1] : NULL;
}

static void
add_func(struct fbt *f, const char *name, const char *mod)
{
	struct fbt_func fn = { .fbt = f };
	uint32_t id = strtab_intern(&f->names, name), *at;

	if (id > f->by_name.n)
		VEC_PUSH(&f->by_name, 0);
	at = place_of(f, id, mod);
	if (*at != 0)
		return;		/* another of that name */
	*at = (uint32_t)f->funcs.n + 1;
	fn.name = strtab_str(&f->names, id);
	fn.mod = mod;
	VEC_PUSH(&f->funcs, fn);
}

/* "name" or "name [module]"; what was discarded stays in the list under a
 * made-up name. */
static bool
take_line(char *line, void *arg)
{
	struct fbt *f = arg;
	char *end = word_end(line), *mod = strchr(end, '[');

	*end = '\0';
	if (*line == '\0' || strncmp(line, "__ftrace_invalid", 16) == 0)
		return false;
	if (mod != NULL)
		mod[strcspn(mod, "]")] = '\0';
	add_func(f, line, mod == NULL ? VMLINUX :
	    strtab_str(&f->mods, strtab_intern(&f->mods, mod + 1)));
	return false;
}

static char *
no_list(int err)
{
	bool is_denied = err == EPERM || err == EACCES;
	char *why, *text;

	if (!dt_privilege_has(DT_PRIV_KERNEL)) {
		why = dt_privilege_refusal(DT_PRIV_KERNEL, "the kernel's code");
		text = mem_printf("%s: run dtrace with sudo", why);
		free(why);
		return text;
	}
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

	f->btf = dt_kbtf(r);
	arena_init(&f->arena);
	strtab_init(&f->names);
	strtab_init(&f->mods);
	if (list == NULL) {
		f->why = no_list(errno);
		return f;
	}
	lines_each(fileno(list), take_line, f);
	fclose(list);
	return f;
}

static void
fbt_destroy(void *arg)
{
	struct fbt *f = arg;

	VEC_FREE(&f->funcs);
	VEC_FREE(&f->by_name);
	strtab_fini(&f->names);
	strtab_fini(&f->mods);
	arena_fini(&f->arena);
	free(f->why);
	free(f);
}

/* ---- addresses ----------------------------------------------------------- */

static bool
take_symbol(const struct ksymbol *sym, void *arg)
{
	struct fbt *f = arg;
	struct fbt_place *place;
	struct fbt_func *fn = NULL;

	if (sym->addr != 0 && ksym_is_code(sym->type))
		fn = find_func(f, sym->name, sym->module);
	if (fn == NULL)
		return false;
	place = ARENA_NEW(&f->arena, struct fbt_place);
	place->addr = sym->addr;
	place->next = fn->places;
	fn->places = place;
	return false;
}

const struct fbt_place *
fbt_places(const struct fbt_func *fn)
{
	struct fbt *f = fn->fbt;

	if (!f->has_places)
		kallsyms_each(take_symbol, f);
	f->has_places = true;
	return fn->places;
}

/* ---- matching ------------------------------------------------------------ */

static uint32_t
fbt_nids(struct dt_registry *r)
{
	(void)r;
	return 2 * NFUNCS;
}

/* What the description selects of the function's two. */
static void
add_probes(struct dt_registry *r, const struct dif_pdesc *desc,
    struct fbt_func *fn, uint32_t id_base)
{
	uint32_t i = (uint32_t)(fn - fn->fbt->funcs.v);
	struct dt_probe p = { .ops = &dt_provider_fbt, .prov = "fbt",
		.mod = fn->mod, .func = fn->name, .data = fn };

	for (uint32_t is_return = 0; is_return < 2; is_return++) {
		p.id = i < NFUNCS ? id_base + 2 * i + is_return : 0;
		p.name = is_return ? "return" : "entry";
		p.ctx = is_return ? DT_CTX_KRETPROBE : DT_CTX_KPROBE;
		p.group = DT_GROUP(FBT, is_return);
		if (desc->id != 0 ? desc->id == p.id :
				    dt_field_match(desc->name, p.name))
			dt_registry_offer(r, &p);
	}
}

/* The functions of one name; are there any? */
static bool
add_named(struct dt_registry *r, struct fbt *f, const struct dif_pdesc *desc,
    uint32_t id_base)
{
	uint32_t id = strtab_find(&f->names, desc->func), at;
	bool is_any = false;

	for (at = id != 0 ? f->by_name.v[id - 1] : 0; at != 0;
	     at = f->funcs.v[at - 1].next) {
		if (!dt_field_match(desc->mod, f->funcs.v[at - 1].mod))
			continue;
		is_any = true;
		add_probes(r, desc, &f->funcs.v[at - 1], id_base);
	}
	return is_any;
}

static void
add_matching(struct dt_registry *r, struct fbt *f, const struct dif_pdesc *desc,
    uint32_t id_base)
{
	VEC_FOREACH(&f->funcs, fn) {
		if (dt_field_match(desc->func, fn->name) &&
		    dt_field_match(desc->mod, fn->mod))
			add_probes(r, desc, fn, id_base);
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

/* Does the kernel proper have a function of that name, one that is not written
 * in assembly? */
static bool
has_type(struct fbt *f, const char *name)
{
	struct btf_blob *b = dt_kbtf_module(f->btf, VMLINUX);

	return b != NULL && btf_blob_find(b, BTF_KIND_FUNC, name) != 0;
}

/*
 * A function that was named and is there, but not in the list: say so, rather
 * than that there is no such thing.  The kernel's symbols take a while to read.
 */
static int
check_refused(struct dt_registry *r, struct fbt *f,
    const struct dif_pdesc *desc)
{
	struct search s = { .desc = desc };

	if (!dt_field_is(desc->prov, "fbt") || dt_field_is_empty(desc->func) ||
	    glob_is_pattern(desc->func) || dt_registry_is_asking(r))
		return 0;
	if (dt_registry_is_hasty(r) && !has_type(f, desc->func))
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
	uint32_t i = (desc->id - id_base) / 2;
	struct fbt *f;

	if (names_no_probe(desc))
		return 0;
	f = dt_registry_keep(r, &keep);
	if (f->why != NULL)
		return dt_field_is_empty(desc->prov) ? 0 :
		    dt_registry_fail(r, -ENOTSUP, "fbt is not available: %s",
			f->why);
	if (desc->id != 0) {
		if (i < f->funcs.n)
			add_probes(r, desc, &f->funcs.v[i], id_base);
	} else if (dt_field_is_empty(desc->func) ||
	    glob_is_pattern(desc->func)) {
		add_matching(r, f, desc, id_base);
	} else if (!add_named(r, f, desc, id_base)) {
		return check_refused(r, f, desc);
	}
	return 0;
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
	.privilege = DT_PRIV_KERNEL,
	.attrs = fbt_attrs,
};
