/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports on stability (-v, -lv): which names may change in a later release;
 * and the listing of probes with their arguments.
 *
 * An attribute is name stability, data stability and dependency class
 * (doc/reference/language.md section 13).  A description is as stable as the
 * least stable field that it names, component by component; a description that
 * names none (a number, or empty) depends on all fields.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "consume/oformat.h"
#include "ctf/ctf.h"
#include "libdtrace/dt_impl.h"

/* An unknown attribute counts as least stable. */
static struct dif_attr
parse(const char *s)
{
	struct dif_attr a = { 0 };

	dif_attr_parse(s, &a);
	return a;
}

struct dif_attr
dt_probe_attr(const struct dif_pdesc *desc, const struct dt_probe *probe)
{
	const char *fields[] = { [DIF_PROVATTR_PROVIDER] = desc->prov,
		[DIF_PROVATTR_MODULE] = desc->mod,
		[DIF_PROVATTR_FUNCTION] = desc->func,
		[DIF_PROVATTR_NAME] = desc->name };
	struct dif_attr all = DIF_ATTR_MAX, named = DIF_ATTR_MAX;
	bool names_any = false;

	for (int i = DIF_PROVATTR_PROVIDER; i <= DIF_PROVATTR_NAME; i++) {
		struct dif_attr a = parse(dt_probe_attrs(probe)[i]);

		all = dif_attr_min(all, a);
		if (*fields[i] == '\0')
			continue;
		named = dif_attr_min(named, a);
		names_any = true;
	}
	return names_any ? named : all;
}

static void
attr_print(struct dif_attr a, const char *title, FILE *out)
{
	fprintf(out,
	    "\t%s\n"
	    "\t\tIdentifier Names: %s\n"
	    "\t\tData Semantics:   %s\n"
	    "\t\tDependency Class: %s\n\n",
	    title, dif_attr_name(&a), dif_attr_data(&a), dif_attr_class(&a));
}

/* ---- -l ------------------------------------------------------------------ */

struct dt_listing {
	struct dt_hdl *h;
	FILE *out;
	struct strtab types; /* of arguments, once each, as text */
	bool is_verbose;
};

bool
dt_is_json(const struct dt_hdl *h)
{
	return oformat_by_choice((size_t)dt_opt(h, DT_OPT_OFORMAT)) ==
	    &oformat_json;
}

struct dt_listing *
dt_listing_create(struct dt_hdl *h, bool is_verbose, FILE *out)
{
	struct dt_listing *l = mem_alloc(sizeof(*l));

	l->h = h;
	l->out = out;
	l->is_verbose = is_verbose;
	strtab_init(&l->types);
	return l;
}

static const char *
arg_text(const struct dt_argdesc *a)
{
	return a->xlate != NULL ? a->xlate : a->native;
}

static void
report_text(const struct dif_pdesc *desc, const struct dt_probe *probe,
    const struct dt_argdesc *args, size_t nargs, FILE *out)
{
	fputc('\n', out);
	attr_print(
	    dt_probe_attr(desc, probe), "Probe Description Attributes", out);
	attr_print(parse(dt_probe_attrs(probe)[DIF_PROVATTR_ARGS]),
	    "Argument Attributes", out);
	fputs("\tArgument Types\n", out);
	if (nargs == 0)
		fputs("\t\tNone\n", out);
	for (size_t i = 0; i < nargs; i++)
		fprintf(out, "\t\targs[%zu]: %s%s\n", i,
		    args[i].is_userland ? "userland " : "", arg_text(&args[i]));
	fputc('\n', out);
}

static void
json_attr(struct strbuf *sb, const char *name, struct dif_attr a)
{
	char *text = mem_printf("%s/%s/%s", dif_attr_name(&a),
	    dif_attr_data(&a), dif_attr_class(&a));

	json_str(sb, name, text);
	free(text);
}

static void
json_arg(struct strbuf *sb, const struct dt_argdesc *a)
{
	char *text =
	    mem_printf("%s%s", a->is_userland ? "userland " : "", arg_text(a));

	json_open(sb);
	json_str(sb, "type", text);
	if (a->xlate != NULL)
		json_str(sb, "native", a->native);
	json_uint(sb, "arg", a->mapping);
	strbuf_addc(sb, '}');
	free(text);
}

