/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the region's functions, for profilers: text behind the code,
 *
 *	dtrace-names
 *	0000cd30 hash_bytes		from this offset on, up to the next one
 *	00014f40 dtrace`pid12:a.out:work:entry
 *	00015123			no function
 *
 * and a byte of zero.  Probes that come while tracing have a text of their own.
 * Only tools/dtrace-perf.py reads the text; it looks for the first line
 * wherever the file is open.
 */
#include "exec/process/emit/compile.h"

#include "base/str.h"
#include "exec/jit/blob.h"

#define FIRST "\ndtrace-names\n"

static void
begin_line(struct pr_tr *t)
{
	strbuf_printf(t->names, "%08x ", t->a->at + x_here(t->a));
}

void
pr_names_begin(struct pr_tr *t)
{
	strbuf_reset(t->names);
	strbuf_add(t->names, FIRST, sizeof(FIRST) - 1);
}

void
pr_names_runtime(struct pr_tr *t)
{
	strbuf_add(t->names, rt_blob_names, rt_blob_names_size);
	strbuf_printf(t->names, "%08x \n", rt_blob_size);
}

void
pr_names_end(struct pr_tr *t)
{
	begin_line(t);
	strbuf_add(t->names, "\n", sizeof("\n"));
}

void
pr_name(struct pr_tr *t, const char *what)
{
	begin_line(t);
	strbuf_printf(t->names, "dtrace`%s\n", what);
}

void
pr_function(struct pr_tr *t, const char *what)
{
	pr_note(t, (struct diag_span){ 0 }, what);
	pr_name(t, what);
}

/*
 * Name a body after its first clause, because it may get more probes later.  If
 * the clause has several descriptions, use a probe's name.
 */
void
pr_name_body(struct pr_tr *t, const struct pr_body *b)
{
	const struct dif_clause *clause = b->clauses.v[0]->clause;

	begin_line(t);
	strbuf_add(t->names, "dtrace`", 7);
	if (clause->pdescs.n == 1) {
		dif_pdesc_format(&clause->pdescs.v[0], t->names);
		strbuf_addc(t->names, '\n');
	} else {
		dt_probe_format(b->probes.v[0].probe, t->names);
		strbuf_add(t->names, ",...\n", 5);
	}
}
