// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Run helpers: programs that a process brings to name its stack's frames.
 *
 * For each frame all of them run, one after the other, with its pc and frame
 * pointer as arguments; the value of the last action that ran is the frame's
 * name.  Helpers are interpreted, not translated: a process's helpers become
 * known while tracing, and a program that any user may write must not become
 * code in the kernel.  dif_verify() and dif_verify_helper() have passed the
 * objects (helper.c), so branches go forward; the number of steps is bounded
 * all the same.
 *
 * A step is one instruction.  One loop of steps runs through objects, files and
 * frames.  Its state is in mem at RTC(helper), since subroutines use ms->loop.
 * An instruction that moves much data runs again until it is done.
 *
 * A helper is not trusted.  It may read the process's memory, and of the
 * tracer's its own scratch, strings and variables.  It writes nothing but
 * scratch and variables; it cannot reach a script's data in the same machine
 * state.  A fault ends the frame's helpers: the frame has no name, which is
 * counted.
 */
#include "exec/bpf/kern/shared.h"
#include "exec/runtime/drops.h"
#include "exec/runtime/rt_code.h"

#define NOEXIST 1	  /* BPF_NOEXIST */
#define RB_FORCE_WAKEUP 2 /* BPF_RB_FORCE_WAKEUP */
#define NSTACK 12	  /* tuple registers, and operands of SETCOPY */
#define COPYS_AT DIF_NTREGS

extern char rtm_hcode[], rtm_hstrs[], rtm_hprocs[], rtm_hmiss[], rtm_wakeup[];

static long (*const map_update_elem)(
    void *map, const void *key, const void *value, u64 flags) = (void *)2;
static u64 (*const get_current_uid_gid)(void) = (void *)15;
static long (*const ringbuf_output)(
    void *rb, void *data, u64 size, u64 flags) = (void *)130;

/* State of a run, in mem. */
struct helper_bpf_run {
	u64 slot, pid;
	u64 regs[DIF_NREGS];
	u64 cca, ccb; /* operands of the last comparison */
	u64 stack[16], depth;
	u64 pc, value;
	u64 set, nsets, base;
	u64 first[BX_HSETS], bases[BX_HSETS];
	u64 frame, nframes, pcs, fps;
	u64 args[2];
	u64 out, out_end;   /* offsets in mem: the next name, the end */
	u64 scratch;	    /* start of ours, behind the script's */
	u64 strs;	    /* address of the strings */
	u64 failed, is_cut; /* numbers of frames */
};
_Static_assert(sizeof(struct helper_bpf_run) <= BX_HMEM, "what a run needs");
_Static_assert(
    NSTACK <= 16 && DIF_NTREGS < NSTACK, "struct helper_bpf_run.stack");

RT_INLINE struct helper_bpf_run *
run_of(struct rt_mstate *ms)
{
	return (struct helper_bpf_run *)(void *)rt_mem(ms, RTC(ms, helper));
}

/* The current instruction. */
RT_INLINE const struct bx_hinsn *
insn_of(const struct helper_bpf_run *h)
{
	u32 at = (u32)h->pc - 1;

	return bpf_map_lookup_elem(rtm_hcode, &at);
}

/* ---- memory -------------------------------------------------------------- */

/* Is the memory scratch of the helper, or a variable? */
RT_INLINE int
is_own_mem(
    struct rt_mstate *ms, const struct helper_bpf_run *h, u64 addr, u64 size)
{
	u64 off = addr - rt_addr(ms, 0), vars = RTC(ms, helper) + BX_HMEM;

	if (off >= h->scratch && off <= ms->scratch)
		return size <= ms->scratch - off;
	return off >= vars && off <= vars + BX_HLOCALS &&
	    size <= vars + BX_HLOCALS - off;
}

RT_INLINE int
is_own(struct rt_mstate *ms, const struct helper_bpf_run *h, u64 addr, u64 size)
{
	u64 off = addr - h->strs;

	return (off < BX_HSTRS && size <= BX_HSTRS - off) ||
	    is_own_mem(ms, h, addr, size);
}

