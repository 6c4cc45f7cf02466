/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LANG_LEX_H
#define LANG_LEX_H

/* The lexer: D text -> tokens, on demand.  For the files of lang/ only. */
#include "base/str.h"
#include "base/vec.h"
#include "lang/lang.h"

#define LEX_MAX_ERRORS 20	 /* more: the rest of the text is not read */
#define LEX_MAX_TEXT (64u << 20) /* offsets are 32 bits wide */

enum lex_kind {
#define TOK(name, text) TOK_##name,
#define KEYWORD(name, text, class) TOK_KW_##name,
#define PUNCT(name, text) TOK_##name,
#include "lang/tokens.def"
#undef TOK
#undef KEYWORD
#undef PUNCT
	TOK_COUNT_
};

enum lex_class {
	LEX_CLASS_TOK,
	LEX_CLASS_PUNCT,
	LEX_CLASS_EXPR,
	LEX_CLASS_DECL,
	LEX_CLASS_UNSUP
};

_Static_assert(TOK_COUNT_ <= UINT8_MAX, "kinds fit in lex.by_char");

struct lex_info {
	const char *name; /* "PDESC" */
	const char *text; /* "probe description", "struct", "<<=" */
	uint32_t len;	  /* of text */
	enum lex_class class;
};
extern const struct lex_info lex_info[TOK_COUNT_];

struct lex_tok {
	enum lex_kind kind;
	struct diag_span span;
	bool at_program; /* read at program level, where items begin */
	bool is_bad;	 /* reported; the tokens after it are guesses */
	bool is_unsigned, is_long, is_char, is_decimal; /* TOK_INT */
	bool is_targets;  /* TOK_INT: $target, which is several processes */
	uint64_t value;	  /* TOK_INT */
	char *s;	  /* name, string or description, expanded */
	uint32_t len;	  /* of s: strings may contain NULs */
	char **others;	  /* TOK_PDESC: for the other processes of $target */
	uint32_t nothers; /* 0: the description has no $target */
	char *module;	  /* TOK_IDENT: before the backquote, or NULL */
};

/*
 * D has two lexical levels.  At program level a word is a probe description,
 * in which '-', '*', ':' and so on are ordinary characters; inside clauses,
 * predicates and declarations tokens are C's.  The lexer follows the change of
 * level by itself, so that it needs no advice from the parser:
 *
 *	PROGRAM --'/'--> PREDICATE --closing '/'--> PROGRAM
 *	PROGRAM --'{'--> CLAUSE --matching '}'--> PROGRAM
 *	PROGRAM --declaration keyword or type name--> DECL --';'--> PROGRAM
 */
enum lex_state { LEX_PROGRAM, LEX_PREDICATE, LEX_CLAUSE, LEX_DECL };

struct lex {
	struct lang_compile *lc;
	struct ast_program *prog; /* takes the options of control lines */
	const char *text;	  /* belongs to lc->diags */
	uint32_t len, pos;
	enum lex_state state;
	uint32_t depth;	     /* open braces */
	bool decl_has_body;  /* DECL: '}' does not end it */
	bool at_bol;	     /* only blanks so far on this line */
	bool is_cut;	     /* an open comment hides the rest */
	bool is_hushed;	     /* skipping the text after an error */
	size_t target_at;    /* of lc->targets, in a description */
	bool has_targets;    /* the description has $target */
	size_t first_error;  /* lc->diags->list.n at the start */
	bool *arg_used;	     /* per lc->argv element */
	struct strtab types; /* names of types */
	/*
	 * keywords and operators by their first character, chained: kind or 0
	 */
	uint8_t by_char[128], by_char_next[TOK_COUNT_];
	VEC(struct lex_tok) toks; /* in the arena */
};

/* Start on lc->text, which is registered with lc->diags. */
void lex_init(
    struct lex *lx, struct lang_compile *lc, struct ast_program *prog);
void lex_fini(struct lex *lx);

/* Is it the name of a type, as far as this and earlier texts say? */
bool lex_is_type(const struct lex *lx, const char *name);

/* Read on: append at least one token; TOK_EOF again and again at the end. */
void lex_next(struct lex *lx);

void lex_error(struct lex *lx, const char *tag, uint32_t off, uint32_t len,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void lex_verror(struct lex *lx, const char *tag, struct diag_span span,
    const char *fmt, va_list ap) __attribute__((format(printf, 4, 0)));
void lex_hint(struct lex *lx, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Report the macro arguments that the text never used. */
void lex_check_args(struct lex *lx);

/*
 * For the lexer's own files.  A position past the end reads as NUL; a NUL in
 * the text is told from the end by its position.
 */
char lex_at(const struct lex *lx, uint32_t off);
bool lex_is_ident_start(char c);
bool lex_is_ident(char c);
struct lex_tok *lex_push(struct lex *lx, enum lex_kind kind, uint32_t off);
void lex_push_str(struct lex *lx, uint32_t off, const char *s, size_t len);

void lex_number(struct lex *lx);
void lex_char(struct lex *lx);
void lex_string(struct lex *lx);
/*
 * Is all of `s` one string in double quotes?  If so, append the string's value.
 */
bool lex_is_quoted(const char *s, struct strbuf *out);

void lex_control(struct lex *lx);

/* Expand the macro at lx->pos: to a token, or as text into a description. */
void lex_macro_token(struct lex *lx);
void lex_macro_text(struct lex *lx, struct strbuf *out);

#endif
