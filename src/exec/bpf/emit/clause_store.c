/* SPDX-License-Identifier: BSD-2-Clause */
/* Store the results of objects into a record or a key under construction. */
#include "exec/bpf/tr.h"

#include "base/str.h"
#include "exec/bpf/emit/clause_impl.h"

void
bx_dest_base(const struct bx_dest *d, int *reg, int *off)
{
	*reg = d->in_mem ? R9 : R10;
	*off = d->in_mem ? (int)(RT_MEM_OFF + d->mem) : d->fp;
}

void
bx_dest_ptr(struct bx_tr *t, const struct bx_dest *d, int rd, uint32_t off)
{
	int reg, base;

	bx_dest_base(d, &reg, &base);
	bx_mov(&t->a, rd, reg);
	bx_alui(&t->a, BPF_ADD, rd, base + (int)off);
}

/* Store the id of a probe name (PLAN_STR_ID): the object says which. */
static void
store_str_id(struct bx_tr *t, const struct dif_obj *dp, int reg, int off)
{
	uint32_t ins = dp->text[0];

	if (dif_instr_op(ins) == DIF_OP_SETS) {
		const char *s = dp->strtab + dif_instr_idx(ins);

		bx_movi(&t->a, R1, strtab_intern(t->lo->pl->strs, s));
	} else if (dif_instr_idx(ins) == DIF_VAR_PROBEPROV &&
	    bx_fires_anywhere(t)) {
		bx_current_pid(t);
		bx_mov(&t->a, R1, R0);
		bx_alui(&t->a, BPF_OR, R1, (int32_t)PLAN_STR_PID);
	} else {
		bx_probe_field(
		    t, R1, BX_F_STRID + bx_name_index(dif_instr_idx(ins)));
	}
	bx_stx(&t->a, 4, reg, off, R1);
}

static void
store_stack(
    struct bx_tr *t, const struct plan_rec *rec, const struct bx_dest *d)
{
	struct bx_asm *a = &t->a;
	bx_label ok = bx_new_label(a);
	int reg, off;

	bx_ctx(t->facts->ctx)->own_frames(t);
	bx_ldx(a, 8, R1, R10, FP_CTX);
	bx_dest_ptr(t, d, R2, rec->offset);
	bx_movi(a, R3, rec->size);
	bx_helper(a, H_GET_STACK);
	bx_dest_base(d, &reg, &off);
	bx_frames_fix(t, reg, off + (int)rec->offset);
	bx_jcci(a, BPF_JSGT, R0, 0, ok);
	bx_sti(a, 8, reg, off + (int)rec->offset, 0);
	bx_bind(a, ok);
}

static void
store_ustack(
    struct bx_tr *t, const struct plan_rec *rec, const struct bx_dest *d)
{
	struct bx_asm *a = &t->a;

	bx_current_pid(t);
	bx_stx(a, 8, R9, (int)(RT_MEM_OFF + d->mem + rec->offset), R0);
	bx_ustack(t, d->mem + rec->offset + 8, (uint32_t)rec->arg,
	    PLAN_STRINGS(rec), ~0U);
}

/* Copy the object's value in r0 (an integer or an address) to its place. */
static void
store_value(struct bx_tr *t, const struct plan_rec *rec,
    const struct dif_obj *dp, const struct bx_dest *d)
{
	struct bx_asm *a = &t->a;
	bool is_byref =
	    rec->store == PLAN_STR || (dp->rtype.flags & DIF_TF_BYREF);
	int reg, off;

	bx_dest_base(d, &reg, &off);
	if (!is_byref) {
		if (rec->size != 0)
			bx_stx(
			    a, (int)rec->size, reg, off + (int)rec->offset, R0);
		return;
	}
	bx_stx(a, 8, R10, FP_TMP, R0);
	if (rec->store == PLAN_STR) {
		bx_mov(a, R3, R0);
		bx_ldx(a, 8, R1, R10, FP_SLOT);
		bx_movi(a, R2, d->mem + rec->offset);
		bx_movi(a, R4, rec->size);
		bx_call(a, "rt_store_str");
		bx_ldx(a, 8, R1, R9, offsetof(struct rt_mstate, fault));
		bx_fault_if(t, BPF_JNE, R1, 0, DIF_FLT_UNKNOWN, ~0U, EXIT_MS);
		return;
	}
	bx_mov(a, R3, R0);
	bx_dest_ptr(t, d, R1, rec->offset);
	bx_movi(a, R2, rec->size);
	bx_helper(a, H_READ_KERNEL);
	bx_fault_if(t, BPF_JNE, R0, 0, DIF_FLT_BADADDR, ~0U, EXIT_FP_TMP);
}

static void
store_ref(struct bx_tr *t, const struct plan_rec *rec, const struct dif_obj *dp,
    const struct bx_dest *d)
{
	struct bx_asm *a = &t->a;

	bx_difo(t, dp);
	bx_mov(a, R3, R0);
	bx_ldx(a, 8, R1, R10, FP_SLOT);
	bx_movi(a, R2, d->mem + rec->offset);
	bx_movi(a, R4, rec->size - PLAN_REFHDR);
	bx_call(a, "rt_store_ref");
	bx_ldx(a, 8, R1, R9, offsetof(struct rt_mstate, fault));
	bx_fault_if(t, BPF_JNE, R1, 0, DIF_FLT_UNKNOWN, ~0U, EXIT_MS);
}

/* Store a process id, and an address in that process. */
static void
store_usym(struct bx_tr *t, const struct dif_obj *dp, int reg, int off)
{
	struct bx_asm *a = &t->a;

	bx_difo(t, dp);
	bx_stx(a, 8, reg, off + 8, R0);
	bx_current_pid(t);
	bx_stx(a, 8, reg, off, R0);
}

void
bx_store_datum(struct bx_tr *t, const struct plan_rec *rec,
    const struct dif_obj *dp, const struct bx_dest *d)
{
	struct bx_asm *a = &t->a;
	int reg, off;

	bx_dest_base(d, &reg, &off);
	off += (int)rec->offset;
	switch (rec->store) {
	case PLAN_STR_ID:
		store_str_id(t, dp, reg, off);
		return;
	case PLAN_STR_COMM:
		bx_comm(t, reg, off);
		return;
	case PLAN_STACK:
		store_stack(t, rec, d);
		return;
	case PLAN_USTACK:
		store_ustack(t, rec, d);
		return;
	case PLAN_REF:
		store_ref(t, rec, dp, d);
		return;
	case PLAN_USYM:
		store_usym(t, dp, reg, off);
		return;
	case PLAN_STR:
	case PLAN_BYTES:
	case PLAN_SYM:
		break;
	}
	if (dp != NULL) {
		bx_difo(t, dp);
		store_value(t, rec, dp, d);
	} else if (rec->size == 8) {
		bx_movi(a, R0, rec->arg);
		bx_stx(a, 8, reg, off, R0);
	}
}

void
bx_zero_gap(struct bx_tr *t, int base, int off, uint32_t from, uint32_t to)
{
	while (from < to) {
		int size = 8;

		while (size > 1 &&
		    (from % (uint32_t)size != 0 || to - from < (uint32_t)size))
			size /= 2;
		bx_sti(&t->a, size, base, off + (int)from, 0);
		from += (uint32_t)size;
	}
}
