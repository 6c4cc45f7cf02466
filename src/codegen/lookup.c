/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that the script did not define: types and enumerators of the kernel, of
 * its modules and of the other imports of the type graph.
 *
 * The text before a backquote says where to look: module`name in that module,
 * `name everywhere except in D's own types.  Without a backquote D's own types
 * are searched first.
 */
#include "codegen/cg_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "base/vec.h"
#include "ctf/import.h"

/* Tell why types may be missing: BTF that cannot be read. */
bool
cg_hint_imports(struct cg *cg)
{
	for (struct ctf_import *im = cg->g->imports; im != NULL;
	     im = im->next) {
		if (im->problem == NULL || im->name == NULL)
			continue;
		diag_hint(cg->ds,
		    "the types of the kernel are not available: %s",
		    im->problem);
		return true;
	}
	return false;
}

/* ---- what was meant? ----------------------------------------------------- */

/* A search among the names of D libraries, for one kind of them. */
struct in_libraries {
	struct near *near;
	enum lang_name kind;
};

static void
try_in_library(const char *name, enum lang_name kind, void *arg)
{
	struct in_libraries *in = arg;

	if (kind == in->kind && strcmp(name, in->near->to) != 0)
		near_try(in->near, name);
}

static void
try_libraries(struct cg *cg, struct near *n, enum lang_name kind)
{
	struct in_libraries in = { n, kind };

	if (cg->lc->names != NULL)
		cg->lc->names(cg->lc->names_ctx, try_in_library, &in);
}

/* A tag that was only mentioned is no type. */
static bool
is_known(struct cg *cg, enum ctf_space space, const char *name)
{
	struct ctf_type *t = ctf_lookup(cg->g, space, name);

	return t != NULL && !ctf_resolve(t)->is_incomplete;
}

/*
 * Types that the script has used are searched first, then those of D libraries.
 */
static void
try_types(struct cg *cg, struct near *n, enum ctf_space space)
{
	VEC_FOREACH(&cg->g->names.strs, sp) {
		if ((*sp)[0] == (char)space && strcmp(*sp + 2, n->to) != 0 &&
		    is_known(cg, space, *sp + 2))
			near_try(n, *sp + 2);
	}
	if (space == CTF_SP_ORDINARY)
		try_libraries(cg, n, LANG_NAME_TYPE);
}

static void
try_imported(const char *name, void *arg)
{
	near_try(arg, name);
}

/* Search the types of the kernel and of processes. */
static void
try_imports(struct cg *cg, struct near *n, enum ctf_space space)
{
	for (struct ctf_import *im = cg->g->imports; im != NULL;
	     im = im->next) {
		if (im->ops->names != NULL)
			im->ops->names(im, space, try_imported, n);
	}
}

const char *
cg_nearest(struct cg *cg, uint8_t scope, const char *name)
{
	struct near n = near_start(name);

	VEC_FOREACH(&cg->s->syms, sp) {
		if ((*sp)->scope == scope && !(*sp)->is_hidden &&
		    !(*sp)->is_broken)
			near_try(&n, (*sp)->name);
	}
	if (scope == DIFV_SCOPE_GLOBAL) {
		try_libraries(cg, &n, LANG_NAME_VALUE);
		try_libraries(cg, &n, LANG_NAME_FUNC);
	}
	return n.name;
}

/* Inlines with parameters: the script's own, then those of D libraries. */
void
cg_try_inlines(struct cg *cg, struct near *n)
{
	VEC_FOREACH(&cg->s->syms, sp) {
		if ((*sp)->kind == CG_SYM_INLINE && (*sp)->is_array &&
		    !(*sp)->is_library && !(*sp)->is_broken)
			near_try(n, (*sp)->name);
	}
	try_libraries(cg, n, LANG_NAME_FUNC);
}

const char *
cg_nearest_type(struct cg *cg, const char *name)
{
	struct near n = near_start(name);

	try_types(cg, &n, CTF_SP_ORDINARY);
	return n.name;
}

/* The tag that a type's text begins with, and its name space. */
static const struct {
	enum ctf_space space;
	const char *word;
} type_words[] = { { CTF_SP_STRUCT, "struct " }, { CTF_SP_UNION, "union " },
	{ CTF_SP_ENUM, "enum " }, { CTF_SP_ORDINARY, "" } };
#define NTYPE_WORDS (sizeof(type_words) / sizeof(type_words[0]))

static const char *
word_of_space(enum ctf_space space)
{
	size_t i = 0;

	while (type_words[i].space != space)
		i++;
	return type_words[i].word;
}

