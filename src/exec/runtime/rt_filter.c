/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Seccomp filters: programs of classic BPF, which decide about a system call by
 * its number (the kernel's Documentation/userspace-api/seccomp_filter.rst; the
 * instructions: kernel/seccomp.c, seccomp_check_filter()).  Jumps go forward
 * only, so each program ends.
 *
 * Here only the number and the architecture, x86-64, are known.  If a program
 * reads any other part of struct seccomp_data, its decision is unknown.
 */
#include "exec/runtime/rt_filter.h"

/* linux/bpf_common.h; arithmetic without its source, jumps likewise */
enum {
	BPF_LD_W_ABS = 0x20,
	BPF_LD_W_LEN = 0x80,
	BPF_LDX_W_LEN = 0x81,
	BPF_LD_IMM = 0x00,
	BPF_LDX_IMM = 0x01,
	BPF_LD_MEM = 0x60,
	BPF_LDX_MEM = 0x61,
	BPF_ST = 0x02,
	BPF_STX = 0x03,
	BPF_TAX = 0x07,
	BPF_TXA = 0x87,
	BPF_RET_K = 0x06,
	BPF_RET_A = 0x16,
	BPF_ALU = 0x04,
	BPF_JMP = 0x05,
	BPF_CLASS = 0x07,
	BPF_OP = 0xf0,
	BPF_X = 0x08,
};
enum {
	ADD = 0x00,
	SUB = 0x10,
	MUL = 0x20,
	DIV = 0x30,
	OR = 0x40,
	AND = 0x50,
	LSH = 0x60,
	RSH = 0x70,
	NEG = 0x80,
	XOR = 0xa0,
};
enum { JA = 0x00, JEQ = 0x10, JGT = 0x20, JGE = 0x30, JSET = 0x40 };

#define NWORDS 16    /* BPF_MEMWORDS */
#define DATA_SIZE 64 /* struct seccomp_data */
#define DATA_NR 0
#define DATA_ARCH 4
#define ARCH 0xc000003e /* AUDIT_ARCH_X86_64 */
#define RET_ACTION 0xffff0000
#define RET_ALLOW 0x7fff0000
#define RET_LOG 0x7ffc0000

struct rt_filter_state {
	u32 a, x, mem[NWORDS];
	u64 pc;
};

/*
 * Run an instruction: 1: continue; 0: it is invalid, or its result is unknown.
 */

static int
load_data(struct rt_filter_state *s, u32 off, u32 nr)
{
	if (off != DATA_NR && off != DATA_ARCH)
		return 0;
	s->a = off == DATA_NR ? nr : ARCH;
	return 1;
}

/*
 * Shifts by more than a word's bits are refused, as their result is not
 * defined.
 */
static int
compute(struct rt_filter_state *s, u32 op, u32 v)
{
	if ((op == LSH || op == RSH) && v > 31)
		return 0;
	switch (op) {
	case ADD:
		s->a += v;
		return 1;
	case SUB:
		s->a -= v;
		return 1;
	case MUL:
		s->a *= v;
		return 1;
	case DIV:
		s->a = v != 0 ? s->a / v : 0;
		return v != 0;
	case OR:
		s->a |= v;
		return 1;
	case AND:
		s->a &= v;
		return 1;
	case LSH:
		s->a <<= v;
		return 1;
	case RSH:
		s->a >>= v;
		return 1;
	case NEG:
		s->a = -s->a;
		return 1;
	case XOR:
		s->a ^= v;
		return 1;
	default:
		return 0;
	}
}

static int
jump(struct rt_filter_state *s, const struct rt_bpf *insn, u32 op, u32 v)
{
	int is;

	switch (op) {
	case JA:
		s->pc += insn->k;
		return 1;
	case JEQ:
		is = s->a == v;
		break;
	case JGT:
		is = s->a > v;
		break;
	case JGE:
		is = s->a >= v;
		break;
	case JSET:
		is = (s->a & v) != 0;
		break;
	default:
		return 0;
	}
	s->pc += is ? insn->jt : insn->jf;
	return 1;
}

static int
move(struct rt_filter_state *s, const struct rt_bpf *insn)
{
	u32 k = insn->k;

	switch (insn->code) {
	case BPF_LD_W_LEN:
		s->a = DATA_SIZE;
		return 1;
	case BPF_LDX_W_LEN:
		s->x = DATA_SIZE;
		return 1;
	case BPF_LD_IMM:
		s->a = k;
		return 1;
	case BPF_LDX_IMM:
		s->x = k;
		return 1;
	case BPF_TAX:
		s->x = s->a;
		return 1;
	case BPF_TXA:
		s->a = s->x;
		return 1;
	}
	if (k >= NWORDS)
		return 0;
	switch (insn->code) {
	case BPF_LD_MEM:
		s->a = s->mem[k];
		return 1;
	case BPF_LDX_MEM:
		s->x = s->mem[k];
		return 1;
	case BPF_ST:
		s->mem[k] = s->a;
		return 1;
	case BPF_STX:
		s->mem[k] = s->x;
		return 1;
	default:
		return 0;
	}
}

static int
step(struct rt_filter_state *s, const struct rt_bpf *insn, u32 nr)
{
	u32 class = insn->code & BPF_CLASS;
	u32 v = insn->code & BPF_X ? s->x : insn->k;

	if (insn->code == BPF_LD_W_ABS)
		return load_data(s, insn->k, nr);
	if (class == BPF_ALU)
		return compute(s, insn->code & BPF_OP, v);
	if (class == BPF_JMP)
		return jump(s, insn, insn->code & BPF_OP, v);
	return move(s, insn);
}

static int
is_permission(u32 action)
{
	action &= RET_ACTION;
	return action == RET_ALLOW || action == RET_LOG;
}

int
rt_filter_permits(const struct rt_bpf *prog, u32 n, u32 nr)
{
	struct rt_filter_state s = { .pc = 0 };

	while (s.pc < n) {
		const struct rt_bpf *insn = &prog[s.pc++];

		if (insn->code == BPF_RET_K)
			return is_permission(insn->k);
		if (insn->code == BPF_RET_A)
			return is_permission(s.a);
		if (!step(&s, insn, nr))
			return 0;
	}
	return 0;
}
