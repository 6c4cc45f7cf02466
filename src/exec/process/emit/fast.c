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
#include "exec/process/emit/compile.h"

#include "base/vec.h"
#include "exec/runtime/tsc.h"
#include "inproc/inproc.h"

/* Registers that hold no argument of a function. */
#define T1 X_R10
#define T2 X_R11

#define TEMPS (1U << X_RAX | 1U << X_RCX | 1U << X_RDX | 1U << T1 | 1U << T2)

_Static_assert(PR_FRAME_LAST == offsetof(struct inproc_frame, ip),
    "the stack is there up to here");

#define THREAD_AT(reg, member) X_AT(reg, offsetof(struct pr_thread, member))
#define OWN_AT PR_OWN_AT
#define HEAD_AT PR_HEAD_AT

static bool
is_fast(const struct pr_tr *t)
{
	const struct pr_conf *c = &t->x->conf;
	bool is_entered = !t->in_error &&
	    (t->body->kind == DT_PROBE_FUNC_ENTRY ||
		t->body->kind == DT_PROBE_FUNC_RETURN ||
		t->body->kind == DT_PROBE_USDT);

	return is_entered && c->has_fsgsbase && c->has_tsc && t->x->has_rdpid &&
	    c->policy == DT_BUF_SWITCH && c->cpu < 0;
}

/* ---- slow paths --------------------------------------------------------- */

enum slow {
	SLOW_COUNT,  /* all of the firing */
	SLOW_ENTER,  /* %eax: the probe; no level: quit */
	SLOW_TIME,   /* %rax <- time */
	SLOW_BUCKET, /* %rax: value; <- bucket */
	SLOW_KEY,    /* %rax <- where its value is; none: quit */
	SLOW_RECORD, /* all of it */
	SLOW_WAKE,
	SLOW_COPY,  /* %rsi: what; %rax <- where it is */
	SLOW_FAULT, /* %eax: its offset */
};

/* Note a slow path, with labels of its code and of the places it goes on at. */
static struct pr_slow *
slow_path(struct pr_tr *t, enum slow kind)
{
	struct pr_slow s = { .kind = kind,
		.pc = t->pc,
		.from = x_new_label(t->a),
		.back = x_new_label(t->a),
		.quit = x_new_label(t->a) };

	s.none =
	    kind == SLOW_COUNT || kind == SLOW_RECORD || kind == SLOW_WAKE ?
	    s.back :
	    t->leave;
	VEC_PUSH(&t->slow, s);
	return &t->slow.v[t->slow.n - 1];
}

static void
load_agg(struct pr_tr *t, int reg, uint32_t index)
{
	x_lea(t->a, reg,
	    X_IN_REGION(t->x->aggs_off + index * sizeof(struct pr_agg)));
}

static void
call_copy(struct pr_tr *t, const struct pr_slow *s)
{
	x_movi(t->a, X_RDX, s->size);
	x_lea(t->a, X_RDI, X_AT(PR_VM, RT_VM_MS));
	if (s->subr == DIF_SUBR_COPYIN) {
		pr_call(t, "rt_copyin");
	} else {
		x_movi(t->a, X_RCX, 1); /* argument */
		pr_call(t, "rt_copyinstr");
	}
}

static void
slow_call(struct pr_tr *t, const struct pr_slow *s)
{
	switch ((enum slow)s->kind) {
	case SLOW_COUNT:
		x_lea(t->a, X_RDI, X_IN_REGION(t->x->conf.own));
		x_lea(t->a, X_RSI, X_IN_REGION(t->x->conf_off));
		load_agg(t, X_RDX, s->agg);
		pr_call(t, "pr_count");
		break;
	case SLOW_ENTER:
		pr_call_enter(t);
		break;
	case SLOW_TIME:
		pr_call_vm(t, "pr_timestamp");
		break;
	case SLOW_BUCKET:
		x_mov(t->a, X_RDI, X_RAX);
		pr_call(t, "rt_quantize_index");
		break;
	case SLOW_KEY:
		load_agg(t, X_RSI, s->agg);
		pr_call_vm(t, "pr_agg_keyed");
		break;
	case SLOW_RECORD:
		pr_call_record(t, s->pc);
		break;
	case SLOW_WAKE:
		pr_call_vm(t, "pr_wake_for_half");
		break;
	case SLOW_COPY:
		call_copy(t, s);
		break;
	case SLOW_FAULT:
		pr_report_fault(t);
		break;
	}
}

