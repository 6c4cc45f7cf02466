/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One group of probes -> one main function.
 *
 *	prologue: is tracing active? which probe is this? which arguments?
 *	every clause that applies to any probe of the group, in program order
 *	epilogue: give the machine state back
 *
 * A group with several probes finds the probe that fired in a table: a bit per
 * clause, the probe's id, its names and its EPID for each clause.  The context
 * (ctx.c) gives the place in the table: the system call's number, or the cookie
 * of the attachment.
 */
#include "exec/bpf/attach.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/bpf/tr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Largest group that is not translated in parts: in instructions, and in those
 * after the kernel has expanded some.  Every jump must be in reach. */
#define WHOLE_MAX 16000
#define WHOLE_MAX_GROWN 30000

static uint32_t *
ent_fields(const struct bx_tr *t, void *entry)
{
	return (uint32_t *)((uint64_t *)entry + t->entry.mask_words);
}

uint32_t
bx_ent_size(const struct bx_tr *t)
{
	uint32_t n = BX_F_EPID + (uint32_t)t->facts->clauses.n;

	if (t->parts.is_used)
		n += 1 + bx_parts_count(&t->parts);
	return 8 * t->entry.mask_words + 4 * ((n + 1) & ~1U);
}

void
bx_ent_names(struct bx_tr *t, const struct dt_probe *p, void *entry)
{
	const char *names[BX_NNAMES];
	uint32_t *fields = ent_fields(t, entry);

	bx_probe_names(t, p, names);
	fields[BX_F_ID] = dt_probe_shown(p)->id;
	for (unsigned i = 0; i < BX_NNAMES; i++) {
		fields[BX_F_STRID + i] =
		    strtab_intern(t->lo->pl->strs, names[i]);
		fields[BX_F_NAMEOFF + i] = bx_str_off(t->lo, names[i]);
	}
	for (unsigned i = 0; i < 2; i++)
		fields[BX_F_LISTEN + i] = bx_listener(t, p, i);
}

void
bx_ent_enable(
    const struct bx_tr *t, uint32_t clause_no, uint32_t epid, void *entry)
{
	uint64_t *mask = entry;

	ent_fields(t, entry)[BX_F_EPID + clause_no] = epid;
	__atomic_fetch_or(
	    &mask[clause_no / 64], 1ULL << (clause_no % 64), __ATOMIC_RELEASE);
}

struct dif_uses
bx_group_uses(const struct bx_tr *t)
{
	struct dif_uses all = { 0 };

	VEC_FOREACH(&t->facts->clauses, pc)
		dif_uses_add(&all, &(*pc)->uses);
	return all;
}

/* Lay out the part of the frame that depends on the script. */
static void
place_frame(struct bx_tr *t)
{
	struct dif_uses clauses = bx_group_uses(t), steps = bx_steps_uses(t);
	int off = -FP_FIXED;

	for (unsigned n = 0; n < 10; n++) {
		if (dif_uses_var(&clauses, DIF_VAR_ARG0 + n))
			t->frame.args[n] = off -= 8;
		if (dif_uses_var(&steps, DIF_VAR_ARG0 + n))
			t->frame.origin[n] = off -= 8;
	}
	if (t->facts->ctx == BX_CTX_UPROBE &&
	    (t->lo->uses_ustack || dif_uses_var(&clauses, DIF_VAR_UREGS) ||
		dif_uses_var(&steps, DIF_VAR_UREGS)))
		t->frame.site = off -= 8;
	if (t->lo->conf.self_stride != 0)
		t->frame.self = off -= 8;
	off = bx_threads_place(t, off);
	t->frame.clock = off; /* clock 1; the others are below it */
	if (t->lo->vclocks >> 1 != 0)
		off -= 8 * (BX_NCLOCKS - 1);
	if (!t->lo->locals_in_mem) {
		t->frame.locals = off - 8;
		off -= 8 * (int)t->lo->nlocals_stack;
	}
	if (t->parts.is_used && t->facts->has_table)
		t->frame.place = off -= 8;
	/* BPF functions share 512 bytes of stack.  Walking a user stack goes
	 * four functions deep, so locals and keys move to the machine state. */
	t->frame.key = t->lo->uses_ustack ? 0 : off - STACK_KEY_MAX;
}

