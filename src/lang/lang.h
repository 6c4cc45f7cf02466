/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LANG_LANG_H
#define LANG_LANG_H

/*
 * The front end: D text -> tokens -> tree.  It knows the names of types, but
 * no types, no probe and no substrate.
 */
#include <stdbool.h>

#include "base/mem.h"
#include "base/str.h"
#include "lang/ast.h"

/* The field that a bare word in a probe description names (-P -m -f -n -s). */
enum lang_pspec {
	LANG_PSPEC_PROVIDER,
	LANG_PSPEC_MOD,
	LANG_PSPEC_FUNC,
	LANG_PSPEC_NAME
};

#define LANG_F_CPP 0x01	   /* text came through cpp: read # lines */
#define LANG_F_EMPTY 0x02  /* an empty program is not an error */
#define LANG_F_ARGREF 0x04 /* unused macro arguments are fine */
#define LANG_F_DEFARG 0x08 /* missing macro arguments are 0 or "" */
#define LANG_F_PSPEC 0x10  /* option pspec: description may be ambiguous */
#define LANG_F_BUILD 0x20  /* for -h and -G: "# words" is a comment */

/* A probe that a description selects, with its arguments as in args[]. */
struct dt_argdesc;
struct lang_probe {
	const char *prov, *mod, *func, *name;
	const struct dt_argdesc *args;
	size_t nargs;
	const char *args_attr; /* stability: "Evolving/Evolving/Common" */
};
typedef int lang_probe_f(const struct lang_probe *probe, void *arg);
/* A function is an inline with parameters, of a D library. */
enum lang_name { LANG_NAME_VALUE, LANG_NAME_FUNC, LANG_NAME_TYPE };
typedef void lang_name_f(const char *name, enum lang_name kind, void *arg);

struct err;

/*
 * One compile: parameters in, tree and diagnostics out.
 */
struct lang_compile {
	/* in */
	const char *name; /* file name, or NULL for a command-line string */
	const char *text;
	size_t len;
	unsigned flags;
	enum lang_pspec pspec;
	int argc; /* argv[0] is $0, argv[1] is $1, ... */
	char *const *argv;
	int64_t target; /* $target, or -1 when there is none */
	/* All processes that $target stands for, if it is several. */
	const int64_t *targets;
	size_t ntargets;
	/*
	 * Call f for each probe that a description selects; returns -1 after a
	 * diagnostic.  Called only when args[] is used.  NULL: no probe is
	 * known.
	 */
	int (*probes)(
	    void *ctx, const struct ast_pdesc *pd, lang_probe_f *f, void *arg);
	void *probes_ctx;
	/* Does an earlier text define the type `name`?  May be NULL. */
	bool (*is_type)(const void *ctx, const char *name);
	const void *is_type_ctx;
	/*
	 * Call f for each name that can be used: a misspelt name is compared
	 * with them.  The names live as long as the session.  NULL: none is
	 * known.
	 */
	void (*names)(void *ctx, lang_name_f *f, void *arg);
	void *names_ctx;
	/*
	 * The value of a label of this host, "" if it has no such label; or
	 * NULL with *err.  NULL: hosts have no labels.
	 */
	const char *(*label)(void *ctx, const char *name, struct err *err);
	void *label_ctx;
	/* in/out, owned by the caller */
	struct arena *arena;
	struct diags *diags;
	/* out */
	uint32_t source; /* the text's number in diags */
};

/*
 * Parse a program.  Always returns a tree, possibly partial; the caller looks
 * at diags->list.n.  Reports as many errors as it can (it recovers at the
 * next statement or clause).
 */
struct ast_program *lang_parse(struct lang_compile *lc);

/* Print tokens (--dump=tokens) and the tree (--dump=ast), for people. */
void lang_dump_tokens(struct lang_compile *lc, struct strbuf *out);
void ast_dump(const struct ast_program *prog, struct strbuf *out);

/* Error tags, written once in lang/errtags.def: LANG_TAG(D_SYNTAX), ... */
#define ERRTAG(name) extern const char D_##name[];
#include "lang/errtags.def"
#undef ERRTAG

#endif