/* Registers that the call may change, but for %rax. */
static uint32_t
slow_changes(const struct pr_tr *t, enum slow kind)
{
	uint32_t regs = PR_CALL_CHANGES;

	if (kind == SLOW_FAULT && t->error_at != 0)
		regs |= t->error_used;
	return regs & ~(1U << X_RAX);
}

/* Save the program's registers that functions change in the frame, unless they
 * are saved already, and restore them afterwards. */
static void
emit_slow(struct pr_tr *t, const struct pr_slow *s, uint32_t saved)
{
	uint32_t regs = slow_changes(t, s->kind);
	struct x_asm *a = t->a;

	x_bind(a, s->from);
	if (!t->has_asked)
		pr_ask_for_room(t,
		    s->kind == SLOW_ENTER || s->kind == SLOW_KEY ? s->quit :
								   s->none);
	pr_save_regs(t, regs & ~saved);
	slow_call(t, s);
	pr_restore_regs(t, regs);
	if (s->kind == SLOW_ENTER || s->kind == SLOW_KEY) {
		x_test(a, X_RAX, X_RAX);
		x_jcc(a, X_E, s->quit);
	}
	if (s->kind == SLOW_ENTER)
		x_mov(a, PR_VM, X_RAX);
	if (s->kind == SLOW_COPY) {
		x_alumi(a, X_CMP, PR_MS_AT(fault), 0);
		x_jcc(a, X_NE, s->fault);
	}
	x_jmp(a, s->back);
}

void
pr_slow_paths(struct pr_tr *t)
{
	uint32_t saved = t->used;

	VEC_FOREACH(&t->slow, s)
		emit_slow(t, s, saved);
	t->used = saved; /* these calls change nothing that is not put back */
	t->slow.n = 0;
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
static void
find_thread(struct pr_tr *t, x_label slow)
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

	if (!is_fast(t) || size_of_locals(t) > LOCALS_MAX)
		return false;
	s = slow_path(t, SLOW_ENTER);
	s->quit = quit;
	find_thread(t, s->from);
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

	if (!is_fast(t))
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

	if (!is_fast(t))
		return false;
	s = slow_path(t, SLOW_TIME);
	x_load(a, 8, false, X_RAX, PR_FIRE_AT(time));
	x_test(a, X_RAX, X_RAX);
	x_jcc(a, X_NE, s->back);
	read_clock(t, s->from);
	x_store(a, 8, PR_FIRE_AT(time), X_RAX);
	x_bind(a, s->back);
	pr_changes(t, TEMPS);
	return true;
}

/* ---- aggregations ------------------------------------------------------- */

/* reg <- where the value without a key of this generation is, less to_value();
 * `reg` is the thread's struct pr_shared.  Changes `tmp`. */
static void
add_turn(struct pr_tr *t, const struct pr_agg *ag, int reg, int tmp)
{
	struct x_asm *a = t->a;

	x_load(a, 8, false, tmp, X_IN_REGION(t->x->conf.gens + 8 * ag->index));
	x_alui(a, X_AND, tmp, 1);
	x_muli(a, tmp, tmp, (int32_t)ag->turn_size);
	x_alu(a, X_ADD, reg, tmp);
}

static uint64_t
to_value(const struct pr_agg *ag)
{
	return ag->off + sizeof(struct pr_table) + 8;
}

static bool
is_addressable(const struct pr_agg *ag)
{
	return to_value(ag) + ag->turn_size < INT32_MAX;
}

/* %r10 <- the thread; %r11 <- its table of this generation.  Changes %rcx. */
static void
find_table(struct pr_tr *t, const struct pr_agg *ag, uint64_t place)
{
	struct x_asm *a = t->a;

	x_load(a, 8, false, T1, PR_FIRE_AT(thread));
	x_load(
	    a, 8, false, X_RCX, X_IN_REGION(t->x->conf.gens + 8 * ag->index));
	x_alui(a, X_AND, X_RCX, 1);
	x_shifti(a, X_SHL, X_RCX, 3);
	x_alu(a, X_ADD, X_RCX, T1);
	x_load(a, 8, false, T2,
	    X_AT(X_RCX, place + offsetof(struct pr_place, turns)));
}

