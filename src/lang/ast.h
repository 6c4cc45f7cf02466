/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LANG_AST_H
#define LANG_AST_H

/*
 * The tree that the parser makes of a D program, and codegen/check.c types.
 * Everything lives in the compile's arena.  Strings are NUL-terminated; string
 * constants may contain NULs, so they carry a length.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/vec.h"

enum ast_op { /* unary, binary and assignment operators */
	AST_OP_NONE = 0,
	AST_OP_ADD,
	AST_OP_SUB,
	AST_OP_MUL,
	AST_OP_DIV,
	AST_OP_MOD,
	AST_OP_SHL,
	AST_OP_SHR,
	AST_OP_BAND,
	AST_OP_BOR,
	AST_OP_BXOR,
	AST_OP_LAND,
	AST_OP_LOR,
	AST_OP_LXOR,
	AST_OP_EQ,
	AST_OP_NE,
	AST_OP_LT,
	AST_OP_LE,
	AST_OP_GT,
	AST_OP_GE,
	AST_OP_COMMA,
	AST_OP_NEG,
	AST_OP_PLUS,
	AST_OP_LNOT,
	AST_OP_BNOT,
	AST_OP_DEREF,
	AST_OP_ADDROF,
	AST_OP_PREINC,
	AST_OP_PREDEC,
	AST_OP_POSTINC,
	AST_OP_POSTDEC,
	AST_OP_SIZEOF,
	AST_OP_STRINGOF,
};

/* An operator as D writes it: "+"; of AST_OP_NONE "=". */
const char *ast_op_text(enum ast_op op);

enum ast_kind {
	AST_INT,	 /* u.num */
	AST_STR,	 /* u.str */
	AST_IDENT,	 /* u.ident: variable, built-in, scoped symbol */
	AST_AGG,	 /* u.ident.name: @name; args: keys */
	AST_UNARY,	 /* op, a */
	AST_BINARY,	 /* op, a, b */
	AST_ASSIGN,	 /* a = b, or a op= b when op != AST_OP_NONE */
	AST_COND,	 /* a ? b : c */
	AST_CALL,	 /* u.ident.name(args) */
	AST_INDEX,	 /* a[args] */
	AST_MEMBER,	 /* a.name or a->name (u.ident.arrow) */
	AST_CAST,	 /* (decl) a */
	AST_SIZEOF_TYPE, /* sizeof (decl) */
	AST_OFFSETOF,	 /* offsetof (decl, u.ident.name) */
	AST_XLATE,	 /* xlate <decl> (a) */
	AST_BOUND,	 /* checker only: an argument, held by `sym` */
	AST_XLREF,	 /* checker only: the result of a translator that is
			 * not defined yet, for `a` or for the probe's
			 * argument; u.ident.name */
};

enum ast_scope { AST_GLOBAL, AST_SELF, AST_THIS };

/* Recursive walks rely on this limit: no expression is higher. */
#define AST_MAX_HEIGHT 2000

struct ctf_type;
struct ast_decl;

/* The aggregation's name as a script has it: the one without a name is "_". */
static inline const char *
ast_agg_name(const char *name)
{
	return strcmp(name, "_") == 0 ? "" : name;
}

struct ast_expr {
	enum ast_kind kind;
	enum ast_op op;
	struct diag_span span;
	struct ast_expr *a, *b, *c;
	VEC(struct ast_expr *) args;
	unsigned height; /* of this tree; the parser keeps it bounded */
	bool in_parens;
	struct ast_decl *decl;
	union {
		struct {
			uint64_t value;
			bool is_unsigned, is_long, is_char;
			bool is_decimal; /* octal and hex constants
						 * may be unsigned */
			bool is_targets; /* $target, which is several
						 * processes */
		} num;
		struct {
			char *s;
			uint32_t len;
		} str;
		struct {
			char *name;
			char *module; /* module`name; "" for `name; else NULL */
			enum ast_scope scope;
			bool arrow;
			bool is_optional; /* AST_XLREF: may be zeroes */
		} ident;
	} u;

	/* Filled in by the type checker. */
	struct ctf_type *named; /* the type that decl says */
	struct ast_expr *inst;	/* its replacement: the value of an
					 * inline or of a translated member */
	struct ctf_type *type;
	void *sym; /* checker's symbol, aggregation or function */
	bool is_lvalue;
	bool is_const; /* folded: const_value holds */
	uint64_t const_value;
};

