/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CODEGEN_EXPAND_IMPL_H
#define CODEGEN_EXPAND_IMPL_H

/* Declarations shared by expand.c, inline.c, xlator.c and translate.c. */
#include "codegen/cg_impl.h"

/* ---- expand.c: trees, templates, parameters ------------------------------ */

/* first, then; either may be NULL. */
struct ast_expr *cg_sequence(
    struct cg *cg, struct ast_expr *first, struct ast_expr *then);

/* The assignment of a checked value to a hidden variable or place. */
struct ast_expr *cg_set_node(
    struct cg *cg, struct ast_expr *place, struct ast_expr *value);
struct ast_expr *cg_template_of(struct cg *cg, const struct ast_expr *e);

/* A copy of the template with arguments, for the node `at`; not checked yet. */
struct ast_expr *cg_instance_of(struct cg *cg, const struct ast_expr *tmpl,
    const struct cg_params *params, struct ast_expr *const *args,
    struct diag_span at);
bool cg_add_param(struct cg *cg, struct cg_params *ps, struct ast_decl *d);

/*
 * The node that stands for a parameter of the type.  An expression that must be
 * evaluated before it is appended to *before.
 */
struct ast_expr *cg_bind(struct cg *cg, struct ast_expr *arg,
    struct ctf_type *type, struct ast_expr **before);
bool cg_take_params(
    struct cg *cg, struct cg_params *ps, const struct ast_declarator *dt);

/* Check the value of a definition, where its parameters are names. */
bool cg_check_value(struct cg *cg, const struct cg_params *ps, const char *name,
    struct ast_expr *value);

/* ---- inline.c: inlines --------------------------------------------------- */

/*
 * The expression that `e`, name[arguments] or just the name of an inline,
 * stands for; not checked yet.
 */
struct ast_expr *cg_inline_instance(struct cg *cg, struct ast_expr *e,
    const struct cg_sym *sym, struct ast_expr **before);

/* ---- xlator.c: definitions of translators -------------------------------- */

struct cg_xlator *cg_find_xlator(
    struct cg *cg, struct ctf_type *in, struct ctf_type *out);
const struct cg_xmember *cg_find_xmember(
    const struct cg_xlator *xl, const char *name);

/* A char array takes a string, cut to its size. */
bool cg_takes_string(struct ctf_type *to, const struct ast_expr *value);

/* The type must be complete, and a struct or union. */
bool cg_check_output(struct cg *cg, struct ctf_type *t, struct diag_span span);

#endif
