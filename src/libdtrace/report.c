/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports on stability (-v, -lv): which names may change in a later release.
 *
 * An attribute is name stability, data stability and dependency class
 * (doc/reference/language.md section 13).  A description is as stable as the least
 * stable field that it names, component by component; a description that names
 * none (a number, or empty) depends on all fields.
 */
#include <string.h>

#include "base/vec.h"
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

void
dt_probe_report(
    const struct dif_pdesc *desc, const struct dt_probe *probe, FILE *out)
{
	struct dt_argdesc args[DT_NARGS_MAX];
	size_t nargs = dt_probe_args(probe, args);

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
		    args[i].is_userland ? "userland " : "",
		    args[i].xlate != NULL ? args[i].xlate : args[i].native);
	fputc('\n', out);
}

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

	r->desc = desc;
	return dt_probe_iter(r->h, desc, report_probe, r) < 0 ? -1 : 0;
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
