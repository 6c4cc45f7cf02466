/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_COMPILE_IMPL_H
#define LIBDTRACE_COMPILE_IMPL_H

/*
 * The steps of a compilation; compile.c calls them.
 */
#include "libdtrace/dt_impl.h"

enum { LATE_DYNAMIC, LATE_STATIC }; /* choices of option late */

/* A text to compile. */
struct dt_input {
	const char *name; /* NULL: from the command line */
	const char *text;
	size_t len;
	enum lang_pspec pspec;
	unsigned flags;
	int argc;
	char *const *argv;
	bool is_library;
	pid_t instance; /* a library's $target; 0: none */
};

/* ---- parse.c ------------------------------------------------------------ */

/* NULL: the preprocessor or a library failed, and dt_errmsg() says why. */
struct ast_program *dt_parse(
    struct dt_hdl *h, const struct dt_input *in, struct lang_compile *lc);
/* The same for a part of a program: NULL also if it has an error. */
struct ast_program *dt_parse_part(
    struct dt_hdl *h, const struct dt_input *in, struct lang_compile *lc);
/* Does the clause only name probes? */
bool dt_is_bare(const struct ast_clause *ac);

/* ---- stages.c ----------------------------------------------------------- */

void dt_dump_parsed(
    struct dt_hdl *h, struct lang_compile *lc, const struct ast_program *tree);
void dt_dump_compiled(struct dt_hdl *h, struct lang_compile *lc,
    struct ast_program *tree, const struct dif_prog *dif);

/* ---- depend.c ----------------------------------------------------------- */

/* Returns 0, or -1 if a library that the text depends on cannot be compiled. */
int dt_resolve_depends(
    struct dt_hdl *h, const struct dt_input *in, struct ast_program *tree);
/* Load the libraries that make the probes of the text's descriptions. */
int dt_load_probes(struct dt_hdl *h, const struct dt_input *in,
    const struct ast_program *tree);

/* ---- the others --------------------------------------------------------- */

/* types.c: write the files of options ctypes and dtypes. */
int dt_write_types(struct dt_hdl *h);
/* compile.c */
void dt_set_session_options(struct dt_hdl *h);
/* errors.c */
void dt_show_warnings(struct dt_hdl *h);

#endif
