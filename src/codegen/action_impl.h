/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CODEGEN_ACTION_IMPL_H
#define CODEGEN_ACTION_IMPL_H

/* Declarations shared by the files that compile actions (action*.c, fire.c). */
#include "codegen/cg_impl.h"
#include "fmt/fmt.h"

/* ---- action.c: arguments ------------------------------------------------- */

bool cg_check_count(struct cg *cg, const char *tag, const struct ast_expr *e,
    size_t least, size_t most);
bool cg_check_integer(struct cg *cg, const struct ast_expr *call,
    struct ast_expr *arg, size_t no);

/* `kind` is the action of a value that has no kind of datum of its own. */
bool cg_add_value(struct cg *cg, uint16_t kind, struct ast_expr *e,
    uint64_t arg, const char *fmt);

/* ---- action_mem.c: tracemem, printm, pcap -------------------------------- */

bool cg_do_tracemem(struct cg *cg, struct ast_expr *e);
bool cg_do_printm(struct cg *cg, struct ast_expr *e);
bool cg_do_pcap(struct cg *cg, struct ast_expr *e);

/* ---- action_fmt.c: printf, system, freopen ------------------------------- */

enum pf_argkind cg_argkind(struct ctf_type *t);
bool cg_check_format(struct cg *cg, const struct ast_expr *fmt, bool is_printa,
    struct ctf_type *const *types, size_t n);
bool cg_do_printf(struct cg *cg, struct ast_expr *e);
bool cg_do_system(struct cg *cg, struct ast_expr *e);

/*
 * freopen("") goes back to the standard output.  A format cannot be empty, not
 * even in DOF: "." stands for it, as no file has that name.
 */
bool cg_do_freopen(struct cg *cg, struct ast_expr *e);

/* ---- action_agg.c: actions of the consumer ------------------------------- */

bool cg_do_printa(struct cg *cg, struct ast_expr *e);

/*
 * The action records two data, as in DTrace: a second value that is not given
 * is 0.
 */
bool cg_do_setopt(struct cg *cg, struct ast_expr *e);
bool cg_do_ftruncate(struct cg *cg, struct ast_expr *e);
bool cg_do_clear(struct cg *cg, struct ast_expr *e);
bool cg_do_denormalize(struct cg *cg, struct ast_expr *e);
bool cg_do_normalize(struct cg *cg, struct ast_expr *e);
bool cg_do_trunc(struct cg *cg, struct ast_expr *e);

/* ---- fire.c: rules ------------------------------------------------------- */

/*
 * The statement of a rule: fire("provider:::name", arg0, ...), or
 * fire_in("provider:::name", thread, arg0, ...) for a thread that is not
 * running.
 */
bool cg_do_fire(struct cg *cg, struct ast_expr *e);

#endif
