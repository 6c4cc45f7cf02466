/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Displaced instructions.
 *
 * Most are position independent, and copied.  The others:
 *
 *	operands relative to %rip	another displacement; or, out of its
 *					reach, the address in a register that
 *					the instruction does not use, saved
 *					below the red zone
 *	jumps				relative to their new place
 *	LOOP, JRCXZ			around a jump, having no long form
 *	calls				PUSH of the return address, and a jump;
 *					an operand in memory is read before
 *	SYSCALL				%rcx is set to the original address
 *
 * Encodings: Intel 64 and IA-32 Architectures Software Developer's Manual,
 * volume 2.
 */
#include "inproc/reloc.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"
#include "x86/form.h"

#define RED_ZONE 128 /* x86-64 psABI, 3.2.2 */

struct reloc {
	uint64_t from; /* address of the instruction */
	uint64_t to;
	const uint8_t *bytes; /* of the instruction */
	struct x86_form form;
	struct strbuf *out;
	size_t start; /* its beginning in `out` */
};

static uint64_t
here(const struct reloc *r)
{
	return r->to + (r->out->len - r->start);
}

static void
put(struct reloc *r, const void *bytes, size_t n)
{
	strbuf_add(r->out, bytes, n);
}
#define PUT(r, ...)                                                            \
	put((r), (const uint8_t[]){ __VA_ARGS__ },                             \
	    sizeof((const uint8_t[]){ __VA_ARGS__ }))

bool
reloc_is_near(uint64_t end, uint64_t target)
{
	return (int64_t)(target - end) == (int32_t)(target - end);
}

static void
put_displacement(struct strbuf *out, uint64_t end, uint64_t target)
{
	int32_t disp = (int32_t)(target - end);

	strbuf_add(out, &disp, sizeof(disp));
}

void
reloc_jmp(struct strbuf *out, uint64_t at, uint64_t target)
{
	if (reloc_is_near(at + 5, target)) {
		strbuf_addc(out, (char)0xe9);
		put_displacement(out, at + 5, target);
	} else { /* jmp *0(%rip) */
		strbuf_add(out, "\xff\x25\0\0\0\0", 6);
		strbuf_add(out, &target, sizeof(target));
	}
}

/* The length that the JMP will have. */
static uint8_t
jmp_len(uint64_t at, uint64_t target)
{
	return reloc_is_near(at + 5, target) ? 5 : 14;
}

/* A branch's target, or the address of an operand. */
static uint64_t
branch_target(const struct reloc *r)
{
	return r->from + r->form.insn.len + (uint64_t)r->form.insn.imm;
}

static uint64_t
operand_target(const struct reloc *r)
{
	return r->from + r->form.insn.len + (uint64_t)(int64_t)r->form.disp;
}

/* ---- operands ----------------------------------------------------------- */

/*
 * Set the operand's displacement so that at `at` it has the address that it had
 * at `from`; false: out of reach.
 */
static bool
retarget_operand(const struct reloc *r, uint64_t at, uint8_t *bytes)
{
	uint64_t end = at + r->form.insn.len;
	int32_t disp = (int32_t)(operand_target(r) - end);

	if (!reloc_is_near(end, operand_target(r)))
		return false;
	memcpy(bytes + r->form.disp_at, &disp, sizeof(disp));
	return true;
}

/*
 * Replace the instruction's memory operand by (%REG), where REG is a register
 * that it does not use.  A prefix that we keep selects the lower or upper eight
 * registers, so the decoder tells which one it is.  Returns the register's
 * number, or -1.
 */
static int
with_base(const struct reloc *r, uint8_t *bytes, size_t *len)
{
	static const uint8_t candidates[] = { 0, 1, 2, 3, 6, 7 };
	uint8_t modrm_at = r->form.modrm_at, disp_at = r->form.disp_at;
	struct x86_code code = { bytes, r->form.insn.len - 4u, false };
	struct x86_form form;

	memcpy(bytes, r->bytes, disp_at);
	memcpy(bytes + disp_at, r->bytes + disp_at + 4,
	    r->form.insn.len - disp_at - 4u);
	*len = code.len;
	for (size_t i = 0; i < sizeof(candidates); i++) {
		bytes[modrm_at] = (r->bytes[modrm_at] & 0x38) | candidates[i];
		if (x86_form(&code, 0, &form) && form.insn.len == code.len &&
		    form.base >= 0 && form.disp == 0 &&
		    (r->form.uses >> form.base & 1) == 0)
			return form.base;
	}
	return -1;
}

static void
push_pop(struct reloc *r, uint8_t opcode, int reg)
{
	if (reg >= X86_R8)
		PUT(r, 0x41);
	PUT(r, (uint8_t)(opcode + (reg & 7)));
}

