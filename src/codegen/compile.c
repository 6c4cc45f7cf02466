/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a text to a program: clauses, declarations and pragmas, in their order.
 */
#include "codegen/cg_impl.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"

#define MAX_ERRORS 20 /* the rest of the text is not checked */

bool
cg_has_given_up(const struct cg *cg)
{
	return cg->ds->list.n >= MAX_ERRORS;
}

static void
compile_item(struct cg *cg, struct ast_item *it)
{
	switch (it->kind) {
	case AST_I_CLAUSE:
		if (cg->s->in_library)
			cg_compile_rule(cg, it->clause);
		else
			cg_compile_clause(cg, it->clause);
		break;
	case AST_I_DECL:
		cg_declare(cg, it->decl);
		break;
	case AST_I_INLINE:
		cg_declare_inline(cg, it->decl, it->init);
		break;
	case AST_I_TRANSLATOR:
		cg_declare_xlator(cg, it->xlator);
		break;
	case AST_I_PRAGMA:
		cg_pragma(cg, it);
		break;
	case AST_I_PROVIDER:
		cg_declare_provider(cg, it->provider);
		break;
	}
}

static void
list_options(struct dif_prog *dp, const struct ast_program *prog)
{
	for (size_t i = 0; i < prog->options.n; i++) {
		const struct ast_option *ao = &prog->options.v[i];
		struct dif_progopt po = { .name = mem_strdup(ao->name),
			.value = ao->value ? mem_strdup(ao->value) : NULL,
			.span = ao->span };

		VEC_PUSH(&dp->options, po);
	}
}

static void
list_aggs(struct cg_session *s, struct dif_prog *dp)
{
	VEC_FOREACH(&s->aggs, ap) {
		struct dif_agg da = { .id = (*ap)->id,
			.name = mem_strdup((*ap)->name),
			.kind = (*ap)->kind,
			.arg = (*ap)->arg,
			.nkeys = (*ap)->nkeys };

		VEC_PUSH(&dp->aggs, da);
	}
}

static void
list_vars(struct cg_session *s, struct dif_prog *dp)
{
	VEC_FOREACH(&s->syms, sp) {
		const struct cg_sym *sym = *sp;
		struct dif_pvar pv = {
			.var = { .id = sym->id,
			    .scope = sym->scope,
			    .kind = sym->is_array ? DIFV_KIND_ARRAY :
						    DIFV_KIND_SCALAR,
			    .flags = DIFV_F_REF | DIFV_F_MOD },
		};

		if (sym->kind != CG_SYM_VAR || sym->is_hidden)
			continue;
		pv.name = mem_strdup(sym->name);
		pv.var.type = cg_dif_type(sym->type);
		pv.type_name = mem_strdup(ctf_type_name(&s->types, sym->type));
		VEC_PUSH(&dp->vars, pv);
	}
}

struct dif_prog *
cg_compile(
    struct cg_session *s, struct lang_compile *lc, struct ast_program *prog)
{
	struct cg cg = {
		.s = s, .g = &s->types, .lc = lc, .ds = lc->diags, .text = prog
	};

	/* the parser has reported its errors: do not report them again */
	if (lc->diags->list.n != 0)
		return NULL;
	cg.prog = dif_prog_create();
	for (size_t i = 0; i < prog->items.n; i++) {
		compile_item(&cg, prog->items.v[i]);
		cg_retry_pragmas(&cg);
		if (cg_has_given_up(&cg)) {
			diag_hint(lc->diags,
			    "there are many errors; the rest "
			    "of the text is not checked");
			break;
		}
	}
	cg_finish_pragmas(&cg);
	if (s->in_library)
		cg_leave_out_worse(&cg);
	VEC_FREE(&cg.kept);
	if (lc->diags->list.n != 0) {
		dif_prog_destroy(cg.prog);
		return NULL;
	}
	list_options(cg.prog, prog);
	list_aggs(s, cg.prog);
	list_vars(s, cg.prog);
	return cg.prog;
}

struct ctf_type *
cg_compile_type(struct cg_session *s, struct lang_compile *lc,
    const struct ast_program *prog)
{
	struct cg cg = { .s = s, .g = &s->types, .lc = lc, .ds = lc->diags };
	const struct ast_clause *ac;
	struct ast_expr *e;
	struct ctf_type *t;

	if (lc->diags->list.n != 0 || prog->items.n != 1 ||
	    prog->items.v[0]->kind != AST_I_CLAUSE)
		return NULL;
	ac = prog->items.v[0]->clause;
	if (ac->body.n != 1 || ac->body.v[0]->kind != AST_S_EXPR)
		return NULL;
	e = ac->body.v[0]->expr;
	if (e->kind == AST_SIZEOF_TYPE)
		t = cg_decl_type(&cg, e->decl);
	else if (e->kind == AST_UNARY && e->op == AST_OP_SIZEOF)
		t = cg_type_in_parens(&cg, e->a);
	else
		return NULL;
	return lc->diags->list.n == 0 ? t : NULL;
}
