/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_JIT_MACHINE_H
#define EXEC_JIT_MACHINE_H

/*
 * A machine like the interpreter's (exec/interp/interp.h), but with compiled
 * objects: the comments at in_machine_create(), in_fire(), ... apply here, too.
 */
#include "base/err.h"
#include "exec/interp/interp.h"

struct jit_machine;

CHECKED struct jit_machine *jit_machine_create(const struct in_opts *opts,
    const struct dif_obj *const *objs, uint32_t nobjs, struct err *err);
void jit_machine_destroy(struct jit_machine *m);
void jit_fire(struct jit_machine *m, const struct in_firing *firing);
void jit_clause(struct jit_machine *m, uint32_t epid);
void jit_run(struct jit_machine *m, uint32_t i, struct in_result *res);
int jit_read(
    const struct jit_machine *m, void *dst, uint64_t addr, uint64_t size);
int jit_read_str(
    const struct jit_machine *m, void *dst, uint64_t addr, uint64_t size);
bool jit_is_own(const struct jit_machine *m, uint64_t addr, uint64_t slack);

/*
 * objs[i] as a function, and its argument.  The caller looks for a fault in the
 * machine state, and clears it.
 */
typedef uint64_t jit_object_f(struct rt_vm *vm);
jit_object_f *jit_entry(
    const struct jit_machine *m, uint32_t i, struct rt_vm **vm);

#endif
