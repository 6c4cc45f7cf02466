/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Definitions of providers: the probes that a user's program will have, their
 * arguments, and the translation of the arguments for scripts.
 *
 * Source: doc/reference/language.md section 11.
 */
#include "codegen/cg_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

static bool
check_name(struct cg *cg, const char *what, const char *name,
    struct diag_span span, size_t max)
{
	size_t len = strlen(name);

	if (len < max)
		return true;
	diag_error(cg->ds, D_PROV_BADNAME, span,
	    "the name of a %s has at most %zu characters, not %zu", what,
	    max - 1, len);
	return false;
}

/*
 * Digits at the end of a name would be taken for a process: myprog123.
 * Providers of the kernel, which libraries define, have no process.
 */
static bool
check_provider_name(struct cg *cg, const struct ast_provider *ap)
{
	size_t len = strlen(ap->name);

	if (!check_name(cg, "provider", ap->name, ap->span, DIF_PROVNAMELEN))
		return false;
	if (ap->pid != 0 && !cg->s->in_library) {
		diag_error(cg->ds, D_PROV_BADNAME, ap->span,
		    "%s$target is for D libraries: call the provider %s; "
		    "each process then has one of its own",
		    ap->name, ap->name);
		return false;
	}
	if (cg->s->in_library || len == 0 || ap->name[len - 1] < '0' ||
	    ap->name[len - 1] > '9')
		return true;
	diag_error(cg->ds, D_PROV_BADNAME, ap->span,
	    "the name of a provider cannot end in a digit: its probes are "
	    "called %s and the process id",
	    ap->name);
	return false;
}

/* ---- arguments ----------------------------------------------------------- */

/* (void): no arguments. */
static bool
is_void_list(struct ast_decl *const *args, size_t n)
{
	return n == 1 && args[0]->base != NULL &&
	    strcmp(args[0]->base, "void") == 0 && args[0]->dtor == NULL &&
	    args[0]->name == NULL;
}

static bool
check_count(struct cg *cg, const struct ast_probe *ap, size_t n)
{
	if (n <= DIF_MAXPROBEARGS)
		return true;
	diag_error(cg->ds, D_PROV_PRARGLEN, ap->span,
	    "probe %s has %zu arguments; a probe has at most %d", ap->name, n,
	    DIF_MAXPROBEARGS);
	return false;
}

static struct ctf_type *
arg_type(struct cg *cg, struct ast_decl *d)
{
	struct ctf_type *t = cg_decl_type(cg, d), *r;

	if (t == NULL)
		return NULL;
	r = ctf_resolve(t);
	if (ctf_is_void(t)) {
		diag_error(cg->ds, D_DECL_PROTO_VOID, d->span,
		    "an argument cannot have type void");
		return NULL;
	}
	if (r->kind == CTF_K_FUNCTION || r->kind == CTF_K_D_STACK ||
	    r->kind == CTF_K_D_AGG || r->is_incomplete) {
		diag_error(cg->ds, D_DECL_PROTO_TYPE, d->span,
		    "an argument cannot have type %s", cg_tn(cg, t));
		return NULL;
	}
	return t;
}

/* The index of the native argument with the name; n if there is none. */
static size_t
native_index(const struct ast_probe *ap, const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ap->args.v[i]->name != NULL &&
		    strcmp(ap->args.v[i]->name, name) == 0)
			return i;
	}
	return n;
}

static bool
add_native(struct cg *cg, struct dif_provprobe *pp, const struct ast_probe *ap,
    size_t i)
{
	struct ast_decl *d = ap->args.v[i];
	struct ctf_type *t = arg_type(cg, d);
	struct dif_provarg arg = { .mapping = (uint8_t)i };

	if (t == NULL)
		return false;
	if (d->name != NULL && native_index(ap, d->name, i) != i) {
		diag_error(cg->ds, D_DECL_PROTO_NAME, d->span,
		    "argument '%s' is declared twice", d->name);
		return false;
	}
	arg.type = mem_strdup(cg_tn(cg, t));
	VEC_PUSH(&pp->native, arg);
	return true;
}

/*
 * Is `t` the type itself, or one that a translator makes of the native
 * argument?
 */
