/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Has the thread enough stack?
 *
 * A thread may have little stack left, and the program would get the signal if
 * we wrote beyond it.  So this code checks before a body writes below the page
 * that the stack pointer is on.  It calls no function, and uses INPROC_ASKING
 * bytes of stack and two registers until it has to ask the kernel.
 *
 * The question is time(2), which writes a word to an address or returns EFAULT.
 * Like any write it grows a stack, up to the stack's limit.  Memory below the
 * stack pointer and the red zone is unused, so the word does no harm.  A signal
 * handler on a stack of its own (sigaltstack(2)) must not go below that, though
 * memory may be mapped there: bodies that need much also ask for its bounds.
 *
 * The code remembers a page that was there, for the thread that has asked,
 * until dtrace renews its clock, a second later at most.  The note is one word,
 * so signal handlers and other threads may interrupt at any time:
 *
 *	hash of %fs base ^ (page | number of the clock)
 *
 * So each firing but the first in a while costs a few instructions.  A program
 * may take away the end of a stack that it still uses (mprotect(2), munmap(2)).
 * The code notices that in time, unless it happens within this second and
 * leaves just so much stack that our write is the first to go beyond.
 *
 * If a seccomp filter forbids these calls (filter.c), the code takes a page to
 * be there if it was there at any time before, or if the stack pointer is on
 * it.
 *
 * The result is in the zero flag; all registers are unchanged.
 */
#include "exec/process/emit/compile.h"

#include <string.h>

#include "exec/runtime/rt_os.h"
#include "inproc/inproc.h"

#define PAGE_BITS 12
#define CLOCK_MASK ((1 << PAGE_BITS) - 1)

/* stack_t of the kernel (asm-generic/signal-defs.h) */
#define SS_SP 0
#define SS_FLAGS 8
#define SS_SIZEOF 24
#define SS_IS_ON 1

static const int spared[] = { X_RAX, X_RCX, X_R11 };
#define NSPARED (sizeof(spared) / sizeof(spared[0]))
_Static_assert(8 * (1 + NSPARED + 1) == INPROC_ASKING, "and %rdi");

/* The offset to check, below the stack pointer once registers are saved. */
static int32_t
depth_below(enum pr_depth d)
{
	return d == PR_FOR_C ? PR_C_ROOM : INPROC_ROOM;
}

/* %r11 <- the address of the page's word; %rcx <- its value if the page is
 * there. */
static void
find_place(struct pr_tr *t, enum pr_depth d, int32_t depth)
{
	struct x_asm *a = t->a;

	x_rdfsbase(a, X_RCX);
	x_movi(a, X_R11, PR_FIND_HASH);
	x_mul(a, X_RCX, X_R11);
	x_lea(a, X_RAX, X_AT(X_RSP, -depth));
	x_shifti(a, X_SHR, X_RAX, PAGE_BITS);
	x_mov(a, X_R11, X_RCX);
	x_shifti(a, X_SHR, X_R11, PR_PAGES_SHIFT);
	x_alu(a, X_ADD, X_R11, X_RAX);
	x_alui(a, X_AND, X_R11, PR_NPAGES - 1);
	x_shifti(a, X_SHL, X_R11, 3);
	x_shifti(a, X_SHL, X_RAX, PAGE_BITS);
	x_alu(a, X_XOR, X_RCX, X_RAX);
	x_load(a, 8, false, X_RAX, PR_HEAD_AT(t, turn));
	x_alui(a, X_AND, X_RAX, CLOCK_MASK);
	x_alu(a, X_XOR, X_RCX, X_RAX);
	x_lea(a, X_RAX, PR_OWN_AT(t, pages[d]));
	x_alu(a, X_ADD, X_R11, X_RAX);
}

/* Can the code tell threads apart, and does the clock advance? */
static bool
remembers(const struct pr_conf *c)
{
	return c->has_fsgsbase && c->has_tsc;
}

/* Go to `yes` if the page is remembered. */
static void
emit_remembered(struct pr_tr *t, enum pr_depth d, x_label yes)
{
	if (!remembers(&t->x->conf))
		return;
	find_place(t, d, depth_below(d));
	x_alum(t->a, X_CMP, X_RCX, X_AT(X_R11, 0));
	x_jcc(t->a, X_E, yes);
}

static void
emit_remember(struct pr_tr *t, enum pr_depth d)
{
	if (!remembers(&t->x->conf))
		return;
	find_place(t, d, depth_below(d) - 8); /* %rdi is on the stack, too */
	x_store(t->a, 8, X_AT(X_R11, 0), X_RCX);
}

static void
go_if_denied(struct pr_tr *t, uint32_t nr, x_label denied)
{
	struct x_asm *a = t->a;

	x_load(a, 8, false, X_RAX, PR_SEED_AT(t, denied.bits[nr / 64]));
	x_shifti(a, X_SHR, X_RAX, nr % 64);
	x_alui(a, X_AND, X_RAX, 1);
	x_jcc(a, X_NE, denied);
}