/* May a subroutine take the address as a string? */
RT_INLINE int
is_string(struct rt_mstate *ms, const struct helper_bpf_run *h, u64 addr)
{
	return addr == 0 || is_own(ms, h, addr, 1);
}

RT_INLINE u64
bad_address(struct rt_mstate *ms, u64 addr)
{
	return rt_fault(ms, DIF_FLT_BADADDR, addr);
}

RT_INLINE u64
extend(u64 word, u32 aux)
{
	u64 shift = 64 - 8 * (aux & 0xf);

	return aux & BX_H_SIGNED ? (u64)((s64)(word << shift) >> shift) : word;
}

RT_INLINE u64
load(struct rt_mstate *ms, const struct helper_bpf_run *h, u64 addr, u32 aux)
{
	if (!is_own(ms, h, addr, aux & 0xf))
		return rt_fault(ms, DIF_FLT_KPRIV, addr);
	return extend(rt_load(h->slot, addr, aux & 0xf), aux);
}

RT_INLINE void
store(struct rt_mstate *ms, const struct helper_bpf_run *h, u64 addr, u64 value,
    u32 size)
{
	u64 off = addr - rt_addr(ms, 0);
	u8 *to = rt_mem(ms, off);

	if (!is_own_mem(ms, h, addr, size))
		bad_address(ms, addr);
	else if (size == 1)
		*to = (u8)value;
	else if (size == 2)
		*(u16 *)(void *)to = (u16)value;
	else if (size == 4)
		*(u32 *)(void *)to = (u32)value;
	else
		*(u64 *)(void *)to = value;
}

/* Copy one piece.  The operands (from, to, size) are on the stack from `at` on.
 * 0: more is left. */
RT_INLINE u64
copy_piece(struct rt_mstate *ms, struct helper_bpf_run *h, u32 at, int is_user)
{
	u64 *from = &h->stack[at & 15], *to = &h->stack[(at + 1) & 15],
	    *left = &h->stack[(at + 2) & 15];
	u64 size = rt_bound(ms, *left);
	u8 *dst = rt_mem(ms, *to - rt_addr(ms, 0));
	long rc;

	if (!is_own_mem(ms, h, *to, *left) ||
	    (!is_user && !is_own(ms, h, *from, *left))) {
		bad_address(ms, is_user ? *to : *from);
		return 1;
	}
	rc = is_user ? rt_upeek(ms, dst, size, *from) :
		       rt_peek(ms, dst, size, *from);
	if (rc != 0)
		bad_address(ms, *from);
	*from += size;
	*to += size;
	*left -= size;
	return rc != 0 || *left == 0;
}

/* ---- values -------------------------------------------------------------- */

/* Absolute value, as BPF has no signed division; doc/reference/dif.md section
 * 3. */
RT_INLINE u64
absolute(u64 v)
{
	return v >> 63 ? -v : v;
}

RT_INLINE u64
divide(struct rt_mstate *ms, u32 op, u64 a, u64 b)
{
	u64 v;

	if (b == 0)
		return rt_fault(ms, DIF_FLT_DIVZERO, 0);
	switch (op) {
	case DIF_OP_UDIV:
		return a / b;
	case DIF_OP_UREM:
		return a % b;
	case DIF_OP_SDIV:
		v = absolute(a) / absolute(b);
		return (a ^ b) >> 63 ? -v : v;
	default:
		v = absolute(a) % absolute(b);
		return a >> 63 ? -v : v;
	}
}

RT_INLINE u64
builtin(const struct rt_mstate *ms, u32 id)
{
	u64 task;

	switch (id) {
	case DIF_VAR_PID:
		return rt_current_pid();
	case DIF_VAR_TID:
		return RTC(ms, pidns_ino) != 0 ?
		    rt_task_tid(bpf_get_current_task()) :
		    (u32)bpf_get_current_pid_tgid();
	case DIF_VAR_UID:
		return (u32)get_current_uid_gid();
	case DIF_VAR_GID:
		return get_current_uid_gid() >> 32;
	case DIF_VAR_PPID:
		task = rt_task_parent(ms, rt_task_current());
		return rt_task_pid(ms, task);
	default:
		return 0; /* helper.c rejects all other ones */
	}
}

