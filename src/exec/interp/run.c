/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running: threaded code over decoded instructions.
 *
 * dif_verify() has shown that registers are in range and that branches go
 * forward and end in RET; none of that is checked again here.  It cannot show
 * that an address is readable: addresses are data, so each access goes through
 * the runtime.
 *
 * Condition flags are kept as the two operands that produced them, so a signed
 * comparison is right where their difference overflows.  TST is a comparison of
 * (r1 != 0) with 0, SCMP one of -1, 0 or 1 with 0: both give the order that the
 * flags describe.  At the start all flags are clear, as after comparing 1 with
 * 0.
 */
#include "exec/interp/interp_impl.h"

#include <endian.h>
#include <string.h>

/*
 * If the quotient does not fit, the result is the dividend;
 * doc/reference/dif.md section 3.
 */
static int64_t
divide(uint64_t a, uint64_t b)
{
	return b == UINT64_MAX ? (int64_t)-a : (int64_t)a / (int64_t)b;
}

static int64_t
remainder_of(uint64_t a, uint64_t b)
{
	return b == UINT64_MAX ? 0 : (int64_t)a % (int64_t)b;
}

static bool
fault(struct in_machine *m, enum dif_fault fault, uint64_t value)
{
	m->ms->fault = fault;
	m->ms->fault_val = value;
	return false;
}

/* The loaded bytes, extended as the register holds them. */
static uint64_t
extend(const struct dif_memop *mo, uint64_t word)
{
	unsigned shift = 64 - 8U * mo->size;

	if (!mo->is_signed)
		return word;
	return (uint64_t)((int64_t)(word << shift) >> shift);
}

static bool
load(struct in_machine *m, uint8_t op, uint64_t addr, uint64_t *value)
{
	const struct dif_memop *mo = &dif_memops[op];
	uint64_t slot = (uint64_t)(uintptr_t)m->ms;
	uint64_t word = mo->is_user ? rt_uload(slot, addr, mo->size) :
				      rt_load(slot, addr, mo->size);

	if (m->ms->fault != 0 && m->hides_kernel && !mo->is_user)
		m->ms->fault = DIF_FLT_KPRIV;
	*value = extend(mo, word);
	return m->ms->fault == 0;
}

static uint64_t
big_endian(uint64_t value, uint32_t bits)
{
	switch (bits) {
	case 16:
		return htobe16((uint16_t)value);
	case 32:
		return htobe32((uint32_t)value);
	default:
		return htobe64(value);
	}
}

static uint64_t
load_scratch(uint8_t op, uint64_t addr)
{
	const struct dif_memop *mo = &dif_memops[op];
	uint64_t word = 0;

	memcpy(&word, (const void *)(uintptr_t)addr, mo->size);
	return extend(mo, word);
}

static void
store_scratch(uint8_t op, uint64_t addr, uint64_t value)
{
	memcpy((void *)(uintptr_t)addr, &value, dif_memops[op].size);
}

static uint64_t
first_argument(const struct in_machine *m)
{
	return m->vm->depth > 0 ? m->vm->tuple[0].value : 0;
}

static uint64_t
load_tls(const struct in_machine *m, const struct rt_uvar *v)
{
	const uint8_t *tls = m->vm->host.tls;
	const uint64_t *word = (const uint64_t *)(const void *)(tls + v->off);

	if (tls == NULL)
		return 0;
	return v->is_byref ? rt_vm_ref(word) : *word;
}

/* A thread that has stored only zeroes needs no storage. */
static bool
store_tls(struct in_machine *m, const struct rt_uvar *v, uint64_t value)
{
	uint64_t *word;

	if (value == 0 && m->vm->host.tls == NULL)
		return true;
	word = (uint64_t *)(void *)(in_tls_create(m) + v->off);
	if (v->is_byref)
		return rt_vm_store_ref(m->vm, word, v, value);
	*word = value;
	return true;
}

static uint64_t
probe_argument(const struct in_machine *m, uint64_t n)
{
	return n < RT_NARGS ? m->vm->args[n] : 0;
}

/* clang-format off */
#define VAR(ip) (&m->vars.v.v[(ip)->aux])
#define NEXT								\
	do {								\
		ip++;							\
		goto *go[ip->op];					\
	} while (0)
#define BINARY(NAME, expr)						\
	op_##NAME:							\
	{								\
		uint64_t a = r[ip->r1], b = r[ip->r2];			\
									\
		r[ip->rd] = (uint64_t)(expr);				\
		NEXT;							\
	}
#define DIVISION(NAME, expr)						\
	op_##NAME:							\
	{								\
		uint64_t a = r[ip->r1], b = r[ip->r2];			\
									\
		if (b == 0) {						\
			fault(m, DIF_FLT_DIVZERO, 0);		\
			goto fault;					\
		}							\
		r[ip->rd] = (uint64_t)(expr);				\
		NEXT;							\
	}
