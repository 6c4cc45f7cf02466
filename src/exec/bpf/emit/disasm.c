/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF as text, for --dump=bpf: one instruction per line, in the C-like
 * notation of the kernel's documentation (Documentation/bpf/instruction-set),
 * with the symbols that the linker resolved.  No pointers and no file
 * descriptors are printed, so that two dumps of one script are equal.
 */
#include "exec/bpf/link.h"

#include <inttypes.h>

#include "base/str.h"
#include "base/vec.h"

/* Names of the helpers that linux/bpf.h lists; others do not exist. */
#define HELPER_NAME(x) [BPF_FUNC_##x] = #x
static const char *const helper_names[] = { __BPF_FUNC_MAPPER(HELPER_NAME) };
#undef HELPER_NAME

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- symbols ------------------------------------------------------------ */

static const char *
func_name(const struct bl_image *img, int64_t start)
{
	VEC_FOREACH(&img->funcs, f) {
		if (f->start == start)
			return f->name;
	}
	return "?";
}

static const struct bl_reloc *
reloc_at(const struct bl_image *img, uint32_t insn)
{
	VEC_FOREACH(&img->relocs, r) {
		if (r->insn == insn)
			return r;
	}
	return NULL;
}

/* ---- instructions ------------------------------------------------------- */

static const char *const alu_ops[16] = {
	[BPF_ADD >> 4] = "+=",
	[BPF_SUB >> 4] = "-=",
	[BPF_MUL >> 4] = "*=",
	[BPF_DIV >> 4] = "/=",
	[BPF_OR >> 4] = "|=",
	[BPF_AND >> 4] = "&=",
	[BPF_LSH >> 4] = "<<=",
	[BPF_RSH >> 4] = ">>=",
	[BPF_MOD >> 4] = "%=",
	[BPF_XOR >> 4] = "^=",
	[BPF_MOV >> 4] = "=",
	[BPF_ARSH >> 4] = "s>>=",
};
static const char *const jmp_ops[16] = {
	[BPF_JEQ >> 4] = "==",
	[BPF_JGT >> 4] = ">",
	[BPF_JGE >> 4] = ">=",
	[BPF_JSET >> 4] = "&",
	[BPF_JNE >> 4] = "!=",
	[BPF_JSGT >> 4] = "s>",
	[BPF_JSGE >> 4] = "s>=",
	[BPF_JLT >> 4] = "<",
	[BPF_JLE >> 4] = "<=",
	[BPF_JSLT >> 4] = "s<",
	[BPF_JSLE >> 4] = "s<=",
};

static const char *
size_name(uint8_t code)
{
	switch (BPF_SIZE(code)) {
	case BPF_B:
		return "u8";
	case BPF_H:
		return "u16";
	case BPF_W:
		return "u32";
	default:
		return "u64";
	}
}

static void
dump_unknown(const struct bpf_insn *in, struct strbuf *out)
{
	strbuf_printf(out, ".insn 0x%02x, r%d, r%d, %d, %d", in->code,
	    in->dst_reg, in->src_reg, in->off, in->imm);
}

/* The second operand: a register or a number. */
static void
dump_src(const struct bpf_insn *in, char bank, struct strbuf *out)
{
	if (BPF_SRC(in->code) == BPF_X)
		strbuf_printf(out, "%c%d", bank, in->src_reg);
	else
		strbuf_printf(out, "%d", in->imm);
}

static void
dump_alu(const struct bpf_insn *in, struct strbuf *out)
{
	char bank = BPF_CLASS(in->code) == BPF_ALU64 ? 'r' : 'w';
	const char *op = alu_ops[BPF_OP(in->code) >> 4];

	if (BPF_OP(in->code) == BPF_NEG) {
		strbuf_printf(
		    out, "%c%d = -%c%d", bank, in->dst_reg, bank, in->dst_reg);
	} else if (BPF_OP(in->code) == BPF_END) {
		strbuf_printf(out, "r%d = %s%d r%d", in->dst_reg,
		    BPF_SRC(in->code) == BPF_TO_BE ? "be" : "le", in->imm,
		    in->dst_reg);
	} else if (op == NULL) {
		dump_unknown(in, out);
	} else {
		strbuf_printf(out, "%c%d %s ", bank, in->dst_reg, op);
		dump_src(in, bank, out);
	}
}

static void
dump_call(const struct bl_image *img, uint32_t pc, struct strbuf *out)
{
	const struct bpf_insn *in = &img->insns.v[pc];

	if (in->src_reg == BPF_PSEUDO_CALL)
		strbuf_printf(
		    out, "call %s", func_name(img, (int64_t)pc + in->imm + 1));
	else if (in->src_reg == BPF_PSEUDO_KFUNC_CALL)
		strbuf_printf(out, "call kernel function, BTF id %d", in->imm);
	else if (in->src_reg == 0 && in->imm > 0 &&
	    (uint32_t)in->imm < COUNT(helper_names))
		strbuf_printf(out, "call bpf_%s", helper_names[in->imm]);
	else
		strbuf_printf(out, "call %d", in->imm);
}

