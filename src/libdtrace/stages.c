/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --dump: what the stages of compilation make of a text.
 */
#include <stdio.h>

#include "base/diag.h"
#include "base/str.h"
#include "libdtrace/compile_impl.h"

static void
dump_write(struct dt_hdl *h, struct strbuf *sb)
{
	fwrite(sb->s != NULL ? sb->s : "", 1, sb->len, h->dump.out);
	strbuf_fini(sb);
}

/* The lexer runs again for the dump; its errors are not reported twice. */
static void
dump_tokens(struct dt_hdl *h, struct lang_compile *lc)
{
	struct strbuf sb = { 0 };
	size_t n = h->compiled.diags.list.n;

	lang_dump_tokens(lc, &sb);
	diags_truncate(&h->compiled.diags, n);
	dump_write(h, &sb);
}

void
dt_dump_parsed(
    struct dt_hdl *h, struct lang_compile *lc, const struct ast_program *tree)
{
	struct strbuf sb = { 0 };

	if (h->dump.stages[DT_DUMP_TOKENS])
		dump_tokens(h, lc);
	if (h->dump.stages[DT_DUMP_AST] || (dt_opt(h, DT_OPT_TREE) & 1) != 0) {
		ast_dump(tree, &sb);
		dump_write(h, &sb);
	}
}

void
dt_dump_compiled(struct dt_hdl *h, struct lang_compile *lc,
    struct ast_program *tree, const struct dif_prog *dif)
{
	struct strbuf sb = { 0 };

	if (h->dump.stages[DT_DUMP_TYPES] ||
	    (dt_opt(h, DT_OPT_TREE) & ~INT64_C(1)) != 0) {
		cg_dump_types(h->compiled.cg, lc, tree, &sb);
		dump_write(h, &sb);
	}
	if (h->dump.stages[DT_DUMP_DIF]) {
		dif_prog_dump(dif, &h->compiled.diags, &sb);
		dump_write(h, &sb);
	}
	if (h->dump.stages[DT_DUMP_DOF]) {
		dt_dump_dof(h, dif, &sb);
		dump_write(h, &sb);
	}
}