void
cg_suggest_type(struct cg *cg, enum ctf_space space, const char *name)
{
	struct near n = near_start(name);

	try_types(cg, &n, space);
	try_imports(cg, &n, space);
	if (n.name != NULL)
		diag_hint(cg->ds, "did you mean '%s%s'?", word_of_space(space),
		    n.name);
}

/* A type that has the name, in another name space. */
static char *
same_name(struct cg *cg, size_t tag, const char *name)
{
	for (size_t i = 0; i < NTYPE_WORDS; i++) {
		struct ctf_type *t = i != tag ?
		    ctf_find(cg->g, type_words[i].space, name) :
		    NULL;

		if (t != NULL && !ctf_resolve(t)->is_incomplete)
			return mem_printf("%s%s", type_words[i].word, name);
	}
	return NULL;
}

char *
cg_near_type(struct cg_session *s, const char *text,
    void (*names)(void *ctx, lang_name_f *f, void *arg), void *names_ctx)
{
	struct lang_compile lc = { .names = names, .names_ctx = names_ctx };
	struct cg cg = { .s = s, .g = &s->types, .lc = &lc };
	struct near n;
	size_t tag = 0;
	char *same;

	while (strncmp(text, type_words[tag].word,
		   strlen(type_words[tag].word)) != 0)
		tag++;
	text += strlen(type_words[tag].word);
	same = same_name(&cg, tag, text);
	if (same != NULL)
		return same;
	n = near_start(text);
	try_types(&cg, &n, type_words[tag].space);
	try_imports(&cg, &n, type_words[tag].space);
	return n.name == NULL ?
	    NULL :
	    mem_printf("%s%s", type_words[tag].word, n.name);
}

/* ---- all types ----------------------------------------------------------- */

/* The listing of one name space's types. */
struct each_type {
	const char *module; /* "a.out`", or "" */
	const char *word;   /* "struct " */
	void (*f)(const char *text, void *arg);
	void *arg;
	struct strbuf text;
};

static void
each_named(const char *name, void *arg)
{
	struct each_type *e = arg;

	strbuf_reset(&e->text);
	strbuf_printf(&e->text, "%s%s%s", e->module, e->word, name);
	e->f(e->text.s, e->arg);
}

static void
each_in_library(const char *name, enum lang_name kind, void *arg)
{
	if (kind == LANG_NAME_TYPE)
		each_named(name, arg);
}

static void
each_of_space(struct cg *cg, enum ctf_space space, struct each_type *e)
{
	VEC_FOREACH(&cg->g->names.strs, sp) {
		if ((*sp)[0] == (char)space && is_known(cg, space, *sp + 2))
			each_named(*sp + 2, e);
	}
	if (space == CTF_SP_ORDINARY && cg->lc->names != NULL)
		cg->lc->names(cg->lc->names_ctx, each_in_library, e);
	for (struct ctf_import *im = cg->g->imports; im != NULL;
	     im = im->next) {
		if (im->ops->names != NULL)
			im->ops->names(im, space, each_named, e);
	}
}

void
cg_each_type(struct cg_session *s,
    void (*names)(void *ctx, lang_name_f *f, void *arg), void *names_ctx,
    void (*f)(const char *text, void *arg), void *arg)
{
	struct lang_compile lc = { .names = names, .names_ctx = names_ctx };
	struct cg cg = { .s = s, .g = &s->types, .lc = &lc };
	struct each_type e = { .module = "", .f = f, .arg = arg };

	for (size_t i = 0; i < NTYPE_WORDS; i++) {
		e.word = type_words[i].word;
		each_of_space(&cg, type_words[i].space, &e);
	}
	strbuf_fini(&e.text);
}

bool
cg_each_type_in(struct cg_session *s, const char *module,
    void (*f)(const char *text, void *arg), void *arg, const char **why)
{
	struct ctf_import *im = ctf_import_find(&s->types, module);
	struct each_type e = { .f = f, .arg = arg };
	char *before;

	*why = NULL;
	if (im == NULL || im->ops->names == NULL)
		return false;
	before = mem_printf("%s`", module);
	e.module = before;
	for (size_t i = 0; i < NTYPE_WORDS; i++) {
		e.word = type_words[i].word;
		im->ops->names(im, type_words[i].space, each_named, &e);
	}
	free(before);
	strbuf_fini(&e.text);
	*why = im->problem;
	return *why == NULL;
}

/* ---- what is not here ---------------------------------------------------- */