RT_INLINE int
holds(u32 op, u64 a, u64 b)
{
	switch (op) {
	case DIF_OP_BE:
		return a == b;
	case DIF_OP_BNE:
		return a != b;
	case DIF_OP_BG:
		return (s64)a > (s64)b;
	case DIF_OP_BGU:
		return a > b;
	case DIF_OP_BGE:
		return (s64)a >= (s64)b;
	case DIF_OP_BGEU:
		return a >= b;
	case DIF_OP_BL:
		return (s64)a < (s64)b;
	case DIF_OP_BLU:
		return a < b;
	case DIF_OP_BLE:
		return (s64)a <= (s64)b;
	case DIF_OP_BLEU:
		return a <= b;
	default:
		return 1;
	}
}

/* ---- subroutines --------------------------------------------------------- */

/* Bit mask of the arguments that are addresses, of the subroutines that take
 * strings of the helper. */
RT_INLINE u32
addresses_of(u32 subr)
{
	switch (subr) {
	case DIF_SUBR_INDEX:
	case DIF_SUBR_RINDEX:
	case DIF_SUBR_STRSTR:
	case DIF_SUBR_STRJOIN:
		return 3;
	case DIF_SUBR_STRCHR:
	case DIF_SUBR_STRRCHR:
	case DIF_SUBR_INET_NTOA:
	case DIF_SUBR_INET_NTOA6:
		return 1;
	case DIF_SUBR_INET_NTOP:
		return 2;
	default:
		return 0;
	}
}

RT_INLINE u64
call(const struct helper_bpf_run *h, u32 subr)
{
	u64 slot = h->slot, a = h->stack[0], b = h->stack[1], c = h->stack[2];
	u64 n = h->depth;

	switch (subr) {
	case DIF_SUBR_ALLOCA:
		return rt_alloc(slot, a);
	case DIF_SUBR_COPYIN:
		return rt_copyin(slot, a, b);
	case DIF_SUBR_COPYINSTR:
		return rt_copyinstr(slot, a, b, n < 2 ? n : 2);
	case DIF_SUBR_STRJOIN:
		return rt_strjoin(slot, a, b);
	case DIF_SUBR_LLTOSTR:
		return rt_lltostr(slot, a, b, n < 2 ? n : 2);
	case DIF_SUBR_INDEX:
		return rt_index(slot, a, b, c, n < 3 ? n : 3);
	case DIF_SUBR_RINDEX:
		return rt_rindex(slot, a, b, c, n < 3 ? n : 3);
	case DIF_SUBR_STRCHR:
		return rt_strchr(slot, a, b);
	case DIF_SUBR_STRRCHR:
		return rt_strrchr(slot, a, b);
	case DIF_SUBR_STRSTR:
		return rt_strstr(slot, a, b);
	case DIF_SUBR_INET_NTOP:
		return rt_inet_ntop(slot, a, b);
	case DIF_SUBR_INET_NTOA:
		return rt_inet_ntoa(slot, a);
	case DIF_SUBR_INET_NTOA6:
		return rt_inet_ntoa6(slot, a);
	case DIF_SUBR_HTONS:
	case DIF_SUBR_NTOHS:
		return __builtin_bswap16((u16)a);
	case DIF_SUBR_HTONL:
	case DIF_SUBR_NTOHL:
		return __builtin_bswap32((u32)a);
	case DIF_SUBR_HTONLL:
	case DIF_SUBR_NTOHLL:
		return __builtin_bswap64(a);
	default:
		return 0; /* helper.c rejects all other ones */
	}
}

RT_INLINE u64
checked_call(struct rt_mstate *ms, const struct helper_bpf_run *h, u32 subr)
{
	u32 which = addresses_of(subr);

	if ((which & 1) && !is_string(ms, h, h->stack[0]))
		return bad_address(ms, h->stack[0]);
	if ((which & 2) && !is_string(ms, h, h->stack[1]))
		return bad_address(ms, h->stack[1]);
	return call(h, subr);
}

