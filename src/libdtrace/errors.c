/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The diagnostics of a compiled text, as messages of the handle.
 */
#include "base/diag.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/compile_impl.h"

/* "[D_IDENT_UNDEF] line 3: unknown name 'foo'", for the first error. */
static void
show_classic(struct dt_hdl *h)
{
	strbuf_reset(&h->messages.classic);
	if (!h->opts.vals[DT_OPT_ERRTAGS].is_set ||
	    !dt_opt_flag(h, DT_OPT_ERRTAGS))
		return;
	VEC_FOREACH(&h->compiled.diags.list, d) {
		const char *file;

		if (d->tag != NULL)
			strbuf_printf(&h->messages.classic, "[%s] ", d->tag);
		if (d->span.source != 0)
			strbuf_printf(&h->messages.classic, "line %u: ",
			    diag_line(&h->compiled.diags, d->span, &file));
		strbuf_add_plain(&h->messages.classic, d->msg, "");
		return;
	}
}

static void
keep_diags(struct dt_hdl *h)
{
	const struct diags *ds = &h->compiled.diags;

	dt_forget_diags(h);
	VEC_FOREACH(&ds->list, d) {
		const char *file;
		struct dt_diag kept = { .tag = d->tag,
			.line = diag_line(ds, d->span, &file),
			.column = diag_column(ds, d->span),
			.len = d->span.len,
			.msg = mem_strdup(d->msg) };

		if (file != NULL)
			kept.file = mem_strdup(file);
		if (d->hint != NULL)
			kept.hint = mem_strdup(d->hint);
		VEC_PUSH(&h->messages.diags, kept);
	}
}

int
dt_show_errors(struct dt_hdl *h)
{
	show_classic(h);
	keep_diags(h);
	strbuf_reset(&h->messages.error);
	diags_format(&h->compiled.diags, dt_opt_flag(h, DT_OPT_ERRTAGS),
	    &h->messages.error);
	diags_truncate(&h->compiled.diags, 0);
	return -1;
}

void
dt_show_warnings(struct dt_hdl *h)
{
	diags_format(&h->compiled.diags, dt_opt_flag(h, DT_OPT_ERRTAGS),
	    &h->messages.notices);
	diags_truncate(&h->compiled.diags, 0);
}