/* If the filter forbids the calls, go to `yes` or `no`; else go on. */
static void
emit_denied(struct pr_tr *t, enum pr_depth d, x_label yes, x_label no)
{
	struct x_asm *a = t->a;
	int32_t depth = depth_below(d) - 8;
	x_label denied = x_new_label(a), asks = x_new_label(a);

	go_if_denied(t, RT_SYS_TIME, denied);
	if (d == PR_FOR_C)
		go_if_denied(t, RT_SYS_SIGALTSTACK, denied);
	x_jmp(a, asks);
	x_bind(a, denied);
	if (remembers(&t->x->conf)) {
		find_place(t, d, depth);
		x_alum(a, X_XOR, X_RCX, X_AT(X_R11, 0));
		x_shifti(a, X_SHR, X_RCX, PAGE_BITS);
		x_jcc(a, X_E, yes);
	}
	x_lea(a, X_RCX, X_AT(X_RSP, -depth));
	x_alu(a, X_XOR, X_RCX, X_RSP);
	x_shifti(a, X_SHR, X_RCX, PAGE_BITS);
	x_jcc(a, X_E, yes);
	x_jmp(a, no);
	x_bind(a, asks);
}

/* Go to `no` if the memory at that depth cannot be written. */
static void
emit_time(struct pr_tr *t, int32_t depth, x_label no)
{
	struct x_asm *a = t->a;

	x_lea(a, X_RDI, X_AT(X_RSP, 8 - depth));
	x_movi(a, X_RAX, RT_SYS_TIME);
	x_syscall(a);
	x_test(a, X_RAX, X_RAX);
	x_jcc(a, X_L, no);
}

/* On a handler's own stack: go to `no` if it ends before that depth, else to
 * `yes`. */
static void
emit_own_stack(struct pr_tr *t, int32_t depth, x_label yes, x_label no)
{
	struct x_asm *a = t->a;
	x_label other = x_new_label(a);

	x_push(a, X_RSI);
	x_alui(a, X_SUB, X_RSP, SS_SIZEOF);
	x_movi(a, X_RDI, 0);
	x_mov(a, X_RSI, X_RSP);
	x_movi(a, X_RAX, RT_SYS_SIGALTSTACK);
	x_syscall(a);
	x_load(a, 8, false, X_RCX, X_AT(X_RSP, SS_SP));
	x_load(a, 4, false, X_R11, X_AT(X_RSP, SS_FLAGS));
	x_alui(a, X_ADD, X_RSP, SS_SIZEOF);
	x_pop(a, X_RSI);
	x_test(a, X_RAX, X_RAX);
	x_jcc(a, X_NE, other);
	x_alui(a, X_CMP, X_R11, SS_IS_ON);
	x_jcc(a, X_NE, other);
	x_lea(a, X_RAX, X_AT(X_RSP, 8 - depth));
	x_alu(a, X_CMP, X_RAX, X_RCX);
	x_jcc(a, X_B, no);
	x_jmp(a, yes);
	x_bind(a, other);
}

static void
restore_spared(struct x_asm *a)
{
	for (size_t i = NSPARED; i-- > 0;)
		x_pop(a, spared[i]);
	x_ret(a);
}

/* Count the firing, but not in children that are not followed. */
static void
emit_count(struct pr_tr *t)
{
	x_label silent = x_new_label(t->a);

	if (!pr_has_calls(t->x)) {
		x_alumi(t->a, X_CMP, PR_OWN_AT(t, start.live), 0);
		x_jcc(t->a, X_E, silent);
	}
	x_lock_inc(t->a, PR_HEAD_AT(t, shallow));
	x_bind(t->a, silent);
}

/* Restore all but the flags. */
static void
emit_answers(struct pr_tr *t, x_label yes, x_label no)
{
	struct x_asm *a = t->a;

	x_bind(a, yes);
	x_alu(a, X_CMP, X_RAX, X_RAX);
	x_pop(a, X_RDI);
	restore_spared(a);
	x_bind(a, no);
	emit_count(t);
	x_pop(a, X_RDI);
	x_test(a, X_RSP, X_RSP);
	restore_spared(a);
}

/* A child of fork() asks, too: it may still have to make its own part (fork.c),
 * and remembers no page. */
static void
emit_depth(struct pr_tr *t, enum pr_depth d)
{
	struct x_asm *a = t->a;
	x_label known = x_new_label(a), yes = x_new_label(a),
		no = x_new_label(a);

	t->x->depth_at[d] = a->at + x_here(a);
	pr_function(
	    t, d == PR_FOR_C ? "stack for functions" : "stack for a frame");
	for (size_t i = 0; i < NSPARED; i++)
		x_push(a, spared[i]);
	emit_remembered(t, d, known);
	x_push(a, X_RDI);
	emit_denied(t, d, yes, no);
	if (d == PR_FOR_C)
		emit_own_stack(t, depth_below(d), yes, no);
	emit_time(t, depth_below(d), no);
	emit_remember(t, d);
	emit_answers(t, yes, no);
	x_bind(a, known); /* the zero flag is set */
	restore_spared(a);
}

void
pr_depth_emit(struct pr_tr *t)
{
	for (enum pr_depth d = 0; d < PR_NDEPTHS; d++)
		emit_depth(t, d);
}

void
pr_ask_for_room(struct pr_tr *t, x_label none)
{
	x_call(t->a, t->x->depth_at[PR_FOR_C]);
	x_jcc(t->a, X_NE, none);
}