#define BRANCH(NAME, condition)						\
	op_##NAME:							\
	if (condition)							\
		ip = code + ip->aux - 1;				\
	NEXT;
#define LOAD(NAME)							\
	op_##NAME:							\
	if (!load(m, DIF_OP_##NAME, r[ip->r1], &r[ip->rd]))		\
		goto fault;						\
	NEXT;
/* A call of the runtime that may have set the machine state's fault. */
#define RUNTIME(...)							\
	do {								\
		__VA_ARGS__;						\
		if (m->ms->fault != 0)					\
			goto fault;					\
		NEXT;							\
	} while (0)
#define STORE(NAME)							\
	op_##NAME:							\
	RUNTIME(rt_poke(slot, r[ip->rd], r[ip->r1],			\
	    dif_memops[DIF_OP_##NAME].size));
/* clang-format on */

/* The instruction at which the run ended: RET, or the one that faulted. */
static const struct in_insn *
execute(struct in_machine *m, const struct in_insn *code, uint64_t *result)
{
	static const void *const labels[IN_NOPS] = {
#define DIF_OP(val, NAME, ...) [val] = &&op_##NAME,
#include "dif/dif_ops.def"
#undef DIF_OP
		[IN_OP_LDBUILTIN] = &&op_LDBUILTIN,
		[IN_OP_LDWORD] = &&op_LDWORD,
		[IN_OP_LDREF] = &&op_LDREF,
		[IN_OP_STWORD] = &&op_STWORD,
		[IN_OP_STREF] = &&op_STREF,
		[IN_OP_LDZERO] = &&op_LDZERO,
		[IN_OP_BSWAP] = &&op_BSWAP,
		[IN_OP_CALL] = &&op_CALL_RUNTIME,
		[IN_OP_LDSCRATCH] = &&op_LDSCRATCH,
		[IN_OP_STSCRATCH] = &&op_STSCRATCH,
	};
	/* clang-format off */
	static const void *const watched[IN_NOPS] = {
		[0 ... IN_NOPS - 1] = &&op_watch,
	};
	/* clang-format on */
	const void *const *go = m->watch != NULL ? watched : labels;
	const struct in_insn *ip = code;
	uint64_t slot = (uint64_t)(uintptr_t)m->ms;
	uint64_t r[DIF_NREGS] = { 0 }, cca = 1, ccb = 0;

	goto *go[ip->op];

	BINARY(OR, a | b)
	BINARY(XOR, a ^ b)
	BINARY(AND, a & b)
	BINARY(SLL, a << (b & 63))
	BINARY(SRL, a >> (b & 63))
	BINARY(SRA, (int64_t)a >> (b & 63))
	BINARY(SUB, a - b)
	BINARY(ADD, a + b)
	BINARY(MUL, a * b)
	DIVISION(SDIV, divide(a, b))
	DIVISION(UDIV, a / b)
	DIVISION(SREM, remainder_of(a, b))
	DIVISION(UREM, a % b)
op_NOT:
	r[ip->rd] = ~r[ip->r1];
	NEXT;
op_MOV:
	r[ip->rd] = r[ip->r1];
	NEXT;
op_CMP:
	cca = r[ip->r1];
	ccb = r[ip->r2];
	NEXT;
op_TST:
	cca = r[ip->r1] != 0;
	ccb = 0;
	NEXT;
op_SCMP:
	ccb = 0;
	RUNTIME(cca = rt_scmp(slot, r[ip->r1], r[ip->r2]));

	BRANCH(BA, true)
	BRANCH(BE, cca == ccb)
	BRANCH(BNE, cca != ccb)
	BRANCH(BG, (int64_t)cca > (int64_t)ccb)
	BRANCH(BGU, cca > ccb)
	BRANCH(BGE, (int64_t)cca >= (int64_t)ccb)
	BRANCH(BGEU, cca >= ccb)
	BRANCH(BL, (int64_t)cca < (int64_t)ccb)
	BRANCH(BLU, cca < ccb)
	BRANCH(BLE, (int64_t)cca <= (int64_t)ccb)
	BRANCH(BLEU, cca <= ccb)

	/* clang-format off */
	LOAD(LDSB) LOAD(LDSH) LOAD(LDSW)
	LOAD(LDUB) LOAD(LDUH) LOAD(LDUW) LOAD(LDX)
	LOAD(RLDSB) LOAD(RLDSH) LOAD(RLDSW)
	LOAD(RLDUB) LOAD(RLDUH) LOAD(RLDUW) LOAD(RLDX)
	LOAD(ULDSB) LOAD(ULDSH) LOAD(ULDSW)
	LOAD(ULDUB) LOAD(ULDUH) LOAD(ULDUW) LOAD(ULDX)
	STORE(STB) STORE(STH) STORE(STW) STORE(STX)
	    /* clang-format on */

	    op_NOP : NEXT;
op_LDSCRATCH:
	r[ip->rd] = load_scratch((uint8_t)ip->aux, r[ip->r1]);
	NEXT;
op_STSCRATCH:
	store_scratch((uint8_t)ip->aux, r[ip->rd], r[ip->r1]);
	NEXT;
op_SETX:
op_SETS:
	r[ip->rd] = ip->imm;
	NEXT;
op_LDBUILTIN:
	r[ip->rd] = m->vm->vars[ip->aux];
	NEXT;
op_LDWORD:
	r[ip->rd] = *(const uint64_t *)(uintptr_t)ip->imm;
	NEXT;
op_LDREF:
	r[ip->rd] = rt_vm_ref((const uint64_t *)(uintptr_t)ip->imm);
	NEXT;
op_STWORD:
	*(uint64_t *)(uintptr_t)ip->imm = r[ip->rd];
	NEXT;
op_LDZERO:
	r[ip->rd] = 0;
	NEXT;
op_STREF:
	if (!rt_vm_store_ref(
		m->vm, (uint64_t *)(uintptr_t)ip->imm, VAR(ip), r[ip->rd]))
		goto fault;
	NEXT;
op_LDGA:
	r[ip->rd] = probe_argument(m, r[ip->r2]);
	NEXT;
op_LDTA: /* reserved */
	fault(m, DIF_FLT_ILLOP, 0);
	goto fault;
op_LDTS:
	r[ip->rd] = load_tls(m, VAR(ip));
	NEXT;
op_STTS:
	if (!store_tls(m, VAR(ip), r[ip->rd]))
		goto fault;
	NEXT;
op_LDGAA:
op_LDTAA:
	RUNTIME(r[ip->rd] = rt_vm_load_array(m->vm, VAR(ip)));
op_STGAA:
op_STTAA:
	if (!rt_vm_store_array(m->vm, VAR(ip), r[ip->rd]))
		goto fault;
	NEXT;

op_PUSHTR:
	if (!rt_vm_push(
		m->vm, r[ip->rd], r[ip->r2], true, ip->r1 == DIF_TYPE_STRING))
		goto fault;
	NEXT;
op_PUSHTV:
	if (!rt_vm_push(m->vm, r[ip->rd], 0, false, false))
		goto fault;
	NEXT;
op_POPTS:
	m->vm->depth -= m->vm->depth > 0;
	NEXT;
op_FLUSHTS:
	m->vm->depth = 0;
	NEXT;
op_BSWAP:
	r[ip->rd] = big_endian(first_argument(m), ip->aux);
	NEXT;
op_CALL_RUNTIME:
	RUNTIME(r[ip->rd] = in_call(m, ip->aux));
op_ALLOCS:
	RUNTIME(r[ip->rd] = rt_alloc(slot, r[ip->r1]));
op_COPYS:
	RUNTIME(rt_bcopy(slot, r[ip->r1], r[ip->rd], r[ip->r2]));
op_RET:
	*result = r[ip->rd];
	return ip;

	/*
	 * these are decoded to other operations, or dif_verify() refuses them
	 */
op_LDGS:
op_STGS:
op_LDLS:
op_STLS:
op_CALL:
op_XLATE:
op_XLARG:
	fault(m, DIF_FLT_ILLOP, ip->op);
fault:
	return ip;

op_watch:
	m->watch(m->watch_arg, m->running, (uint32_t)(ip - code), r,
	    (uint32_t)m->vm->depth);
	goto *labels[ip->op];
}

void
in_run(struct in_machine *m, uint32_t i, struct in_result *res)
{
	const struct in_code *code = &m->code[i];
	const struct in_insn *last;

	m->vm->depth = 0;
	m->running = i;
	m->ms->fault = 0;
	*res = (struct in_result){ 0 };
	last = execute(m, code->insns, &res->value);
	if (m->ms->fault == 0)
		return;
	res->is_fault = true;
	res->fault = (enum dif_fault)m->ms->fault;
	res->value = m->ms->fault_val;
	res->offset = (uint32_t)(last - code->insns) * 4;
}

uint64_t
in_speculate(
    struct in_machine *m, uint64_t id, bool ends, struct in_result *res)
{
	uint64_t slot = (uint64_t)(uintptr_t)m->ms, tag;

	m->ms->fault = 0;
	tag = ends ? rt_spec_end(slot, id) : rt_spec_tag(slot, id);
	*res = (struct in_result){ .is_fault = m->ms->fault != 0,
		.fault = (enum dif_fault)m->ms->fault,
		.offset = UINT32_MAX,
		.value = m->ms->fault_val };
	return tag;
}