static bool
add_translated(struct cg *cg, struct dif_provprobe *pp,
    const struct ast_probe *ap, struct ast_decl *d)
{
	struct ctf_type *t = arg_type(cg, d), *native;
	struct dif_provarg arg = { 0 };
	size_t i;

	if (t == NULL)
		return false;
	i = d->name != NULL ? native_index(ap, d->name, pp->native.n) :
			      pp->native.n;
	if (i == pp->native.n) {
		diag_error(cg->ds, D_DECL_PROTO_NAME, d->span,
		    "a translated argument needs the name of a native one");
		return false;
	}
	native = cg_decl_type(cg, ap->args.v[i]);
	if (native == NULL)
		return false;
	if (!ctf_type_compat(native, t) && !cg_has_xlator(cg, native, t)) {
		diag_error(cg->ds, D_PROV_PRXLATOR, d->span,
		    "there is no translator from %s to %s for argument '%s'",
		    cg_tn(cg, native), cg_tn(cg, t), d->name);
		return false;
	}
	arg.mapping = (uint8_t)i;
	arg.type = mem_strdup(cg_tn(cg, t));
	VEC_PUSH(&pp->xlated, arg);
	return true;
}

/* ---- probes -------------------------------------------------------------- */

/* "foo__bar" is probe foo-bar. */
static char *
probe_name(const char *s)
{
	struct strbuf sb = { 0 };

	while (*s != '\0') {
		bool is_dash = s[0] == '_' && s[1] == '_';

		strbuf_addc(&sb, is_dash ? '-' : *s);
		s += 1 + is_dash;
	}
	return strbuf_steal(&sb);
}

static bool
fill_probe(struct cg *cg, struct dif_provprobe *pp, const struct ast_probe *ap)
{
	size_t n = is_void_list(ap->args.v, ap->args.n) ? 0 : ap->args.n;
	size_t nx = is_void_list(ap->xargs.v, ap->xargs.n) ? 0 : ap->xargs.n;

	pp->is_translated = ap->has_xargs;
	if (!check_name(cg, "probe", pp->name, ap->span, DIF_PROBENAMELEN) ||
	    !check_count(cg, ap, n) || !check_count(cg, ap, nx))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!add_native(cg, pp, ap, i))
			return false;
	}
	for (size_t i = 0; i < nx; i++) {
		if (!add_translated(cg, pp, ap, ap->xargs.v[i]))
			return false;
	}
	return true;
}

static struct dif_provprobe *
find_probe(struct dif_provider *p, const char *name)
{
	VEC_FOREACH(&p->probes, pp) {
		if (strcmp(pp->name, name) == 0)
			return pp;
	}
	return NULL;
}

static void
declare_probe(struct cg *cg, struct dif_provider *p, const struct ast_probe *ap)
{
	struct dif_provprobe pp = { .name = probe_name(ap->name) };

	if (find_probe(p, pp.name) != NULL)
		diag_error(cg->ds, D_PROV_PRDUP, ap->span,
		    "probe %s is declared twice", pp.name);
	else if (fill_probe(cg, &pp, ap)) {
		VEC_PUSH(&p->probes, pp);
		return;
	}
	dif_provprobe_fini(&pp);
}

/* ---- providers ----------------------------------------------------------- */

static bool
same_args(const struct dif_provarg *a, size_t na, const struct dif_provarg *b,
    size_t nb)
{
	for (size_t i = 0; i < na && na == nb; i++) {
		if (strcmp(a[i].type, b[i].type) != 0 ||
		    a[i].mapping != b[i].mapping)
			return false;
	}
	return na == nb;
}

/* A provider that is declared again must have the same probes. */
static bool
same_provider(struct dif_provider *a, struct dif_provider *b)
{
	if (a->probes.n != b->probes.n)
		return false;
	VEC_FOREACH(&a->probes, pa) {
		const struct dif_provprobe *pb = find_probe(b, pa->name);

		if (pb == NULL ||
		    !same_args(pa->native.v, pa->native.n, pb->native.v,
			pb->native.n) ||
		    !same_args(
			pa->xlated.v, pa->xlated.n, pb->xlated.v, pb->xlated.n))
			return false;
	}
	return true;
}

void
cg_declare_provider(struct cg *cg, const struct ast_provider *ap)
{
	struct dif_provider p = { .span = ap->span };
	size_t nerrors = cg->ds->list.n;

	if (!check_provider_name(cg, ap))
		return;
	p.name = mem_strdup(ap->name);
	p.pid = ap->pid;
	for (int i = 0; i < DIF_NPROVATTRS; i++)
		p.attrs[i] = (struct dif_attr)DIF_ATTR_PROVIDER;
	VEC_FOREACH(&ap->probes, pr)
		declare_probe(cg, &p, pr);
	VEC_FOREACH(&cg->prog->providers, old) {
		if (strcmp(old->name, p.name) != 0)
			continue;
		if (cg->ds->list.n == nerrors && !same_provider(old, &p))
			diag_error(cg->ds, D_PROV_INCOMPAT, ap->span,
			    "provider %s is declared before, with other "
			    "probes or arguments",
			    p.name);
		dif_provider_fini(&p);
		return;
	}
	VEC_PUSH(&cg->prog->providers, p);
}
