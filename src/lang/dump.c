/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Print the results of the front end, for people: --dump=tokens, --dump=ast.
 *
 * Items and statements are lines, indented by two; expressions are written
 * operator first, in parentheses, so that no precedence is left to guess.
 */
#include "lang/lex.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

const char *
ast_op_text(enum ast_op op)
{
	static const char *const texts[] = {
		[AST_OP_NONE] = "=",
		[AST_OP_ADD] = "+",
		[AST_OP_SUB] = "-",
		[AST_OP_MUL] = "*",
		[AST_OP_DIV] = "/",
		[AST_OP_MOD] = "%",
		[AST_OP_SHL] = "<<",
		[AST_OP_SHR] = ">>",
		[AST_OP_BAND] = "&",
		[AST_OP_BOR] = "|",
		[AST_OP_BXOR] = "^",
		[AST_OP_LAND] = "&&",
		[AST_OP_LOR] = "||",
		[AST_OP_LXOR] = "^^",
		[AST_OP_EQ] = "==",
		[AST_OP_NE] = "!=",
		[AST_OP_LT] = "<",
		[AST_OP_LE] = "<=",
		[AST_OP_GT] = ">",
		[AST_OP_GE] = ">=",
		[AST_OP_COMMA] = ",",
		[AST_OP_NEG] = "-",
		[AST_OP_PLUS] = "+",
		[AST_OP_LNOT] = "!",
		[AST_OP_BNOT] = "~",
		[AST_OP_DEREF] = "*",
		[AST_OP_ADDROF] = "&",
		[AST_OP_PREINC] = "++",
		[AST_OP_PREDEC] = "--",
		[AST_OP_POSTINC] = "++",
		[AST_OP_POSTDEC] = "--",
		[AST_OP_SIZEOF] = "sizeof",
		[AST_OP_STRINGOF] = "stringof",
	};

	return texts[op];
}

/* A unary operator that another one is written like has a name of its own. */
static const char *
op_name(enum ast_op op)
{
	switch (op) {
	case AST_OP_NONE:
		return "";
	case AST_OP_NEG:
		return "neg";
	case AST_OP_PLUS:
		return "plus";
	case AST_OP_DEREF:
		return "deref";
	case AST_OP_ADDROF:
		return "addrof";
	case AST_OP_PREINC:
		return "preinc";
	case AST_OP_PREDEC:
		return "predec";
	case AST_OP_POSTINC:
		return "postinc";
	case AST_OP_POSTDEC:
		return "postdec";
	default:
		return ast_op_text(op);
	}
}

static void dump_expr(const struct ast_expr *e, struct strbuf *out);
static void dump_decl(
    const struct ast_decl *d, bool with_body, struct strbuf *out);

static void
dump_quoted(const char *s, size_t len, struct strbuf *out)
{
	strbuf_addc(out, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '"' || c == '\\')
			strbuf_printf(out, "\\%c", c);
		else if (c < ' ' || c >= 0x7f)
			strbuf_printf(out, "\\%03o", c);
		else
			strbuf_addc(out, (char)c);
	}
	strbuf_addc(out, '"');
}

/* ---- tokens -------------------------------------------------------------- */

static void
dump_token(const struct lex_tok *t, unsigned line, struct strbuf *out)
{
	strbuf_printf(out, "%u\t%s\t", line, lex_info[t->kind].name);
	if (t->kind == TOK_INT)
		strbuf_printf(out, "%llu", (unsigned long long)t->value);
	else if (t->kind == TOK_STR)
		dump_quoted(t->s, t->len, out);
	else if (t->kind == TOK_PDESC || t->kind == TOK_AGG)
		strbuf_adds(out, t->s);
	else if (t->kind == TOK_IDENT)
		strbuf_printf(out, "%s%s%s", t->module ? t->module : "",
		    t->module ? "`" : "", t->s);
	else
		strbuf_adds(out, lex_info[t->kind].text);
	strbuf_addc(out, '\n');
}

/*
 * Print each token with its line in the text; control lines do not change it.
 */
static void
dump_tokens(const struct lex *lx, struct strbuf *out)
{
	unsigned line = 1;
	uint32_t off = 0;

	for (size_t i = 0; i + 1 < lx->toks.n; i++) {
		for (; off < lx->toks.v[i].span.off; off++)
			line += lx->text[off] == '\n';
		dump_token(&lx->toks.v[i], line, out);
	}
}

