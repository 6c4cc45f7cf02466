/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * The registers of a thread whose probe fires, and its stack.  Part of the
 * freestanding code, as firing.c is.
 *
 * rt_ustack() walks (runtime/rt_unwind.c).  The process's own part lists the
 * mappings of code and the tables of their files (struct pr_maps).  Each list
 * entry is checked against the bounds of all tables, since dtrace may replace a
 * list while it is read.
 */
#include "exec/process/inside/fire.h"
#include "exec/runtime/rt_unwind.h"

/* Words of struct pt_regs (arch/x86/include/asm/ptrace.h). */
enum { REGS_ORIG_AX = 15, REGS_IP, REGS_CS, REGS_FLAGS, REGS_SP, REGS_SS };
#define NREGS 21
/* The register in the n-th word, by the machine's numbers. */
static const u8 by_word[] = { 15, 14, 13, 12, 5, 3, 11, 10, 9, 8, 0, 1, 2, 6,
	7 };
enum { FRAME_SP = 4, FRAME_IP = 17, FRAME_RFLAGS = 18 }; /* inproc_frame */
#define R_TRAPNO 25 /* the last index of uregs[]: dlib/regs.d */

/* Selectors of 64-bit programs (asm/segment.h). */
enum { USER_CS = 0x33, USER_DS = 0x2b };

/* Write the registers as a struct pt_regs in the machine state.  Returns its
 * offset in mem. */
static u64
save_regs(struct rt_vm *vm)
{
	struct pr_fire *f = PR_FIRE(vm);
	u64 off = f->thread->conf->mem_regs;
	u64 *regs = (u64 *)(void *)(rt_vm_ms(vm)->mem + off);

	if (f->has_regs)
		return off;
	f->has_regs = 1;
	for (u32 i = 0; i < sizeof(by_word); i++)
		regs[i] = f->frame[by_word[i]];
	regs[REGS_ORIG_AX] = (u64)-1;
	regs[REGS_IP] = f->frame[FRAME_IP];
	regs[REGS_CS] = USER_CS;
	regs[REGS_FLAGS] = f->frame[FRAME_RFLAGS];
	regs[REGS_SP] = f->frame[FRAME_SP];
	regs[REGS_SS] = USER_DS;
	return off;
}

/* Registers behind the saved words are 0 in 64-bit programs. */
u64
pr_uregs(struct rt_vm *vm, u64 index)
{
	if (index > R_TRAPNO)
		return rt_fault(rt_vm_ms(vm), DIF_FLT_ILLOP, 0);
	return index < NREGS ?
	    rt_word(rt_vm_ms(vm), save_regs(vm) + 8 * index) :
	    0;
}

/* ---- what is mapped ----------------------------------------------------- */

static const struct pr_list *
list_of(const struct pr_thread *t)
{
	struct pr_maps *m =
	    (struct pr_maps *)((u64)t->own - t->conf->own + t->conf->maps);

	return &m->lists[__atomic_load_n(&m->turn, __ATOMIC_ACQUIRE) & 1];
}

static const struct pr_map *
find_map(const struct pr_list *l, u64 at)
{
	u64 lo = 0, hi = l->n < PR_NMAPS ? l->n : PR_NMAPS;

	while (lo < hi) {
		u64 mid = (lo + hi) / 2;

		if (at < l->v[mid].start)
			hi = mid;
		else if (at >= l->v[mid].end)
			lo = mid + 1;
		else
			return &l->v[mid];
	}
	return NULL;
}

/* Make dtrace look at the mappings again, once. */
static void
note_lost(struct pr_thread *t)
{
	if (__atomic_exchange_n(&t->head->lost, 1, __ATOMIC_ACQ_REL) == 0)
		pr_wake(t->head);
}

RT_PUBLIC u64
rt_unw_map(u64 slot)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_vm *vm = (struct rt_vm *)(void *)ms - 1;
	struct pr_thread *t = PR_FIRE(vm)->thread;
	struct rt_walk *w = RT_LOOP_VARS(struct rt_walk, ms);
	const struct pr_map *found = find_map(list_of(t), w->at);
	struct pr_map m;

	w->map_len = w->count = 0;
	if (found == NULL) {
		note_lost(t);
		return 0;
	}
	m = *(const volatile struct pr_map *)found;
	w->map_start = m.start;
	w->map_len = m.end - m.start;
	w->map_off = m.off;
	w->seg = 0;
	w->first = m.first;
	w->count =
	    m.first <= t->rows.nrows && m.count <= t->rows.nrows - m.first ?
	    m.count :
	    0;
	return 1;
}

long
rt_unw_peek(struct rt_mstate *ms, u64 *v, u64 addr)
{
	return rt_upeek(ms, v, sizeof(*v), addr);
}

/* Return addresses are never replaced. */
RT_PUBLIC u64
rt_unw_return(u64 slot)
{
	(void)slot;
	return 0;
}

/* ---- the stack ---------------------------------------------------------- */

/* Write addresses to mem[off ...], and zeroes behind them.  Returns how many,
 * or a fault. */
static u64
walk(struct rt_vm *vm, u64 off, u64 nframes)
{
	struct rt_mstate *ms = rt_vm_ms(vm);
	u64 regs = (u64)ms->mem + save_regs(vm);

	memset(ms->mem + off, 0, 8 * nframes);
	return rt_ustack((u64)ms, off, nframes, regs,
	    PR_FIRE(vm)->probe->is_at_return ? 0 : RT_NONE);
}

/* Returns 1 after a fault. */
u64
pr_ustack(struct rt_vm *vm, u64 off, u64 nframes)
{
	walk(vm, off, nframes);
	return rt_vm_ms(vm)->fault != 0;
}

u64
pr_ustackdepth(struct rt_vm *vm, u64 index)
{
	(void)index;
	return walk(vm, PR_FIRE(vm)->thread->conf->mem_stack, PR_FRAMES);
}

u64
pr_ucaller(struct rt_vm *vm, u64 index)
{
	u64 off = PR_FIRE(vm)->thread->conf->mem_stack;

	(void)index;
	walk(vm, off, 2);
	return rt_word(rt_vm_ms(vm), off + 8);
}