/* ---- from frame to frame ------------------------------------------------- */

/* Clear the registers at the start of an object. */
RT_INLINE void
begin_object(struct helper_bpf_run *h)
{
	RT_UNROLL
	for (u32 i = 0; i < DIF_NREGS; i++)
		h->regs[i] = 0;
	h->cca = 1;
	h->ccb = h->depth = 0;
}

/* Begin the next file's helpers: 0 if there is none. */
RT_INLINE int
begin_set(struct helper_bpf_run *h)
{
	if (h->set >= h->nsets)
		return 0;
	h->pc = h->first[h->set & (BX_HSETS - 1)];
	h->base = h->bases[h->set & (BX_HSETS - 1)];
	h->set++;
	begin_object(h);
	return 1;
}

/* Begin the next frame: 1 if there is none, or no room for its name. */
RT_INLINE long
begin_frame(struct rt_mstate *ms, struct helper_bpf_run *h)
{
	u64 off = 8 * h->frame;

	if (h->frame >= h->nframes)
		return 1;
	h->args[0] = rt_word(ms, h->pcs + off);
	h->args[1] = rt_word(ms, h->fps + off);
	if (h->args[0] == 0)
		return 1;
	if (h->out >= h->out_end) {
		h->is_cut++;
		return 1;
	}
	h->frame++;
	h->set = h->value = 0;
	rt_zero(rt_mem(ms, RTC(ms, helper) + BX_HMEM), BX_HLOCALS);
	ms->scratch = h->scratch;
	return !begin_set(h);
}

/* Store the name, cut if it does not fit. */
RT_INLINE void
put_name(struct rt_mstate *ms, struct helper_bpf_run *h)
{
	u64 room = h->out_end - h->out, len;

	if (room > RTC(ms, strsize))
		room = RTC(ms, strsize);
	len = rt_get(ms, h->out, h->value, room);
	if (len == RT_NONE)
		return;
	if (len >= room) {
		len = room - 1;
		*rt_mem(ms, h->out + len) = 0;
		h->is_cut++;
	}
	h->out += len;
}

/*
 * End a frame whose helpers have run or failed; the NUL is there already.  DIF
 * does not tell which statement's value is a string, and the last one may have
 * been another: a value that is no address of the helper's memory is no name.
 */
RT_INLINE long
end_frame(struct rt_mstate *ms, struct helper_bpf_run *h)
{
	if (ms->fault == 0 && is_own(ms, h, h->value, 1))
		put_name(ms, h);
	if (ms->fault != 0) {
		*rt_mem(ms, h->out) = 0;
		h->failed++;
	}
	ms->fault = 0;
	h->out++;
	return begin_frame(ms, h);
}

/* ---- one instruction ----------------------------------------------------- */

/* Value for rd, of operations other than arithmetic. */
RT_INLINE u64
operate(struct rt_mstate *ms, struct helper_bpf_run *h,
    const struct bx_hinsn *in, u64 a, u64 b)
{
	u64 d = h->regs[in->rd & 7], imm = in->imm;
	u32 aux = in->aux;

	switch (in->op) {
	case BX_H_IMM:
		return imm;
	case BX_H_BASED:
		return imm + h->base;
	case BX_H_STR:
		return imm + h->strs;
	case BX_H_ARG:
		return aux < 2 ? h->args[aux & 1] : 0;
	case BX_H_ARGN:
		return b < 2 ? h->args[b & 1] : 0;
	case BX_H_VAR:
		return builtin(ms, aux);
	case BX_H_LDLOCAL:
		return rt_word(ms, RTC(ms, helper) + imm);
	case BX_H_LDREF:
		return rt_word(ms, RTC(ms, helper) + imm) == 0 ?
		    0 :
		    rt_addr(ms, RTC(ms, helper) + imm + 8);
	case BX_H_LOAD:
		return load(ms, h, a, aux);
	case BX_H_ULOAD:
		return extend(rt_uload(h->slot, a, aux & 0xf), aux);
	default:
		return d;
	}
}

