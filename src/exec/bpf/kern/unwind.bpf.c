// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Find mappings for rt_unwind.c in the kernel's own tree of mappings.
 *
 * The tree is read without its lock, so that reading works in every context; it
 * may change meanwhile.  A mapping itself tells its range, and is used only if
 * the address is in that range.
 *
 * A maple tree (Documentation/core-api/maple_tree.rst; linux/maple_tree.h): a
 * node is 256 bytes, aligned; the lower bits of a pointer to it give its type.
 * Child n covers the addresses above pivot n - 1, up to and including pivot n.
 * `end` is the number of the last child.
 *
 * A table belongs to a file's contents, not to a process: a later process with
 * known files needs no new table.  A program notes an unknown file in
 * rtm_unwmiss for dtrace to read.  It also copies the stack that led there, so
 * that dtrace can finish the walk (unwind_finish.c).
 */
#include "exec/bpf/kern/shared.h"
#include "exec/runtime/rt_unwind.h"

#define NODE_SIZE 256
#define NODE_LEAF 1   /* enum maple_type: maple_leaf_64 */
#define NODE_RANGE 2  /* maple_range_64: like a leaf */
#define NODE_ARANGE 3 /* maple_arange_64 */
#define PIVOTS_MAX 15
#define LEVELS_MAX 16
#define PAGE_SHIFT 12
#define RETURNS_MAX 128 /* MAX_URETPROBE_DEPTH is 64 */
#define VM_EXEC 4
/* In a struct ucontext (asm/ucontext.h, asm/sigcontext.h). */
#define UC_STACK 16
#define UC_SP 160
#define UC_WORDS 21	  /* up to and including UC_SP */
#define RB_FORCE_WAKEUP 2 /* BPF_RB_FORCE_WAKEUP */
#define NOEXIST 1	  /* BPF_NOEXIST */

extern char rtm_unwfiles[], rtm_unwmiss[], rtm_unwfinish[], rtm_wakeup[],
    rtm_ctl[];

static long (*const map_update_elem)(
    void *map, const void *key, const void *value, u64 flags) = (void *)2;
static u64 (*const ktime_get_ns)(void) = (void *)5;
static long (*const ringbuf_output)(
    void *rb, void *data, u64 size, u64 flags) = (void *)130;

/* Areas of mem at RTC(unwind). */
enum {
	AT_NODE = 0,
	AT_FILE = NODE_SIZE,			     /* struct unw_file */
	AT_MISS = AT_FILE + sizeof(struct unw_file), /* struct bx_unwmiss */
};
_Static_assert(
    sizeof(((struct bx_unfinished *)0)->file) == sizeof(struct unw_file),
    "a file's identity");
_Static_assert(AT_MISS + sizeof(struct bx_unwmiss) <= BX_UNWIND_MEM,
    "what the unwinder works in");

RT_INLINE u64
kword(u64 addr)
{
	u64 v = 0;

	bpf_probe_read_kernel(&v, sizeof(v), addr);
	return v;
}

RT_INLINE u64
node_word(struct rt_mstate *ms, u64 off)
{
	return rt_word(ms, RTC(ms, unwind) + AT_NODE + off);
}

/* Go from a node to its child, or from a leaf to the mapping.  Returns 1 at the
 * end; w->node is then 0 if a node is not readable. */
RT_CALLBACK long
tree_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct rt_walk *w = RT_LOOP_VARS(struct rt_walk, ms);
	u64 type = w->node >> 3 & 15, child = 0, end, slots;

	(void)i;
	if (type < NODE_LEAF || type > NODE_ARANGE ||
	    rt_peek(ms, rt_mem(ms, RTC(ms, unwind) + AT_NODE), NODE_SIZE,
		w->node & ~(u64)(NODE_SIZE - 1)) != 0) {
		w->node = 0;
		return 1;
	}
	if (type == NODE_ARANGE) {
		slots = RTC(ms, arange_slot);
		end = (u8)node_word(ms, RTC(ms, arange_meta));
	} else {
		slots = RTC(ms, range_slot);
		end = PIVOTS_MAX;
		if (node_word(ms, RTC(ms, range_pivot) + 8 * (end - 1)) == 0)
			end = (u8)node_word(ms, RTC(ms, range_meta));
	}
