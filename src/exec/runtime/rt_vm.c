/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Variables and tuples outside of the kernel: the tuple stack, by-reference
 * stores, associative arrays.
 *
 * Foreign memory is only accessed through the runtime's primitives, which know
 * the readable ranges.
 */
#include "exec/runtime/rt_vm.h"

#include "exec/runtime/rt_prim.h"

static u64
fault(struct rt_vm *vm, enum dif_fault fault, u64 value)
{
	rt_vm_ms(vm)->fault = fault;
	rt_vm_ms(vm)->fault_val = value;
	return 0;
}

/* ---- tuple stack -------------------------------------------------------- */

u64
rt_vm_push(struct rt_vm *vm, u64 value, u64 size, u64 is_ref, u64 is_string)
{
	if (vm->depth == DIF_NTREGS)
		return fault(vm, DIF_FLT_TUPOFLOW, 0);
	if (is_ref && !is_string && size > INT64_MAX)
		return fault(vm, DIF_FLT_ILLOP, size);
	vm->tuple[vm->depth++] = (struct rt_tuple){ .value = value,
		.size = size,
		.is_ref = is_ref != 0,
		.is_string = is_string != 0 };
	return 1;
}

/*
 * Read a string into dst[max]; returns its length, at most max, or -1.  The
 * bytes after it are not part of a key.
 */
static long
key_string(struct rt_vm *vm, u8 *dst, u64 addr, u64 max)
{
	struct rt_mstate *ms = rt_vm_ms(vm);
	long n;

	if (addr == 0)
		return 0;
	n = rt_peek_str(ms, dst, max, addr);
	if (n < 0)
		return -1;
	if ((u64)n < max)
		return n - 1;
	/* cut: the last byte became a NUL that the string may not have */
	if (rt_peek(ms, dst + max - 1, 1, addr + max - 1) != 0)
		return -1;
	return dst[max - 1] == 0 ? (long)max - 1 : (long)max;
}

/* Copy the bytes of a reference into the key; returns their number, or -1. */
static long
key_bytes(struct rt_vm *vm, const struct rt_tuple *t, u8 *dst)
{
	u64 max = RTC(rt_vm_ms(vm), strsize);

	if (!t->is_string)
		return rt_peek(rt_vm_ms(vm), dst, t->size, t->value) == 0 ?
		    (long)t->size :
		    -1;
	return key_string(
	    vm, dst, t->value, t->size != 0 && t->size < max ? t->size : max);
}

enum { KEY_VALUE, KEY_STRING, KEY_BYTES };

/* Append one element of a key: its kind and length, then its bytes. */
static int
key_element(struct rt_vm *vm, const struct rt_tuple *t, u8 **end)
{
	u64 head = t->is_string ? KEY_STRING : KEY_BYTES;
	long n;

	if (!t->is_ref) {
		head = KEY_VALUE;
		n = sizeof(t->value);
		memcpy(*end + sizeof(head), &t->value, sizeof(t->value));
	} else {
		if (!t->is_string && t->size > RTC(rt_vm_ms(vm), strsize))
			return (int)fault(vm, DIF_FLT_ILLOP, t->size);
		n = key_bytes(vm, t, *end + sizeof(head));
		if (n < 0)
			return (int)fault(vm, DIF_FLT_BADADDR, t->value);
	}
	head |= (u64)n << 8;
	memcpy(*end, &head, sizeof(head));
	*end += sizeof(head) + (u64)n;
	return 1;
}

/*
 * Build the key: variable, thread, tuple.  Returns its length, or 0 after a
 * fault.
 */
static u32
key_build(struct rt_vm *vm, const struct rt_uvar *v)
{
	u64 thread = v->scope == DIFV_SCOPE_THREAD ? vm->thread : 0;
	u64 which = (u64)v->scope << 32 | v->id;
	u8 *end = vm->key;

	memcpy(end, &which, sizeof(which));
	memcpy(end + 8, &thread, sizeof(thread));
	end += 16;
	for (u64 i = 0; i < vm->depth; i++) {
		if (!key_element(vm, &vm->tuple[i], &end))
			return 0;
	}
	return (u32)(end - vm->key);
}

/* ---- by-reference variables --------------------------------------------- */

/* Copy a variable's bytes; a failed copy leaves zeroes. */
static u64
copy_ref(struct rt_vm *vm, u8 *dst, const struct rt_uvar *v, u64 addr)
{
	long n = v->is_string ? rt_peek_str(rt_vm_ms(vm), dst, v->size, addr) :
				rt_peek(rt_vm_ms(vm), dst, v->size, addr);

	return n >= 0 ? 1 : fault(vm, DIF_FLT_BADADDR, addr);
}

u64
rt_vm_store_ref(
    struct rt_vm *vm, u64 *marker, const struct rt_uvar *v, u64 addr)
{
	if (addr == 0) {
		*marker = 0;
		return 1;
	}
	if (!copy_ref(vm, (u8 *)(marker + 1), v, addr))
		return 0;
	*marker = 1;
	return 1;
}

/* ---- associative arrays ------------------------------------------------- */

u64
rt_vm_load_array(struct rt_vm *vm, const struct rt_uvar *v)
{
	u32 len = key_build(vm, v);
	u64 value = 0;
	u8 *p;

	if (len == 0)
		return 0;
	p = rt_dyn_find(&vm->dyn, vm->key, len);
	if (p != NULL && v->is_byref)
		value = (u64)p;
	else if (p != NULL)
		memcpy(&value, p, sizeof(value));
	return value;
}

/*
 * Storing 0 deletes; a value without room is dropped and counted, not a fault.
 * A fault leaves the array unchanged.
 */
u64
rt_vm_store_array(struct rt_vm *vm, const struct rt_uvar *v, u64 value)
{
	u32 len = key_build(vm, v);

	if (len == 0)
		return 0;
	if (value == 0) {
		rt_dyn_delete(&vm->dyn, vm->key, len);
		return 1;
	}
	if (!v->is_byref)
		memcpy(vm->value, &value, sizeof(value));
	else if (!copy_ref(vm, vm->value, v, value))
		return 0;
	rt_dyn_store(&vm->dyn, vm->key, len, vm->value, v->size);
	return 1;
}
