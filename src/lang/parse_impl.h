/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LANG_PARSE_IMPL_H
#define LANG_PARSE_IMPL_H

/*
 * The parser, shared by its files.
 *
 * Recursive descent over the lexer's tokens.  An error, or a token that the
 * lexer has reported, sets `panic`; from then on the current token reads as the
 * end of the input, so that every loop ends and nothing more is reported, until
 * parse_sync_*() skips to a place where parsing can go on.  Functions never
 * return NULL: in panic they return what they have, and callers do not use it.
 */
#include "base/mem.h"
#include "lang/lex.h"

#define PARSE_MAX_DEPTH 256 /* of nested constructs */

struct parser {
	struct lang_compile *lc;
	struct arena *arena;
	struct lex lx;
	size_t pos; /* current token's index in lx.toks */
	unsigned depth;
	unsigned type_height; /* of the expressions in the type being read */
	bool panic;
	bool in_members; /* declarators of a struct or union */
	bool in_extern;	 /* declarators of an extern declaration */
	bool takes_hint; /* the last error was reported, so a hint may
				 * follow */
};

/* Tokens. */
const struct lex_tok *parse_peek(struct parser *p, size_t ahead);
enum lex_kind parse_kind(struct parser *p);
struct diag_span parse_span(struct parser *p); /* the current token's */
struct diag_span parse_span_from(struct parser *p, struct diag_span start);
const struct lex_tok *parse_take(struct parser *p);
bool parse_accept(struct parser *p, enum lex_kind kind);
/* Take a token of `kind`, or report "expected <kind> <where>, found ...". */
bool parse_expect(struct parser *p, enum lex_kind kind, const char *where);
char *parse_expect_ident(struct parser *p, const char *what);

/* Errors: at a place, and "expected <what>, found <current token>". */
void parse_error(struct parser *p, const char *tag, struct diag_span span,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void parse_expected(struct parser *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Add a hint to the error just before, if it was reported. */
void parse_hint(struct parser *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * Add the hint for two strings side by side, if the token at the error, or the
 * one before, is one.  True if it was added.
 */
bool parse_hint_strings(struct parser *p);
/*
 * Add the hint for `x in (1, 2)`, if the error is at such an `in`.  True if it
 * was added.
 */
bool parse_hint_in(struct parser *p);
/* Is the token before the current one, also in panic, of this kind? */
bool parse_is_after(struct parser *p, enum lex_kind kind);
/* Is a word of another language at the error, as in `x and y`? */
bool parse_is_infix(struct parser *p);
/*
 * Every function that may recurse calls these at its beginning and end;
 * parse_enter() reports an error and panics when the nesting is too deep.
 */
void parse_enter(struct parser *p);
void parse_leave(struct parser *p);

/* Does token `ahead` start a type (or a declaration, with self and this)? */
bool parse_is_type(struct parser *p, size_t ahead);
bool parse_is_decl(struct parser *p, size_t ahead);

struct ast_expr *parse_expr(struct parser *p); /* with commas */
struct ast_expr *parse_assign(struct parser *p);
struct ast_expr *parse_cond(struct parser *p);
/* Members may be named like D's keywords, as some of the kernel's are. */
char *parse_member_name(struct parser *p);
struct ast_decl *parse_type_name(struct parser *p);
/* A parameter or key: at most one declarator, the name is optional. */
struct ast_decl *parse_param(struct parser *p);
void parse_declaration(struct parser *p, struct ast_program *prog);
void parse_inline(struct parser *p, struct ast_program *prog);
void parse_translator(struct parser *p, struct ast_program *prog);
void parse_provider(struct parser *p, struct ast_program *prog);
/* Append an item that reaches from `start` to the last token taken. */
struct ast_item *parse_push_item(struct parser *p, struct ast_program *prog,
    enum ast_ikind kind, struct diag_span start);

#endif
