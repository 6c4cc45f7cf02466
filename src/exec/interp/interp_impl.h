/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_INTERP_INTERP_IMPL_H
#define EXEC_INTERP_INTERP_IMPL_H

/*
 * The machine: what machine.c, decode.c and run.c share.
 */
#include "base/err.h"
#include "base/vec.h"
#include "dif/uses.h"
#include "exec/interp/interp.h"
#include "exec/vars.h"

/*
 * A decoded instruction.  `op` is a DIF opcode, or one of those below if the
 * DIF opcode has several meanings that decoding tells apart.
 */
enum in_op {
	IN_OP_LDBUILTIN = 128, /* r[rd] = vars[aux] */
	IN_OP_LDWORD,	       /* r[rd] = word at imm: a static variable */
	IN_OP_LDREF,	 /* r[rd] = address of the bytes behind imm, or 0 */
	IN_OP_STWORD,	 /* word at imm = r[rd] */
	IN_OP_STREF,	 /* by-reference variable at imm */
	IN_OP_LDZERO,	 /* r[rd] = 0 */
	IN_OP_BSWAP,	 /* r[rd] = first argument, aux bits swapped */
	IN_OP_CALL,	 /* subroutine aux, by rt_calls.def */
	IN_OP_LDSCRATCH, /* load aux (a DIF opcode) without a check: */
	IN_OP_STSCRATCH, /* dif_flow() has proved the address */
	IN_NOPS
};
struct in_insn {
	uint8_t op, r1, r2, rd;
	uint32_t aux; /* branch: target; variable: index; ... */
	uint64_t imm; /* constant, or address */
};

struct in_code {
	struct in_insn *insns;
	uint32_t n;
};

/* Own memory, always readable; foreign ranges follow in the list. */
enum {
	IN_OWN_MEM,
	IN_OWN_GLOBALS,
	IN_OWN_TLS,
	IN_OWN_POOL,
	IN_OWN_STRS,
	IN_NOWN
};

struct in_machine {
	struct rt_vm *vm;
	struct rt_mstate *ms; /* the vm's */
	struct rt_conf conf;
	struct rt_range *ranges; /* own, then foreign */
	bool hides_kernel;
	struct exec_vars vars;
	char *strs; /* the string tables of all objects */
	struct in_code *code;
	uint32_t ncode;
	VEC(struct in_thread {
		uint64_t id;
		uint8_t *storage;
	})
	threads;
	size_t dyn_bytes; /* of the arrays' memory */
	uint64_t *specs;  /* conf.nspec words */

	in_watch_f *watch;
	void *watch_arg;
	uint32_t running; /* number of the running object, for the watcher */
};

/* decode.c */
CHECKED bool in_decode(struct in_machine *m, const struct dif_obj *dp,
    const char *strs, struct in_code *code, struct err *err);
/* Call a subroutine's runtime function with the tuple's values. */
uint64_t in_call(struct in_machine *m, uint32_t subr);

/* Thread-local storage of the firing's thread, created on demand. */
uint8_t *in_tls_create(struct in_machine *m);

#endif