static void
move_stack(struct reloc *r, int32_t by) /* lea by(%rsp),%rsp */
{
	PUT(r, 0x48, 0x8d, 0xa4, 0x24);
	put(r, &by, sizeof(by));
}

static void
put_movabs(struct reloc *r, int reg, uint64_t value)
{
	PUT(r, reg >= X86_R8 ? 0x49 : 0x48, (uint8_t)(0xb8 + (reg & 7)));
	put(r, &value, sizeof(value));
}

static const char *
put_through_register(struct reloc *r)
{
	uint8_t bytes[16];
	size_t len;
	int reg;

	if (r->form.uses >> X86_SP & 1)
		return "its operand is too far away, and it uses the stack";
	reg = with_base(r, bytes, &len);
	if (reg < 0)
		return "its operand is too far away";
	move_stack(r, -RED_ZONE);
	push_pop(r, 0x50, reg);
	put_movabs(r, reg, operand_target(r));
	put(r, bytes, len);
	push_pop(r, 0x58, reg);
	move_stack(r, RED_ZONE);
	return NULL;
}

static const char *
put_plain(struct reloc *r)
{
	uint8_t bytes[16];

	memcpy(bytes, r->bytes, r->form.insn.len);
	if (r->form.is_rip && r->form.has_address_size)
		return "its operand is relative to %eip";
	if (r->form.is_rip && !retarget_operand(r, here(r), bytes))
		return put_through_register(r);
	put(r, bytes, r->form.insn.len);
	return NULL;
}

static const char *
put_syscall(struct reloc *r)
{
	uint64_t next = r->from + r->form.insn.len;

	put(r, r->bytes, r->form.insn.len);
	if (reloc_is_near(here(r) + 7, next)) { /* lea next(%rip),%rcx */
		PUT(r, 0x48, 0x8d, 0x0d);
		put_displacement(r->out, here(r) + 4, next);
	} else {
		put_movabs(r, X86_CX, next);
	}
	return NULL;
}

/* ---- branches ----------------------------------------------------------- */

static const char *
put_jmp(struct reloc *r)
{
	reloc_jmp(r->out, here(r), branch_target(r));
	return NULL;
}

static const char *
put_jcc(struct reloc *r)
{
	uint8_t cond = r->form.insn.cond;
	uint64_t target = branch_target(r);

	if (reloc_is_near(here(r) + 6, target)) {
		PUT(r, 0x0f, 0x80 | cond);
		put_displacement(r->out, here(r) + 4, target);
	} else { /* the condition is false: skip the jump */
		PUT(r, 0x70 | (cond ^ 1), 14);
		reloc_jmp(r->out, here(r), target);
	}
	return NULL;
}

/*
 *	loop 1f
 *	jmp 2f
 * 1:	jmp target
 * 2:
 */
static const char *
put_loop(struct reloc *r)
{
	uint64_t target = branch_target(r);

	put(r, r->bytes, r->form.insn.len - 1u);
	PUT(r, 2, 0xeb, jmp_len(here(r) + 3, target));
	reloc_jmp(r->out, here(r), target);
	return NULL;
}

/* push LITERAL(%rip), where the literal is `ahead` bytes behind it */
static void
put_push_literal(struct reloc *r, int32_t ahead)
{
	PUT(r, 0xff, 0x35);
	put(r, &ahead, sizeof(ahead));
}

static void
put_return_address(struct reloc *r)
{
	uint64_t ret = r->from + r->form.insn.len;

	put(r, &ret, sizeof(ret));
}

static const char *
put_call(struct reloc *r)
{
	uint64_t target = branch_target(r);

	put_push_literal(r, jmp_len(here(r) + 6, target));
	reloc_jmp(r->out, here(r), target);
	put_return_address(r);
	return NULL;
}

/*
 * Rewrite the operand with a displacement of 32 bits, 8 larger since the return
 * address has been pushed.
 */
static size_t
widen_stack_operand(const struct reloc *r, uint8_t *bytes)
{
	uint8_t sib_at = r->form.modrm_at + 1;
	int32_t disp = r->form.disp + 8;

	memcpy(bytes, r->bytes, sib_at + 1u);
	bytes[r->form.modrm_at] = (bytes[r->form.modrm_at] & 0x3f) | 0x80;
	memcpy(bytes + sib_at + 1, &disp, sizeof(disp));
	return sib_at + 5u;
}

static bool
is_jmp_sp(const uint8_t *bytes, size_t len)
{
	struct x86_code code = { bytes, len, false };
	struct x86_form form;

	return x86_form(&code, 0, &form) && form.uses >> X86_SP & 1;
}

