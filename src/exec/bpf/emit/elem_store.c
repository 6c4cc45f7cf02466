/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stores through the address of an array's element.
 *
 * A program may write to a map's value only through a pointer that it has just
 * looked up.  The address in DIF is a number; it may lie inside the value, come
 * from another firing, or belong to a deleted element.  So the program finds
 * the key again: elements of a preallocated hash map lie side by side, each
 * with its key before its value,
 *
 *	bpf_htab.elems --> | header | key | value || header | key | value || ...
 *			   <------ bpf_htab.elem_size ------>
 *
 * and the kernel's BTF gives the offsets of these members.  The address gives
 * the element, the element its key, the key a pointer.  If that pointer is not
 * the address from the start, the element is in no array any more, or the
 * layout is not the expected one: in both cases nothing is written, and the
 * store is a bad address.
 *
 * Arrays are preallocated only for scripts that may store in this way: D's own
 * assignments write whole elements.
 */
#include "exec/bpf/bpf_impl.h"

#include <errno.h>

#include "base/err.h"
#include "base/vec.h"
#include "dif/flow.h"

/* ---- which scripts ------------------------------------------------------- */

/*
 * A store goes to an element if its address was loaded in the same object, or
 * in another object that passed it on to a place from which the storing object
 * can load it.
 */
struct stores {
	const struct dif_obj *dp;
	bool has_loaded; /* may have loaded an element */
	uint32_t found;	 /* BX_ELEM_* */
};

/* Is nothing known of the value?  UNSET: it was pushed on one of too many
 * paths. */
static bool
is_unknown(uint8_t kind)
{
	return kind == DIF_K_ANY || kind == DIF_K_UNSET;
}

static void
note_dest(struct stores *s, uint8_t kind)
{
	if (kind == DIF_K_ELEM || (is_unknown(kind) && s->has_loaded))
		s->found |= BX_ELEM_STORE;
	else if (is_unknown(kind))
		s->found |= BX_ELEM_STORE_ANY;
}

/* A value goes to a place where other objects, or later instructions, may load
 * it. */
static void
note_out(struct stores *s, uint8_t kind)
{
	if (s->has_loaded && (kind == DIF_K_ELEM || is_unknown(kind)))
		s->found |= BX_ELEM_OUT;
}

static void
note_call(struct stores *s, const struct dif_state *st, uint32_t subr)
{
	switch (subr) {
	case DIF_SUBR_BCOPY:
		note_dest(s, st->tuple[1].value);
		break;
	case DIF_SUBR_COPYINTO:
		note_dest(s, st->tuple[2].value);
		break;
	case DIF_SUBR_STRCHR: /* these return addresses in their argument */
	case DIF_SUBR_STRRCHR:
	case DIF_SUBR_STRSTR:
	case DIF_SUBR_MEMREF: /* MEMREF keeps the address */
		note_out(s, st->tuple[0].value);
		break;
	default:
		break;
	}
}

/* Is the store by reference?  The value is copied, and its address is not
 * kept. */
static bool
is_byref(const struct dif_obj *dp, uint32_t ins)
{
	uint8_t op = dif_instr_op(ins);

	for (uint32_t i = 0; i < dp->nvar; i++) {
		const struct dif_var *v = &dp->vartab[i];

		if (v->id == dif_instr_idx(ins) &&
		    v->scope == dif_op_scope(op) && v->kind == dif_op_kind(op))
			return v->type.flags & DIF_TF_BYREF;
	}
	return false;
}

static bool
note_use(void *arg, uint32_t pc, const struct dif_state *st)
{
	struct stores *s = arg;
	uint32_t ins = s->dp->text[pc];
	uint8_t op = dif_instr_op(ins), fmt = dif_opinfo[op].fmt;

	if (fmt == DIF_FMT_STORE || op == DIF_OP_COPYS)
		note_dest(s, st->regs[dif_instr_rd(ins)].kind);
	if (fmt == DIF_FMT_STORE)
		note_out(s, st->regs[dif_instr_r1(ins)].kind);
	if (fmt == DIF_FMT_STV && !is_byref(s->dp, ins))
		note_out(s, st->regs[dif_instr_rd(ins)].kind);
	if (op == DIF_OP_CALL)
		note_call(s, st, dif_instr_idx(ins));
	s->has_loaded |= op == DIF_OP_LDGAA || op == DIF_OP_LDTAA;
	return true;
}

