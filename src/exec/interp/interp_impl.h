/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_INTERP_INTERP_IMPL_H
#define EXEC_INTERP_INTERP_IMPL_H

/*
 * The machine: what machine.c, decode.c, run.c, access.c and dynvar.c share.
 */
#include "exec/interp/interp.h"

/*
 * A decoded instruction.  `op` is a DIF opcode, or one of those below where a
 * DIF opcode stands for several things that are told apart when decoding.
 */
enum in_op {
	IN_OP_LDBUILTIN = 128, /* r[rd] = vars[aux] */
	IN_OP_LDWORD,	       /* r[rd] = word at imm: a static variable */
	IN_OP_STWORD,	       /* word at imm = r[rd] */
	IN_OP_STREF,	       /* by-reference variable at imm */
	IN_OP_LDZERO,	       /* r[rd] = 0 */
	IN_OP_BSWAP,	       /* r[rd] = first argument, aux bits swapped */
	IN_OP_CALL,	       /* subroutine aux, by rt_calls.def */
	IN_OP_LDSCRATCH, /* load aux (a DIF opcode), which needs no check: */
	IN_OP_STSCRATCH, /* dif_flow() has proved where it goes */
	IN_NOPS
};
struct in_insn {
	uint8_t op, r1, r2, rd;
	uint32_t aux; /* branch: target; variable: index; ... */
	uint64_t imm; /* constant, or address */
};

/* A user variable. */
struct in_uvar {
	uint32_t id;
	uint8_t scope, kind; /* DIFV_* */
	bool is_byref, is_string;
	uint32_t size; /* of the value */
	uint32_t off;  /* in its storage; arrays: unused */
};

struct in_tuple {
	uint64_t value;
	uint64_t size; /* of a reference; strings: at most, 0: all */
	bool is_ref, is_string;
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

/*
 * Associative arrays: one hash table, whose elements lie in a pool of
 * dynvarsize bytes, so that the address of a value is own memory.  Freed
 * elements are reused by their size class (a power of two).
 */
#define IN_POOL_CLASSES 32
struct in_dynvars {
	uint8_t *pool;
	uint32_t size, used;
	uint32_t free[IN_POOL_CLASSES]; /* first element, or 0 */
	uint32_t *buckets;
	uint32_t nbuckets; /* a power of two */
	uint64_t drops;
};

struct in_machine {
	struct rt_mstate *ms;
	struct rt_conf conf;
	struct rt_host host;
	struct rt_range *ranges; /* own, then foreign */
	bool hides_kernel;
	VEC(struct in_uvar) vars;
	uint32_t locals_size, globals_size, tls_size;
	char *strs; /* every object's string table */
	struct in_code *code;
	uint32_t ncode;
	VEC(struct in_thread {
		uint64_t id;
		uint8_t *storage;
	})
	threads;
	struct in_dynvars dyn;
	uint8_t *key, *value; /* of an array, under construction */

	/* the firing */
	const struct in_firing *firing;
	struct in_tuple tuple[DIF_NTREGS];
	uint32_t depth;

	in_watch_f *watch;
	void *watch_arg;
	uint32_t running; /* which object, for the watcher */
};

/* decode.c */
bool in_decode(struct in_machine *m, const struct dif_obj *dp, const char *strs,
    struct in_code *code, char **msg);
const struct in_uvar *in_var_find(
    const struct in_machine *m, uint32_t id, uint8_t scope, uint8_t kind);
/* Call a subroutine's runtime function with the tuple's values. */
uint64_t in_call(struct in_machine *m, uint32_t subr);

/* Thread-local storage of the firing's thread, created on demand. */
uint8_t *in_tls_create(struct in_machine *m);

/*
 * access.c: what may fault.  False after setting the machine state's fault.
 */
bool in_load(struct in_machine *m, uint8_t op, uint64_t addr, uint64_t *value);
bool in_push(
    struct in_machine *m, const struct in_insn *ip, const uint64_t *regs);
bool in_store_ref(struct in_machine *m, uint64_t *marker,
    const struct in_uvar *v, uint64_t addr);
bool in_store_tls(
    struct in_machine *m, const struct in_uvar *v, uint64_t value);
bool in_load_array(
    struct in_machine *m, const struct in_uvar *v, uint64_t *value);
bool in_store_array(
    struct in_machine *m, const struct in_uvar *v, uint64_t value);
/* A load's bytes as the register has them. */
uint64_t in_extend(const struct dif_memop *mo, uint64_t word);
bool in_fault(struct in_machine *m, enum dif_fault fault, uint64_t value);

/* dynvar.c: the value of the element with this key, or NULL. */
uint8_t *in_dyn_find(struct in_dynvars *d, const uint8_t *key, uint32_t len);
/* ... created with zeroes if it is missing; NULL: no room, counted. */
uint8_t *in_dyn_create(struct in_dynvars *d, const uint8_t *key, uint32_t len,
    uint32_t value_size);
void in_dyn_delete(struct in_dynvars *d, const uint8_t *key, uint32_t len);
bool in_dyn_init(struct in_dynvars *d, uint64_t size);
void in_dyn_fini(struct in_dynvars *d);

#endif
