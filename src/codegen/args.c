/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * args[]: the arguments of a clause's probes, by their types.
 *
 * The index is a constant, since each argument has its own type.  The type is
 * taken from the first probe that the clause's descriptions select.  If another
 * probe of the clause has a different type there, or no argument, it is an
 * error, since one object serves all probes.
 */
#include "codegen/cg_impl.h"

#include <string.h>

#include "base/mem.h"

/* Facts of one index, over all probes of the clause. */
struct arg {
	struct dt_argdesc desc;
	const char *other;	/* the first probe that differs, or NULL */
	const char *other_type; /* its type of the argument, or NULL: none */
};

struct cg_args {
	size_t nprobes;
	const char *probe;	 /* the first probe */
	const char *prov, *name; /* fields of the first probe's name */
	size_t nargs;		 /* number of arguments of the first probe */
	struct arg args[DT_NARGS_MAX];
	struct dif_attr attr; /* the least of the probes' attributes */
};

struct gathering {
	struct cg *cg;
	struct cg_args *ca;
};

static const char *
probe_text(struct cg *cg, const struct lang_probe *p)
{
	return arena_printf(
	    cg->lc->arena, "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
}

static const char *
type_text(struct cg *cg, const struct dt_argdesc *d)
{
	return arena_printf(cg->lc->arena, "%s%s",
	    d->is_userland ? "userland " : "",
	    d->xlate != NULL ? d->xlate : d->native);
}

/* Two translations to the same type may translate different things. */
static const char *
arg_text(struct cg *cg, const struct dt_argdesc *d)
{
	const char *type = type_text(cg, d);

	if (d->xlate == NULL)
		return type;
	return arena_printf(
	    cg->lc->arena, "%s made of %s arg%d", type, d->native, d->mapping);
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool
same_arg(const struct dt_argdesc *a, const struct dt_argdesc *b)
{
	return same_text(a->native, b->native) &&
	    same_text(a->xlate, b->xlate) && a->mapping == b->mapping &&
	    a->is_userland == b->is_userland;
}

static void
take_first(struct gathering *ga, const struct lang_probe *p)
{
	ga->ca->probe = probe_text(ga->cg, p);
	ga->ca->prov = arena_strdup(ga->cg->lc->arena, p->prov);
	ga->ca->name = arena_strdup(ga->cg->lc->arena, p->name);
	ga->ca->nargs = p->nargs;
	for (size_t i = 0; i < p->nargs; i++)
		ga->ca->args[i].desc = p->args[i];
}

/* Note where a later probe differs from the first. */
static void
take_other(struct gathering *ga, const struct lang_probe *p)
{
	struct cg_args *ca = ga->ca;
	size_t n = p->nargs > ca->nargs ? p->nargs : ca->nargs;

	for (size_t i = 0; i < n; i++) {
		struct arg *a = &ca->args[i];

		if (a->other != NULL ||
		    (i < p->nargs && i < ca->nargs &&
			same_arg(&a->desc, &p->args[i])))
			continue;
		a->other = probe_text(ga->cg, p);
		if (i < p->nargs)
			a->other_type = arg_text(ga->cg, &p->args[i]);
	}
}

static int
take_probe(const struct lang_probe *p, void *arg)
{
	struct gathering *ga = arg;
	struct dif_attr attr = { 0 };

	if (p->args_attr != NULL && dif_attr_parse(p->args_attr, &attr))
		ga->ca->attr = dif_attr_min(ga->ca->attr, attr);
	if (ga->ca->nprobes++ == 0)
		take_first(ga, p);
	else
		take_other(ga, p);
	return 0;
}

/*
 * Gather the arguments, once for each clause that uses args[].  NULL after a
 * diagnostic.
 */
static const struct cg_args *
gather(struct cg *cg)
{
	struct lang_compile *lc = cg->lc;
	struct gathering ga = { cg, ARENA_NEW(lc->arena, struct cg_args) };

	if (cg->args != NULL)
		return cg->args;
	ga.ca->attr = (struct dif_attr)DIF_ATTR_PROGRAM;
	for (size_t i = 0; lc->probes != NULL && cg->clause != NULL &&
	     i < cg->clause->pdescs.n;
	     i++) {
		if (lc->probes(lc->probes_ctx, &cg->clause->pdescs.v[i],
			take_probe, &ga) < 0)
			return NULL;
	}
	cg->args = ga.ca;
	return cg->args;
}

/* ---- an access ----------------------------------------------------------- */

static bool
ck_arg_index(struct cg *cg, struct ast_expr *e, int64_t *n)
{
	if (e->args.n != 1) {
		diag_error(cg->ds, D_ARGS_IDX, e->span,
		    "args[] takes one index, not %zu", e->args.n);
		return false;
	}
	if (!ck_expr(cg, e->args.v[0]))
		return false;
	if (ck_const(cg, e->args.v[0], n))
		return true;
	diag_error(cg->ds, D_ARGS_IDX, e->args.v[0]->span,
	    "the index of args[] must be an integer constant: each argument "
	    "has a type of its own");
	return false;
}

static bool
refuse_no_args(
    struct cg *cg, const struct ast_expr *e, const struct cg_args *ca)
{
	if (cg->clause == NULL)
		diag_error(cg->ds, D_ARGS_NONE, e->span,
		    "args[] has a meaning in clauses only");
	else if (ca->nprobes == 0)
		diag_error(cg->ds, D_ARGS_NONE, e->span,
		    "args[] has no types: "
		    "the clause's descriptions match no probe");
	else
		diag_error(cg->ds, D_ARGS_NONE, e->span,
		    "args[] is not available: probe %s has no typed arguments",
		    ca->probe);
	diag_hint(cg->ds, "use arg0 to arg9, the arguments as integers");
	return false;
}

static bool
refuse_multi(struct cg *cg, const struct ast_expr *e, const struct cg_args *ca,
    int64_t n)
{
	const struct arg *a = &ca->args[n];
	const char *none = "no such argument";

	diag_error(cg->ds, D_ARGS_MULTI, e->span,
	    "args[%lld] is not the same in all probes of the clause: %s has "
	    "%s, %s has %s",
	    (long long)n, ca->probe,
	    (size_t)n < ca->nargs ? arg_text(cg, &a->desc) : none, a->other,
	    a->other_type != NULL ? a->other_type : none);
	diag_hint(cg->ds, "write a clause for each, or use arg%lld, an integer",
	    (long long)n);
	return false;
}

/* The description of argument n, the same in all probes; NULL when refused. */
static const struct dt_argdesc *
find_arg(struct cg *cg, const struct ast_expr *e, int64_t n)
{
	const struct cg_args *ca = gather(cg);

	if (ca == NULL)
		return NULL;
	if (n >= 0 && n < DT_NARGS_MAX && ca->args[n].other != NULL) {
		refuse_multi(cg, e, ca, n);
		return NULL;
	}
	if (ca->nargs == 0) {
		refuse_no_args(cg, e, ca);
		return NULL;
	}
	if (n < 0 || (size_t)n >= ca->nargs) {
		diag_error(cg->ds, D_ARGS_IDX, e->span,
		    "args[%lld] is beyond "
		    "the arguments of probe %s, which has %zu",
		    (long long)n, ca->probe, ca->nargs);
		return NULL;
	}
	cg->args_attr = dif_attr_min(cg->args_attr, ca->attr);
	return &ca->args[n].desc;
}

static struct ctf_type *
arg_type(struct cg *cg, const struct ast_expr *e, const struct dt_argdesc *d,
    int64_t n)
{
	struct ctf_type *t = ctf_lookup_text(cg->g, type_text(cg, d));

	/* a string's argument is its address in the kernel */
	if (t != NULL && (cg_is_scalar(t) || cg_is_string(t)))
		return t;
	diag_error(cg->ds, D_ARGS_TYPE, e->span,
	    "args[%lld] has type %s, which is %s", (long long)n,
	    type_text(cg, d),
	    t == NULL ? "not known here" : "no integer and no pointer");
	if (t != NULL || !cg_hint_imports(cg))
		diag_hint(cg->ds, "use arg%u, the argument as an integer",
		    d->mapping);
	return NULL;
}

static struct ctf_type *
native_type(struct cg *cg, const struct dt_argdesc *d)
{
	return ctf_lookup_text(cg->g,
	    arena_printf(cg->lc->arena, "%s%s",
		d->is_userland ? "userland " : "", d->native));
}

/*
 * A translator for an argument that has none yet.  Its name tells the one who
 * links the program which native argument it takes.
 */
static struct cg_xlator *
late_arg_xlator(struct cg *cg, struct ctf_type *t, int64_t n)
{
	const struct cg_args *ca = gather(cg);
	struct ctf_type *r = ctf_resolve(t);

	return cg_late_xlator(cg,
	    arena_printf(cg->lc->arena, "__dtrace_%s___%s_arg%lld", ca->prov,
		ca->name, (long long)n),
	    r->kind == CTF_K_POINTER ? r->ref : t, (uint32_t)n);
}

/* xlate <T> ((native)argN) */
static bool
become_translation(struct cg *cg, struct ast_expr *e,
    const struct dt_argdesc *d, struct ctf_type *t, int64_t n)
{
	struct ctf_type *native = native_type(cg, d);
	struct cg_xlator *late = NULL;
	struct ast_expr *cast;

	if (native == NULL || t == NULL || !cg_has_xlator(cg, native, t)) {
		if (t != NULL)
			late = late_arg_xlator(cg, t, n);
		if (late == NULL) {
			diag_error(cg->ds, D_ARGS_XLATOR, e->span,
			    "args[%lld] needs a translator from %s to %s",
			    (long long)n, d->native, d->xlate);
			return false;
		}
	}
	cast = cg_node(cg, AST_CAST, native, e->span);
	cast->named = native;
	cast->a = e->a;
	e->kind = AST_XLATE;
	e->named = t;
	e->a = cast;
	e->sym = late;
	return true;
}

/* The variable argN that argument n comes from; NULL after a diagnostic. */
static struct cg_sym *
arg_sym(struct cg *cg, const struct ast_expr *e, uint32_t mapping, int64_t n)
{
	struct cg_sym *sym = cg_sym_find(cg->s, DIFV_SCOPE_GLOBAL,
	    arena_printf(cg->lc->arena, "arg%u", mapping));

	if (sym == NULL)
		diag_error(cg->ds, D_ARGS_IDX, e->span,
		    "args[%lld] is the "
		    "probe's argument %u, and only 10 can be had",
		    (long long)n, mapping);
	return sym;
}

/*
 * If the provider gives no types, args[n] is native argument n, of type `in`.
 */
struct ast_expr *
cg_native_arg(struct cg *cg, struct ctf_type *in, uint32_t n)
{
	struct ast_expr *e =
	    cg_node(cg, AST_CAST, NULL, (struct diag_span){ 0 });
	const struct cg_args *ca = gather(cg);
	const struct dt_argdesc *d = NULL;
	struct cg_sym *sym;

	if (ca == NULL)
		return NULL;
	if (ca->nargs != 0 || in == NULL) {
		d = find_arg(cg, e, n);
		if (d == NULL)
			return NULL;
		in = native_type(cg, d);
	}
	sym = arg_sym(cg, e, d != NULL ? d->mapping : n, n);
	if (in == NULL)
		diag_error(cg->ds, D_ARGS_TYPE, e->span,
		    "the probe's argument "
		    "%u has type %s, which is not known here",
		    n, d->native);
	if (in == NULL || sym == NULL)
		return NULL;
	e->named = in;
	e->a = cg_var_node(cg, sym, e->span);
	e->a->u.ident.name = arena_strdup(cg->lc->arena, sym->name);
	return e;
}

/*
 * args[n] becomes (T)argN, where the provider's mapping gives the number N of
 * the native argument.  If the provider translates the argument, args[n]
 * becomes the translation.
 */
bool
cg_resolve_args(struct cg *cg, struct ast_expr *e)
{
	const struct dt_argdesc *d;
	struct ctf_type *t;
	struct cg_sym *sym;
	int64_t n;

	if (!ck_arg_index(cg, e, &n))
		return false;
	d = find_arg(cg, e, n);
	if (d == NULL)
		return false;
	t = d->xlate != NULL ? ctf_lookup_text(cg->g, d->xlate) :
			       arg_type(cg, e, d, n);
	if (t == NULL && d->xlate == NULL)
		return false;
	sym = arg_sym(cg, e, d->mapping, n);
	if (sym == NULL)
		return false;
	e->a->u.ident.name = arena_strdup(cg->lc->arena, sym->name);
	e->args.n = 0;
	if (d->xlate != NULL)
		return become_translation(cg, e, d, t, n);
	e->kind = AST_CAST;
	e->named = t;
	return true;
}