/* Does the error name a member, an enumerator or a type? */
static bool
is_lack(const char *tag)
{
	static const char *const tags[] = { D_TYPE_MEMBER, D_IDENT_UNDEF,
		D_OP_INCOMPLETE, D_SIZEOF_TYPE, D_OFFSETOF_TYPE, D_TYPE_ERR };

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		if (strcmp(tag, tags[i]) == 0)
			return true;
	}
	return false;
}

const char *
cg_take_lack(struct cg *cg, size_t n, bool may_lack_names)
{
	const char *why;

	if (!cg->s->in_library || cg->ds->list.n == n)
		return NULL;
	for (size_t i = n; i < cg->ds->list.n; i++) {
		const struct diag *d = &cg->ds->list.v[i];

		if (!is_lack(d->tag) ||
		    (!may_lack_names && cg->lack == NULL &&
			strcmp(d->tag, D_IDENT_UNDEF) == 0))
			return NULL;
	}
	why = cg->lack != NULL ?
	    cg->lack :
	    arena_strdup(&cg->s->arena, cg->ds->list.v[n].msg);
	diags_truncate(cg->ds, n);
	return why;
}

bool
cg_note_unavailable(struct cg *cg, const struct ast_pragma *pr)
{
	struct ctf_type *t = ctf_find(cg->g, CTF_SP_ORDINARY, pr->name);
	struct cg_unavailable u = { .member =
					arena_strdup(&cg->s->arena, pr->part),
		.why = arena_strdup(&cg->s->arena, pr->value) };

	if (t == NULL)
		return false;
	u.type = ctf_resolve(t);
	VEC_PUSH(&cg->s->unavailable, u);
	return true;
}

bool
cg_refuse_unavailable(
    struct cg *cg, const struct ast_expr *e, const struct ctf_type *sou)
{
	VEC_FOREACH(&cg->s->unavailable, u) {
		if (u->type != sou || strcmp(u->member, e->u.ident.name) != 0)
			continue;
		diag_error(cg->ds, D_XLATE_NOCONV, e->span,
		    "%s is not available: %s", u->member, u->why);
		cg_hint_imports(cg);
		return true;
	}
	return false;
}

const char *
cg_why_unavailable(
    const struct cg_session *s, struct ctf_type *sou, const char *member)
{
	VEC_FOREACH(&s->unavailable, u) {
		if (u->type == ctf_resolve(sou) &&
		    strcmp(u->member, member) == 0)
			return u->why;
	}
	return NULL;
}

/* ---- what is incomplete -------------------------------------------------- */

void
cg_hint_incomplete(struct cg *cg, const struct ctf_type *t)
{
	if (!cg_hint_imports(cg) && t->name != NULL)
		cg_suggest_type(cg,
		    t->kind == CTF_K_STRUCT    ? CTF_SP_STRUCT :
			t->kind == CTF_K_UNION ? CTF_SP_UNION :
						 CTF_SP_ENUM,
		    t->name);
}

bool
cg_refuse_incomplete(struct cg *cg, struct diag_span span, struct ctf_type *t)
{
	diag_error(cg->ds, D_OP_INCOMPLETE, span,
	    "%s is not declared completely", cg_tn(cg, t));
	cg_hint_incomplete(cg, ctf_resolve(t));
	return false;
}

/* ---- types --------------------------------------------------------------- */

static struct ctf_type *
find_imported(struct cg *cg, enum ctf_space space, const char *name)
{
	struct ctf_type *t = NULL;

	for (struct ctf_import *im = cg->g->imports; t == NULL && im != NULL;
	     im = im->next)
		t = im->ops->type(im, space, name);
	return t;
}

/*
 * Types declared by the program are in module D; those that headers declare
 * with -C are in module C.
 */
static bool
is_program(const char *module)
{
	return strcmp(module, "D") == 0 || strcmp(module, "C") == 0;
}

static struct ctf_type *
find_own(struct cg *cg, enum ctf_space space, const char *name)
{
	struct ctf_type *t = ctf_lookup(cg->g, space, name);

	return t == NULL || t->import != NULL || t->is_pending ? NULL : t;
}

static void
refuse_module(struct cg *cg, const char *module, struct diag_span span)
{
	struct ctf_import *im = cg->g->imports;

	while (im != NULL && (im->name != NULL || im->problem == NULL))
		im = im->next;
	diag_error(cg->ds, D_TYPE_ERR, span,
	    "types of module '%s' are not known", module);
	if (im != NULL)
		diag_hint(cg->ds,
		    "the libraries of a program of -c or -p are not known: %s",
		    im->problem);
	else
		diag_hint(cg->ds,
		    "modules with types are listed in "
		    "/sys/kernel/btf; the kernel's own are vmlinux`..., those "
		    "of a program or library of -c or -p have its file name");
}

