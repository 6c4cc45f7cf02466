/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_RT_VM_H
#define EXEC_RUNTIME_RT_VM_H

/*
 * What a firing works on outside of the kernel: in the interpreter, and in
 * compiled code in our process or a traced one.
 *
 *	struct rt_vm | struct rt_mstate, mem
 *
 * Addresses in it are those of the process that the firing runs in.  What
 * several processes share (globals, associative arrays) holds none: a
 * by-reference variable is a marker word, 0 while the variable is NULL, and
 * then its bytes; links of arrays are offsets.
 */
#include "dif/dif.h"
#include "exec/runtime/rt.h"

/* Built-in variables by their row in dif_vars.def. */
enum rt_var {
#define DIF_VAR(val, NAME, ...) RT_VAR_##NAME,
#include "dif/dif_vars.def"
#undef DIF_VAR
	RT_NVARS
};
#define RT_NARGS 10

/* A user variable. */
struct rt_uvar {
	u32 id;
	u8 scope, kind; /* DIFV_* */
	u8 is_byref, is_string;
	u32 size; /* of the value */
	u32 off;  /* in its storage; arrays: unused */
};

struct rt_tuple {
	u64 value;
	u64 size; /* of a reference; strings: at most, 0: all */
	u32 is_ref, is_string;
};

/* The memory of all associative arrays (rt_dyn.c), and its dimensions. */
struct rt_dynref {
	struct rt_dyn *d;
	u32 size; /* bytes of the pool of elements */
	u32 nbuckets;
	u32 is_outermost; /* for firings that interrupt none of their thread's */
	u32 self;	  /* the thread; 0: ask the system */
};

struct rt_vm {
	u64 vars[RT_NVARS]; /* the built-in ones that the script reads */
	u64 args[RT_NARGS];
	u64 thread; /* whose self-> variables */
	struct rt_host host;
	struct rt_dynref dyn;
	u8 *key, *value; /* of an array, under construction */
	u64 depth;
	struct rt_tuple tuple[DIF_NTREGS];
	/* compiled code: which instruction faulted, registers that did not
	 * find one of the machine's, operands of a comparison */
	u64 fault_pc;
	u64 spill[DIF_NREGS];
	u64 compared[2];
};
#define RT_VM_MS sizeof(struct rt_vm) /* where its machine state is */

static inline struct rt_mstate *
rt_vm_ms(struct rt_vm *vm)
{
	return (struct rt_mstate *)(void *)(vm + 1);
}

/*
 * All return 0 after setting the machine state's fault, which they expect to be
 * 0.  rt_vm_load_*: the value.
 */
u64 rt_vm_push(
    struct rt_vm *vm, u64 value, u64 size, u64 is_ref, u64 is_string);
u64 rt_vm_store_ref(
    struct rt_vm *vm, u64 *marker, const struct rt_uvar *v, u64 addr);
u64 rt_vm_load_array(struct rt_vm *vm, const struct rt_uvar *v);
u64 rt_vm_store_array(struct rt_vm *vm, const struct rt_uvar *v, u64 value);
/* The address of a by-reference variable's bytes; 0 while it is NULL. */
static inline u64
rt_vm_ref(const u64 *marker)
{
	return *marker != 0 ? (u64)(marker + 1) : 0;
}

/* ---- associative arrays ------------------------------------------------- */

/* How much memory arrays of `size` bytes take, with their table. */
u64 rt_dyn_bytes(u64 size);
/* Prepare such memory, which is zero. */
void rt_dyn_init(struct rt_dynref *r, void *memory, u64 size);
/* Refer to memory that was prepared, maybe by another process. */
void rt_dyn_use(struct rt_dynref *r, void *memory, u64 size);
/* Where the elements lie, r->size bytes. */
u8 *rt_dyn_pool(const struct rt_dynref *r);
u64 rt_dyn_drops(const struct rt_dynref *r);

/* The element of a key: its value, or NULL. */
u8 *rt_dyn_find(const struct rt_dynref *r, const u8 *key, u32 len);
/* Give it a value, `size` bytes; 0: there was no room, which is counted. */
int rt_dyn_store(const struct rt_dynref *r, const u8 *key, u32 len,
    const u8 *value, u32 size);
void rt_dyn_delete(const struct rt_dynref *r, const u8 *key, u32 len);
/*
 * Where `size` bytes at an address are, if they are all in the value of an
 * element that is in an array now; NULL: not.
 */
u8 *rt_dyn_at(const struct rt_dynref *r, u64 addr, u64 size);

#endif