/* No machine state is claimed yet, and this-> variables are 0. */
static void
init_locals(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;

	if (t->frame.has_slot) {
		bx_sti(a, 8, R10, FP_SLOT, -1);
		bx_sti(a, 8, R10, FP_MS, 0);
	}
	if (t->lo->locals_in_mem)
		return;
	for (uint32_t i = 0; i < t->lo->nlocals_stack; i++)
		bx_sti(a, 8, R10, t->frame.locals - 8 * (int)i, 0);
}

static void
init_frame(struct bx_tr *t)
{
	if (t->frame.has_time)
		bx_sti(&t->a, 8, R10, FP_TS, 0);
	init_locals(t);
}

/* bufpolicy=fill: nothing is traced on a CPU whose buffer is full. */
static void
check_filled(struct bx_tr *t, bx_label done)
{
	struct bx_asm *a = &t->a;
	bx_label none = bx_new_label(a);

	bx_this_pcpu(t, none);
	bx_ldx(
	    a, 8, R0, R0, offsetof(struct bx_pcpu, drops) + 8 * DT_DROP_FILLED);
	bx_jcci(a, BPF_JNE, R0, 0, done);
	bx_bind(a, none);
}

/* Option cgroup: is the thread in the group, or below it? */
static void
check_cgroup(struct bx_tr *t, bx_label done)
{
	const struct exec_cgroup *g = &t->lo->opts->cgroup;

	bx_movi(&t->a, R1, g->level);
	bx_helper(&t->a, H_ANCESTOR_CGROUP_ID);
	bx_movi(&t->a, R1, g->id);
	bx_jcc(&t->a, BPF_JNE, R0, R1, done);
}

static void
check_active(struct bx_tr *t, bx_label done)
{
	bx_mapval(&t->a, R1, "rtm_ctl", offsetof(struct bx_ctl, state));
	bx_ldx(&t->a, 4, R1, R1, 0);
	bx_jcci(&t->a, BPF_JNE, R1, EXEC_STATE_ACTIVE, done);
	/* a program that dtrace runs itself (tick) runs on dtrace's CPU */
	if (t->lo->opts->cpu >= 0 && t->facts->ctx != BX_CTX_RUN) {
		bx_helper(&t->a, H_SMP_PROCESSOR_ID);
		bx_jcci(&t->a, BPF_JNE, R0, t->lo->opts->cpu, done);
	}
	if (t->lo->opts->bufpolicy == DT_BUF_FILL)
		check_filled(t, done);
}

static void
prologue(struct bx_tr *t, bx_label done)
{
	bx_note(t, (struct diag_span){ 0 }, "prologue");
	bx_mov(&t->a, R6, R1);
	if (!t->facts->always_fires)
		check_active(t, done);
	if (t->frame.has_ctx)
		bx_stx(&t->a, 8, R10, FP_CTX, R6);
	bx_ctx(t->facts->ctx)->prologue(t, done);
	/* behind the prologue, which counts the firings of a profile */
	if (t->lo->opts->cgroup.id != 0 && t->facts->ctx != BX_CTX_RUN)
		check_cgroup(t, done);
	init_frame(t);
	bx_note_clocks(t);
}

/* Save the arguments of the origin, for a program of derived probes. */
static void
prologue_of_origin(struct bx_tr *t, bx_label quit)
{
	int own[10];

	memcpy(own, t->frame.args, sizeof(own));
	memcpy(t->frame.args, t->frame.origin, sizeof(own));
	prologue(t, quit);
	memcpy(t->frame.args, own, sizeof(own));
}

static void
release_slot(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label unclaimed = bx_new_label(a);

	if (t->frame.has_slot) {
		bx_ldx(a, 8, R1, R10, FP_SLOT);
		bx_jcci(a, BPF_JEQ, R1, -1, unclaimed);
		bx_call(a,
		    t->parts.is_used ? "rt_chain_release" : "rt_slot_release");
	}
	bx_bind(a, unclaimed);
}

static void
epilogue(struct bx_tr *t)
{
	bx_note(t, (struct diag_span){ 0 }, "epilogue");
	release_slot(t);
	bx_forget_probe_time(t);
}

