/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_RT_VM_H
#define EXEC_RUNTIME_RT_VM_H

/*
 * The state of a firing outside of the kernel: in the interpreter, and in
 * compiled code in dtrace's own process or a traced one.
 *
 *	struct rt_vm | struct rt_mstate, mem
 *
 * Addresses in it are valid in the process in which the firing runs.  Data
 * shared by several processes (globals, associative arrays) contain no
 * addresses: a by-reference variable is a marker word, 0 while the variable is
 * NULL, followed by its bytes; links of arrays are offsets.
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
	u32 size;      /* of the value */
	u32 off;       /* in its storage; arrays: unused */
	u32 is_shared; /* its storage is that of exec/shared.h */
};

struct rt_tuple {
	u64 value;
	u64 size; /* of a reference; strings: the maximum, 0: all */
	u32 is_ref, is_string;
};

/* The memory of all associative arrays (rt_dyn.c), and its dimensions. */
struct rt_dynref {
	struct rt_dyn *d;
	u32 size; /* bytes of the pool of elements */
	u32 nbuckets;
	u32 is_outermost; /* the firing interrupts no firing of its thread */
	u32 self;	  /* the thread; 0: ask the system */
};

struct rt_vm {
	u64 vars[RT_NVARS]; /* built-in variables that the script reads */
	u64 args[RT_NARGS];
	u64 thread; /* owner of the self-> variables */
	struct rt_host host;
	struct rt_dynref dyn;
	u8 *key, *value; /* under construction, for an array */
	u64 depth;
	struct rt_tuple tuple[DIF_NTREGS];
	/*
	 * Compiled code: the instruction that faulted, DIF registers that have
	 * no register of the machine, operands of a comparison.
	 */
	u64 fault_pc;
	u64 spill[DIF_NREGS];
	u64 compared[2];
};
#define RT_VM_MS sizeof(struct rt_vm) /* offset of its machine state */

static inline struct rt_mstate *
rt_vm_ms(struct rt_vm *vm)
{
	return (struct rt_mstate *)(void *)(vm + 1);
}

/*
 * All of them return 0 after setting the machine state's fault, which they
 * expect to be 0. rt_vm_load_* return the value.
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

/* The memory that arrays of `size` bytes need, with their table. */
u64 rt_dyn_bytes(u64 size);
/* Prepare such memory, which must be zero. */
void rt_dyn_init(struct rt_dynref *r, void *memory, u64 size);
/* Refer to memory that was prepared, possibly by another process. */
void rt_dyn_use(struct rt_dynref *r, void *memory, u64 size);
/* The pool of elements, r->size bytes. */
u8 *rt_dyn_pool(const struct rt_dynref *r);
u64 rt_dyn_drops(const struct rt_dynref *r);
/* Bytes of the pool that elements without room would have taken. */
u64 rt_dyn_lost(const struct rt_dynref *r);

/* The value of the element with the key, or NULL. */
u8 *rt_dyn_find(const struct rt_dynref *r, const u8 *key, u32 len);
/*
 * Set the element's value, `size` bytes; 0: there was no room, which is
 * counted.
 */
int rt_dyn_store(const struct rt_dynref *r, const u8 *key, u32 len,
    const u8 *value, u32 size);
void rt_dyn_delete(const struct rt_dynref *r, const u8 *key, u32 len);
/*
 * The place of `size` bytes at an address, if all of them are in the value of
 * an element that is now in an array; else NULL.
 */
u8 *rt_dyn_at(const struct rt_dynref *r, u64 addr, u64 size);

#endif