/* Errors in the text are reported when it is parsed, not here. */
void
lang_dump_tokens(struct lang_compile *lc, struct strbuf *out)
{
	struct arena arena;
	struct diags diags;
	struct lang_compile own = *lc;
	struct lex lx;

	arena_init(&arena);
	diags_init(&diags);
	own.arena = &arena;
	own.diags = &diags;
	lex_init(&lx, &own, NULL);
	do {
		lex_next(&lx);
	} while (lx.toks.v[lx.toks.n - 1].kind != TOK_EOF);
	dump_tokens(&lx, out);
	lex_fini(&lx);
	diags_fini(&diags);
	arena_fini(&arena);
}

/* ---- declarations -------------------------------------------------------- */

static void
dump_repeated(const char *word, unsigned n, struct strbuf *out)
{
	while (n-- > 0)
		strbuf_printf(out, "%s ", word);
}

static void
dump_body(const struct ast_decl *d, struct strbuf *out)
{
	strbuf_adds(out, " {");
	for (size_t i = 0; i < d->members.n; i++)
		for (const struct ast_decl *m = d->members.v[i]; m != NULL;
		     m = m->next) {
			strbuf_addc(out, ' ');
			dump_decl(m, m == d->members.v[i], out);
			strbuf_addc(out, ';');
		}
	for (size_t i = 0; i < d->enums.n; i++) {
		strbuf_printf(out, " %s", d->enums.v[i].name);
		if (d->enums.v[i].value != NULL) {
			strbuf_adds(out, " = ");
			dump_expr(d->enums.v[i].value, out);
		}
		strbuf_addc(out, ',');
	}
	strbuf_adds(out, " }");
}

static void
dump_specs(const struct ast_decl *d, bool with_body, struct strbuf *out)
{
	static const char *const storage[] = { [AST_ST_NONE] = "",
		[AST_ST_SELF] = "self ",
		[AST_ST_THIS] = "this ",
		[AST_ST_EXTERN] = "extern ",
		[AST_ST_STATIC] = "static ",
		[AST_ST_REGISTER] = "register ",
		[AST_ST_TYPEDEF] = "typedef ",
		[AST_ST_AUTO] = "auto " };
	static const char *const tag[] = { [AST_TAG_NONE] = "",
		[AST_TAG_STRUCT] = "struct ",
		[AST_TAG_UNION] = "union ",
		[AST_TAG_ENUM] = "enum " };

	strbuf_adds(out, storage[d->storage]);
	dump_repeated("const", d->is_const, out);
	dump_repeated("volatile", d->is_volatile, out);
	dump_repeated("userland", d->is_userland, out);
	dump_repeated("signed", d->n_signed, out);
	dump_repeated("unsigned", d->n_unsigned, out);
	dump_repeated("_Complex", d->n_complex, out);
	dump_repeated("short", d->n_short, out);
	dump_repeated("long", d->n_long, out);
	strbuf_adds(out, tag[d->tag]);
	strbuf_adds(out,
	    d->base != NULL	       ? d->base :
		d->tag != AST_TAG_NONE ? "-" :
					 "int");
	if (d->has_body && with_body)
		dump_body(d, out);
}

static void
dump_types(const struct ast_declarator *dt, struct strbuf *out)
{
	for (size_t i = 0; i < dt->types.n; i++) {
		strbuf_adds(out, i > 0 ? ", " : "");
		dump_decl(dt->types.v[i], true, out);
	}
	if (dt->varargs)
		strbuf_adds(out, dt->types.n > 0 ? ", ..." : "...");
}

/* A declarator in words, as cdecl would say it. */
static void
dump_declarator(const struct ast_declarator *dt, struct strbuf *out)
{
	switch (dt->kind) {
	case AST_D_POINTER:
		dump_repeated("const", dt->is_const, out);
		dump_repeated("volatile", dt->is_volatile, out);
		dump_repeated("userland", dt->is_userland, out);
		strbuf_adds(out, "pointer to ");
		return;
	case AST_D_ARRAY:
		strbuf_adds(out, "array[");
		if (dt->size != NULL)
			dump_expr(dt->size, out);
		strbuf_adds(out, "] of ");
		return;
	case AST_D_ASSOC:
		strbuf_adds(out, "map[");
		dump_types(dt, out);
		strbuf_adds(out, "] of ");
		return;
	case AST_D_FUNC:
		strbuf_adds(out, "function(");
		dump_types(dt, out);
		strbuf_adds(out, ") returning ");
		return;
	}
}

/*
 * "name: array[3] of pointer to int".  A body shared by several declarators is
 * printed once: nested bodies would make the output exponentially long.
 */