uint32_t
bx_difo_elem_use(const struct dif_obj *dp)
{
	struct stores s = { .dp = dp };

	dif_flow(dp, note_use, &s);
	return s.found;
}

/* May the plan's objects store to elements of arrays? */
static bool
stores_elems(const struct bx_layout *lo)
{
	bool has_arrays = false;

	VEC_FOREACH(&lo->vars, v)
		has_arrays |= v->kind == DIFV_KIND_ARRAY && v->is_byref;
	return has_arrays &&
	    ((lo->elem_use & BX_ELEM_STORE) ||
		(~lo->elem_use & (BX_ELEM_STORE_ANY | BX_ELEM_OUT)) == 0);
}

static const char no_elems[] =
    "stores through addresses of array elements: not available: this kernel's "
    "types (BTF) do not tell where a hash map's elements are";

int
bx_elems_find(struct bx_layout *lo, struct err *err)
{
	lo->stores_elems = stores_elems(lo);
	if (!lo->stores_elems ||
	    (bx_kernel_offset(lo, "bpf_htab", "elems", &lo->htab.elems) == 0 &&
		bx_kernel_offset(
		    lo, "bpf_htab", "elem_size", &lo->htab.elem_size) == 0 &&
		bx_kernel_offset(lo, "htab_elem", "key", &lo->htab.key) == 0))
		return 0;
	return err_set(err, -ENOTSUP, "%s", no_elems);
}

/* ---- the function -------------------------------------------------------- */

/*
 * rt_elem(slot, addr, size, width, value), see runtime/rt_prim.h:
 *
 *	r6 addr, r7 size, r8 value, r9 machine state
 *
 * The machine state, not the stack, holds what must survive a helper call,
 * since a long chain of callers shares the stack: the place in the value, the
 * value's address, and the width.  The key is built where tuples are.
 */
enum { E_IN = 0, E_ADDR = 8, E_WIDTH = 16 };

struct elem_fn {
	struct bx_asm *a;
	const struct bx_layout *lo;
	bx_label no;
};

static int
at(const struct elem_fn *f, int what)
{
	return (int)(RT_MEM_OFF + f->lo->mem_elem) + what;
}

static void
emit_answer(struct elem_fn *f, uint64_t answer)
{
	bx_movi(f->a, R0, answer);
	bx_exit(f->a);
}

static void
emit_begin(struct elem_fn *f)
{
	struct bx_asm *a = f->a;

	bx_mov(a, R6, R2);
	bx_mov(a, R7, R3);
	bx_mov(a, R8, R4);
	bx_mov(a, R9, R5);
	bx_stx(a, 4, R10, -4, R1);
	bx_map(a, R1, "rtm_states");
	bx_mov(a, R2, R10);
	bx_alui(a, BPF_ADD, R2, -4);
	bx_helper(a, H_MAP_LOOKUP);
	bx_jcci(a, BPF_JEQ, R0, 0, f->no);
	bx_stx(a, 8, R0, at(f, E_WIDTH), R8);
	bx_mov(a, R8, R9);
	bx_mov(a, R9, R0);
}

/* r4 <- start of the element, r0 <- offset of the address in it; go to `next`
 * if the address is not in this array's memory. */
static void
emit_element(struct elem_fn *f, const struct bx_var *v, bx_label next)
{
	struct bx_asm *a = f->a;

	bx_map(a, R1, v->map);
	bx_ldx(a, 8, R2, R1, (int)f->lo->htab.elems);
	bx_ldx(a, 4, R3, R1, (int)f->lo->htab.elem_size);
	bx_mov(a, R0, R6);
	bx_alu(a, BPF_SUB, R0, R2);
	/* the kernel keeps one spare element for each CPU */
	bx_movi(a, R4, bx_array_max(f->lo, v) + f->lo->ncpus);
	bx_alu(a, BPF_MUL, R4, R3);
	bx_jcc(a, BPF_JGE, R0, R4, next);
	bx_alu(a, BPF_MOD, R0, R3);
	bx_mov(a, R4, R6);
	bx_alu(a, BPF_SUB, R4, R0);
}