/*
 * Read a call's operand before the return address is pushed, as the call does,
 * so that a bad address faults with the stack unchanged.  The PUSH writes to
 * the word that the return address will overwrite.
 *
 *	push OPERAND
 *	lea 8(%rsp),%rsp
 */
static bool
put_read(struct reloc *r)
{
	uint8_t bytes[16];

	memcpy(bytes, r->bytes, r->form.insn.len);
	if (r->form.is_rip && !retarget_operand(r, here(r), bytes))
		return false;
	bytes[r->form.modrm_at] ^= 2 << 3 ^ 6 << 3;
	put(r, bytes, r->form.insn.len);
	PUT(r, 0x48, 0x8d, 0x64, 0x24, 8);
	return true;
}

/* Make a JMP with the operand of a CALL. Returns its length. */
static size_t
make_jmp(const struct reloc *r, uint64_t at, uint8_t *bytes)
{
	size_t len = r->form.insn.len;

	memcpy(bytes, r->bytes, len);
	if (r->form.base == X86_SP)
		len = widen_stack_operand(r, bytes);
	if (r->form.is_rip && !retarget_operand(r, at, bytes))
		return 0;
	bytes[r->form.modrm_at] ^= 2 << 3 ^ 4 << 3;
	return len;
}

static const char *
put_call_indirect(struct reloc *r)
{
	uint8_t bytes[24], modrm = r->bytes[r->form.modrm_at];
	size_t len;

	if ((modrm >> 3 & 7) != 2)
		return "it is a far call";
	if (r->form.has_address_size &&
	    (r->form.base == X86_SP || r->form.is_rip))
		return "its operand has an address of 32 bits";
	if (modrm >> 6 != 3 && !put_read(r))
		return "its operand is too far away";
	len = make_jmp(r, here(r) + 6, bytes);
	if (len == 0)
		return "its operand is too far away";
	if (modrm >> 6 == 3 && is_jmp_sp(bytes, len))
		return "it calls where the stack pointer points to";
	put_push_literal(r, (int32_t)len);
	put(r, bytes, len);
	put_return_address(r);
	return NULL;
}

static const char *
put_jmp_indirect(struct reloc *r)
{
	if ((r->bytes[r->form.modrm_at] >> 3 & 7) != 4)
		return "it is a far jump";
	if (r->form.is_rip &&
	    !reloc_is_near(here(r) + r->form.insn.len, operand_target(r)))
		return "its operand is too far away";
	return put_plain(r);
}

/* ---- all of them -------------------------------------------------------- */

static const char *
put_branch(struct reloc *r)
{
	if (r->form.has_16)
		return "it is a branch with a prefix for 16 bits";
	switch (r->form.insn.kind) {
	case X86_JMP:
		return put_jmp(r);
	case X86_JCC:
		return r->form.insn.cond == X86_ALWAYS ? put_loop(r) :
							 put_jcc(r);
	case X86_CALL:
		return put_call(r);
	case X86_CALL_FAR:
		return put_call_indirect(r);
	case X86_JMP_REG:
	case X86_JMP_MEM:
	case X86_JMP_TABLE:
		return put_jmp_indirect(r);
	case X86_PLAIN:
	case X86_NOP:
	case X86_PUSH:
	case X86_RET:
	case X86_TRAP:
		break;
	}
	return "it is no branch";
}

static const char *
put_insn(struct reloc *r)
{
	switch (r->form.insn.kind) {
	case X86_NOP:
		return NULL;
	case X86_TRAP:
		return "it is a trap";
	case X86_PLAIN:
		if (r->form.is_syscall)
			return put_syscall(r);
		if (r->form.is_relative && !r->form.is_rip)
			return r->form.is_default_map ?
			    "it begins a transaction" :
			    "it is a branch of other processors";
		return put_plain(r);
	case X86_PUSH:
	case X86_RET:
		return put_plain(r);
	case X86_JMP:
	case X86_JCC:
	case X86_CALL:
	case X86_CALL_FAR:
	case X86_JMP_REG:
	case X86_JMP_MEM:
	case X86_JMP_TABLE:
		return put_branch(r);
	}
	return "it is unknown";
}

const char *
reloc_insn(const struct x86_code *code, size_t off, uint64_t from, uint64_t to,
    struct strbuf *out)
{
	struct reloc r = {
		.from = from + off, .to = to, .out = out, .start = out->len
	};
	const char *why;

	if (code->is_32)
		return "it is of a 32-bit program";
	if (!x86_form(code, off, &r.form))
		return "it cannot be decoded";
	r.bytes = code->bytes + off;
	why = put_insn(&r);
	if (why != NULL)
		out->len = r.start;
	assert(out->len - r.start <= RELOC_MAX);
	return why;
}