#pragma unroll
	for (u32 n = 0; n < PIVOTS_MAX; n++)
		child += n < end &&
		    node_word(ms, RTC(ms, range_pivot) + 8 * n) < w->at;
	w->node = node_word(ms, slots + 8 * child);
	return type == NODE_LEAF;
}

/* The struct vm_area_struct that may contain w->at, or 0. */
RT_INLINE u64
find_vma(struct rt_mstate *ms, struct rt_walk *w, u64 mm)
{
	struct rt_ctx ctx = { ms };

	w->node = kword(mm + RTC(ms, mm_mt) + RTC(ms, mtree_root));
	RT_LOOP(LEVELS_MAX, tree_step, &ctx);
	return w->node;
}

RT_INLINE struct unw_file *
identity(struct rt_mstate *ms)
{
	return (struct unw_file *)rt_mem(ms, RTC(ms, unwind) + AT_FILE);
}

RT_INLINE u64
inode_mtime(struct rt_mstate *ms, u64 inode)
{
	return kword(inode + RTC(ms, inode_mtime)) * 1000000000 +
	    (u32)kword(inode + RTC(ms, inode_nsec));
}

RT_INLINE void
set_number(struct rt_mstate *ms, u64 inode)
{
	struct unw_file *f = identity(ms);

	f->ino = kword(inode + RTC(ms, inode_ino));
	f->dev = (u32)kword(kword(inode + RTC(ms, inode_sb)) + RTC(ms, sb_dev));
}

/* Identify the contents of a struct file. */
RT_INLINE void
identify(struct rt_mstate *ms, u64 file)
{
	u64 inode = kword(file + RTC(ms, file_inode));

	set_number(ms, inode);
	identity(ms)->size = kword(inode + RTC(ms, inode_size));
	identity(ms)->mtime = inode_mtime(ms, inode);
}

/*
 * A file of an overlay (a container's) is mapped as the file below, and since
 * Linux 6.8 /proc/PID/maps has the number of the one above: a struct
 * backing_file has the path of that behind its struct file.  Nothing tells
 * whether a struct file is part of one, so the contents must be the same.
 * Returns 0 if they are not.
 */
RT_INLINE u64
identify_above(struct rt_mstate *ms, u64 file)
{
	u64 dentry, inode;

	if (!file || RTC(ms, backing_path) == 0)
		return 0;
	dentry = kword(file + RTC(ms, backing_path) + RTC(ms, path_dentry));
	inode = kword(dentry + RTC(ms, dentry_inode));
	if (identity(ms)->size != kword(inode + RTC(ms, inode_size)) ||
	    identity(ms)->mtime != inode_mtime(ms, inode))
		return 0;
	set_number(ms, inode);
	return 1;
}

/* Identify memory without a file: zeroes stand for the vdso; 0 if it is another
 * mapping. */
RT_INLINE u64
identify_vdso(struct rt_mstate *ms, const struct rt_walk *w, u64 mm)
{
	u64 off = RTC(ms, unwind) + AT_FILE;

	for (u32 i = 0; i < sizeof(struct unw_file) / 8; i++)
		rt_set_word(ms, off + 8 * i, 0);
	return w->map_start ==
	    kword(mm + RTC(ms, mm_context) + RTC(ms, context_vdso));
}

RT_INLINE void
note_miss(struct rt_mstate *ms, const struct rt_walk *w)
{
	struct bx_unwmiss *miss =
	    (struct bx_unwmiss *)rt_mem(ms, RTC(ms, unwind) + AT_MISS);

	miss->pid = rt_current_pid();
	miss->start = w->map_start;
	if (map_update_elem(rtm_unwmiss, rt_mem(ms, RTC(ms, unwind) + AT_FILE),
		miss, NOEXIST) == 0)
		ringbuf_output(rtm_wakeup, miss, 8, RB_FORCE_WAKEUP);
}

/* Find the table of the identified contents; file: 0, or the struct file. */
RT_INLINE void
find_table(struct rt_mstate *ms, struct rt_walk *w, u64 file)
{
	const struct bx_unwtab *tab = bpf_map_lookup_elem(
	    rtm_unwfiles, rt_mem(ms, RTC(ms, unwind) + AT_FILE));

	if (!tab && identify_above(ms, file))
		tab = bpf_map_lookup_elem(
		    rtm_unwfiles, rt_mem(ms, RTC(ms, unwind) + AT_FILE));
	if (!tab) {
		w->seg = RT_SEG_UNREAD;
		note_miss(ms, w);
		return;
	}
	w->seg = tab->seg;
	w->first = tab->first;
	w->count = tab->count;
}