static void
dump_decl(const struct ast_decl *d, bool with_body, struct strbuf *out)
{
	if (d->name != NULL)
		strbuf_printf(out, "%s: ", d->name);
	for (const struct ast_declarator *dt = d->dtor; dt != NULL;
	     dt = dt->next)
		dump_declarator(dt, out);
	dump_specs(d, with_body, out);
	if (d->bits != NULL) {
		strbuf_adds(out, " : ");
		dump_expr(d->bits, out);
	}
}

/* ---- expressions --------------------------------------------------------- */

static void
dump_ident(const struct ast_expr *e, struct strbuf *out)
{
	static const char *const scope[] = {
		[AST_GLOBAL] = "", [AST_SELF] = "self->", [AST_THIS] = "this->"
	};

	strbuf_adds(out, scope[e->u.ident.scope]);
	if (e->u.ident.module != NULL)
		strbuf_printf(out, "%s`", e->u.ident.module);
	strbuf_adds(out, e->u.ident.name);
}

static void
dump_int(const struct ast_expr *e, struct strbuf *out)
{
	strbuf_printf(out, "%llu%s%s", (unsigned long long)e->u.num.value,
	    e->u.num.is_unsigned ? "u" : "", e->u.num.is_long ? "l" : "");
}

/* "(head operand operand"; the head may consist of two parts. */
static void
dump_form(const char *head, const char *more, const struct ast_expr *e,
    struct strbuf *out)
{
	const struct ast_expr *const operands[] = { e->a, e->b, e->c };

	strbuf_printf(out, "(%s%s", head, more);
	if (e->decl != NULL) {
		strbuf_adds(out, " <");
		dump_decl(e->decl, true, out);
		strbuf_addc(out, '>');
	}
	for (size_t i = 0; i < 3; i++)
		if (operands[i] != NULL) {
			strbuf_addc(out, ' ');
			dump_expr(operands[i], out);
		}
	for (size_t i = 0; i < e->args.n; i++) {
		strbuf_addc(out, ' ');
		dump_expr(e->args.v[i], out);
	}
}

static void
dump_expr(const struct ast_expr *e, struct strbuf *out)
{
	switch (e->kind) {
	case AST_INT:
		dump_int(e, out);
		return;
	case AST_STR:
		dump_quoted(e->u.str.s, e->u.str.len, out);
		return;
	case AST_IDENT:
		dump_ident(e, out);
		return;
	case AST_ASSIGN:
		dump_form(op_name(e->op), "=", e, out);
		break;
	case AST_AGG:
		dump_form("@", e->u.ident.name, e, out);
		break;
	case AST_CALL:
		dump_form(e->u.ident.name, "", e, out);
		break;
	case AST_MEMBER:
		dump_form(e->u.ident.arrow ? "->" : ".", "", e, out);
		strbuf_printf(out, " %s)", e->u.ident.name);
		return;
	case AST_OFFSETOF:
		dump_form("offsetof", "", e, out);
		strbuf_printf(out, " %s)", e->u.ident.name);
		return;
	case AST_UNARY:
	case AST_BINARY:
		dump_form(op_name(e->op), "", e, out);
		break;
	case AST_COND:
		dump_form("?", "", e, out);
		break;
	case AST_INDEX:
		dump_form("index", "", e, out);
		break;
	case AST_CAST:
		dump_form("cast", "", e, out);
		break;
	case AST_SIZEOF_TYPE:
		dump_form("sizeof", "", e, out);
		break;
	case AST_BOUND: /* not made by the parser */
	case AST_XLREF:
		return;
	case AST_XLATE:
		dump_form("xlate", "", e, out);
		break;
	}
	strbuf_addc(out, ')');
}

/* ---- statements, clauses, items ------------------------------------------ */

static void
dump_line(unsigned indent, const char *word, const struct ast_expr *e,
    struct strbuf *out)
{
	strbuf_printf(out, "%*s%s", (int)indent * 2, "", word);
	if (e != NULL) {
		strbuf_addc(out, ' ');
		dump_expr(e, out);
	}
	strbuf_addc(out, '\n');
}