/* %ecx <- the number of the entry that the first slot of the key %rax leads to,
 * or -1.  Changes %rdx. */
static void
find_slot(struct pr_tr *t, uint64_t place)
{
	struct x_asm *a = t->a;

	x_movi(a, X_RCX, PR_HASH);
	x_mul(a, X_RCX, X_RAX);
	x_mov(a, X_RDX, X_RCX);
	x_shifti(a, X_SHR, X_RDX, 32);
	x_alu(a, X_XOR, X_RCX, X_RDX);
	x_alum(
	    a, X_AND, X_RCX, X_AT(T1, place + offsetof(struct pr_place, mask)));
	x_shifti(a, X_SHL, X_RCX, 2);
	x_alu(a, X_ADD, X_RCX, T2);
	x_load(a, 4, false, X_RCX, X_AT(X_RCX, sizeof(struct pr_table)));
	x_alui(a, X_SUB, X_RCX, 1);
}

/*
 * %rax <- where the value of the key in the machine state is: it is one word,
 * and the first slot that it may be in leads to it.
 */
bool
pr_fast_key(struct pr_tr *t, uint32_t index, x_label none)
{
	const struct pr_agg *ag = &t->x->aggs.v[index];
	uint64_t place = t->x->conf.places + index * sizeof(struct pr_place);
	struct x_asm *a = t->a;
	struct pr_slow *s;

	if (!is_fast(t) || ag->key_size != PLAN_KEYHDR + 8 ||
	    t->x->conf.by_cpu || place > INT32_MAX / 2)
		return false;
	s = slow_path(t, SLOW_KEY);
	s->agg = index;
	s->quit = none;
	find_table(t, ag, place);
	x_load(a, 8, false, X_RAX, PR_MEM_AT(t->x->conf.mem_key + PLAN_KEYHDR));
	find_slot(t, place);
	x_alum(
	    a, X_CMP, X_RCX, X_AT(T1, place + offsetof(struct pr_place, max)));
	x_jcc(a, X_AE, s->from);
	x_alum(
	    a, X_ADD, T2, X_AT(T1, place + offsetof(struct pr_place, entries)));
	x_muli(a, X_RCX, X_RCX, (int32_t)ag->entry_size);
	x_alu(a, X_ADD, X_RCX, T2);
	x_alum(a, X_CMP, X_RAX, X_AT(X_RCX, 8 + PLAN_KEYHDR));
	x_jcc(a, X_NE, s->from);
	x_lea(a, X_RAX, X_AT(X_RCX, 8 + PLAN_KEYHDR + 8));
	x_bind(a, s->back);
	pr_changes(t, TEMPS);
	return true;
}

/* %rax <- the address of the only value; not if its initial value is not 0. */
bool
pr_fast_scalar(struct pr_tr *t, uint32_t index)
{
	const struct pr_agg *ag = &t->x->aggs.v[index];
	struct x_asm *a = t->a;

	if (!is_fast(t) || ag->key_size != 0 || ag->kind == DT_ACT_MIN ||
	    ag->kind == DT_ACT_MAX || !is_addressable(ag))
		return false;
	x_load(a, 8, false, X_RAX, PR_FIRE_AT(thread));
	x_load(a, 8, false, X_RAX, THREAD_AT(X_RAX, shared));
	add_turn(t, ag, X_RAX, T1);
	x_alui(a, X_ADD, X_RAX, (int32_t)to_value(ag));
	x_storei(a, 8, X_AT(X_RAX, -8), PR_USED);
	pr_changes(t, 1U << T1);
	return true;
}

/* %rax <- quantize()'s bucket of the value in it, which mostly is above 0. */
bool
pr_fast_bucket(struct pr_tr *t)
{
	const struct pr_slow *s;

	if (!is_fast(t))
		return false;
	s = slow_path(t, SLOW_BUCKET);
	x_test(t->a, X_RAX, X_RAX);
	x_jcc(t->a, X_LE, s->from);
	x_bsr(t->a, X_RAX, X_RAX);
	x_alui(t->a, X_ADD, X_RAX, RT_QUANTIZE_ZERO + 1);
	x_bind(t->a, s->back);
	return true;
}

