/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps of nearly every firing, inline: find the thread, take a level, read
 * the clock, find the value of a key, write a record.
 *
 *	body:  ... compare; jne slow     slow: save what C changes and the body
 *	       inline                          does not; call the C function;
 *	back:  ...               <----         put back; jmp back
 *
 * Each piece does what its function in inside/ does where nothing is unusual;
 * at the first sign of anything else it goes to that function, which does all
 * of it, so a piece changes nothing before it has seen that it can go through.
 * A signal handler may interrupt these instructions, as it may the functions in
 * inside/ (area.h says what holds then).
 *
 * Only for bodies that programs enter, on machines that can all that it takes;
 * others call the functions.
 */
#include "exec/process/emit/fast_impl.h"

#include "inproc/inproc.h"

_Static_assert(PR_FRAME_LAST == offsetof(struct inproc_frame, ip),
    "the stack is there up to here");

#define OWN_AT PR_OWN_AT
#define HEAD_AT PR_HEAD_AT

bool
pr_is_fast(const struct pr_tr *t)
{
	const struct pr_conf *c = &t->x->conf;
	bool is_entered = !t->in_error &&
	    (t->body->kind == DT_PROBE_FUNC_ENTRY ||
		t->body->kind == DT_PROBE_FUNC_RETURN ||
		t->body->kind == DT_PROBE_USDT);

	return is_entered && c->has_fsgsbase && c->has_tsc && t->x->has_rdpid &&
	    c->policy == DT_BUF_SWITCH && c->cpu < 0;
}

/* ---- threads and levels ------------------------------------------------- */

/* %rbx <- the struct pr_thread of %fs base %r11, by %r10. */
static void
find_far_thread(struct pr_tr *t, x_label slow)
{
	struct x_asm *a = t->a;

	x_movi(a, T1, PR_FIND_HASH);
	x_mul(a, T1, T2);
	x_shifti(a, X_SHR, T1, PR_FIND_SHIFT);
	_Static_assert(sizeof(struct pr_found) == 16, "the shift below");
	x_shifti(a, X_SHL, T1, 4);
	x_lea(a, X_RBX, OWN_AT(t, find));
	x_alu(a, X_ADD, X_RBX, T1);
	x_alum(a, X_CMP, T2, X_AT(X_RBX, offsetof(struct pr_found, fs_base)));
	x_jcc(a, X_NE, slow);
	x_load(
	    a, 8, false, X_RBX, X_AT(X_RBX, offsetof(struct pr_found, thread)));
}

/*
 * %rbx <- the struct pr_thread of the calling thread, as it was found last.
 * The code changes %r10 and %r11.  It compares with the nearest structs before
 * it looks one up: RDFSBASE is slow.  A slow value that decides a branch costs
 * little, since the CPU predicts branches.  A slow value in an address delays
 * each load and store.
 */
void
pr_find_thread(struct pr_tr *t, x_label slow)
{
	struct x_asm *a = t->a;

	x_label found = x_new_label(a);

	x_rdfsbase(a, T2);
	x_test(a, T2, T2); /* an unused struct pr_found has 0 */
	x_jcc(a, X_E, slow);
	for (unsigned i = 0; i < PR_NEAR; i++) {
		x_load(a, 8, false, X_RBX, OWN_AT(t, near[i].thread));
		x_alum(a, X_CMP, T2, OWN_AT(t, near[i].fs_base));
		x_jcc(a, X_E, found);
	}
	find_far_thread(t, slow);
	x_bind(a, found);
	/* a signal handler may have filled the entry in between */
	x_test(a, X_RBX, X_RBX);
	x_jcc(a, X_E, slow);
	x_load(a, 8, false, T1, OWN_AT(t, start.tid_off));
	x_test(a, T1, T1);
	x_jcc(a, X_L, slow);
	x_alu(a, X_ADD, T1, T2);
	x_load(a, 4, false, T1, X_AT(T1, 0));
	x_alum(a, X_CMP, T1, THREAD_AT(X_RBX, tid));
	x_jcc(a, X_NE, slow);
}
/* %r11 <- the probe's description, %eax is its offset.  Only some returns
 * depend on flags. */
static void
find_probe(struct pr_tr *t, x_label slow)
{
	struct x_asm *a = t->a;

	x_lea(a, T2, X_IN_REGION(0));
	x_alu(a, X_ADD, T2, X_RAX);
	if (t->body->kind != DT_PROBE_FUNC_RETURN)
		return;
	x_load(a, 4, false, T1, X_AT(T2, offsetof(struct pr_probe, cond)));
	x_alui(a, X_CMP, T1, PR_ALWAYS);
	x_jcc(a, X_NE, slow);
}

/*
 * %rbx <- the thread's first level, which is now in use; %r11: the probe.  As
 * with threads, no address depends on what is compared.
 */
static void
take_level(struct pr_tr *t, x_label slow)
{
	int32_t fire = (int32_t)t->x->conf.levels;
	struct x_asm *a = t->a;

	x_alumi(a, X_CMP, THREAD_AT(X_RBX, top), 0);
	x_jcc(a, X_NE, slow);
	x_storei(a, 8,
	    X_AT(X_RBX, fire + (int32_t)offsetof(struct pr_fire, below)), 0);
	x_lea(a, T1, X_AT(X_RSP, 8));
	x_alui(a, X_AND, T1, -8);
	x_alui(a, X_ADD, T1, 1); /* PR_TOP */
	x_store(a, 8, THREAD_AT(X_RBX, top), T1);
	x_load(a, 8, false, T1, THREAD_AT(X_RBX, shared));
	x_storei(a, 8, X_AT(T1, offsetof(struct pr_shared, active)), 1);
	x_alui(a, X_ADD, PR_VM, fire + (int32_t)sizeof(struct pr_fire));
	x_store(a, 8, PR_FIRE_AT(probe), T2);
}