int
bx_tr_finish(struct bx_tr *t)
{
	if (t->refused.why == NULL && bx_finish(&t->a) != 0)
		bx_refuse(t, t->facts->clauses.v[0]->clause->span,
		    "the clauses of one probe are too large for one BPF "
		    "program; split the script");
	return t->refused.why ? -EINVAL : 0;
}

/* Find what the frame must hold.  A fault's report needs the time, too; only
 * clauses whose objects return constants cannot fault. */
static void
find_needs(struct bx_tr *t)
{
	struct dif_uses steps = bx_steps_uses(t);

	VEC_FOREACH(&t->facts->clauses, pc) {
		t->frame.has_slot |= bx_clause_needs_slot(t, *pc);
		t->frame.has_time |= bx_clause_may_fault(*pc);
	}
	VEC_FOREACH(&t->facts->error_clauses, pc)
		t->frame.has_slot |= bx_clause_needs_slot(t, *pc);
	t->frame.has_slot |= bx_needs_slot(t->lo, &steps) || t->parts.is_used;
	t->frame.has_time |= dif_uses_var(&steps, DIF_VAR_TIMESTAMP);
	t->frame.has_ctx =
	    t->frame.has_slot; /* stacks are built in the state */
	t->frame.has_time |= t->frame.has_slot || t->lo->vclocks != 0;
}

static void
begin_firing(struct bx_tr *t, bx_label done)
{
	if (t->parts.is_used)
		bx_parts_begin(t, done);
}

static void
end_firing(struct bx_tr *t)
{
	if (t->parts.is_used)
		bx_parts_end(t, epilogue);
}

/* Does the program have one step?  Code between steps belongs to no part. */
static bool
has_one_step(const struct bx_tr *t)
{
	const struct dt_step *first = bx_step_first(t);

	return first == NULL || bx_step_next(t, first) == NULL;
}

/* Is the program too long already, before the kernel expands it? */
static bool
is_too_long(const struct bx_tr *t)
{
	return t->a.insns.n > WHOLE_MAX || t->a.maps.strs.n > BX_MAPS_MAX;
}

/* Will the program be translated again, in parts, whatever follows? */
static bool
will_start_again(const struct bx_tr *t)
{
	return !t->parts.is_used && is_too_long(t) && has_one_step(t);
}

static void
all_clauses(struct bx_tr *t, bx_label done)
{
	begin_firing(t, done);
	for (uint32_t i = 0; i < t->facts->clauses.n && !will_start_again(t);
	     i++)
		bx_clause(t, t->facts->clauses.v[i], i, done);
	end_firing(t);
}

static void
clauses_of(struct bx_tr *t, const struct dt_probe *p, bx_label done)
{
	begin_firing(t, done);
	for (uint32_t i = 0; i < t->facts->clauses.n && !will_start_again(t);
	     i++) {
		if (bx_clause_is_for(t->facts->clauses.v[i], p))
			bx_clause(t, t->facts->clauses.v[i], i, done);
	}
	end_firing(t);
}

/* Run one step: its probe's clauses see a firing of their own, at the same
 * time. */
static void
one_step(struct bx_tr *t, const struct dt_step *step, bx_label done)
{
	struct bx_asm *a = &t->a;
	bx_label none = bx_new_label(a);

	t->frame.other =
	    step->thread != 0 ? t->frame.threads[step->thread - 1] : 0;
	bx_adapt(t, step, none, done);
	t->clause.const_probe = step->fires;
	if (step->fires != NULL)
		clauses_of(t, step->fires, done);
	t->frame.other = 0;
	bx_bind(a, none);
}

static void
all_steps(struct bx_tr *t, bx_label done)
{
	const struct dt_step *step = bx_step_first(t);

	while (step != NULL) {
		one_step(t, step, done);
		step = bx_step_next(t, step);
		if (step != NULL) {
			release_slot(t);
			init_locals(t);
		}
	}
}

/*
 * From Linux 6.13 on, a uprobe's program has its stack in memory of the CPU.
 * While it waits for a page, a firing on the same CPU uses the same memory.
 * The kernel keeps the stack with the thread for a program with a tail call.
 * So emit one, which never runs and which the verifier removes.
 */
