/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/list.h"

#include <stdlib.h>

#include "dtrace/message.h"
#include "dtrace/row.h"

static int
list_probe(const struct dt_probe *p, void *arg)
{
	struct dtrace_cmd *c = arg;

	if (!dt_is_json(c->dtp))
		row_print(&c->row, p, c->out);
	dt_listing_probe(c->listing, c->listed, p);
	return 0;
}

static void
list_none(struct dtrace_cmd *c, const struct dif_pdesc *d)
{
	char *hint = dt_suggest_probe(c->dtp, d);
	char *typed = dt_typed_provider(c->dtp, d);

	fprintf(stderr,
	    "dtrace: failed to match %s:%s:%s:%s: no probe matches "
	    "the description%s%s\n",
	    typed != NULL ? typed : d->prov, d->mod, d->func, d->name,
	    hint != NULL ? "; " : "", hint != NULL ? hint : "");
	free(typed);
	free(hint);
}

static int
list_pdesc(const struct dif_pdesc *d, void *arg)
{
	struct dtrace_cmd *c = arg;
	int n;

	c->listed = d;
	n = dt_probe_iter(c->dtp, d, list_probe, c);
	if (n > 0)
		return 0;
	c->status = EXIT_FAILURE;
	if (n < 0)
		message_fail_to(c, "failed to match %s:%s:%s:%s", d->prov,
		    d->mod, d->func, d->name);
	else if (d->id != 0)
		fprintf(stderr,
		    "dtrace: failed to match %u: there is no "
		    "probe with that id\n",
		    d->id);
	else
		list_none(c, d);
	return 0;
}

int
list_probes(struct dtrace_cmd *c)
{
	struct dif_pdesc all = { .prov = (char[]){ "" },
		.mod = (char[]){ "" },
		.func = (char[]){ "" },
		.name = (char[]){ "" } };

	if (!dt_is_json(c->dtp))
		fprintf(c->out, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER",
		    "MODULE", "FUNCTION", "NAME");
	c->listing = dt_listing_create(c->dtp, c->is_verbose, c->out);
	if (c->programs.n == 0)
		list_pdesc(&all, c);
	VEC_FOREACH(&c->programs, p)
		dt_prog_pdesc_iter(p->prog, list_pdesc, c);
	if (dt_listing_end(c->listing) != 0)
		return message_fail_to(
		    c, "failed to list the types of arguments");
	return c->status;
}