#define LOCALS_MAX 128 /* bytes of this-> variables */

static uint64_t
size_of_locals(const struct pr_tr *t)
{
	return t->x->conf.rt.tmp_a - t->x->conf.rt.locals;
}

static void
begin_level(struct pr_tr *t)
{
	struct x_asm *a = t->a;

	x_lea(a, T2, X_AT(X_RSP, 8));
	x_store(a, 8, PR_FIRE_AT(frame), T2);
	x_alui(a, X_ADD, T2, PR_FRAME_LAST);
	x_alui(a, X_AND, T2, -PR_STACK_PAGE);
	x_store(a, 8, PR_FIRE_AT(ranges[1].addr), T2);
	x_storei(a, 8, PR_FIRE_AT(has_regs), 0);
	x_storei(a, 8, PR_FIRE_AT(time), 0);
	x_storei(a, 8, PR_FIRE_AT(vtime), 0);
	x_storei(a, 8, PR_FIRE_AT(cycles), 0);
	x_storei(a, 8, PR_MS_AT(fault), 0);
	x_storei(a, 8, PR_MS_AT(tok), 0);
	for (uint64_t off = 0; off < size_of_locals(t); off += 8)
		x_storei(a, 8, PR_MEM_AT(t->x->conf.rt.locals + off), 0);
}

bool
pr_fast_enter(struct pr_tr *t, x_label quit)
{
	struct pr_slow *s;

	if (!pr_is_fast(t) || size_of_locals(t) > LOCALS_MAX)
		return false;
	s = pr_slow_path(t, SLOW_ENTER);
	s->quit = quit;
	pr_find_thread(t, s->from);
	find_probe(t, s->from);
	take_level(t, s->from);
	begin_level(t);
	x_bind(t->a, s->back);
	pr_changes(t, 1U << T1 | 1U << T2);
	t->args_intact = true;
	return true;
}

bool
pr_fast_leave(struct pr_tr *t)
{
	struct x_asm *a = t->a;

	if (!pr_is_fast(t))
		return false;
	x_load(a, 8, false, T1, PR_FIRE_AT(thread));
	x_load(a, 8, false, T2, THREAD_AT(T1, shared));
	x_load(a, 8, false, X_RAX, PR_FIRE_AT(below));
	x_mov(a, PR_VM, X_RAX);
	x_alui(a, X_AND, X_RAX, PR_TOP_LEVELS);
	x_store(a, 8, X_AT(T2, offsetof(struct pr_shared, active)), X_RAX);
	x_store(a, 8, THREAD_AT(T1, top), PR_VM);
	pr_changes(t, 1U << T1 | 1U << T2);
	return true;
}

/* ---- time --------------------------------------------------------------- */

/* %rax <- now; changes %rcx, %rdx, %r10, %r11 */
static void
read_clock(struct pr_tr *t, x_label slow)
{
	struct x_asm *a = t->a;

	x_load(a, 8, false, T1, HEAD_AT(t, turn));
	x_mov(a, X_RCX, T1);
	x_alui(a, X_AND, X_RCX, 1);
	x_muli(a, X_RCX, X_RCX, sizeof(struct pr_scale));
	x_lea(a, T2, HEAD_AT(t, scale));
	x_alu(a, X_ADD, T2, X_RCX);
	x_rdtsc(a);
	x_shifti(a, X_SHL, X_RDX, 32);
	x_alu(a, X_OR, X_RAX, X_RDX);
	x_load(a, 8, false, X_RCX, X_AT(T2, offsetof(struct pr_scale, mult)));
	x_alum(a, X_SUB, X_RAX, X_AT(T2, offsetof(struct pr_scale, cycles)));
	x_movi(a, X_RDX, 0);
	x_cmov(a, X_B, X_RAX, X_RDX); /* counter read before the scale */
	x_unary(a, X_MUL, X_RCX);
	x_shrd(a, X_RAX, X_RDX, PR_SCALE_SHIFT);
	x_alum(a, X_ADD, X_RAX, X_AT(T2, offsetof(struct pr_scale, ns)));
	x_load(a, 8, false, X_RCX, HEAD_AT(t, turn));
	x_alu(a, X_SUB, X_RCX, T1);
	x_alui(a, X_CMP, X_RCX, 1); /* one renewal leaves the line as it was */
	x_jcc(a, X_A, slow);
}

bool
pr_fast_time(struct pr_tr *t)
{
	struct x_asm *a = t->a;
	const struct pr_slow *s;

	if (!pr_is_fast(t))
		return false;
	s = pr_slow_path(t, SLOW_TIME);
	x_load(a, 8, false, X_RAX, PR_FIRE_AT(time));
	x_test(a, X_RAX, X_RAX);
	x_jcc(a, X_NE, s->back);
	read_clock(t, s->from);
	x_store(a, 8, PR_FIRE_AT(time), X_RAX);
	x_bind(a, s->back);
	pr_changes(t, TEMPS);
	return true;
}

/* ---- faults ------------------------------------------------------------- */

bool
pr_fast_fault(struct pr_tr *t, x_label fault, x_label out)
{
	struct pr_slow *s;

	if (!pr_is_fast(t))
		return false;
	s = pr_slow_path(t, SLOW_FAULT);
	s->from = fault;
	s->back = out;
	return true;
}
