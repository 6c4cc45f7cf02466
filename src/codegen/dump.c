/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The typed tree, for people (--dump=types): one line per node, its type and
 * its value where it is constant.
 */
#include "codegen/cg_impl.h"

#include "base/str.h"

static const char *
kind_text(enum ast_kind kind)
{
	switch (kind) {
	case AST_INT:
		return "integer";
	case AST_STR:
		return "string";
	case AST_IDENT:
		return "name";
	case AST_AGG:
		return "aggregation";
	case AST_UNARY:
		return "unary";
	case AST_BINARY:
		return "binary";
	case AST_ASSIGN:
		return "assign";
	case AST_COND:
		return "?:";
	case AST_CALL:
		return "call";
	case AST_INDEX:
		return "index";
	case AST_MEMBER:
		return "member";
	case AST_CAST:
		return "cast";
	case AST_SIZEOF_TYPE:
		return "sizeof";
	case AST_OFFSETOF:
		return "offsetof";
	case AST_XLATE:
		return "xlate";
	case AST_BOUND:
		return "argument";
	case AST_XLREF:
		return "translated";
	}
	return "?";
}

struct dumper {
	struct ctf_graph *g;
	const struct diags *ds;
	struct strbuf *out;
};

static void
dump_source(const struct dumper *d, struct diag_span span)
{
	const struct diag_source *src;

	if (span.source == 0 || span.source > d->ds->sources.n)
		return;
	src = &d->ds->sources.v[span.source - 1];
	if (span.off > src->len || span.len > src->len - span.off)
		return;
	strbuf_adds(d->out, "  `");
	for (uint32_t i = 0; i < span.len; i++) {
		char c = src->text[span.off + i];

		strbuf_addc(d->out, c == '\n' || c == '\t' ? ' ' : c);
	}
	strbuf_addc(d->out, '`');
}

static void
dump_expr(const struct dumper *d, const struct ast_expr *e, int depth)
{
	if (e == NULL)
		return;
	strbuf_printf(d->out, "%*s%s", 2 * depth, "", kind_text(e->kind));
	if (e->type != NULL)
		strbuf_printf(d->out, ": %s", ctf_type_name(d->g, e->type));
	if (e->is_const)
		strbuf_printf(d->out, " = %lld", (long long)e->const_value);
	dump_source(d, e->span);
	strbuf_addc(d->out, '\n');
	if (e->inst != NULL) { /* the expression that replaces it */
		dump_expr(d, e->inst, depth + 1);
		return;
	}
	dump_expr(d, e->a, depth + 1);
	dump_expr(d, e->b, depth + 1);
	dump_expr(d, e->c, depth + 1);
	for (size_t i = 0; i < e->args.n; i++)
		dump_expr(d, e->args.v[i], depth + 1);
}

static void
dump_stmts(
    const struct dumper *d, struct ast_stmt *const *stmts, size_t n, int depth)
{
	for (size_t i = 0; i < n; i++) {
		const struct ast_stmt *st = stmts[i];

		if (st->kind == AST_S_IF)
			strbuf_printf(d->out, "%*sif\n", 2 * depth, "");
		dump_expr(d, st->expr, depth + (st->kind == AST_S_IF));
		if (st->kind != AST_S_IF)
			continue;
		dump_stmts(d, st->then_.v, st->then_.n, depth + 1);
		if (st->else_.n != 0)
			strbuf_printf(d->out, "%*selse\n", 2 * depth, "");
		dump_stmts(d, st->else_.v, st->else_.n, depth + 1);
	}
}

void
cg_dump_types(struct cg_session *s, struct lang_compile *lc,
    struct ast_program *prog, struct strbuf *out)
{
	struct dumper d = { .g = &s->types, .ds = lc->diags, .out = out };

	for (size_t i = 0; i < prog->items.n; i++) {
		const struct ast_item *it = prog->items.v[i];

		if (it->kind == AST_I_INLINE) {
			strbuf_printf(out, "inline %s\n", it->decl->name);
			dump_expr(&d, it->init, 1);
		}
		if (it->kind != AST_I_CLAUSE)
			continue;
		strbuf_adds(out, "clause\n");
		if (it->clause->pred != NULL)
			strbuf_adds(out, "  predicate\n");
		dump_expr(&d, it->clause->pred, 2);
		dump_stmts(&d, it->clause->body.v, it->clause->body.n, 1);
	}
}