RT_INLINE u64
calculate(struct rt_mstate *ms, u32 op, u64 a, u64 b)
{
	switch (op) {
	case DIF_OP_OR:
		return a | b;
	case DIF_OP_XOR:
		return a ^ b;
	case DIF_OP_AND:
		return a & b;
	case DIF_OP_SLL:
		return a << (b & 63);
	case DIF_OP_SRL:
		return a >> (b & 63);
	case DIF_OP_SRA:
		return (u64)((s64)a >> (b & 63));
	case DIF_OP_SUB:
		return a - b;
	case DIF_OP_ADD:
		return a + b;
	case DIF_OP_MUL:
		return a * b;
	case DIF_OP_NOT:
		return ~a;
	case DIF_OP_MOV:
		return a;
	default:
		return divide(ms, op, a, b);
	}
}

RT_INLINE void
compare(struct helper_bpf_run *h, const struct bx_hinsn *in)
{
	u64 a = h->regs[in->r1 & 7];

	h->cca = in->op == DIF_OP_TST ? a != 0 : a;
	h->ccb = in->op == DIF_OP_CMP ? h->regs[in->r2 & 7] : 0;
}

RT_INLINE void
compare_strings(struct rt_mstate *ms, struct helper_bpf_run *h, u64 a, u64 b)
{
	h->ccb = 0;
	if (!is_string(ms, h, a) || !is_string(ms, h, b))
		bad_address(ms, is_string(ms, h, a) ? b : a);
	else
		h->cca = rt_scmp(h->slot, a, b);
}

RT_INLINE void
store_ref(struct rt_mstate *ms, const struct helper_bpf_run *h,
    const struct bx_hinsn *in)
{
	u64 at = RTC(ms, helper) + in->imm, from = h->regs[in->rd & 7];
	u64 size = in->aux;
	int is_str = in->op == BX_H_STSTR;

	if (from != 0 &&
	    !(is_str ? is_string(ms, h, from) : is_own(ms, h, from, size))) {
		bad_address(ms, from);
		return;
	}
	rt_set_word(ms, at, from);
	if (from != 0 && is_str)
		rt_store_str(h->slot, at + 8, from, size);
	else if (from != 0)
		rt_store_bytes(h->slot, at + 8, from, size);
}

RT_INLINE void
push(struct rt_mstate *ms, struct helper_bpf_run *h, u64 value)
{
	if (h->depth >= DIF_NTREGS) {
		rt_fault(ms, DIF_FLT_TUPOFLOW, 0);
		return;
	}
	h->stack[h->depth & 7] = value;
	h->depth++;
}

RT_INLINE void
access_global(
    const struct helper_bpf_run *h, u64 *reg, const struct bx_hinsn *in)
{
	u32 pid = (u32)h->pid;
	struct bx_hproc *p = bpf_map_lookup_elem(rtm_hprocs, &pid);
	exec_u64 *word;

	if (!p)
		return;
	word = &p->globals[in->imm & (BX_HGLOBALS - 1)];
	if (in->op == BX_H_LDGLOBAL)
		*reg = *word;
	else
		*word = *reg;
}

RT_INLINE void
set_copy(struct helper_bpf_run *h, u64 from, u64 to, u64 size)
{
	h->stack[COPYS_AT] = from;
	h->stack[COPYS_AT + 1] = to;
	h->stack[COPYS_AT + 2] = size;
}

/* Operations that change more than rd. */
RT_INLINE void
effect(struct rt_mstate *ms, struct helper_bpf_run *h,
    const struct bx_hinsn *in, u64 a, u64 b)
{
	u64 *d = &h->regs[in->rd & 7];
	u32 at = in->aux;

	switch (in->op) {
	case BX_H_STLOCAL:
		rt_set_word(ms, RTC(ms, helper) + in->imm, *d);
		break;
	case BX_H_LDGLOBAL:
	case BX_H_STGLOBAL:
		access_global(h, d, in);
		break;
	case BX_H_STORE:
		store(ms, h, *d, a, at);
		break;
	case BX_H_PUSH:
		push(ms, h, *d);
		break;
	case BX_H_POP:
		h->depth -= h->depth > 0;
		break;
	case BX_H_FLUSH:
		h->depth = 0;
		break;
	case BX_H_SETCOPY:
		set_copy(h, a, *d, b);
		break;
	case BX_H_COPY:
	case BX_H_COPYIN:
		h->pc -= !copy_piece(ms, h, at, in->op == BX_H_COPYIN);
		break;
	default:
		break;
	}
}