/*
 * The whole firing: it needs no level, only the thread's table.  `counting` is
 * put back to what it was, as every firing that interrupts this one does.
 */
bool
pr_fast_count(struct pr_tr *t, uint32_t index)
{
	const struct pr_agg *ag = &t->x->aggs.v[index];
	struct x_mem counting =
	    X_AT(X_RBX, offsetof(struct pr_shared, counting));
	struct x_asm *a = t->a;
	struct pr_slow *s;

	if (!is_fast(t) || !is_addressable(ag))
		return false;
	s = slow_path(t, SLOW_COUNT);
	s->agg = index;
	find_thread(t, s->from);
	x_load(a, 8, false, X_RBX, THREAD_AT(X_RBX, shared));
	x_load(a, 8, false, T2, counting);
	x_lea(a, T1, X_AT(T2, 1));
	x_store(a, 8, counting, T1);
	x_mov(a, X_RAX, X_RBX);
	add_turn(t, ag, X_RAX, T1);
	x_storei(a, 8, X_AT(X_RAX, to_value(ag) - 8), PR_USED);
	x_alumi(a, X_ADD, X_AT(X_RAX, to_value(ag)), 1);
	x_store(a, 8, counting, T2);
	x_bind(a, s->back);
	pr_changes(t, 1U << T1 | 1U << T2);
	return true;
}

/* ---- records ------------------------------------------------------------ */

#define RECORD_MAX 128

#define BUF_DATA (int32_t) offsetof(struct exec_buf, data)

/* %rdx <- a new record in the thread's buffer; %r11: bits in which its position
 * differs from the one behind it. */
static void
reserve(struct pr_tr *t, uint32_t size, x_label slow)
{
	struct x_mem head = X_AT(T1, offsetof(struct exec_buf, head));
	struct x_asm *a = t->a;

	x_load(a, 8, false, T1, PR_FIRE_AT(thread));
	x_load(a, 8, false, X_RCX, THREAD_AT(T1, buf_mask));
	x_load(a, 8, false, T1, THREAD_AT(T1, buf));
	x_load(a, 8, false, X_RAX, head);
	x_lea(a, T2, X_AT(X_RAX, size + EXEC_BUF_WORD));
	x_lea(a, X_RDX, X_AT(T2, -1));
	x_alum(a, X_SUB, X_RDX, X_AT(T1, offsetof(struct exec_buf, tail)));
	x_alu(a, X_CMP, X_RDX, X_RCX);
	x_jcc(a, X_A, slow);
	x_cmpxchg(a, head, T2);
	x_jcc(a, X_NE, slow);
	x_alu(a, X_XOR, T2, X_RAX);
	x_mov(a, X_RDX, X_RAX);
	x_alu(a, X_AND, X_RDX, X_RCX);
	x_alu(a, X_ADD, X_RDX, T1);
	x_alui(a, X_ADD, X_RDX, BUF_DATA);
	x_alui(a, X_ADD, X_RAX, (int32_t)size);
	x_alu(a, X_AND, X_RAX, X_RCX);
	x_alu(a, X_ADD, X_RAX, T1);
	x_rdpid(a, X_RCX);
	x_alui(a, X_AND, X_RCX, EXEC_CPU_MASK);
	x_shifti(a, X_SHL, X_RCX, 32);
	x_alui(a, X_ADD, X_RCX, (int32_t)size + EXEC_BUF_WORD);
	x_store(a, 8, X_AT(X_RAX, BUF_DATA), X_RCX);
}

/* Write the header last, and its EPID at the very end. */
static void
fill(struct pr_tr *t, uint32_t size)
{
	struct x_asm *a = t->a;
	uint32_t off = PLAN_RECHDR;

	while (off < size) {
		int n = off % 8 == 0 && size - off >= 8 ? 8 : 4;

		x_load(a, n, false, X_RAX, PR_MEM_AT(t->x->conf.mem_rec + off));
		x_store(a, n, X_AT(X_RDX, off), X_RAX);
		off += (uint32_t)n;
	}
	x_load(a, 8, false, X_RAX, PR_FIRE_AT(time));
	x_shifti(a, X_ROL, X_RAX, 32); /* the high half is first */
	x_store(a, 8, X_AT(X_RDX, 4), X_RAX);
	x_load(a, 4, false, X_RAX, PR_VM_AT(vars[RT_VAR_EPID]));
	x_store(a, 4, X_AT(X_RDX, 0), X_RAX);
}

