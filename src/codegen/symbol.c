/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols of the kernel: `name, module`name, and what the script declares
 * extern.
 *
 * The address comes from /proc/kallsyms, and becomes a constant of the object
 * with a note of the symbol's name.  The type comes from the script's
 * declaration, else from BTF, which has functions and per-CPU variables.  A
 * per-CPU variable stands for the instance of the CPU that the probe fires on.
 * Kernel memory is never written.
 */
#include "codegen/cg_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/kallsyms.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/str.h"
#include "base/vec.h"
#include "ctf/import.h"

/* A symbol during its lookup. */
struct kernel_symbol {
	const char *module; /* NULL: any */
	const char *name;
	struct ctf_symbol known; /* as an import gives it; type may be
					 * NULL */
	bool is_vmlinux;	 /* the import is the kernel's own */
	uint64_t addr;
	char type; /* nm's letter */
	char *in;  /* the module that defines it (malloced) */
};

void
cg_declare_extern(struct cg *cg, const char *name, struct ctf_type *t)
{
	uint32_t id = strtab_intern(&cg->s->externs, name);

	while (cg->s->extern_types.n < id)
		VEC_PUSH(&cg->s->extern_types, (struct cg_extern){ 0 });
	cg->s->extern_types.v[id - 1] =
	    (struct cg_extern){ t, cg->s->in_library };
}

const struct cg_extern *
cg_find_extern(const struct cg *cg, const char *name)
{
	uint32_t id = strtab_find(&cg->s->externs, name);

	return id == 0 ? NULL : &cg->s->extern_types.v[id - 1];
}

bool
cg_is_symbol(const struct cg *cg, const struct ast_expr *e)
{
	const struct cg_extern *ext;

	if (e->kind != AST_IDENT || e->u.ident.scope != AST_GLOBAL)
		return false;
	if (e->u.ident.module != NULL)
		return true;
	ext = cg_find_extern(cg, e->u.ident.name);
	return ext != NULL && (!ext->is_library || cg->s->in_library) &&
	    cg_sym_find(cg->s, DIFV_SCOPE_GLOBAL, e->u.ident.name) == NULL;
}

/* ---- what is known ------------------------------------------------------- */

static bool
ask_import(struct ctf_import *im, struct kernel_symbol *s)
{
	if (im->ops->symbol == NULL || !im->ops->symbol(im, s->name, &s->known))
		return false;
	s->is_vmlinux = im->name != NULL && strcmp(im->name, "vmlinux") == 0;
	return true;
}

static void
find_type(struct cg *cg, struct kernel_symbol *s)
{
	struct ctf_import *im;

	memset(&s->known, 0, sizeof(s->known));
	if (s->module != NULL) {
		im = ctf_import_find(cg->g, s->module);
		if (im != NULL)
			ask_import(im, s);
		return;
	}
	for (im = cg->g->imports; im != NULL; im = im->next) {
		if (ask_import(im, s))
			return;
	}
}

/* The name as the script would write it. */
static const char *
spelled(struct cg *cg, const struct kernel_symbol *s)
{
	return arena_printf(cg->lc->arena, "%s`%s",
	    s->module != NULL ? s->module : "", s->name);
}

/*
 * The nearest symbols.  A name in an expression is mostly data's, and functions
 * are so many that some look like it: only one mistake makes one of them.
 */
struct nearest_symbols {
	struct near data, code;
};

/* The list's names are valid only during the call: the nearest is copied. */
static bool
is_meant(const struct ksymbol *ks, void *arg)
{
	struct nearest_symbols *both = arg;
	struct near *n = ksym_is_code(ks->type) ? &both->code : &both->data;
	char *before = (char *)(uintptr_t)n->name;

	near_try(n, ks->name);
	if (n->name != before) {
		n->name = mem_strdup(ks->name);
		free(before);
	}
	return false;
}

/* Read the list again: after an error the time does not matter. */
static void
suggest_symbol(
    struct cg *cg, const struct kernel_symbol *s, enum ksym_state state)
{
	static const char no_data[] = "this kernel lists functions only: it "
				      "was built without CONFIG_KALLSYMS_ALL";
	struct nearest_symbols n = { near_start(s->name), near_start(s->name) };
	const char *name;

	n.code.best = 2; /* nearer than this */
	(void)kallsyms_each(is_meant, &n);
	name = n.data.name != NULL ? n.data.name : n.code.name;
	if (name != NULL)
		diag_hint(cg->ds, "did you mean `%s?%s%s", name,
		    state == KSYM_NO_DATA ? " Besides, " : "",
		    state == KSYM_NO_DATA ? no_data : "");
	else if (state == KSYM_NO_DATA)
		diag_hint(cg->ds, "%s", no_data);
	free((char *)(uintptr_t)n.data.name);
	free((char *)(uintptr_t)n.code.name);
}

static bool
refuse_address(struct cg *cg, const struct ast_expr *e,
    const struct kernel_symbol *s, enum ksym_state state)
{
	const char *text = spelled(cg, s);

	switch (state) {
	case KSYM_HIDDEN:
		diag_error(cg->ds, D_SYM_BADREF, e->span,
		    "the kernel hides the address of %s", text);
		diag_hint(cg->ds,
		    "run as root, with the sysctl "
		    "kernel.kptr_restrict at 0 or 1");
		break;
	case KSYM_UNREADABLE:
		diag_error(cg->ds, D_SYM_BADREF, e->span,
		    "the address of %s is "
		    "not available: /proc/kallsyms cannot be read: %s",
		    text, strerror(cg->s->kallsyms.error));
		break;
	case KSYM_NO_MODULE:
		diag_error(cg->ds, D_SYM_BADREF, e->span,
		    "'%s' is no module of the kernel that is loaded",
		    s->module);
		diag_hint(cg->ds,
		    "the kernel's own symbols are vmlinux`...; "
		    "symbols of processes cannot be read by name yet");
		break;
	default:
		diag_error(cg->ds, D_IDENT_UNDEF, e->span,
		    "the kernel has no symbol %s", text);
		suggest_symbol(cg, s, state);
		break;
	}
	return false;
}