/* End an object.  1: the run is over. */
RT_INLINE long
end_object(
    struct rt_mstate *ms, struct helper_bpf_run *h, const struct bx_hinsn *in)
{
	u64 value = h->regs[in->rd & 7];

	begin_object(h);
	if (in->op == BX_H_END)
		return begin_set(h) ? 0 : end_frame(ms, h);
	if (in->op != BX_H_PRED)
		h->value = value;
	h->pc = in->op == BX_H_PRED && value != 0 ? in->imm : in->aux;
	return 0;
}

/* Separate functions for instructions save stack: all functions on the way to a
 * subroutine share the rest of the BPF stack. */
RT_PUBLIC u64
rt_helper_call(u64 slot)
{
	struct rt_mstate *ms = rt_ms(slot);
	const struct bx_hinsn *in;
	struct helper_bpf_run *h;
	u64 value;

	if (!ms)
		return 0;
	h = run_of(ms);
	in = insn_of(h);
	if (!in)
		return 0;
	if (in->op == BX_H_SCMP) {
		compare_strings(
		    ms, h, h->regs[in->r1 & 7], h->regs[in->r2 & 7]);
		return 0;
	}
	if (in->op == BX_H_STREF || in->op == BX_H_STSTR) {
		store_ref(ms, h, in);
		return 0;
	}
	value = in->op == BX_H_ALLOCS ? rt_alloc(slot, h->regs[in->r1 & 7]) :
					checked_call(ms, h, in->aux);
	in = insn_of(h); /* the pointer was not kept during the call */
	if (in)
		h->regs[in->rd & 7] = value;
	return 0;
}

RT_PUBLIC u64
rt_helper_op(u64 slot)
{
	struct rt_mstate *ms = rt_ms(slot);
	const struct bx_hinsn *in;
	struct helper_bpf_run *h;
	u64 a, b;

	if (!ms)
		return 0;
	h = run_of(ms);
	in = insn_of(h);
	if (!in)
		return 0;
	a = h->regs[in->r1 & 7];
	b = h->regs[in->r2 & 7];
	effect(ms, h, in, a, b);
	h->regs[in->rd & 7] = operate(ms, h, in, a, b);
	return 0;
}

/* After the last instruction of an object, or a fault. */
RT_PUBLIC u64
rt_helper_end(u64 slot)
{
	struct rt_mstate *ms = rt_ms(slot);
	const struct bx_hinsn *in;
	struct helper_bpf_run *h;

	if (!ms)
		return 1;
	h = run_of(ms);
	in = insn_of(h);
	if (!in)
		return 1;
	return ms->fault != 0 ? (u64)end_frame(ms, h) :
				(u64)end_object(ms, h, in);
}

RT_CALLBACK long
helper_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct helper_bpf_run *h = run_of(ms);
	u32 pc = (u32)h->pc;
	const struct bx_hinsn *in = bpf_map_lookup_elem(rtm_hcode, &pc);
	u32 is_end;

	(void)i;
	if (!in)
		return 1;
	h->pc = pc + 1;
	is_end = in->op >= BX_H_PRED && in->op <= BX_H_END;
	if (in->op >= DIF_OP_BA && in->op <= DIF_OP_BLEU)
		h->pc = holds(in->op, h->cca, h->ccb) ? in->aux : pc + 1;
	else if (in->op == DIF_OP_CMP || in->op == DIF_OP_TST)
		compare(h, in);
	else if (in->op < BX_H_PRED)
		h->regs[in->rd & 7] = calculate(
		    ms, in->op, h->regs[in->r1 & 7], h->regs[in->r2 & 7]);
	else if (in->op >= BX_H_CALL)
		rt_helper_call(h->slot);
	else if (!is_end)
		rt_helper_op(h->slot);
	h->regs[0] = 0;
	return (is_end || ms->fault != 0) && rt_helper_end(h->slot) != 0;
}