bool
pr_fast_record(struct pr_tr *t)
{
	uint32_t size = t->pc->size;
	struct pr_slow wake, all;

	if (!is_fast(t) || size > RECORD_MAX || size % 4 != 0)
		return false;
	pr_fast_time(t);
	all = *slow_path(t, SLOW_RECORD);
	wake = *slow_path(t, SLOW_WAKE);
	reserve(t, size, all.from);
	fill(t, size);
	x_load(t->a, 8, false, T1, PR_FIRE_AT(thread)); /* another half? */
	x_alum(t->a, X_AND, T2, THREAD_AT(T1, buf_half));
	x_jcc(t->a, X_NE, wake.from);
	x_bind(t->a, wake.back);
	x_bind(t->a, all.back);
	return true;
}

/* ---- faults ------------------------------------------------------------- */

bool
pr_fast_fault(struct pr_tr *t, x_label fault, x_label out)
{
	struct pr_slow *s;

	if (!is_fast(t))
		return false;
	s = slow_path(t, SLOW_FAULT);
	s->from = fault;
	s->back = out;
	return true;
}

/* ---- copies of what is there -------------------------------------------- */

/*
 * The ranges of memory that the level has listed (struct pr_fire) from which
 * the code copies: the second one, the stack's page, and the proved ones.  A
 * range that is not in use has no bytes.
 */
#define RANGES_FROM 1
#define RANGES_TO (2 + PR_PROVED)
#define COPY_MAX 64 /* bytes without a loop */

/* %rax <- the offset of scratch in the machine state's mem; `slow` unless
 * `size` bytes fit. */
static void
find_scratch(struct pr_tr *t, uint32_t size, x_label slow)
{
	struct x_asm *a = t->a;

	x_load(a, 8, false, X_RAX, PR_MS_AT(scratch));
	x_alui(a, X_ADD, X_RAX, 7);
	x_alui(a, X_AND, X_RAX, -8);
	x_alui(a, X_CMP, X_RAX, (int32_t)(t->x->conf.rt.scratch_end - size));
	x_jcc(a, X_A, slow);
}

/* If a range has at least `size` bytes at %rsi, go to `found` with their number
 * in %r10; else go on.  Changes %r11. */
static void
find_range(struct pr_tr *t, unsigned i, uint32_t size, x_label found)
{
	struct x_asm *a = t->a;
	x_label next = x_new_label(a);

	x_mov(a, T2, X_RSI);
	x_alum(a, X_SUB, T2, PR_FIRE_AT(ranges[i].addr));
	x_load(a, 8, false, T1, PR_FIRE_AT(ranges[i].size));
	x_alu(a, X_SUB, T1, T2); /* carries where T2 is beyond it, or below 0 */
	x_jcc(a, X_B, next);
	x_alui(a, X_CMP, T1, (int32_t)size);
	x_jcc(a, X_AE, found);
	x_bind(a, next);
}

static void
find_ranges(struct pr_tr *t, uint32_t size, x_label slow)
{
	x_label found = x_new_label(t->a);

	for (unsigned i = RANGES_FROM; i < RANGES_TO; i++)
		find_range(t, i, size, found);
	x_jmp(t->a, slow);
	x_bind(t->a, found);
}

#define MEM_OFF (RT_VM_MS + RT_MEM_OFF)

/* %rax <- the copy, which begins at mem[%rax].  A 0 is put behind it, as
 * rt_copyin() does. */
static void
copy_bytes(struct pr_tr *t, uint32_t size, x_label slow)
{
	struct x_asm *a = t->a;
	uint32_t done = 0;

	find_scratch(t, size + 1, slow);
	find_ranges(t, size, slow);
	x_lea_sum(a, T2, X_RAX, PR_VM);
	while (done < size) {
		uint32_t n = 8;

		while (n > size - done)
			n /= 2;
		x_load(a, (int)n, false, T1, X_AT(X_RSI, done));
		x_store(a, (int)n, X_AT(T2, MEM_OFF + done), T1);
		done += n;
	}
	x_movi(a, T1, 0);
	x_store(a, 1, X_AT(T2, MEM_OFF + size), T1);
	x_alui(a, X_ADD, X_RAX, (int32_t)size);
	x_store(a, 8, PR_MS_AT(scratch), X_RAX);
	x_lea(a, X_RAX, X_AT(T2, MEM_OFF));
}

