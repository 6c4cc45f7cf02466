/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CODEGEN_CODEGEN_H
#define CODEGEN_CODEGEN_H

/*
 * Tree -> types -> DIF.  codegen/ takes what lang_parse() made, checks and
 * types it (names, conversions, prototypes of actions and subroutines) and
 * emits one DIF object per predicate, expression statement and action
 * argument.
 */
#include "ctf/ctf.h"
#include "dif/dif.h"
#include "lang/lang.h"

/*
 * What a program may refer to across several texts (-n a -n b -s f: globals
 * and aggregations are shared by all texts of one handle, and their ids too).
 */
struct cg_session;
struct ctf_graph;
struct cg_session *cg_session_create(void);
void cg_session_destroy(struct cg_session *s);
/* The session's types, which live as long as it does; importers are added here. */
struct ctf_graph *cg_session_types(struct cg_session *s);
/* The kernel's symbols, as its programs' names of them are looked up. */
struct kallsyms;
struct kallsyms *cg_session_kallsyms(struct cg_session *s);
/* Option strsize, which sizeof (string) gives; 256 until it is set. */
void cg_session_set_strsize(struct cg_session *s, uint64_t strsize);
/* What is compiled now is a library: scripts may define its names anew. */
void cg_session_set_library(struct cg_session *s, bool is_library);
/* Has a text defined that type?  For lang_compile.is_type. */
bool cg_is_type(const void *session, const char *name);
/* Option amin: expressions may not be less stable. */
void cg_session_set_amin(struct cg_session *s, struct dif_attr amin);
/* Option version: names that are younger are not there. */
void cg_session_set_version(struct cg_session *s, uint32_t version);

/* Option late=dynamic: translators may come when the program is linked. */
void cg_session_set_late(struct cg_session *s, bool is_late);

/*
 * Check and compile a parsed program.  Returns a program that the caller owns
 * (dif_prog_destroy()), or NULL with errors in lc->diags.  Every object in it
 * has passed dif_verify_unlinked().  aggs and vars of the result list everything
 * declared in the session so far.
 */
struct dif_prog *cg_compile(struct cg_session *s, struct lang_compile *lc,
    struct ast_program *prog);

/*
 * A program that came from elsewhere is about to be linked: the session's own
 * variables keep away from its ids.  False if some already have them.
 */
bool cg_session_reserve(struct cg_session *s, const struct dif_prog *p);
/* Does it refer to translators? */
bool cg_needs_link(const struct dif_prog *p);
/*
 * Put the code of the session's translators in the place of the program's
 * references to them.  Returns 0, or -1 with errors in lc->diags; every object
 * has passed dif_verify() then.  Of lc, the arena, the diagnostics and the
 * probes are used.
 */
int cg_link(struct cg_session *s, struct lang_compile *lc, struct dif_prog *p);

/*
 * The type that a program consisting of nothing but `sizeof (TYPE)` names, as a
 * clause's only statement; NULL with errors in lc->diags, or when it is not that.
 */
struct ctf_type *cg_compile_type(struct cg_session *s, struct lang_compile *lc,
    const struct ast_program *prog);

/* Print each statement of the tree that cg_compile() typed (--dump=types). */
void cg_dump_types(struct cg_session *s, struct lang_compile *lc,
    struct ast_program *prog, struct strbuf *out);

#endif