/*
 * Uretprobes (of perf or another tracer) replace return addresses by one of
 * their own.  The task has a list of the right ones, each with its place on the
 * stack.
 */
RT_CALLBACK long
return_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct rt_walk *w = RT_LOOP_VARS(struct rt_walk, ms);

	(void)i;
	if (!w->node || kword(w->node + RTC(ms, return_stack)) == w->sp - 8)
		return 1;
	w->node = kword(w->node + RTC(ms, return_next));
	return 0;
}

RT_PUBLIC u64
rt_unw_return(u64 slot)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	struct rt_walk *w;
	u64 utask;

	if (!ms)
		return 0;
	w = RT_LOOP_VARS(struct rt_walk, ms);
	utask = kword(rt_task_struct(ms) + RTC(ms, task_utask));
	w->node = utask ? kword(utask + RTC(ms, utask_returns)) : 0;
	RT_LOOP(RETURNS_MAX, return_step, &ctx);
	return w->node ? kword(w->node + RTC(ms, return_orig)) : 0;
}

RT_INLINE u64
find_trampoline(struct rt_mstate *ms, u64 mm)
{
	u64 area =
	    kword(mm + RTC(ms, mm_uprobes_state) + RTC(ms, uprobes_xol_area));

	return area ? kword(area + RTC(ms, xol_vaddr)) : 0;
}

RT_PUBLIC u64
rt_unw_map(u64 slot)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_walk *w;
	u64 mm, vma, start, file;

	if (!ms)
		return 0;
	w = RT_LOOP_VARS(struct rt_walk, ms);
	w->map_len = w->count = w->seg = 0;
	mm = kword(rt_task_struct(ms) + RTC(ms, task_mm));
	if (w->tramp == RT_NONE)
		w->tramp = mm ? find_trampoline(ms, mm) : 0;
	vma = mm ? find_vma(ms, w, mm) : 0;
	if (!vma || !(kword(vma + RTC(ms, vma_flags)) & VM_EXEC))
		return 0;
	start = kword(vma + RTC(ms, vma_start));
	w->map_start = start;
	w->map_len = kword(vma + RTC(ms, vma_end)) - start;
	if (w->at - start >= w->map_len) {
		w->map_len = 0;
		return 0;
	}
	w->map_off = kword(vma + RTC(ms, vma_pgoff)) << PAGE_SHIFT;
	file = kword(vma + RTC(ms, vma_file));
	if (file)
		identify(ms, file);
	else if (!identify_vdso(ms, w, mm))
		return 1;
	find_table(ms, w, file);
	return 1;
}

/* ---- the rest of a stack ------------------------------------------------- */

struct rest_ctx {
	struct rt_walk *w;
	struct bx_unfinished *unfinished;
};

RT_CALLBACK long
copy_return(u32 i, void *arg)
{
	struct rest_ctx *c = arg;
	exec_u64 *to = &c->unfinished->returns[2 * (i & (BX_RETURNS - 1))];

	if (!c->w->node)
		return 1;
	to[0] = kword(c->w->node + RTC(NULL, return_stack));
	to[1] = kword(c->w->node + RTC(NULL, return_orig));
	c->w->node = kword(c->w->node + RTC(NULL, return_next));
	c->unfinished->nreturns = i + 1;
	return 0;
}

/* Copy the return addresses that uretprobes have replaced. */
RT_INLINE void
copy_returns(struct rt_mstate *ms, struct rt_walk *w, struct bx_unfinished *r)
{
	struct rest_ctx c = { w, r };
	u64 utask = kword(rt_task_struct(ms) + RTC(ms, task_utask));

	r->nreturns = 0;
	w->node = utask ? kword(utask + RTC(ms, utask_returns)) : 0;
	RT_LOOP(BX_RETURNS, copy_return, &c);
}

/* Copy the stack from the page of the stack pointer up, as far as there is
 * stack, to bytes [from, to) of the copy. */