static struct ctf_type *
find_in_module(struct cg *cg, enum ctf_space space, const char *module,
    const char *name, struct diag_span span)
{
	struct ctf_import *im = ctf_import_find(cg->g, module);
	struct ctf_type *t;

	if (im == NULL && is_program(module)) {
		t = find_own(cg, space, name);
		if (t != NULL)
			return t;
		diag_error(cg->ds, D_TYPE_ERR, span,
		    "the program declares no type '%s'", name);
		cg_suggest_type(cg, space, name);
		return NULL;
	}
	if (im == NULL) {
		refuse_module(cg, module, span);
		return NULL;
	}
	t = im->ops->type(im, space, name);
	if (t != NULL)
		return t;
	diag_error(cg->ds, D_TYPE_ERR, span, "%s has no type '%s%s'", module,
	    space == CTF_SP_ORDINARY   ? "" :
		space == CTF_SP_STRUCT ? "struct " :
		space == CTF_SP_UNION  ? "union " :
					 "enum ",
	    name);
	if (im->problem != NULL)
		diag_hint(cg->ds, "the types of %s are not available: %s",
		    module, im->problem);
	else
		cg_suggest_type(cg, space, name);
	return NULL;
}

struct ctf_type *
cg_scoped_type(struct cg *cg, enum ctf_space space, const char *name,
    struct diag_span span)
{
	const char *tick = strchr(name, '`');
	struct ctf_type *t;
	char *module;

	if (tick == name) {
		t = find_imported(cg, space, name + 1);
		if (t == NULL) {
			diag_error(cg->ds, D_TYPE_ERR, span,
			    "no module has a type '%s'", name + 1);
			if (!cg_hint_imports(cg))
				cg_suggest_type(cg, space, name + 1);
		}
		return t;
	}
	module = mem_strndup(name, (size_t)(tick - name));
	t = find_in_module(cg, space, module, tick + 1, span);
	free(module);
	return t;
}

struct ctf_type *
cg_type_in_parens(struct cg *cg, const struct ast_expr *e)
{
	struct ctf_import *im;

	if (e->kind != AST_IDENT || e->u.ident.scope != AST_GLOBAL)
		return NULL;
	if (e->u.ident.module == NULL)
		return cg_sym_find(cg->s, DIFV_SCOPE_GLOBAL, e->u.ident.name) !=
			NULL ?
		    NULL :
		    ctf_find(cg->g, CTF_SP_ORDINARY, e->u.ident.name);
	if (*e->u.ident.module == '\0')
		return find_imported(cg, CTF_SP_ORDINARY, e->u.ident.name);
	im = ctf_import_find(cg->g, e->u.ident.module);
	if (im == NULL && is_program(e->u.ident.module))
		return find_own(cg, CTF_SP_ORDINARY, e->u.ident.name);
	return im == NULL ? NULL :
			    im->ops->type(im, CTF_SP_ORDINARY, e->u.ident.name);
}

/* ---- enumerators --------------------------------------------------------- */

/*
 * An enumerator of the kernel, which becomes a constant of the session.  NULL:
 * there is none, or after a diagnostic.
 */
struct cg_sym *
cg_find_enumerator(struct cg *cg, const struct ast_expr *e)
{
	const char *name = e->u.ident.name;
	struct ctf_type *t = NULL;
	struct cg_sym *sym;
	int64_t value = 0;
	int found = 0;

	for (struct ctf_import *im = cg->g->imports; found == 0 && im != NULL;
	     im = im->next) {
		if (im->ops->enumerator != NULL)
			found = im->ops->enumerator(im, name, &t, &value);
	}
	if (found == 0)
		return NULL;
	if (found > 1) {
		diag_error(cg->ds, D_IDENT_AMBIG, e->span,
		    "'%s' is an "
		    "enumerator of several enums of the kernel, with different "
		    "values",
		    name);
		diag_hint(cg->ds,
		    "define the one that you mean: "
		    "inline int %s = ...;",
		    name);
		return NULL;
	}
	if (e->u.ident.module != NULL)
		name = arena_printf(
		    cg->lc->arena, "%s`%s", e->u.ident.module, name);
	sym = cg_sym_add(cg->s, CG_SYM_ENUM, DIFV_SCOPE_GLOBAL, name, t);
	sym->value = value;
	sym->attr = (struct dif_attr)DIF_ATTR_KERNEL;
	return sym;
}