#define STRING_CHANGES                                                         \
	(1U << X_RCX | 1U << X_RDX | 1U << X_RDI | 1U << X_R8 | 1U << X_R9 |   \
	    1U << T1 | 1U << T2)

/*
 * Copy word by word, up to a word with a NUL.  Leave the rare cases to the slow
 * path: a word that is not wholly in the range, or in which the string is cut.
 */
static void
copy_string(struct pr_tr *t, x_label slow)
{
	uint32_t max = (uint32_t)(t->x->conf.rt.strsize - 1) & ~7U;
	struct x_asm *a = t->a;
	x_label loop = x_new_label(a);

	find_scratch(t, (uint32_t)t->x->conf.rt.strsize, slow);
	find_ranges(t, 1, slow);
	x_movi(a, X_RDX, max);
	x_alu(a, X_CMP, T1, X_RDX);
	x_cmov(a, X_A, T1, X_RDX);
	x_movi(a, X_RDX, 0x0101010101010101ULL);
	x_movi(a, X_R9, 0x8080808080808080ULL);
	x_mov(a, X_RCX, X_RSI);
	x_lea_sum(a, X_RDI, X_RAX, PR_VM);
	x_bind(a, loop);
	x_alui(a, X_SUB, T1, 8);
	x_jcc(a, X_B, slow);
	x_load(a, 8, false, T2, X_AT(X_RCX, 0));
	x_store(a, 8, X_AT(X_RDI, MEM_OFF), T2);
	x_mov(a, X_R8, T2);
	x_alu(a, X_SUB, T2, X_RDX);
	x_unary(a, X_NOT, X_R8);
	x_alu(a, X_AND, T2, X_R8);
	x_alui(a, X_ADD, X_RCX, 8);
	x_alui(a, X_ADD, X_RDI, 8);
	x_alu(a, X_AND, T2, X_R9); /* of bytes that are 0 the lowest is right */
	x_jcc(a, X_E, loop);
	x_bsf(a, T2, T2);
	x_shifti(a, X_SHR, T2, 3);
	x_alu(a, X_SUB, X_RCX, X_RSI);
	x_lea_sum(a, X_RCX, X_RCX, T2); /* with the NUL, and 7 */
	x_lea_sum(a, X_RDX, X_RAX, PR_VM);
	x_alu(a, X_ADD, X_RAX, X_RCX);
	x_alui(a, X_SUB, X_RAX, 7);
	x_store(a, 8, PR_MS_AT(scratch), X_RAX);
	x_lea(a, X_RAX, X_AT(X_RDX, MEM_OFF));
}

/* Larger copies than scratch are left to the function, which faults. */
static bool
is_copied_inline(const struct pr_tr *t, uint32_t subr, uint32_t size)
{
	const struct rt_conf *c = &t->x->conf.rt;

	if (c->scratch_end > INT32_MAX)
		return false;
	if (subr == DIF_SUBR_COPYIN)
		return size > 0 && size <= COPY_MAX && size < c->scratch_end;
	return c->strsize >= 16 && c->strsize <= c->scratch_end;
}

uint32_t
pr_fast_copy(void *arg, uint32_t subr, uint32_t size, const x_label *fault)
{
	bool is_string = subr == DIF_SUBR_COPYINSTR;
	struct pr_tr *t = arg;
	struct pr_slow *s;

	if (!is_fast(t) || !is_copied_inline(t, subr, size))
		return 0;
	if (fault != NULL) {
		s = slow_path(t, SLOW_COPY);
		s->subr = subr;
		s->size = size;
		s->fault = *fault;
		if (is_string)
			copy_string(t, s->from);
		else
			copy_bytes(t, size, s->from);
		x_bind(t->a, s->back);
	}
	return is_string ? STRING_CHANGES : 1U << T1 | 1U << T2;
}
