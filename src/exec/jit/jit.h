/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_JIT_JIT_H
#define EXEC_JIT_JIT_H

/*
 * DIF compiled to x86-64, for the own process or the traced one.
 *
 * The code belongs to a region (x86.h).  When it is compiled, its address in a
 * process is unknown; only the offsets in the region are known: of the runtime
 * (blob.h), the variables, constants.
 *
 *	%rbx	struct rt_vm of the firing, with its machine state behind it
 *	%rax, %r11	temporary
 *
 * An object without calls keeps DIF's registers in caller-saved registers,
 * other objects in callee-saved ones: `used` has a bit for each, so that the
 * code that calls the object saves no others.
 */
#include "base/err.h"
#include "dif/dif.h"
#include "exec/jit/x86.h"
#include "exec/vars.h"

/* Offsets in the region. */
struct jit_env {
	uint32_t blob;	  /* the runtime */
	uint32_t globals; /* storage of global variables */
	uint32_t shared;  /* memory of exec/shared.h */
	uint32_t locals;  /* storage of this-> variables, in a machine
			   * state's mem */
	uint32_t uvars;	  /* a copy of vars->v */
	uint32_t strs;	  /* string table of the object */
	const struct exec_vars *vars;
	/*
	 * The function, of (struct rt_vm *, index), that computes a built-in
	 * variable where it is read; NULL: the variable is in struct rt_vm.
	 */
	const char *(*builtin)(uint32_t id);
	const int *args; /* registers of JIT_NARGS arguments: leaves only */
	/*
	 * Emit a copyin() of `size` bytes, or a copyinstr(): %rax <- the copy
	 * of the data at %rsi; after a fault, which the runtime has set, jump
	 * to *fault.  With `fault` NULL, emit nothing.  Returns the
	 * registers that are changed, or 0: the runtime has to be called.
	 */
	uint32_t (*copy)(
	    void *arg, uint32_t subr, uint32_t size, const x_label *fault);
	void *copy_arg;
};

/*
 * Compile a verified object at the end of `a`.  After it, the result is in
 * %rax.  On a fault the code sets the machine state's fault and rt_vm.fault_pc,
 * and jumps to `fault`.  `used` collects a bit for each register that is
 * changed.
 *
 * Returns false with *err if the object needs a feature that the
 * compiler lacks; *err names it.
 */
CHECKED bool jit_object(struct x_asm *a, const struct jit_env *env,
    const struct dif_obj *dp, x_label fault, uint32_t *used, struct err *err);

/*
 * A *leaf* only computes from arguments, cannot fault, and with env->args needs
 * no struct rt_vm.  Returns the registers that it changes, which include no
 * argument that it reads; 0: the object is not a leaf.
 */
#define JIT_NARGS 6
uint32_t jit_leaf(const struct jit_env *env, const struct dif_obj *dp);
/*
 * Compile a leaf whose result is only compared with 0: if it is 0, the code
 * jumps to `no`.  Otherwise as jit_object().
 */
CHECKED bool jit_decide(struct x_asm *a, const struct jit_env *env,
    const struct dif_obj *dp, x_label no, uint32_t *used, struct err *err);

/* Offset of a runtime function in the blob; it must exist. */
uint32_t jit_blob_func(const char *name);

#endif
