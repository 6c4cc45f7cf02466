/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stability: how likely the names that a script uses are to change in a later
 * release.
 *
 * The attributes of an expression are the least of those of its parts,
 * component by component.  A name of the program is Stable/Stable/Common unless
 * #pragma D attributes says otherwise, names of the kernel's types and symbols
 * are Private/Private/Unknown (doc/reference/language.md section 13).
 *
 * #pragma D binding gives the version of the language that introduced a name,
 * as since.def does for D's own names; option version hides later names.
 */
#include "codegen/cg_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "ctf/import.h"

#define MAX_WAITING 1000 /* of pragmas: each item compares them all */

static const struct dif_attr kernel_attr = DIF_ATTR_KERNEL;
static const struct dif_attr program_attr = DIF_ATTR_PROGRAM;

/* ---- expressions --------------------------------------------------------- */

static struct dif_attr
attr_of_type(struct ctf_type *t)
{
	struct ctf_type *r = t != NULL ? ctf_resolve(t) : NULL;

	while (
	    r != NULL && (r->kind == CTF_K_POINTER || r->kind == CTF_K_ARRAY))
		r = ctf_resolve(r->ref);
	return r != NULL && r->import != NULL ? kernel_attr : program_attr;
}

static struct dif_attr
attr_of_name(const struct ast_expr *e)
{
	const struct cg_sym *sym = e->sym;

	if (e->u.ident.module != NULL)
		return kernel_attr;
	return sym != NULL ? sym->attr : program_attr;
}

/* The attributes that the node adds to its children's. */
static struct dif_attr
own_attr(const struct ast_expr *e)
{
	switch (e->kind) {
	case AST_IDENT:
		return attr_of_name(e);
	case AST_INDEX:
		return e->sym != NULL ? ((const struct cg_sym *)e->sym)->attr :
					program_attr;
	case AST_MEMBER:
		return attr_of_type(e->a->type);
	case AST_CAST:
	case AST_SIZEOF_TYPE:
	case AST_OFFSETOF:
		return attr_of_type(e->named);
	case AST_INT:
	case AST_STR:
	case AST_AGG:
	case AST_UNARY:
	case AST_BINARY:
	case AST_ASSIGN:
	case AST_COND:
	case AST_CALL:
	case AST_XLATE:
	case AST_BOUND:
	case AST_XLREF:
		break;
	}
	return program_attr;
}

/* Attributes of a checked tree. */
static struct dif_attr
tree_attr(const struct ast_expr *e)
{
	struct dif_attr a = own_attr(e);

	if (e->inst != NULL)
		return dif_attr_min(a, tree_attr(e->inst));
	if (e->a != NULL && e->kind != AST_XLATE)
		a = dif_attr_min(a, tree_attr(e->a));
	if (e->b != NULL)
		a = dif_attr_min(a, tree_attr(e->b));
	if (e->c != NULL)
		a = dif_attr_min(a, tree_attr(e->c));
	for (size_t i = 0; i < e->args.n; i++)
		a = dif_attr_min(a, tree_attr(e->args.v[i]));
	return a;
}

static void
attr_text(struct dif_attr a, struct strbuf *out)
{
	strbuf_printf(out, "%s/%s/%s", dif_attr_name(&a), dif_attr_data(&a),
	    dif_attr_class(&a));
}

void
cg_note_attr(struct cg *cg, const struct ast_expr *e)
{
	struct dif_attr a = dif_attr_min(tree_attr(e), cg->args_attr);
	struct strbuf sb = { 0 };

	cg->cl->attr = dif_attr_min(cg->cl->attr, a);
	if (!dif_attr_below(a, cg->s->amin))
		return;
	strbuf_adds(&sb, "the stability of this expression, ");
	attr_text(a, &sb);
	strbuf_adds(&sb, ", is below the minimum, ");
	attr_text(cg->s->amin, &sb);
	diag_error(cg->ds, D_ATTR_MIN, e->span, "%s", sb.s);
	diag_hint(cg->ds, "option amin sets the minimum");
	strbuf_fini(&sb);
}

/* ---- versions ------------------------------------------------------------ */

uint32_t
cg_builtin_since(const char *name)
{
	static const struct {
		const char *name, *version;
	} since[] = {
#define SINCE(name, version) { name, version },
#include "codegen/since.def"
#undef SINCE
	};

	for (size_t i = 0; i < sizeof(since) / sizeof(since[0]); i++) {
		if (strcmp(since[i].name, name) == 0)
			return dif_version_parse(since[i].version);
	}
	return 0;
}

bool
cg_check_since(
    struct cg *cg, const struct ast_expr *e, uint32_t since, const char *tag)
{
	struct strbuf was = { 0 }, is = { 0 };

	if (since <= cg->s->version)
		return true;
	dif_version_format(since, &was);
	dif_version_format(cg->s->version, &is);
	diag_error(cg->ds, tag, e->span,
	    "'%s' came with version %s of D; "
	    "option version asks for %s",
	    e->u.ident.name, was.s, is.s);
	strbuf_fini(&was);
	strbuf_fini(&is);
	return false;
}