RT_INLINE void
copy_stack(struct bx_unfinished *r, u32 part, u64 sp, u32 from, u32 to)
{
	u64 at = sp & ~(u64)(BX_PAGE - 1);

	r->parts[part].at = at;
	r->parts[part].len = 0;
#pragma unroll
	for (u32 off = from; off < to; off += BX_PAGE) {
		if (bpf_probe_read_user(
			r->stack + off, BX_PAGE, at + (off - from)))
			break;
		r->parts[part].len = off + BX_PAGE - from;
	}
}

/* Word `i` of the first half. */
RT_INLINE u64
stack_word(const struct bx_unfinished *r, u64 i)
{
	return *(const u64 *)&r->stack[8 * (i & (BX_STACK_COPY / 16 - 1))];
}

/* Find the struct ucontext that the kernel stored for a signal handler: its
 * uc_stack is the signal stack of the thread. */
RT_CALLBACK long
find_ucontext(u32 i, void *arg)
{
	struct rest_ctx *c = arg;
	u64 at = c->w->first + i;

	if (stack_word(c->unfinished, at + UC_STACK / 8) != c->w->map_start ||
	    stack_word(c->unfinished, at + UC_STACK / 8 + 2) != c->w->map_len)
		return 0;
	c->w->node = stack_word(c->unfinished, at + UC_SP / 8);
	return 1;
}

/*
 * Copy the stack.  If a handler runs on a stack of its own, also copy the stack
 * that it interrupted: the struct ucontext is not far above.  The walk is over,
 * so its variables are free.
 */
RT_INLINE void
copy_stacks(struct rt_mstate *ms, struct rt_walk *w, struct bx_unfinished *r)
{
	u64 task = rt_task_struct(ms), sp = w->sp;
	struct rest_ctx c = { w, r };

	w->map_start = kword(task + RTC(ms, task_sas_sp));
	w->map_len = kword(task + RTC(ms, task_sas_size));
	w->node = r->parts[1].len = 0;
	if (sp - w->map_start >= w->map_len) {
		copy_stack(r, 0, sp, 0, BX_STACK_COPY);
		return;
	}
	copy_stack(r, 0, sp, 0, BX_STACK_COPY / 2);
	w->first = sp % BX_PAGE / 8;
	RT_LOOP(BX_STACK_COPY / 16 - UC_WORDS - w->first, find_ucontext, &c);
	copy_stack(r, 1, w->node, BX_STACK_COPY / 2, BX_STACK_COPY);
}

RT_PUBLIC u64
rt_ustack_unfinished(u64 slot)
{
	struct rt_mstate *ms = rt_ms(slot);
	u32 zero = 0, i;
	struct bx_ctl *ctl = bpf_map_lookup_elem(rtm_ctl, &zero);
	struct bx_unfinished *r;
	struct rt_walk *w;
	u64 n;

	if (!ms || !ctl)
		return BX_UNFINISHED_NONE;
	w = RT_LOOP_VARS(struct rt_walk, ms);
	n = __sync_fetch_and_add(&ctl->unfinished, 1);
	i = n % BX_NUNFINISHED;
	r = bpf_map_lookup_elem(rtm_unwfinish, &i);
	if (!r ||
	    __sync_val_compare_and_swap(&r->state, BX_UNFINISHED_FREE,
		BX_UNFINISHED_BUSY) != BX_UNFINISHED_FREE)
		return BX_UNFINISHED_NONE;
	n = (n & BX_UNFINISHED_IDS) + 1;
	r->id = n;
	r->time_ns = ktime_get_ns();
	r->pid = rt_current_pid();
	r->pc = w->pc;
	r->sp = w->sp;
	r->bp = w->bp;
	r->at = w->at;
	r->tramp = w->tramp;
	for (i = 0; i < sizeof(r->file) / sizeof(r->file[0]); i++)
		r->file[i] = rt_word(ms, RTC(ms, unwind) + AT_FILE + 8 * i);
	r->has_regs = w->regs != 0;
	bpf_probe_read_kernel(r->regs, sizeof(r->regs), w->regs);
	copy_returns(ms, w, r);
	copy_stacks(ms, w, r);
	/* pairs with the acquiring load in unwind_finish.c take() */
	__sync_lock_test_and_set(&r->state, BX_UNFINISHED_FULL);
	return n;
}
