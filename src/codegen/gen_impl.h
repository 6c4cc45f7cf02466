/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CODEGEN_GEN_IMPL_H
#define CODEGEN_GEN_IMPL_H

/* Declarations shared by the files that emit code for expressions (gen*.c). */
#include "codegen/cg_impl.h"

/* ---- gen.c: registers and conversions ------------------------------------ */

unsigned gen_const(struct cg *cg, uint64_t value);

/* r1 op r2 in the register of one of them; both are given back. */
unsigned gen_rrr(struct cg *cg, enum dif_op op, unsigned r1, unsigned r2);
unsigned gen_with_const(
    struct cg *cg, enum dif_op op, unsigned reg, uint64_t value);

/* (x | -x) >> 63 is 1 for every x but 0, without a branch. */
unsigned gen_to_bool(struct cg *cg, unsigned reg);

/* Is it a char array or pointer in a process's memory? */
bool gen_is_user_text(const struct ast_expr *e);
unsigned gen_symbol(struct cg *cg, const struct cg_sym *sym);

/* An index, scaled to bytes. */
unsigned gen_scaled(struct cg *cg, struct ast_expr *e, uint64_t size);

/* ---- gen_tuple.c: tuples ------------------------------------------------- */

unsigned gen_call(struct cg *cg, struct ast_expr *e);

/* ---- gen_cond.c: conditions ---------------------------------------------- */

bool gen_is_condition(const struct ast_expr *e);
void gen_jump(struct cg *cg, struct ast_expr *e, bool when, uint32_t label);

/* A condition as 0 or 1. */
unsigned gen_boolean(struct cg *cg, struct ast_expr *e);
unsigned gen_lxor(struct cg *cg, struct ast_expr *e);

/* Both values end in one register. */
unsigned gen_cond(struct cg *cg, struct ast_expr *e);

/* ---- gen_mem.c: memory --------------------------------------------------- */

/* By-reference types: the address, which may be one of the process. */
unsigned gen_memory(struct cg *cg, struct ast_expr *e);

/* Zeroed scratch memory for the type that the pointer type points to. */
unsigned gen_memory_of(struct cg *cg, struct ctf_type *pointer);

#endif