/* ---- pragmas ------------------------------------------------------------- */

static const char *const provider_parts[DIF_NPROVATTRS] = { "provider",
	"module", "function", "name", "args" };

static bool
parse_attr(struct cg *cg, const struct ast_item *it, struct dif_attr *a)
{
	if (dif_attr_parse(it->pragma->value, a))
		return true;
	diag_error(cg->ds, D_PRAGMA_MALFORM, it->span,
	    "expected attributes such as Stable/Stable/Common, found '%s'",
	    it->pragma->value);
	return false;
}

static bool
parse_version(struct cg *cg, const struct ast_item *it, uint32_t *version)
{
	*version = dif_version_parse(it->pragma->value);
	if (*version != 0)
		return true;
	diag_error(cg->ds, D_PRAGMA_MALFORM, it->span,
	    "there is no version '%s' of D", it->pragma->value);
	return false;
}

static struct dif_provider *
find_provider(struct cg *cg, const char *name)
{
	VEC_FOREACH(&cg->prog->providers, p) {
		if (strcmp(p->name, name) == 0)
			return p;
	}
	return NULL;
}

static bool
set_provider_attr(struct cg *cg, const struct ast_item *it, struct dif_attr a)
{
	struct dif_provider *p = find_provider(cg, it->pragma->name);
	int i;

	for (i = 0; i < DIF_NPROVATTRS; i++) {
		if (strcmp(provider_parts[i], it->pragma->part) == 0)
			break;
	}
	if (i == DIF_NPROVATTRS) {
		diag_error(cg->ds, D_PRAGMA_MALFORM, it->span,
		    "expected provider, module, function, name or args, found "
		    "'%s'",
		    it->pragma->part);
		return true;
	}
	if (p == NULL)
		return false;
	p->attrs[i] = a;
	return true;
}

/*
 * Libraries of other systems give each translator a version so (binding "1.0"
 * translator).  Ours have the one of the types that they translate.
 */
static bool
is_translator(const char *name)
{
	return strcmp(name, "translator") == 0;
}

/* Returns false when the name is not declared. */
static bool
apply_to_name(struct cg *cg, const struct ast_item *it)
{
	struct cg_sym *sym =
	    cg_sym_find(cg->s, DIFV_SCOPE_GLOBAL, it->pragma->name);
	struct dif_attr a;
	uint32_t version;

	if (it->pragma->kind == AST_P_ATTRIBUTES) {
		if (!parse_attr(cg, it, &a))
			return true;
		if (it->pragma->part != NULL)
			return set_provider_attr(cg, it, a);
		if (sym != NULL)
			sym->attr = a;
	} else {
		if (!parse_version(cg, it, &version))
			return true;
		if (sym != NULL)
			sym->since = version;
	}
	return sym != NULL || is_translator(it->pragma->name);
}

static bool
apply_pragma(struct cg *cg, const struct ast_item *it)
{
	switch (it->pragma->kind) {
	case AST_P_ATTRIBUTES:
	case AST_P_BINDING:
		return apply_to_name(cg, it);
	case AST_P_UNAVAILABLE:
		return cg_note_unavailable(cg, it->pragma);
	case AST_P_DEPENDS_ON:
		break;
	}
	return true;
}

static void
refuse_unused(struct cg *cg, const struct ast_item *it)
{
	const struct ast_pragma *pr = it->pragma;
	const char *near = pr->part == NULL ?
	    cg_nearest(cg, DIFV_SCOPE_GLOBAL, pr->name) :
	    NULL;

	diag_error(cg->ds, D_PRAGMA_UNUSED, it->span,
	    "the pragma names %s'%s', which is not declared",
	    pr->kind == AST_P_UNAVAILABLE ? "type " :
		pr->part != NULL	  ? "provider " :
					    "",
	    pr->name);
	if (near != NULL)
		diag_hint(cg->ds, "did you mean %s?", near);
}

/* A pragma may precede the declaration of its name: it is kept until then. */
void
cg_pragma(struct cg *cg, const struct ast_item *it)
{
	if (apply_pragma(cg, it))
		return;
	if (cg->pragmas.n < MAX_WAITING)
		VEC_PUSH(&cg->pragmas, it);
	else
		refuse_unused(cg, it);
}

/* After an item is compiled: apply the pragmas that precede its declaration. */
void
cg_retry_pragmas(struct cg *cg)
{
	size_t n = 0;

	VEC_FOREACH(&cg->pragmas, ip) {
		if (!apply_pragma(cg, *ip))
			cg->pragmas.v[n++] = *ip;
	}
	cg->pragmas.n = n;
}

void
cg_finish_pragmas(struct cg *cg)
{
	VEC_FOREACH(&cg->pragmas, ip)
		refuse_unused(cg, *ip);
	VEC_FREE(&cg->pragmas);
}
