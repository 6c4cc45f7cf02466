/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports on stability (-v, -lv): what may change in a later release.
 *
 * An attribute is name stability, data stability and dependency class
 * (reference/language.md section 13).  A description is as stable as the
 * least stable field that it names, component by component; one that names
 * none (a number, nothing at all) relies on all fields.
 */
#include <string.h>

#include "libdtrace/dt_impl.h"

static const char *const stabilities[] = { "Internal", "Private", "Obsolete",
	"External", "Unstable", "Evolving", "Stable", "Standard" };
static const char *const classes[] = { "Unknown", "CPU", "Platform", "Group",
	"ISA", "Common" };

#define NELEMS(a) (sizeof(a) / sizeof((a)[0]))

/* Indices in the tables above. */
struct attr {
	size_t name, data, class_;
};

static const struct attr attr_max = { NELEMS(stabilities) - 1,
	NELEMS(stabilities) - 1, NELEMS(classes) - 1 };

/* Where in providers' attrs each field's attribute stands. */
enum { ATTR_PROVIDER, ATTR_MODULE, ATTR_FUNCTION, ATTR_NAME, ATTR_ARGS };

static size_t
word_index(const char **s, const char *const *words, size_t nwords)
{
	size_t len = strcspn(*s, "/"), i;

	for (i = nwords - 1; i > 0; i--) {
		if (strlen(words[i]) == len && memcmp(words[i], *s, len) == 0)
			break;
	}
	*s += len;
	if (**s == '/')
		(*s)++;
	return i;
}

/* "Stable/Stable/Common"; what is unknown counts as least stable. */
static struct attr
attr_parse(const char *s)
{
	struct attr a;

	a.name = word_index(&s, stabilities, NELEMS(stabilities));
	a.data = word_index(&s, stabilities, NELEMS(stabilities));
	a.class_ = word_index(&s, classes, NELEMS(classes));
	return a;
}

static struct attr
attr_min(struct attr a, struct attr b)
{
	if (b.name < a.name)
		a.name = b.name;
	if (b.data < a.data)
		a.data = b.data;
	if (b.class_ < a.class_)
		a.class_ = b.class_;
	return a;
}

static struct attr
probe_attr(const struct dif_pdesc *desc, const struct dt_probe *probe)
{
	const char *fields[] = { [ATTR_PROVIDER] = desc->prov,
		[ATTR_MODULE] = desc->mod, [ATTR_FUNCTION] = desc->func,
		[ATTR_NAME] = desc->name };
	struct attr all = attr_max, named = attr_max;
	bool names_any = false;

	for (int i = ATTR_PROVIDER; i <= ATTR_NAME; i++) {
		struct attr a = attr_parse(probe->ops->attrs[i]);

		all = attr_min(all, a);
		if (*fields[i] == '\0')
			continue;
		named = attr_min(named, a);
		names_any = true;
	}
	return names_any ? named : all;
}

static void
attr_print(struct attr a, const char *title, FILE *out)
{
	fprintf(out, "\t%s\n"
	    "\t\tIdentifier Names: %s\n"
	    "\t\tData Semantics:   %s\n"
	    "\t\tDependency Class: %s\n\n",
	    title, stabilities[a.name], stabilities[a.data],
	    classes[a.class_]);
}

void
dt_probe_report(const struct dif_pdesc *desc, const struct dt_probe *probe,
    FILE *out)
{
	struct dt_argdesc args[DT_NARGS_MAX];
	size_t nargs = dt_probe_args(probe, args);

	fputc('\n', out);
	attr_print(probe_attr(desc, probe), "Probe Description Attributes", out);
	attr_print(attr_parse(probe->ops->attrs[ATTR_ARGS]),
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
	struct attr attr;
};

static int
report_probe(const struct dt_probe *probe, void *arg)
{
	struct reporting *r = arg;

	r->attr = attr_min(r->attr, probe_attr(r->desc, probe));
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
dt_prog_report(struct dt_hdl *h, const struct dt_prog *p, const char *what,
    FILE *out)
{
	struct reporting r = { .h = h, .attr = attr_max };

	if (dt_prog_pdesc_iter(p, report_pdesc, &r) != 0)
		return -1;
	fprintf(out, "\nStability attributes for %s:\n\n", what);
	attr_print(r.attr, "Minimum Probe Description Attributes", out);
	return 0;
}
