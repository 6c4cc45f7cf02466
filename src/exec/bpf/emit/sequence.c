/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sequences of BPF instructions that prologues, objects and clauses share: the
 * exits that faults take, addresses, the current task and its name, drops, the
 * time.  Also the notes and the refusal that a translation leaves.
 */
#include "exec/bpf/tr.h"

#include <stdarg.h>

#include "base/str.h"
#include "base/vec.h"

void
bx_refuse(struct bx_tr *t, struct diag_span span, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	if (t->refused.why != NULL)
		return;
	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	t->refused.why = strbuf_steal(&sb);
	t->refused.span = span;
}

void
bx_note(struct bx_tr *t, struct diag_span span, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	struct bx_note n = { .insn = bx_here(&t->a), .span = span };
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	n.text = strbuf_steal(&sb);
	VEC_PUSH(&t->a.notes, n);
}

void
bx_fault_if(struct bx_tr *t, uint8_t op, int ra, int32_t imm,
    enum dif_fault fault, uint32_t dif_off, int value_kind)
{
	struct bx_fault_exit s = { .label = bx_new_label(&t->a),
		.fault = fault,
		.dif_off = dif_off,
		.action = t->clause.action_no,
		.value_kind = value_kind };

	bx_jcci(&t->a, op, ra, imm, s.label);
	VEC_PUSH(&t->clause.exits, s);
}

/* Take over code and value of a fault that a runtime function set. */
static void
exit_from_ms(struct bx_asm *a, uint32_t dif_off)
{
	bx_ldx(a, 8, R1, R9, offsetof(struct rt_mstate, fault));
	bx_alui(a, BPF_LSH, R1, 32);
	bx_movi(a, R2, dif_off);
	bx_alu(a, BPF_OR, R1, R2);
	bx_stx(a, 8, R10, FP_FAULT, R1);
	bx_ldx(a, 8, R1, R9, offsetof(struct rt_mstate, fault_val));
	bx_stx(a, 8, R10, FP_FVAL, R1);
	bx_sti(a, 8, R9, offsetof(struct rt_mstate, fault), 0);
}

void
bx_emit_fault_exits(struct bx_tr *t, bx_label fault)
{
	struct bx_asm *a = &t->a;

	VEC_FOREACH(&t->clause.exits, s) {
		bx_bind(a, s->label);
		if (s->value_kind == EXIT_MS) {
			exit_from_ms(a, s->dif_off);
		} else {
			bx_movi(a, R1, (uint64_t)s->fault << 32 | s->dif_off);
			bx_stx(a, 8, R10, FP_FAULT, R1);
			bx_movi(a, R1, 0);
			if (s->value_kind == EXIT_FP_TMP)
				bx_ldx(a, 8, R1, R10, FP_TMP);
			bx_stx(a, 8, R10, FP_FVAL, R1);
		}
		bx_sti(a, 4, R10, FP_EPID + 4, (int32_t)s->action);
		bx_ja(a, fault);
	}
	t->clause.exits.n = 0;
}

/* Pointers become numbers by a detour through the machine state: a program with
 * CAP_PERFMON may store one in a map, and reads a scalar back. */
void
bx_ptr_to_number(struct bx_tr *t, int rd, int ptr)
{
	bx_stx(&t->a, 8, R9, RT_MEM_OFF + MEM_PTR, ptr);
	bx_ldx(&t->a, 8, rd, R9, RT_MEM_OFF + MEM_PTR);
}

void
bx_addr(struct bx_tr *t, int rd, const char *map, uint32_t off)
{
	bx_mapval(&t->a, rd, map, off);
	bx_ptr_to_number(t, rd, rd);
}

void
bx_read_kernel(struct bx_asm *a, int off, uint32_t size)
{
	bx_mov(a, R1, R10);
	bx_alui(a, BPF_ADD, R1, off);
	bx_movi(a, R2, size);
	bx_helper(a, H_READ_KERNEL);
}

void
bx_mem_addr(struct bx_tr *t, int rd, uint32_t mem_off)
{
	bx_ldx(&t->a, 8, rd, R9, offsetof(struct rt_mstate, base));
	bx_alui(&t->a, BPF_ADD, rd, (int32_t)(RT_MEM_OFF + mem_off));
}

void
bx_mem_ptr(struct bx_tr *t, int rd, uint32_t mem_off)
{
	bx_mov(&t->a, rd, R9);
	bx_alui(&t->a, BPF_ADD, rd, (int32_t)(RT_MEM_OFF + mem_off));
}

/* Keep the pointer: a helper call costs 18 ns here, mostly its return. */
void
bx_task(struct bx_tr *t, int rd)
{
	if (t->frame.other != 0) {
		bx_ldx(&t->a, 8, rd, R10, t->frame.other);
		return;
	}
	if (t->frame.has_task) {
		bx_ldx(&t->a, 8, rd, R10, FP_TASK);
		return;
	}
	bx_helper(&t->a, H_CURRENT_TASK_BTF);
	bx_mov(&t->a, rd, R0);
}

void
bx_comm(struct bx_tr *t, int base, int off)
{
	struct bx_asm *a = &t->a;

	if (t->lo->comm_off < 0) {
		bx_mov(a, R1, base);
		bx_alui(a, BPF_ADD, R1, off);
		bx_movi(a, R2, 16);
		bx_helper(a, H_CURRENT_COMM);
		return;
	}
	bx_task(t, R2);
	for (int i = 0; i < 16; i += 8) {
		bx_ldx(a, 8, R1, R2, t->lo->comm_off + i);
		bx_stx(a, 8, base, off + i, R1);
	}
}

void
bx_drop(struct bx_tr *t, enum dt_drop kind)
{
	bx_movi(&t->a, R1, kind);
	bx_call(&t->a, "rt_drop");
}

void
bx_this_pcpu(struct bx_tr *t, bx_label none)
{
	struct bx_asm *a = &t->a;

	bx_helper(a, H_SMP_PROCESSOR_ID);
	bx_stx(a, 4, R10, FP_TMP, R0);
	bx_map(a, R1, "rtm_pcpu");
	bx_mov(a, R2, R10);
	bx_alui(a, BPF_ADD, R2, FP_TMP);
	bx_helper(a, H_MAP_LOOKUP);
	bx_jcci(a, BPF_JEQ, R0, 0, none);
}

void
bx_time(struct bx_tr *t, int rd)
{
	bx_ldx(&t->a, 8, rd, R10, FP_TS);
}
