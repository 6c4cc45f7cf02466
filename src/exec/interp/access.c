/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory and variables that can fault: loads, the tuple stack, by-reference
 * stores, thread-local variables, associative arrays.
 *
 * Foreign memory is only touched through the runtime's primitives, which know
 * what may be read.
 */
#include "exec/interp/interp_impl.h"

#include <errno.h>
#include <string.h>

#include "exec/runtime/rt_prim.h"

bool
in_fault(struct in_machine *m, enum dif_fault fault, uint64_t value)
{
	m->ms->fault = fault;
	m->ms->fault_val = value;
	return false;
}

uint64_t
in_extend(const struct dif_memop *mo, uint64_t word)
{
	unsigned shift = 64 - 8U * mo->size;

	if (!mo->is_signed)
		return word;
	return (uint64_t)((int64_t)(word << shift) >> shift);
}

bool
in_load(struct in_machine *m, uint8_t op, uint64_t addr, uint64_t *value)
{
	const struct dif_memop *mo = &dif_memops[op];
	uint64_t word = 0;

	if (mo->is_user ? rt_upeek(m->ms, &word, mo->size, addr) != 0 :
			  rt_peek(m->ms, &word, mo->size, addr) != 0)
		return in_fault(m,
		    m->hides_kernel && !mo->is_user ? DIF_FLT_KPRIV :
						      DIF_FLT_BADADDR,
		    addr);
	*value = in_extend(mo, word);
	return true;
}

/* ---- tuple stack -------------------------------------------------------- */

bool
in_push(struct in_machine *m, const struct in_insn *ip, const uint64_t *regs)
{
	struct in_tuple *t = &m->tuple[m->depth];

	if (m->depth == DIF_NTREGS)
		return in_fault(m, DIF_FLT_TUPOFLOW, 0);
	t->value = regs[ip->rd];
	t->is_ref = ip->op == DIF_OP_PUSHTR;
	t->is_string = t->is_ref && ip->r1 == DIF_TYPE_STRING;
	t->size = regs[ip->r2];
	if (t->is_ref && !t->is_string && t->size > INT64_MAX)
		return in_fault(m, DIF_FLT_ILLOP, t->size);
	m->depth++;
	return true;
}

/* Bytes of a reference into the key: how many, or -EFAULT. */
static long
key_bytes(struct in_machine *m, const struct in_tuple *t, uint8_t *dst)
{
	uint64_t max = m->conf.strsize;

	if (!t->is_string)
		return in_read(m, dst, t->value, t->size) == 0 ? (long)t->size :
								 -EFAULT;
	if (t->size != 0 && t->size < max)
		max = t->size;
	if (in_read_str(m, dst, t->value, max) != 0)
		return -EFAULT;
	return (long)strnlen((char *)dst, max);
}

enum { KEY_VALUE, KEY_STRING, KEY_BYTES };

/* One element of a key: what it is and how long, then its bytes. */
static bool
key_element(struct in_machine *m, const struct in_tuple *t, uint8_t **end)
{
	uint64_t head = t->is_string ? KEY_STRING : KEY_BYTES;
	long n;

	if (!t->is_ref) {
		head = KEY_VALUE;
		n = sizeof(t->value);
		memcpy(*end + sizeof(head), &t->value, sizeof(t->value));
	} else {
		if (!t->is_string && t->size > m->conf.strsize)
			return in_fault(m, DIF_FLT_ILLOP, t->size);
		n = key_bytes(m, t, *end + sizeof(head));
		if (n < 0)
			return in_fault(m, DIF_FLT_BADADDR, t->value);
	}
	head |= (uint64_t)n << 8;
	memcpy(*end, &head, sizeof(head));
	*end += sizeof(head) + (size_t)n;
	return true;
}

/* The key: variable, thread, tuple.  Its length, or 0 after a fault. */
static uint32_t
key_build(struct in_machine *m, const struct in_uvar *v)
{
	uint64_t thread = v->scope == DIFV_SCOPE_THREAD ? m->firing->thread : 0;
	uint64_t which = (uint64_t)v->scope << 32 | v->id;
	uint8_t *end = m->key;

	memcpy(end, &which, sizeof(which));
	memcpy(end + 8, &thread, sizeof(thread));
	end += 16;
	for (uint32_t i = 0; i < m->depth; i++) {
		if (!key_element(m, &m->tuple[i], &end))
			return 0;
	}
	return (uint32_t)(end - m->key);
}

/* ---- by-reference variables --------------------------------------------- */

/* Copy a variable's bytes; a copy that fails leaves zeroes. */
static bool
copy_ref(
    struct in_machine *m, uint8_t *dst, const struct in_uvar *v, uint64_t addr)
{
	long n = v->is_string ? rt_peek_str(m->ms, dst, v->size, addr) :
				rt_peek(m->ms, dst, v->size, addr);

	return n >= 0 ? true : in_fault(m, DIF_FLT_BADADDR, addr);
}

bool
in_store_ref(struct in_machine *m, uint64_t *marker, const struct in_uvar *v,
    uint64_t addr)
{
	if (addr == 0) {
		*marker = 0;
		return true;
	}
	if (!copy_ref(m, (uint8_t *)(marker + 1), v, addr))
		return false;
	*marker = (uint64_t)(uintptr_t)(marker + 1);
	return true;
}

/* A thread that stores nothing but zeroes has no storage. */
bool
in_store_tls(struct in_machine *m, const struct in_uvar *v, uint64_t value)
{
	uint64_t *word;

	if (value == 0 && m->host.tls == NULL)
		return true;
	word = (uint64_t *)(void *)(in_tls_create(m) + v->off);
	if (v->is_byref)
		return in_store_ref(m, word, v, value);
	*word = value;
	return true;
}

/* ---- associative arrays ------------------------------------------------- */

bool
in_load_array(struct in_machine *m, const struct in_uvar *v, uint64_t *value)
{
	uint32_t len = key_build(m, v);
	uint8_t *p;

	if (len == 0)
		return false;
	p = in_dyn_find(&m->dyn, m->key, len);
	*value = 0;
	if (p != NULL && v->is_byref)
		*value = (uint64_t)(uintptr_t)p;
	else if (p != NULL)
		memcpy(value, p, sizeof(*value));
	return true;
}

/* The new value, in m->value; a fault leaves the array as it was. */
static bool
value_build(struct in_machine *m, const struct in_uvar *v, uint64_t value)
{
	if (v->is_byref)
		return copy_ref(m, m->value, v, value);
	memcpy(m->value, &value, sizeof(value));
	return true;
}

/* Storing 0 deletes; what has no room is dropped and counted, not a fault. */
bool
in_store_array(struct in_machine *m, const struct in_uvar *v, uint64_t value)
{
	uint32_t len = key_build(m, v);
	uint8_t *p;

	if (len == 0)
		return false;
	if (value == 0) {
		in_dyn_delete(&m->dyn, m->key, len);
		return true;
	}
	if (!value_build(m, v, value))
		return false;
	p = in_dyn_create(&m->dyn, m->key, len, v->size);
	if (p != NULL)
		memcpy(p, m->value, v->size);
	return true;
}
