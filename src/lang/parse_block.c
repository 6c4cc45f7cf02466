/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translators and providers: the two items with a block of their own.
 *
 * The grammar is that of doc/reference/language.md sections 2 and 11.
 */
#include "lang/parse_impl.h"

#include "base/mem.h"

struct ast_item *
parse_push_item(struct parser *p, struct ast_program *prog, enum ast_ikind kind,
    struct diag_span start)
{
	struct ast_item *item = ARENA_NEW(p->arena, struct ast_item);

	item->kind = kind;
	item->span = parse_span_from(p, start);
	AST_PUSH(p->arena, &prog->items, item);
	return item;
}

/* member = value; */
static void
parse_xmember(struct parser *p, struct ast_xlator *xl)
{
	struct ast_xmember m = { .span = parse_span(p) };

	m.name = parse_member_name(p);
	parse_expect(p, TOK_ASSIGN, "after the member's name");
	m.value = parse_assign(p);
	parse_expect(p, TOK_SEMI, "after the member's value");
	AST_PUSH(p->arena, &xl->members, m);
}

/* translator OUT < IN name > { member = value; ... }; */
void
parse_translator(struct parser *p, struct ast_program *prog)
{
	struct ast_xlator *xl = ARENA_NEW(p->arena, struct ast_xlator);
	struct diag_span start = parse_span(p);

	parse_take(p);
	xl->out = parse_type_name(p);
	parse_expect(p, TOK_LT, "after the translator's output type");
	xl->in = parse_param(p);
	if (xl->in->name == NULL)
		parse_expected(p, "the name of the translator's input");
	parse_expect(p, TOK_GT, "after the translator's input");
	parse_expect(p, TOK_LBRACE, "before the translator's members");
	while (parse_kind(p) != TOK_RBRACE && parse_kind(p) != TOK_EOF)
		parse_xmember(p, xl);
	parse_expect(p, TOK_RBRACE, "after the translator's members");
	parse_expect(p, TOK_SEMI, "after the translator");
	if (!p->panic)
		parse_push_item(p, prog, AST_I_TRANSLATOR, start)->xlator = xl;
}

/* One list of a probe's arguments; the '(' has been seen. */
static void
parse_probe_args(struct parser *p, struct ast_probe *pr, bool is_translated)
{
	parse_expect(p, TOK_LPAREN, "before the probe's arguments");
	if (parse_accept(p, TOK_RPAREN))
		return;
	do {
		struct ast_decl *arg;

		if (parse_kind(p) == TOK_ELLIPSIS)
			parse_error(p, D_DECL_PROTO_VARARGS, parse_span(p),
			    "a probe's arguments are all declared, without "
			    "'...'");
		arg = parse_param(p);
		if (arg->storage != AST_ST_NONE)
			parse_error(p, D_DECL_PARMCLASS, arg->span,
			    "an argument has no storage class");
		if (is_translated)
			AST_PUSH(p->arena, &pr->xargs, arg);
		else
			AST_PUSH(p->arena, &pr->args, arg);
	} while (parse_accept(p, TOK_COMMA));
	parse_expect(p, TOK_RPAREN, "after the probe's arguments");
}

/* probe NAME(args) : (translated args); */
static void
parse_probe(struct parser *p, struct ast_provider *prov)
{
	struct ast_probe pr = { .span = parse_span(p) };

	parse_expect(p, TOK_KW_PROBE, "or '}' in the provider");
	pr.span = parse_span(p);
	pr.name = parse_member_name(p);
	parse_probe_args(p, &pr, false);
	pr.has_xargs = parse_accept(p, TOK_COLON);
	if (pr.has_xargs)
		parse_probe_args(p, &pr, true);
	parse_expect(p, TOK_SEMI, "after the probe");
	AST_PUSH(p->arena, &prov->probes, pr);
}

/* provider NAME { ... }; or NAME$target { ... }; for one process. */
void
parse_provider(struct parser *p, struct ast_program *prog)
{
	struct ast_provider *prov = ARENA_NEW(p->arena, struct ast_provider);
	struct diag_span start = parse_span(p);

	parse_take(p);
	prov->span = parse_span(p);
	prov->name = parse_expect_ident(p, "the name of the provider");
	if (parse_kind(p) == TOK_INT)
		prov->pid = parse_take(p)->value;
	parse_expect(p, TOK_LBRACE, "before the provider's probes");
	while (parse_kind(p) != TOK_RBRACE && parse_kind(p) != TOK_EOF)
		parse_probe(p, prov);
	parse_expect(p, TOK_RBRACE, "after the provider's probes");
	parse_expect(p, TOK_SEMI, "after the provider");
	if (!p->panic)
		parse_push_item(p, prog, AST_I_PROVIDER, start)->provider =
		    prov;
}