static int32_t
value_off(const struct elem_fn *f, const struct bx_var *v)
{
	return (int32_t)(f->lo->htab.key + ((v->key_size + 7) & ~7U));
}

/* Are all bytes of the store inside the value? */
static void
emit_range(struct elem_fn *f, const struct bx_var *v)
{
	struct bx_asm *a = f->a;

	bx_alui(a, BPF_ADD, R0, -value_off(f, v));
	bx_jcci(a, BPF_JGE, R0, (int32_t)v->size, f->no);
	bx_movi(a, R1, v->size);
	bx_alu(a, BPF_SUB, R1, R0);
	bx_jcc(a, BPF_JGT, R7, R1, f->no);
	bx_stx(a, 8, R9, at(f, E_IN), R0);
}

/* r0 <- the value, looked up by the key in front of it. */
static void
emit_lookup(struct elem_fn *f, const struct bx_var *v)
{
	int32_t key_at = (int32_t)(RT_MEM_OFF + f->lo->mem_tuple);
	struct bx_asm *a = f->a;

	bx_mov(a, R3, R4);
	bx_alui(a, BPF_ADD, R4, value_off(f, v));
	bx_stx(a, 8, R9, at(f, E_ADDR), R4);
	bx_alui(a, BPF_ADD, R3, (int32_t)f->lo->htab.key);
	bx_movi(a, R2, v->key_size);
	bx_mov(a, R1, R9);
	bx_alui(a, BPF_ADD, R1, key_at);
	bx_helper(a, H_READ_KERNEL);
	bx_jcci(a, BPF_JNE, R0, 0, f->no);
	bx_map(a, R1, v->map);
	bx_mov(a, R2, R9);
	bx_alui(a, BPF_ADD, R2, key_at);
	bx_helper(a, H_MAP_LOOKUP);
	bx_jcci(a, BPF_JEQ, R0, 0, f->no);
	bx_stx(a, 8, R9, RT_MEM_OFF + MEM_PTR, R0);
	bx_ldx(a, 8, R1, R9, RT_MEM_OFF + MEM_PTR);
	bx_ldx(a, 8, R2, R9, at(f, E_ADDR));
	bx_jcc(a, BPF_JNE, R1, R2, f->no);
}

/* Emit a store of each width, since the verifier proves a bound for each. */
static void
emit_write(struct elem_fn *f, const struct bx_var *v)
{
	struct bx_asm *a = f->a;

	bx_ldx(a, 8, R1, R9, at(f, E_IN));
	bx_ldx(a, 8, R2, R9, at(f, E_WIDTH));
	for (uint32_t width = 8; width > 0; width /= 2) {
		bx_label other = bx_new_label(a);

		if (width > v->size)
			continue;
		bx_jcci(a, BPF_JNE, R2, (int32_t)width, other);
		bx_jcci(a, BPF_JGT, R1, (int32_t)(v->size - width), f->no);
		bx_alu(a, BPF_ADD, R0, R1);
		bx_stx(a, (int)width, R0, 0, R8);
		emit_answer(f, 1);
		bx_bind(a, other);
	}
	emit_answer(f, 1);
}

static void
emit_array(struct elem_fn *f, const struct bx_var *v)
{
	bx_label next = bx_new_label(f->a);

	emit_element(f, v, next);
	emit_range(f, v);
	emit_lookup(f, v);
	emit_write(f, v);
	bx_bind(f->a, next);
}

int
bx_elem_func(struct bx_asm *a, const struct bx_layout *lo)
{
	struct elem_fn f = { .a = a, .lo = lo, .no = bx_new_label(a) };

	if (lo->stores_elems)
		emit_begin(&f);
	VEC_FOREACH(&lo->vars, v) {
		/* without a key size no program uses the array */
		if (bx_is_open(lo, v) && v->key_size != 0)
			emit_array(&f, v);
	}
	bx_bind(a, f.no);
	emit_answer(&f, 0);
	return bx_finish(a);
}