static void
dump_jmp(const struct bl_image *img, uint32_t pc, struct strbuf *out)
{
	const struct bpf_insn *in = &img->insns.v[pc];
	char bank = BPF_CLASS(in->code) == BPF_JMP ? 'r' : 'w';
	int64_t target = (int64_t)pc + in->off + 1;

	switch (BPF_OP(in->code)) {
	case BPF_CALL:
		dump_call(img, pc, out);
		return;
	case BPF_EXIT:
		strbuf_adds(out, "exit");
		return;
	case BPF_JA:
		strbuf_printf(out, "goto %" PRId64, target);
		return;
	default:
		break;
	}
	if (jmp_ops[BPF_OP(in->code) >> 4] == NULL) {
		dump_unknown(in, out);
		return;
	}
	strbuf_printf(out, "if %c%d %s ", bank, in->dst_reg,
	    jmp_ops[BPF_OP(in->code) >> 4]);
	dump_src(in, bank, out);
	strbuf_printf(out, " goto %" PRId64, target);
}

static void
dump_mem(const struct bpf_insn *in, struct strbuf *out)
{
	strbuf_printf(out, "*(%s *)(r%d %c %d)", size_name(in->code),
	    BPF_CLASS(in->code) == BPF_LDX ? in->src_reg : in->dst_reg,
	    in->off < 0 ? '-' : '+', in->off < 0 ? -in->off : in->off);
}

static void
dump_atomic(const struct bpf_insn *in, struct strbuf *out)
{
	const char *op = alu_ops[(in->imm & 0xf0) >> 4];

	if (in->imm == BPF_XCHG || in->imm == BPF_CMPXCHG) {
		strbuf_printf(out, "r%d = %s(",
		    in->imm == BPF_XCHG ? in->src_reg : 0,
		    in->imm == BPF_XCHG ? "xchg" : "cmpxchg");
		dump_mem(in, out);
		strbuf_adds(out, in->imm == BPF_XCHG ? ", " : ", r0, ");
		strbuf_printf(out, "r%d)", in->src_reg);
	} else if (op == NULL) {
		dump_unknown(in, out);
	} else {
		if (in->imm & BPF_FETCH)
			strbuf_printf(out, "r%d = fetch ", in->src_reg);
		strbuf_adds(out, "lock ");
		dump_mem(in, out);
		strbuf_printf(out, " %s r%d", op, in->src_reg);
	}
}

static void
dump_store(const struct bpf_insn *in, struct strbuf *out)
{
	dump_mem(in, out);
	if (BPF_CLASS(in->code) == BPF_STX)
		strbuf_printf(out, " = r%d", in->src_reg);
	else
		strbuf_printf(out, " = %d", in->imm);
}

/* An instruction of two slots: a 64-bit number, or a resolved symbol. */
static void
dump_lddw(const struct bl_image *img, uint32_t pc, struct strbuf *out)
{
	const struct bpf_insn *in = &img->insns.v[pc];
	const struct bl_reloc *r = reloc_at(img, pc);
	uint64_t value = (uint32_t)in[0].imm | (uint64_t)in[1].imm << 32;

	strbuf_printf(out, "r%d = ", in->dst_reg);
	if (r == NULL)
		strbuf_printf(out, "%#" PRIx64 " ll", value);
	else if (r->kind == BL_CONST)
		strbuf_printf(out, "%" PRIu64 " ll", value);
	else if (r->kind == BL_MAPVAL)
		strbuf_printf(out, "value(%s) + %d", r->sym, in[1].imm);
	else
		strbuf_printf(
		    out, "%s(%s)", r->kind == BL_MAP ? "map" : "func", r->sym);
	if (r != NULL && r->kind == BL_CONST)
		strbuf_printf(out, "\t; %s", r->sym);
}

/* Returns how many slots the instruction takes. */
static uint32_t
dump_insn(const struct bl_image *img, uint32_t pc, struct strbuf *out)
{
	const struct bpf_insn *in = &img->insns.v[pc];

	switch (BPF_CLASS(in->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		dump_alu(in, out);
		return 1;
	case BPF_JMP:
	case BPF_JMP32:
		dump_jmp(img, pc, out);
		return 1;
	case BPF_LDX:
		strbuf_printf(out, "r%d = ", in->dst_reg);
		dump_mem(in, out);
		return 1;
	case BPF_ST:
		dump_store(in, out);
		return 1;
	case BPF_STX:
		if (BPF_MODE(in->code) == BPF_ATOMIC)
			dump_atomic(in, out);
		else
			dump_store(in, out);
		return 1;
	default:
		break;
	}
	if (in->code == (BPF_LD | BPF_DW | BPF_IMM) && pc + 1 < img->insns.n) {
		dump_lddw(img, pc, out);
		return 2;
	}
	dump_unknown(in, out);
	return 1;
}

void
bl_dump(const struct bl_image *img,
    const char *(*note)(void *arg, uint32_t insn), void *arg,
    struct strbuf *out)
{
	VEC_FOREACH(&img->funcs, f) {
		strbuf_printf(out, "%s:\n", f->name);
		for (uint32_t pc = f->start; pc < f->start + f->n;) {
			const char *text = note ? note(arg, pc) : NULL;

			if (text != NULL)
				strbuf_printf(out, "; %s\n", text);
			strbuf_printf(out, "%5" PRIu32 ": ", pc);
			pc += dump_insn(img, pc, out);
			strbuf_addc(out, '\n');
		}
	}
}
