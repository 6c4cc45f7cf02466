/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Walk up the user stack from frame to frame, with tables that dtrace made from
 * the programs' .eh_frame (unwind/rule.h).
 *
 * The return address in a frame is that of the instruction after the call,
 * which may belong to another function: the rule is looked up one byte before.
 * Only the pc of the first frame and of one that a signal interrupted are
 * exact.
 *
 * Nothing here is trusted: addresses are data, every read can fail, a frame
 * above its caller ends the walk, and an address outside of mapped code is no
 * frame.  A frame that is its own caller is a fault (doc/reference/dif.md
 * section 6: BADSTACK).
 */
#include "exec/runtime/rt_unwind.h"

/* Offsets in struct pt_regs (arch/x86/include/asm/ptrace.h). */
#define REGS_BP 32
#define REGS_IP 128
#define REGS_SP 152
/*
 * Nibble n is the index of the pt_regs word with DWARF's register n (psABI,
 * figure 3.36); no nibble gives %rsp.
 */
#define REGS_BY_DWARF 0x0123678904ed5bcaULL

/* Offsets from a signal handler's frame, a struct ucontext (asm/ucontext.h,
 * asm/sigcontext.h). */
#define UC_BP 120
#define UC_SP 160
#define UC_IP 168

#define FRAME_MAX (1 << 24) /* bytes between %rsp and a frame pointer */

/*
 * Find the rule for w->at: in the ordered rows, the last that begins there or
 * before.  `base` is a row that may be it, with `n` - 1 more after it.
 */
RT_PUBLIC u64
rt_unw_rule(u64 slot)
{
	struct rt_mstate *ms = rt_ms(slot);
	const struct rt_walk *w;
	const void *rows;
	u64 base, n, off, row;

	if (ms == NULL)
		return UNW_NONE;
	w = RT_LOOP_VARS(struct rt_walk, ms);
	rows = rt_unw_rows(ms, w->seg);
	if (rows == NULL)
		return UNW_NONE;
	off = w->at - w->map_start + w->map_off;
	base = w->first;
	n = w->count;
	RT_UNROLL
	for (u32 i = 0; i < UNW_ROWS_LOG; i++) {
		u64 half = n / 2;

		if (n <= 1)
			break;
		if ((u32)rt_unw_row(rows, base + half) <= off)
			base += half;
		n -= half;
	}
	row = rt_unw_row(rows, base);
	return (u32)row <= off ? row >> 32 : UNW_NONE;
}

/* The word of user memory at `addr`; 0 if it cannot be read. */
RT_INLINE u64
uword(struct rt_mstate *ms, u64 addr)
{
	u64 v = 0;

	(void)ms;
	if (rt_unw_peek(ms, &v, addr) != 0)
		return 0;
	return v;
}

RT_INLINE u64
kword(struct rt_mstate *ms, u64 addr)
{
	u64 v = 0;

	(void)ms;
	if (rt_peek(ms, &v, sizeof(v), addr) != 0)
		return 0;
	return v;
}

/* The CFA from a register that is known only in the first frame. */
RT_INLINE u64
cfa_by_register(struct rt_mstate *ms, const struct rt_walk *w, u32 rule)
{
	u64 word = REGS_BY_DWARF >> 4 * UNW_RULE_REG(rule) & 0xf;

	if (w->regs == 0)
		return 0;
	return kword(ms, w->regs + 8 * word) + (u64)UNW_RULE_REGOFF(rule);
}

/* The caller's stack pointer; 0: not known. */
RT_INLINE u64
find_cfa(struct rt_mstate *ms, const struct rt_walk *w, u32 rule)
{
	u64 off = (u64)UNW_RULE_OFF(rule);

	switch (UNW_RULE_KIND(rule)) {
	case UNW_SP:
		return w->sp + off;
	case UNW_BP:
		return w->bp + off;
	case UNW_SP_LOAD:
		return uword(ms, w->sp + off);
	case UNW_BP_LOAD:
		return uword(ms, w->bp + off);
	case UNW_SP_LOAD8:
		return uword(ms, w->sp + off) + 8;
	case UNW_BP_LOAD8:
		return uword(ms, w->bp + off) + 8;
	case UNW_REG:
		return cfa_by_register(ms, w, rule);
	case UNW_PLT:
		return w->sp + (8 * (w->pc & 15) >= off ? 16 : 8);
	case UNW_NONE: /* a frame made by push %rbp; mov %rsp,%rbp */
		return w->bp - w->sp < FRAME_MAX ? w->bp + 16 : 0;
	default:
		return 0;
	}
}

RT_INLINE u64
find_bp(struct rt_mstate *ms, const struct rt_walk *w, u32 rule, u64 cfa)
{
	u64 where = UNW_RULE_BP(rule);

	if (where == UNW_BP_HERE || UNW_RULE_KIND(rule) == UNW_NONE)
		return uword(ms, w->bp);
	if (where == UNW_BP_SAME)
		return w->bp;
	return where == UNW_BP_LOST ? 0 : uword(ms, cfa - 8 * where);
}