static void
dump_stmt(const struct ast_stmt *s, unsigned indent, struct strbuf *out)
{
	switch (s->kind) {
	case AST_S_EMPTY:
		dump_line(indent, "empty", NULL, out);
		return;
	case AST_S_EXPR:
		dump_line(indent, "expr", s->expr, out);
		return;
	case AST_S_IF:
		dump_line(indent, "if", s->expr, out);
		for (size_t i = 0; i < s->then_.n; i++)
			dump_stmt(s->then_.v[i], indent + 1, out);
		if (s->else_.n > 0)
			dump_line(indent, "else", NULL, out);
		for (size_t i = 0; i < s->else_.n; i++)
			dump_stmt(s->else_.v[i], indent + 1, out);
		return;
	}
}

static void
dump_pdesc(const struct ast_pdesc *pd, struct strbuf *out)
{
	if (pd->id != 0)
		strbuf_printf(out, "  probe %u\n", pd->id);
	else
		strbuf_printf(out, "  probe %s:%s:%s:%s\n", pd->prov, pd->mod,
		    pd->func, pd->name);
}

static void
dump_clause(const struct ast_clause *c, struct strbuf *out)
{
	strbuf_adds(out, c->has_body ? "clause\n" : "clause without body\n");
	VEC_FOREACH(&c->pdescs, pd)
		dump_pdesc(pd, out);
	if (c->pred != NULL)
		dump_line(1, "predicate", c->pred, out);
	for (size_t i = 0; i < c->body.n; i++)
		dump_stmt(c->body.v[i], 1, out);
}

static void
dump_translator(const struct ast_xlator *xl, struct strbuf *out)
{
	strbuf_adds(out, "translator ");
	dump_decl(xl->out, false, out);
	strbuf_adds(out, " < ");
	dump_decl(xl->in, false, out);
	strbuf_adds(out, " >\n");
	VEC_FOREACH(&xl->members, m)
		dump_line(1, m->name, m->value, out);
}

static void
dump_args(const char *head, struct ast_decl *const *args, size_t n,
    struct strbuf *out)
{
	strbuf_adds(out, head);
	for (size_t i = 0; i < n; i++) {
		strbuf_adds(out, i > 0 ? ", " : "");
		dump_decl(args[i], true, out);
	}
	strbuf_addc(out, ')');
}

static void
dump_provider(const struct ast_provider *prov, struct strbuf *out)
{
	strbuf_printf(out, "provider %s", prov->name);
	if (prov->pid != 0)
		strbuf_printf(
		    out, " of process %llu", (unsigned long long)prov->pid);
	strbuf_addc(out, '\n');
	VEC_FOREACH(&prov->probes, pr) {
		strbuf_printf(out, "  probe %s", pr->name);
		dump_args("(", pr->args.v, pr->args.n, out);
		if (pr->has_xargs)
			dump_args(" : (", pr->xargs.v, pr->xargs.n, out);
		strbuf_addc(out, '\n');
	}
}

static void
dump_pragma(const struct ast_pragma *pr, struct strbuf *out)
{
	static const char *const names[] = { [AST_P_ATTRIBUTES] = "attributes",
		[AST_P_BINDING] = "binding",
		[AST_P_DEPENDS_ON] = "depends_on",
		[AST_P_UNAVAILABLE] = "unavailable" };

	strbuf_printf(out, "pragma %s %s %s%s%s\n", names[pr->kind], pr->value,
	    pr->name, pr->part != NULL ? " " : "",
	    pr->part != NULL ? pr->part : "");
}

static void
dump_item(const struct ast_item *item, struct strbuf *out)
{
	if (item->kind == AST_I_CLAUSE) {
		dump_clause(item->clause, out);
		return;
	}
	if (item->kind == AST_I_TRANSLATOR)
		dump_translator(item->xlator, out);
	if (item->kind == AST_I_PROVIDER)
		dump_provider(item->provider, out);
	if (item->kind == AST_I_PRAGMA)
		dump_pragma(item->pragma, out);
	for (const struct ast_decl *d = item->decl; d != NULL; d = d->next) {
		strbuf_adds(
		    out, item->kind == AST_I_INLINE ? "inline " : "declare ");
		dump_decl(d, d == item->decl, out);
		if (item->init != NULL) {
			strbuf_adds(out, " = ");
			dump_expr(item->init, out);
		}
		strbuf_addc(out, '\n');
	}
}

void
ast_dump(const struct ast_program *prog, struct strbuf *out)
{
	VEC_FOREACH(&prog->options, opt) {
		strbuf_printf(out, "option %s%s%s\n", opt->name,
		    opt->value != NULL ? "=" : "",
		    opt->value != NULL ? opt->value : "");
	}
	for (size_t i = 0; i < prog->items.n; i++)
		dump_item(prog->items.v[i], out);
}