static void
json_details(struct strbuf *sb, const struct dif_pdesc *desc,
    const struct dt_probe *probe, const struct dt_argdesc *args, size_t nargs)
{
	json_name(sb, "stability");
	json_open_value(sb);
	json_attr(sb, "probe", dt_probe_attr(desc, probe));
	json_attr(sb, "args", parse(dt_probe_attrs(probe)[DIF_PROVATTR_ARGS]));
	strbuf_addc(sb, '}');
	json_list(sb, "args");
	for (size_t i = 0; i < nargs; i++)
		json_arg(sb, &args[i]);
	strbuf_addc(sb, ']');
}

static void
report_json(struct dt_listing *l, const struct dif_pdesc *desc,
    const struct dt_probe *probe, const struct dt_argdesc *args, size_t nargs)
{
	struct strbuf sb = { 0 };

	json_open(&sb);
	json_str(&sb, "event", "listing");
	json_uint(&sb, "id", probe->id);
	json_str(&sb, "provider", probe->prov);
	json_str(&sb, "module", probe->mod);
	json_str(&sb, "function", probe->func);
	json_str(&sb, "name", probe->name);
	if (l->is_verbose)
		json_details(&sb, desc, probe, args, nargs);
	strbuf_adds(&sb, "}\n");
	fwrite(sb.s, 1, sb.len, l->out);
	strbuf_fini(&sb);
}

void
dt_listing_probe(struct dt_listing *l, const struct dif_pdesc *desc,
    const struct dt_probe *probe)
{
	struct dt_argdesc args[DT_NARGS_MAX];
	size_t nargs = l->is_verbose ? dt_probe_args(probe, args) : 0;

	if (dt_is_json(l->h))
		report_json(l, desc, probe, args, nargs);
	else if (l->is_verbose)
		report_text(desc, probe, args, nargs, l->out);
	for (size_t i = 0; i < nargs; i++)
		strtab_intern(&l->types, arg_text(&args[i]));
}

/* The struct or union that an argument is or points to, or NULL. */
static struct ctf_type *
structure_of(struct dt_hdl *h, const char *text, char **name)
{
	struct ctf_graph *g = cg_session_types(h->compiled.cg);
	struct ctf_type *t = ctf_lookup_text(g, text);

	while (t != NULL &&
	    (t->kind == CTF_K_POINTER || t->kind == CTF_K_CONST ||
		t->kind == CTF_K_VOLATILE))
		t = t->ref;
	if (t == NULL || !ctf_is_sou(t) || ctf_resolve(t)->is_incomplete)
		return NULL;
	*name = arena_strdup(&h->compiled.arena, ctf_type_name(g, t));
	return t;
}

static void
list_types(struct dt_listing *l)
{
	struct strtab seen;

	strtab_init(&seen);
	VEC_FOREACH(&l->types.strs, text) {
		char *name = NULL;
		struct ctf_type *t = structure_of(l->h, *text, &name);

		if (t == NULL || strtab_find(&seen, name) != 0)
			continue;
		strtab_intern(&seen, name);
		dt_type_members(l->h, name, t, l->out);
	}
	strtab_fini(&seen);
}

int
dt_listing_end(struct dt_listing *l)
{
	int rc = l->types.strs.n == 0 ? 0 : dt_need_types(l->h);

	if (rc == 0)
		list_types(l);
	strtab_fini(&l->types);
	free(l);
	return rc;
}

/* ---- -v ------------------------------------------------------------------ */

struct reporting {
	struct dt_hdl *h;
	const struct dif_pdesc *desc;
	struct dif_attr attr;
};

static int
report_probe(const struct dt_probe *probe, void *arg)
{
	struct reporting *r = arg;

	r->attr = dif_attr_min(r->attr, dt_probe_attr(r->desc, probe));
	return 0;
}

static int
report_pdesc(const struct dif_pdesc *desc, void *arg)
{
	struct reporting *r = arg;

	int n;

	r->desc = desc;
	n = dt_probe_iter(r->h, desc, report_probe, r);
	/* -Z permits a description whose probes do not exist yet */
	return n < 0 && !dt_opt_flag(r->h, DT_OPT_ZDEFS) ? -1 : 0;
}

int
dt_prog_report(
    struct dt_hdl *h, const struct dt_prog *p, const char *what, FILE *out)
{
	struct reporting r = { .h = h, .attr = DIF_ATTR_MAX };
	struct dif_attr statements = DIF_ATTR_PROGRAM;

	if (dt_prog_pdesc_iter(p, report_pdesc, &r) != 0)
		return -1;
	fprintf(out, "\nStability attributes for %s:\n\n", what);
	attr_print(r.attr, "Minimum Probe Description Attributes", out);
	VEC_FOREACH(&p->dif->clauses, cl)
		statements = dif_attr_min(statements, cl->attr);
	attr_print(statements, "Minimum Statement Attributes", out);
	return 0;
}