/* A declaration: specifiers and a chain of declarators, outermost first. */
enum ast_dkind { AST_D_POINTER, AST_D_ARRAY, AST_D_ASSOC, AST_D_FUNC };
struct ast_declarator {
	enum ast_dkind kind;
	bool is_const, is_volatile, is_userland; /* pointers */
	struct ast_expr *size;			 /* AST_D_ARRAY; NULL: [] */
	bool may_be_empty;	      /* AST_D_ARRAY of a member: [], [0] */
	VEC(struct ast_decl *) types; /* AST_D_ASSOC keys, AST_D_FUNC params */
	bool varargs;
	struct ast_declarator *next; /* the type that this points to or is
					 * an array of */
};
enum ast_tag { AST_TAG_NONE, AST_TAG_STRUCT, AST_TAG_UNION, AST_TAG_ENUM };
enum ast_storage {
	AST_ST_NONE,
	AST_ST_SELF,
	AST_ST_THIS,
	AST_ST_EXTERN,
	AST_ST_STATIC,
	AST_ST_REGISTER,
	AST_ST_TYPEDEF,
	AST_ST_AUTO
};
struct ast_decl {
	struct diag_span span;
	enum ast_storage storage;
	/* Basic specifiers, counted to tell "long long" from "long". */
	unsigned n_signed, n_unsigned, n_short, n_long, n_complex;
	bool is_const, is_volatile, is_userland;
	const char *base; /* "int" "char" "void" "float" "double" "__int128"
				 * "string" "_Bool", a typedef name, or NULL */
	struct diag_span base_span;
	enum ast_tag tag; /* struct/union/enum: base is the tag name */
	VEC(struct ast_decl *) members; /* struct/union body */
	VEC(struct ast_enumerator {
		char *name;
		struct ast_expr *value; /* or NULL */
		struct diag_span span;
	})
	enums;
	bool has_body;
	char *name;	       /* declared identifier, or NULL (abstract) */
	struct ast_expr *bits; /* bit-field width */
	struct ast_declarator *dtor; /* applied to the base type; NULL: none */
	struct ast_decl *next; /* next declarator of the same declaration */
};

enum ast_skind { AST_S_EXPR, AST_S_IF, AST_S_EMPTY };
struct ast_stmt {
	enum ast_skind kind;
	struct diag_span span;
	struct ast_expr *expr; /* AST_S_EXPR, condition of AST_S_IF */
	VEC(struct ast_stmt *) then_, else_;
};

struct ast_pdesc {
	char *prov, *mod, *func, *name; /* never NULL; "" matches all */
	uint32_t id;			/* nonzero: the probe is given by
					 * number */
	bool is_of_targets;		/* one of several, by $target */
	struct diag_span span;
};

struct ast_clause {
	struct diag_span span; /* whole clause */
	VEC(struct ast_pdesc) pdescs;
	struct ast_expr *pred; /* or NULL */
	VEC(struct ast_stmt *) body;
	bool has_body; /* false: bare probe description (-n x) */
};

/* translator out < in > { name = value; ... }; */
struct ast_xlator {
	struct ast_decl *out, *in; /* in->name is the parameter */
	VEC(struct ast_xmember {
		char *name;
		struct diag_span span;
		struct ast_expr *value;
	})
	members;
};

/* provider name { probe name(args) : (xargs); ... }; */
struct ast_provider {
	char *name;
	uint64_t pid; /* name$target; 0: of all processes */
	struct diag_span span;
	VEC(struct ast_probe {
		char *name; /* as written: '-' is "__" */
		struct diag_span span;
		VEC(struct ast_decl *) args, xargs;
		bool has_xargs;
	})
	probes;
};

/*
 * #pragma D attributes ATTRS [provider] NAME [PART], binding "VERSION" NAME,
 * depends_on CLASS NAME, unavailable NAME PART WHY.
 */
enum ast_pkind {
	AST_P_ATTRIBUTES,
	AST_P_BINDING,
	AST_P_DEPENDS_ON,
	AST_P_UNAVAILABLE
};
struct ast_pragma {
	enum ast_pkind kind;
	char *value; /* ATTRS, VERSION, CLASS or WHY */
	char *name;
	char *part; /* of a provider or type, or NULL */
};

enum ast_ikind {
	AST_I_CLAUSE,
	AST_I_DECL,
	AST_I_INLINE,
	AST_I_TRANSLATOR,
	AST_I_PROVIDER,
	AST_I_PRAGMA
};
struct ast_item {
	enum ast_ikind kind;
	struct diag_span span;
	struct ast_clause *clause;
	struct ast_decl *decl; /* declaration; inline's declarator */
	struct ast_expr *init; /* inline's value */
	struct ast_xlator *xlator;
	struct ast_provider *provider;
	struct ast_pragma *pragma;
};

struct ast_program {
	VEC(struct ast_item *) items; /* in source order */
	VEC(struct ast_option {
		char *name, *value; /* value NULL when absent */
		struct diag_span span;
	})
	options; /* #pragma D option */
};

/*
 * Vectors of the tree grow in the arena: never VEC_PUSH() or VEC_FREE() them.
 */
#define AST_PUSH(arena, vec, ...)                                              \
	do {                                                                   \
		if ((vec)->n == (vec)->cap) {                                  \
			size_t cap_ = (vec)->cap ? (vec)->cap * 2 : 4;         \
			void *v_ =                                             \
			    arena_alloc((arena), cap_ * sizeof(*(vec)->v));    \
			if ((vec)->n)                                          \
				memcpy(v_, (vec)->v,                           \
				    (vec)->n * sizeof(*(vec)->v));             \
			(vec)->v = v_;                                         \
			(vec)->cap = cap_;                                     \
		}                                                              \
		(vec)->v[(vec)->n++] = (__VA_ARGS__);                          \
	} while (0)

#endif