/* ---- the stack ----------------------------------------------------------- */

RT_INLINE u64
kword(u64 addr)
{
	u64 v = 0;

	bpf_probe_read_kernel(&v, sizeof(v), addr);
	return v;
}

/* Ask dtrace to look at the process. */
RT_INLINE void
note_miss(struct helper_bpf_run *h, u64 mm, u64 exec_vm)
{
	u32 pid = (u32)h->pid;
	u64 *what = h->args;

	what[0] = mm;
	what[1] = exec_vm;
	if (map_update_elem(rtm_hmiss, &pid, what, NOEXIST) == 0)
		ringbuf_output(rtm_wakeup, what, 8, RB_FORCE_WAKEUP);
}

/*
 * Find the process's helpers.  An entry is valid as long as the process has the
 * same memory; if the process has mapped other code, it may have more helpers.
 */
RT_INLINE u64
find_helpers(struct rt_mstate *ms, struct helper_bpf_run *h)
{
	u64 mm = kword(rt_task_struct(ms) + RTC(ms, task_mm));
	u64 exec_vm = kword(mm + RTC(ms, mm_exec_vm));
	u32 pid = (u32)h->pid;
	struct bx_hproc *p = bpf_map_lookup_elem(rtm_hprocs, &pid);

	if (!p || (p->mm != 0 && p->mm != mm)) {
		note_miss(h, mm, exec_vm);
		return 0;
	}
	p->mm = mm; /* dtrace read $target before: it may have more helpers
		     * now */
	h->nsets = p->nsets;
	RT_UNROLL
	for (u32 i = 0; i < BX_HSETS; i++) {
		h->first[i] = p->first[i];
		h->bases[i] = p->base[i];
	}
	if (p->exec_vm != exec_vm)
		note_miss(h, mm, exec_vm);
	return h->nsets;
}

RT_INLINE void
count_drops(struct rt_mstate *ms, const struct helper_bpf_run *h)
{
	if (h->failed != 0)
		rt_count_drop(ms, DT_DROP_HELPER);
	if (h->is_cut != 0)
		rt_count_drop(ms, DT_DROP_STKSTR);
}

/* Run the helpers of all frames.  Gives the script its scratch back. */
RT_PUBLIC u64
rt_run_helpers(u64 slot)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	struct helper_bpf_run *h;

	if (!ms)
		return 0;
	h = run_of(ms);
	if (begin_frame(ms, h) == 0 &&
	    RT_LOOP(BX_HSTEPS, helper_step, &ctx) == BX_HSTEPS)
		h->failed++;
	ms->scratch = h->scratch;
	count_drops(ms, h);
	return 0;
}

/*
 * Prepare a run: the pcs of the frames are at mem[pcs ...), their frame
 * pointers at RTC(fps).  The names go to mem[strs ... strs + size), which is
 * zero; `size` is not 0.  Returns 0 if the process has no helpers.
 */
RT_PUBLIC u64
rt_frame_names(u64 slot, u64 pcs, u64 nframes, u64 strs, u64 size)
{
	struct rt_mstate *ms = rt_ms(slot);
	u32 zero = 0;
	char *text = bpf_map_lookup_elem(rtm_hstrs, &zero);
	struct helper_bpf_run *h;

	if (!ms || !text)
		return 0;
	h = run_of(ms);
	h->slot = slot;
	h->pid = rt_current_pid();
	if (find_helpers(ms, h) == 0)
		return 0;
	h->pcs = pcs;
	h->fps = RTC(ms, fps);
	h->nframes = nframes;
	h->out = strs;
	h->out_end = strs + size;
	h->strs = rt_number(ms, text);
	h->scratch = rt_scratch(ms);
	h->frame = h->failed = h->is_cut = 0;
	return 1;
}