/* A frame that is its own caller. */
RT_INLINE long
circle(struct rt_mstate *ms, const struct rt_walk *w)
{
	rt_fault(ms, DIF_FLT_BADSTACK, w->sp);
	return 1;
}

/*
 * A signal's frame: the kernel stored the interrupted registers on the stack.
 */
RT_INLINE long
leave_signal(struct rt_mstate *ms, struct rt_walk *w)
{
	u64 sp = w->sp;

	w->bp = uword(ms, sp + UC_BP);
	w->sp = uword(ms, sp + UC_SP);
	w->pc = uword(ms, sp + UC_IP);
	w->at = w->pc;
	return w->sp == sp ? circle(ms, w) : w->pc == 0;
}

/* Go to the caller's frame: 0, or 1 at the end of the stack. */
RT_INLINE long
to_caller(struct rt_mstate *ms, struct rt_walk *w, u32 rule)
{
	u64 cfa;

	if (UNW_RULE_KIND(rule) == UNW_SIGNAL) {
		w->regs = 0;
		return leave_signal(ms, w);
	}
	cfa = find_cfa(ms, w, rule);
	if (cfa == w->sp)
		return circle(ms, w);
	if (cfa < w->sp || cfa % 8 != 0)
		return 1;
	w->bp = find_bp(ms, w, rule, cfa);
	w->pc = uword(ms, cfa - 8);
	w->sp = cfa;
	w->regs = 0;
	if (w->pc == w->tramp)
		w->pc = rt_unw_return(w->slot);
	w->at = w->pc - 1;
	return w->pc == 0;
}

/* The rule of a frame that no table describes. */
RT_INLINE u64
rule_without_table(const struct rt_walk *w)
{
	return w->regs == 0 || w->ret_above == RT_NONE ?
	    UNW_NONE :
	    UNW_RULE(UNW_SP, w->ret_above / 8 + 1, UNW_BP_SAME);
}

/* A function that has not made its frame yet has no frame pointer. */
RT_INLINE void
put_fp(struct rt_mstate *ms, struct rt_walk *w, u32 rule)
{
	u64 is_entry = UNW_RULE_KIND(rule) == UNW_SP && UNW_RULE_OFF(rule) == 8;

	if (w->fps == 0)
		return;
	rt_set_word(ms, w->fps, is_entry ? 0 : w->bp);
	w->fps += 8;
}

RT_CALLBACK long
walk_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct rt_walk *w = RT_LOOP_VARS(struct rt_walk, ms);
	u64 is_mapped =
	    w->at - w->map_start < w->map_len || rt_unw_map(w->slot) != 0;
	u64 rule = UNW_NONE;

	if (!is_mapped && i > 0)
		return 1;
	rt_set_word(ms, w->out, w->pc);
	w->out += 8;
	if (is_mapped && w->count != 0)
		rule = rt_unw_rule(w->slot);
	if ((u32)rule == UNW_NONE)
		rule = rule_without_table(w);
	put_fp(ms, w, (u32)rule);
	if (!is_mapped || w->out == w->out_end)
		return 1;
	if ((u32)rule == UNW_NONE && w->seg == RT_SEG_UNREAD) {
		w->cut = RT_CUT;
		return 1;
	}
	return to_caller(ms, w, (u32)rule);
}

RT_PUBLIC u64
rt_unw_step(u64 slot)
{
	struct rt_ctx ctx = { rt_ms(slot) };

	return ctx.ms == NULL ? 1 : (u64)walk_step(1, &ctx);
}

/*
 * Store the addresses of the frames, from the struct pt_regs at `regs` up.  The
 * return address of the first frame is ret_above bytes above its stack pointer;
 * RT_NONE: only its table gives it.
 */
RT_PUBLIC u64
rt_ustack(u64 slot, u64 off, u64 nframes, u64 regs, u64 ret_above)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	struct rt_walk *w;

	if (ms == NULL)
		return 0;
	w = RT_LOOP_VARS(struct rt_walk, ms);
	w->slot = slot;
	w->pc = w->at = kword(ms, regs + REGS_IP);
	w->sp = kword(ms, regs + REGS_SP);
	w->bp = kword(ms, regs + REGS_BP);
	w->regs = regs;
	w->ret_above = ret_above;
	w->out = off;
	w->out_end = off + 8 * nframes;
	w->fps = RTC(ms, fps);
	w->map_len = w->count = w->seg = w->cut = 0;
	w->tramp = RT_NONE;
	if (w->pc == 0) /* a kernel thread's */
		return 0;
	RT_LOOP(nframes, walk_step, &ctx);
	return (w->out - off) / 8 | w->cut;
}
