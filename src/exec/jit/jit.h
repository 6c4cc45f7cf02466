/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_JIT_JIT_H
#define EXEC_JIT_JIT_H

/*
 * DIF compiled to x86-64, for processes: ours, or the traced one.
 *
 * The code belongs to a region (x86.h).  Its place in a process is not known
 * when it is compiled, only what lies where in the region: the runtime
 * (blob.h), the variables, constants.
 *
 *	%rbx	struct rt_vm of the firing, with its machine state behind it
 *	%rax, %r11	temporary
 *
 * An object without calls keeps DIF's registers in those that a function may
 * change, others in those that it must keep: `used` says which, so that whoever
 * enters the code saves no more than these.
 */
#include "dif/dif.h"
#include "exec/jit/x86.h"
#include "exec/vars.h"

/* What lies where in the region. */
struct jit_env {
	uint32_t blob;	  /* the runtime */
	uint32_t globals; /* storage of global variables */
	uint32_t locals;  /* of this-> variables, in a machine state's mem */
	uint32_t uvars;	  /* a copy of vars->v */
	uint32_t strs;	  /* of the object's string table */
	const struct exec_vars *vars;
	/* The function, of (struct rt_vm *, index), that computes a built-in
	 * variable where it is read, or NULL: it is in the struct rt_vm. */
	const char *(*builtin)(uint32_t id);
	const int *args; /* registers of JIT_NARGS arguments: leaves only */
	/*
	 * Emit a copyin() of `size` bytes, or a copyinstr(): %rax <- the copy
	 * of what is at %rsi; after a fault, which the runtime has set, go to
	 * *fault.  NULL: only say what it would.  Returns the registers that
	 * are changed, or 0: it has to be called.
	 */
	uint32_t (*copy)(
	    void *arg, uint32_t subr, uint32_t size, const x_label *fault);
	void *copy_arg;
};

/*
 * Compile a verified object at the end of `a`.  Behind it, the result is in
 * %rax.  After a fault the machine state's fault is set, rt_vm.fault_pc is the
 * instruction, and the code goes to `fault`.  `used` collects a bit for each
 * register that is changed.
 *
 * Returns false with *msg (malloced) when the object needs what there is not,
 * by name.
 */
bool jit_object(struct x_asm *a, const struct jit_env *env,
    const struct dif_obj *dp, x_label fault, uint32_t *used, char **msg);

/*
 * A *leaf* only computes from arguments, cannot fault, and with env->args needs
 * no struct rt_vm.  Which registers it changes, none of them an argument that
 * it reads; 0: the object is not a leaf.
 */
#define JIT_NARGS 6
uint32_t jit_leaf(const struct jit_env *env, const struct dif_obj *dp);
/* Compile a leaf of which only matters whether the result is 0: then the code
 * goes to `no`.  Otherwise as jit_object(). */
bool jit_decide(struct x_asm *a, const struct jit_env *env,
    const struct dif_obj *dp, x_label no, uint32_t *used, char **msg);

/* Offset in the blob of a runtime function, which must exist. */
uint32_t jit_blob_func(const char *name);

#endif