/*
 * When the program is loaded, the kernel finds the instance of this CPU from
 * the variable's number in vmlinux's BTF and its name in kallsyms.
 */
static bool
ck_percpu(struct cg *cg, const struct ast_expr *e, struct kernel_symbol *s)
{
	enum ksym_state state;

	if (!s->is_vmlinux) {
		diag_error(cg->ds, D_SYM_BADREF, e->span,
		    "%s is a per-CPU "
		    "variable of a module, which BPF cannot reach",
		    spelled(cg, s));
		return false;
	}
	state = kallsyms_find(
	    &cg->s->kallsyms, "vmlinux", s->name, &s->addr, &s->type, &s->in);
	if (state == KSYM_FOUND || state == KSYM_HIDDEN)
		return true;
	diag_error(cg->ds, D_SYM_BADREF, e->span,
	    "%s is a per-CPU variable, "
	    "and /proc/kallsyms does not list it: BPF cannot find it",
	    spelled(cg, s));
	if (state == KSYM_NO_DATA)
		diag_hint(cg->ds,
		    "this kernel lists functions only: it was "
		    "built without CONFIG_KALLSYMS_ALL");
	return false;
}

/* ---- finding ------------------------------------------------------------- */

static struct ctf_type *
symbol_type(struct cg *cg, const struct kernel_symbol *s)
{
	const struct cg_extern *ext = cg_find_extern(cg, s->name);
	struct ctf_type *t = ext != NULL ? ext->type : s->known.type;

	if (t == NULL && ksym_is_code(s->type)) {
		t = ctf_new(cg->g, CTF_K_FUNCTION);
		t->ref = cg->g->t_int;
	}
	return t;
}

static struct cg_sym *
keep(struct cg *cg, const struct kernel_symbol *s, const char *key)
{
	struct cg_sym *sym = cg_sym_add(
	    cg->s, CG_SYM_KERNEL, DIFV_SCOPE_GLOBAL, key, symbol_type(cg, s));

	sym->is_percpu = s->known.is_percpu;
	sym->addr = sym->is_percpu ? s->known.percpu_id : s->addr;
	sym->module =
	    s->in != NULL ? arena_strdup(&cg->s->arena, s->in) : "vmlinux";
	sym->symbol = arena_strdup(&cg->s->arena, s->name);
	sym->attr = (struct dif_attr)DIF_ATTR_KERNEL;
	sym->is_hidden = true;
	return sym;
}

/* `name may also be an enumerator.  NULL after a diagnostic. */
static struct cg_sym *
find_address(struct cg *cg, const struct ast_expr *e, struct kernel_symbol *s)
{
	enum ksym_state state = kallsyms_find(
	    &cg->s->kallsyms, s->module, s->name, &s->addr, &s->type, &s->in);
	struct cg_sym *sym = NULL;

	if (state == KSYM_FOUND)
		return keep(cg, s, spelled(cg, s));
	if (s->known.type == NULL && e->u.ident.module != NULL)
		sym = cg_find_enumerator(cg, e);
	if (sym == NULL)
		refuse_address(cg, e, s, state);
	return sym;
}

/* NULL after a diagnostic. */
static struct cg_sym *
find_symbol(struct cg *cg, const struct ast_expr *e)
{
	const char *module = e->u.ident.module;
	struct kernel_symbol s = { .name = e->u.ident.name };
	struct cg_sym *sym;

	if (module != NULL && *module != '\0')
		s.module = module;
	sym = cg_sym_find(cg->s, DIFV_SCOPE_GLOBAL, spelled(cg, &s));
	if (sym != NULL)
		return sym;
	find_type(cg, &s);
	if (s.known.is_percpu) {
		if (ck_percpu(cg, e, &s))
			sym = keep(cg, &s, spelled(cg, &s));
	} else {
		sym = find_address(cg, e, &s);
	}
	free(s.in);
	return sym;
}

static bool
refuse_untyped(
    struct cg *cg, const struct ast_expr *e, const struct cg_sym *sym)
{
	diag_error(cg->ds, D_SYM_NOTYPES, e->span,
	    "the type of kernel symbol %s is not known", sym->name);
	diag_hint(cg->ds,
	    "declare it, with the type that the kernel's source "
	    "has: extern int %s; or take its address: &%s",
	    sym->symbol, sym->name);
	return false;
}

/* A function stands for its address, like in C. */
static void
take_function(struct cg *cg, struct ast_expr *e, struct ctf_type *t)
{
	e->type = ctf_pointer(cg->g, t, false);
	e->is_lvalue = false;
}

bool
ck_symbol(struct cg *cg, struct ast_expr *e, bool is_address)
{
	size_t nerrors = cg->ds->list.n;
	struct cg_sym *sym = find_symbol(cg, e);

	if (sym == NULL || cg->ds->list.n != nerrors)
		return false;
	e->sym = sym;
	if (sym->kind == CG_SYM_ENUM) {
		e->is_const = true;
		e->const_value = (uint64_t)sym->value;
		e->type = sym->type;
		return true;
	}
	if (sym->type == NULL && !is_address)
		return refuse_untyped(cg, e, sym);
	e->type = sym->type != NULL ? sym->type : cg->g->t_void;
	e->is_lvalue = true;
	if (ctf_strip(e->type)->kind == CTF_K_FUNCTION)
		take_function(cg, e, e->type);
	return true;
}
