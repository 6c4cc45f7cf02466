/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CODEGEN_CODEGEN_H
#define CODEGEN_CODEGEN_H

/*
 * Tree -> types -> DIF.  codegen/ takes the tree of lang_parse(), checks and
 * types it (names, conversions, prototypes of actions and subroutines) and
 * emits one DIF object per predicate, expression statement and action argument.
 */
#include "base/str.h"
#include "ctf/ctf.h"
#include "dif/prog.h"
#include "lang/lang.h"

/*
 * Names shared by the texts of one handle (-n a -n b -s f): globals,
 * aggregations and their ids.
 */
struct cg_session;
struct ctf_graph;
struct cg_session *cg_session_create(void);
void cg_session_destroy(struct cg_session *s);
/*
 * The session's types, which live as long as it does; importers are added here.
 */
struct ctf_graph *cg_session_types(struct cg_session *s);
/*
 * The kernel's symbols, with which names of symbols in D programs are looked
 * up.
 */
struct kallsyms;
struct kallsyms *cg_session_kallsyms(struct cg_session *s);
/* Option strsize, the value of sizeof (string); 256 until it is set. */
void cg_session_set_strsize(struct cg_session *s, uint64_t strsize);
/*
 * Say whether the texts compiled next are a library: scripts may redeclare its
 * names.
 */
void cg_session_set_library(struct cg_session *s, bool is_library);
/* Does a text define the type?  For lang_compile.is_type. */
bool cg_is_type(const void *session, const char *name);
/* Option amin: refuse expressions of lower stability. */
void cg_session_set_amin(struct cg_session *s, struct dif_attr amin);
/* Option version: hide names introduced by later versions. */
void cg_session_set_version(struct cg_session *s, uint32_t version);

/*
 * Option late=dynamic: translators may be defined when the program is linked.
 */
void cg_session_set_late(struct cg_session *s, bool is_late);

/*
 * Check and compile a parsed program.  Returns a program that the caller owns
 * (dif_prog_destroy()), or NULL with errors in lc->diags.  Every object in it
 * has passed dif_verify_unlinked().  aggs and vars of the result list
 * everything declared in the session so far.
 */
struct dif_prog *cg_compile(
    struct cg_session *s, struct lang_compile *lc, struct ast_program *prog);

/*
 * Reserve the ids of variables of a program from elsewhere that will be linked:
 * the session's own variables do not use them.  Returns false if some already
 * do.
 */
bool cg_session_reserve(struct cg_session *s, const struct dif_prog *p);
/* Does the program refer to translators? */
bool cg_needs_link(const struct dif_prog *p);
/*
 * Replace the program's references to translators by code of the session's
 * translators.  Returns 0, or -1 with errors in lc->diags; every object then
 * passes dif_verify().  Uses the arena, the diagnostics and the probes of lc.
 */
int cg_link(struct cg_session *s, struct lang_compile *lc, struct dif_prog *p);

/*
 * The type named by a program that consists of one `sizeof (TYPE)` statement;
 * NULL with errors in lc->diags, or if the program is anything else.
 */
struct ctf_type *cg_compile_type(struct cg_session *s, struct lang_compile *lc,
    const struct ast_program *prog);

/*
 * A name that the text, which names no type, may mean: "struct foo" (malloced),
 * or NULL.  `names` are those of libraries, as in struct lang_compile.
 */
char *cg_near_type(struct cg_session *s, const char *text,
    void (*names)(void *ctx, lang_name_f *f, void *arg), void *names_ctx);

/*
 * Call f for each type of a module, or of a program or library of a process,
 * that has a name: "a.out`struct foo".  False: it is not known, or has no types
 * for the reason *why, which may be NULL.
 */
bool cg_each_type_in(struct cg_session *s, const char *module,
    void (*f)(const char *text, void *arg), void *arg, const char **why);

/*
 * Call f for each type that has a name: "struct foo", "size_t".  A name may
 * come several times.  `names` are those of libraries, as above.
 */
void cg_each_type(struct cg_session *s,
    void (*names)(void *ctx, lang_name_f *f, void *arg), void *names_ctx,
    void (*f)(const char *text, void *arg), void *arg);

/*
 * A translator: what it takes, and each member with the type of its value.  A
 * member without a type has no value on this system, and `lacks` says why.
 */
struct cg_made {
	const char *member;
	const struct ctf_type *type;
	const char *lacks;
};
struct cg_translator {
	const struct ctf_type *in;
	const char *param;
	const struct cg_made *made;
	size_t n;
};
typedef void cg_translator_f(const struct cg_translator *t, void *arg);
/* Call f for each translator to the type that has been compiled. */
void cg_each_translator(
    struct cg_session *s, struct ctf_type *out, cg_translator_f *f, void *arg);
/* #pragma D unavailable: why the member has no value here, or NULL. */
const char *cg_why_unavailable(
    const struct cg_session *s, struct ctf_type *sou, const char *member);

/* Print each statement of the tree that cg_compile() typed (--dump=types). */
void cg_dump_types(struct cg_session *s, struct lang_compile *lc,
    struct ast_program *prog, struct strbuf *out);

#endif