void
bx_keep_stack(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label over = bx_new_label(a);

	bx_movi(a, R0, 0);
	bx_jcci(a, BPF_JEQ, R0, 0, over);
	bx_helper(a, H_TAIL_CALL);
	bx_bind(a, over);
}

static void
main_function(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label quit = bx_new_label(a), done = bx_new_label(a);

	t->entry.mask_words = ((uint32_t)t->facts->clauses.n + 63) / 64;
	if (!t->facts->has_table)
		t->clause.const_probe = t->facts->probes.v[0];
	find_needs(t);
	place_frame(t);
	if (bx_ctx(t->facts->ctx)->is_uprobe)
		bx_keep_stack(t);
	if (t->facts->steps != NULL)
		prologue_of_origin(t, quit);
	else
		prologue(t, quit);
	if (t->facts->steps != NULL)
		all_steps(t, done);
	else
		all_clauses(t, done);
	bx_bind(a, done);
	epilogue(t);
	bx_bind(a, quit);
	bx_movi(a, R0, 0);
	bx_exit(a);
}

/* Number of instructions that the kernel adds for one (Linux 6.18). */
static size_t
growth(const struct bpf_insn *i)
{
	uint8_t class = BPF_CLASS(i->code), op = BPF_OP(i->code);

	if (class == BPF_ALU64 || class == BPF_ALU)
		return (op == BPF_DIV || op == BPF_MOD) ? 5 : 0;
	if (i->code != (BPF_JMP | BPF_CALL) || i->src_reg != 0)
		return 0;
	if (i->imm == H_MAP_LOOKUP)
		return 7;
	return i->imm == H_SMP_PROCESSOR_ID ? 2 : 0;
}

static bool
is_too_large(const struct bx_tr *t)
{
	size_t n = t->a.insns.n;

	if (is_too_long(t))
		return true;
	VEC_FOREACH(&t->a.insns, i)
		n += growth(i);
	return n > WHOLE_MAX_GROWN;
}

/* Drop the translation to start again: all but what is named here is as before
 * the first one. */
static void
start_again(struct bx_tr *t)
{
	struct bx_tr fresh = { .lo = t->lo,
		.name = t->name,
		.facts = t->facts,
		.entry = t->entry, /* listeners are found once */
		.parts = { .is_used = t->parts.is_used,
		    .map = t->parts.map,
		    .min = t->parts.min,
		    .longest = t->parts.longest },
		.refused = t->refused };

	bx_asm_fini(&t->a);
	bx_parts_fini(&t->parts);
	VEC_FREE(&t->clause.exits);
	*t = fresh;
}

/* Choose another context than a trampoline: the kernel does not let a tail call
 * run a trampoline's program. */
static void
avoid_trampoline(struct bx_facts *f)
{
	if (f->ctx != BX_CTX_FENTRY && f->ctx != BX_CTX_FEXIT)
		return;
	f->ctx = bx_attach(f->probes.v[0]->kind)->ctx;
	f->is_patched = f->has_table && !bx_ctx_has_cookies(bx_ctx(f->ctx));
}

static int
translate_in_parts(struct bx_tr *t, struct bx_facts *facts)
{
	if (!has_one_step(t))
		return bx_tr_finish(t);
	avoid_trampoline(facts);
	if (t->facts->steps == NULL)
		bx_clauses_order(facts);
	do {
		start_again(t);
		if (bx_parts_try(t))
			main_function(t);
	} while (!bx_parts_finish(t));
	return t->refused.why != NULL ? -EINVAL : 0;
}

int
bx_translate(struct bx_tr *t, struct bx_facts *facts)
{
	main_function(t);
	if (t->refused.why == NULL && is_too_large(t))
		return translate_in_parts(t, facts);
	return bx_tr_finish(t);
}

void
bx_tr_fini(struct bx_tr *t)
{
	bx_asm_fini(&t->a);
	bx_parts_fini(&t->parts);
	VEC_FREE(&t->entry.listeners);
	VEC_FREE(&t->clause.exits);
	free(t->refused.why);
}
