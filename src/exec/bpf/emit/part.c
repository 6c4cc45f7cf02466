/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clauses of a large group, in programs of their own.
 *
 * A jump reaches over 32,767 instructions.  The time that the kernel takes to
 * load a program grows with the square of its length: each instruction that it
 * replaces by several moves all those behind it.  So the clauses of a large
 * group are cut into parts, between clauses and between actions.  Each part is
 * a program that ends with a tail call of the next one.  A group that uses more
 * maps than the kernel allows a program is cut likewise:
 *
 *	main	prologue; a machine state is claimed	--> first part
 *	part	some clauses, or some actions of one	--> next part
 *	end	epilogue
 *
 * A tail call keeps the context and nothing else.  A part finds its machine
 * state by the thread (rt_chain_find).  The numbers of the frame that clauses
 * share (time, arguments, `this` variables) pass through it.  Addresses whose
 * type the verifier must know (the task, the probe's entry in the table) are
 * looked up again in each part.
 *
 * The kernel follows 33 tail calls.  A firing runs only the parts that have
 * clauses of its probe: the entry in the table tells which part is next.
 */
#include "exec/bpf/tr.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* A part ends behind the clause with which it reaches this length, in
 * instructions.  A clause is cut behind the action with which the part becomes
 * longer by half: each part costs the kernel as much as some clauses do. */
#define PART_MIN 2500
#define PART_MIN_LAST 20000
/* Parts of one firing; main and the last tail call need the others of the
 * kernel's 33. */
#define CHAIN_MAX 31
/*
 * Instructions of an exit (t->clause.exits): it notes a fault and leaves the
 * part.
 */
#define EXIT_LEN 8

/* The end of a part. */
enum { END_NEXT, END_DONE, END_OVER };

/* ---- the frame ----------------------------------------------------------- */

static void
add_word(struct bx_parts *p, int off)
{
	assert(p->nwords < BX_FRAME_WORDS);
	p->words[p->nwords++] = off;
}

static void
find_words(struct bx_tr *t)
{
	const struct bx_layout *lo = t->lo;
	struct bx_parts *p = &t->parts;
	struct dif_uses clauses = bx_group_uses(t);

	add_word(p, FP_TS);
	if (t->facts->ctx == BX_CTX_SYS_EXIT &&
	    dif_uses_var(&clauses, DIF_VAR_ERRNO))
		add_word(p, FP_ERRNO);
	if (t->frame.place != 0)
		add_word(p, t->frame.place);
	if (t->frame.site != 0)
		add_word(p, t->frame.site);
	for (unsigned n = 0; n < 10; n++) {
		if (t->frame.args[n] != 0)
			add_word(p, t->frame.args[n]);
	}
	for (int clk = BX_CLK_TIME + 1; clk < BX_NCLOCKS; clk++) {
		if (lo->vclocks >> clk & 1)
			add_word(p, t->frame.clock - 8 * clk);
	}
	for (uint32_t i = 0; !lo->locals_in_mem && i < lo->nlocals_stack; i++)
		add_word(p, t->frame.locals - 8 * (int)i);
}

/* r1 <- the area of the machine state for the frame */
static void
frame_area(struct bx_tr *t)
{
	bx_ldx(&t->a, 8, R1, R10, FP_MS);
	bx_alui(&t->a, BPF_ADD, R1, (int32_t)bx_state_size(t->lo));
}

static void
frame_store(struct bx_tr *t)
{
	const struct bx_parts *p = &t->parts;

	frame_area(t);
	for (size_t i = 0; i < p->nwords; i++) {
		bx_ldx(&t->a, 8, R2, R10, p->words[i]);
		bx_stx(&t->a, 8, R1, 8 * (int)i, R2);
	}
}

static void
frame_load(struct bx_tr *t)
{
	const struct bx_parts *p = &t->parts;

	frame_area(t);
	for (size_t i = 0; i < p->nwords; i++) {
		bx_ldx(&t->a, 8, R2, R1, 8 * (int)i);
		bx_stx(&t->a, 8, R10, p->words[i], R2);
	}
}

/* ---- from part to part --------------------------------------------------- */

/* Go on with part r3. */
static void
tail_call(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;

	bx_ldx(a, 8, R1, R10, FP_CTX);
	bx_map(a, R2, t->parts.map);
	bx_helper(a, H_TAIL_CALL);
}

/* Offset in the probe's entry of the number of the part that runs behind part
 * k. */
static int32_t
next_off(const struct bx_tr *t, size_t k)
{
	return (int32_t)(8 * t->entry.mask_words +
	    4 * (BX_F_EPID + t->facts->clauses.n + 1 + k));
}

/* r3 <- number of the part behind this one, which set_after() patches.  Returns
 * the instruction to patch. */
static uint32_t
load_after(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	uint32_t insn;

	if (t->clause.const_probe != NULL) {
		insn = bx_here(a);
		bx_movi(a, R3, 0);
		return insn;
	}
	bx_ldx(a, 8, R3, R10, FP_ENT);
	insn = bx_here(a);
	bx_alui(a, BPF_ADD, R3, 0);
	bx_ldx(a, 4, R3, R3, 0);
	return insn;
}

static void
set_after(const struct bx_tr *t, struct bx_asm *a, uint32_t insn, size_t k)
{
	a->insns.v[insn].imm =
	    t->clause.const_probe != NULL ? (int32_t)k + 1 : next_off(t, k);
}

/* The kernel has refused the tail call: the rest of the firing is lost. */
static void
lose_firing(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;

	bx_drop(t, DT_DROP_CUT);
	bx_ldx(a, 8, R1, R10, FP_SLOT);
	bx_call(a, "rt_chain_release");
	bx_movi(a, R0, 0);
	bx_exit(a);
}

/* ---- a part -------------------------------------------------------------- */

/* FP_ENT <- the probe's entry */
static void
find_entry(struct bx_tr *t, bx_label none)
{
	struct bx_asm *a = &t->a;

	bx_ldx(a, 8, R1, R10, t->frame.place);
	bx_stx(a, 4, R10, FP_TMP, R1);
	bx_lookup_entry(t, none);
	bx_stx(a, 8, R10, FP_ENT, R0);
}

static void
part_prologue(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label none = bx_new_label(a), start = bx_new_label(a);

	bx_note(t, (struct diag_span){ 0 }, "part");
	bx_keep_stack(t); /* the last part has no tail call */
	bx_mov(a, R6, R1);
	bx_stx(a, 8, R10, FP_CTX, R6);
	bx_call(a, "rt_chain_find");
	bx_stx(a, 8, R10, FP_SLOT, R0);
	bx_find_state(t, R0, none);
	frame_load(t);
	bx_threads_save(t);
	if (t->frame.has_task)
		bx_save_task(t);
	if (t->frame.place != 0)
		find_entry(t, none);
	bx_ja(a, start);
	bx_bind(a, none);
	bx_movi(a, R0, 0);
	bx_exit(a);
	bx_bind(a, start);
}

static void
part_open(struct bx_tr *t)
{
	struct bx_parts *p = &t->parts;

	p->is_open = true;
	p->first = p->last = t->clause.no;
	part_prologue(t);
	p->done = bx_new_label(&t->a);
}

static void
part_add(struct bx_tr *t)
{
	struct bx_part part = {
		.a = t->a, .first = t->parts.first, .last = t->parts.last
	};

	VEC_PUSH(&t->parts.list, part);
	memset(&t->a, 0, sizeof(t->a));
	t->parts.is_open = false;
}

/* r7 <- how the part ends, for the paths that lead here. */
static void
find_end(struct bx_tr *t, bool has_done, const bx_label *over)
{
	struct bx_asm *a = &t->a;
	bx_label end = bx_new_label(a);

	bx_movi(a, R7, END_NEXT);
	if (has_done) {
		bx_ja(a, end);
		bx_bind(a, t->parts.done);
		bx_movi(a, R7, END_DONE);
	}
	if (over != NULL) {
		bx_ja(a, end);
		bx_bind(a, *over);
		bx_movi(a, R7, END_OVER);
	}
	bx_bind(a, end);
}

/* End the clause that is cut: go on behind its last part. */
static void
go_over(struct bx_tr *t)
{
	struct bx_parts *p = &t->parts;
	struct bx_jump_over o = { .part = p->list.n };

	o.insn = load_after(t);
	VEC_PUSH(&p->overs, o);
	tail_call(t);
}

/* End the open part.  `out`: the clause is cut here, and its code jumps to
 * `out` when it is over; NULL: it ends here. */
static void
part_close(struct bx_tr *t, const bx_label *out)
{
	struct bx_parts *p = &t->parts;
	struct bx_asm *a = &t->a;
	bool has_done = bx_is_used(a, p->done);
	bool has_over = out != NULL && bx_is_used(a, *out);
	bx_label done = bx_new_label(a), over = bx_new_label(a);
	bx_label lost = bx_new_label(a);

	find_end(t, has_done, has_over ? out : NULL);
	frame_store(t);
	if (has_done)
		bx_jcci(a, BPF_JEQ, R7, END_DONE, done);
	if (has_over)
		bx_jcci(a, BPF_JEQ, R7, END_OVER, over);
	set_after(t, a, load_after(t), p->list.n);
	tail_call(t);
	if (has_over) {
		bx_ja(a, lost);
		bx_bind(a, over);
		go_over(t);
	}
	if (has_done) {
		bx_ja(a, lost);
		bx_bind(a, done);
		bx_movi(a, R3, BX_PARTS_END);
		tail_call(t);
	}
	bx_bind(a, lost);
	lose_firing(t);
	part_add(t);
}

static bool
has_reached(const struct bx_tr *t, size_t len)
{
	return t->a.insns.n + EXIT_LEN * t->clause.exits.n >= len ||
	    t->a.maps.strs.n >= BX_MAPS_MAX;
}

/* ---- clauses ------------------------------------------------------------- */

void
bx_parts_begin(struct bx_tr *t, bx_label done)
{
	struct bx_parts *p = &t->parts;

	find_words(t);
	bx_need_slot(t, done);
	if (t->lo->vclocks != 0)
		bx_need_time(t);
	frame_store(t);
	/* the first part runs behind no other */
	set_after(t, &t->a, load_after(t), (size_t)-1);
	tail_call(t);
	bx_drop(t, DT_DROP_CUT);
	p->main = t->a;
	memset(&t->a, 0, sizeof(t->a));
	p->has_state = true;
}

void
bx_parts_end(struct bx_tr *t, void (*epilogue)(struct bx_tr *))
{
	struct bx_parts *p = &t->parts;

	if (p->is_open)
		part_close(t, NULL);
	p->has_state = false;
	part_prologue(t);
	epilogue(t);
	bx_movi(&t->a, R0, 0);
	bx_exit(&t->a);
	part_add(t);
	t->a = p->main;
	memset(&p->main, 0, sizeof(p->main));
}

bx_label
bx_part_clause(struct bx_tr *t)
{
	struct bx_parts *p = &t->parts;

	p->overs.n = 0;
	p->is_cut = false;
	if (p->is_open && has_reached(t, p->min))
		part_close(t, NULL);
	if (!p->is_open)
		part_open(t);
	p->last = t->clause.no;
	return p->done;
}

bool
bx_part_is_full(const struct bx_tr *t)
{
	return t->parts.has_state && !t->clause.in_error &&
	    has_reached(t, t->parts.min + t->parts.min / 2);
}

bx_label
bx_part_cut(struct bx_tr *t, bx_label out)
{
	t->parts.is_cut = true;
	part_close(t, &out);
	part_open(t);
	return t->parts.done;
}

void
bx_part_clause_end(struct bx_tr *t)
{
	struct bx_parts *p = &t->parts;
	size_t last = p->list.n;

	if (!p->is_cut || t->clause.in_error)
		return;
	part_close(t, NULL);
	VEC_FOREACH(&p->overs, o)
		set_after(t, &p->list.v[o->part].a, o->insn, last);
	p->is_cut = false;
}

/* ---- the table ----------------------------------------------------------- */

static bool
is_enabled(const uint64_t *mask, uint32_t clause_no)
{
	return mask[clause_no / 64] >> clause_no % 64 & 1;
}

static bool
part_is_for(const struct bx_part *part, const uint64_t *mask)
{
	for (uint32_t c = part->first; c <= part->last; c++) {
		if (is_enabled(mask, c))
			return true;
	}
	return false;
}

void
bx_parts_enter(const struct bx_tr *t, void *entry)
{
	const struct bx_parts *p = &t->parts;
	uint32_t next = BX_PARTS_END;

	for (size_t k = bx_parts_count(p); k-- > 0;) {
		memcpy((char *)entry + next_off(t, k), &next, sizeof(next));
		if (part_is_for(&p->list.v[k], entry))
			next = (uint32_t)k;
	}
	memcpy((char *)entry + next_off(t, (size_t)-1), &next, sizeof(next));
}

/* ---- whether it fits ----------------------------------------------------- */

/* Number of parts with clauses of each probe. */
struct chains {
	struct idmap last;  /* probe id -> its last part, + 1 */
	struct idmap count; /* probe id -> number of parts */
	uint32_t longest;
};

static void
count_part(struct chains *ch, uint32_t k, uint32_t probe_id)
{
	const uint32_t *last = idmap_get(&ch->last, probe_id);
	const uint32_t *count = idmap_get(&ch->count, probe_id);
	uint32_t n = count != NULL ? *count + 1 : 1;

	if (last != NULL && *last == k + 1)
		return;
	idmap_put(&ch->last, probe_id, k + 1);
	idmap_put(&ch->count, probe_id, n);
	if (n > ch->longest)
		ch->longest = n;
}

/* Most parts that one firing runs: those of one probe.  Clauses without a probe
 * may get any probe later. */
static uint32_t
longest_chain(const struct bx_tr *t)
{
	struct chains ch = { 0 };
	uint32_t n = bx_parts_count(&t->parts), nwait = 0;

	if (t->clause.const_probe != NULL)
		return n;
	for (uint32_t k = 0; k < n; k++) {
		const struct bx_part *part = &t->parts.list.v[k];
		bool waits = false;

		for (uint32_t c = part->first; c <= part->last; c++) {
			waits |= t->facts->clauses.v[c]->probes.n == 0;
			VEC_FOREACH(&t->facts->clauses.v[c]->probes, pp)
				count_part(&ch, k, (*pp)->id);
		}
		nwait += waits;
	}
	idmap_fini(&ch.last);
	idmap_fini(&ch.count);
	return ch.longest + nwait;
}

static void
finish_part(struct bx_tr *t, struct bx_part *part)
{
	if (t->refused.why != NULL || bx_finish(&part->a) == 0)
		return;
	bx_refuse(t, t->facts->clauses.v[part->first]->clause->span,
	    "an action of this clause, or what runs when it faults, is too "
	    "large for a BPF program: %zu instructions, of which jumps reach "
	    "over %d; make several statements of it",
	    part->a.insns.n, INT16_MAX);
}

/* A function is far shorter than jumps reach. */
static void
finish_fn(struct bx_fn *fn)
{
	int rc = bx_finish(&fn->a);

	assert(rc == 0);
	(void)rc;
}

bool
bx_parts_try(struct bx_tr *t)
{
	struct bx_parts *p = &t->parts;

	p->is_used = true;
	t->lo->uses_parts = true;
	p->min = p->min == 0 ? PART_MIN : 2 * p->min;
	if (p->min <= PART_MIN_LAST)
		return true;
	bx_refuse(t, t->facts->clauses.v[0]->clause->span,
	    "the clauses of one probe, of which this is the first, are too "
	    "large for BPF programs: they make %u of %u instructions, and "
	    "the kernel runs %d one behind the other; split the script",
	    p->longest, p->min / 2, CHAIN_MAX);
	return false;
}

bool
bx_parts_finish(struct bx_tr *t)
{
	VEC_FOREACH(&t->parts.list, part)
		finish_part(t, part);
	VEC_FOREACH(&t->parts.fns, fn)
		finish_fn(fn);
	if (t->refused.why == NULL && bx_finish(&t->a) != 0)
		bx_refuse(t, t->facts->clauses.v[0]->clause->span,
		    "the work before the clauses of this probe is too large "
		    "for a BPF program: %zu instructions",
		    t->a.insns.n);
	t->parts.longest = longest_chain(t);
	return t->refused.why != NULL ||
	    (t->parts.longest <= CHAIN_MAX &&
		bx_parts_count(&t->parts) < BX_PARTS_END);
}

void
bx_parts_fini(struct bx_parts *p)
{
	VEC_FOREACH(&p->list, part)
		bx_asm_fini(&part->a);
	VEC_FREE(&p->list);
	VEC_FREE(&p->overs);
	VEC_FOREACH(&p->fns, fn)
		bx_asm_fini(&fn->a);
	VEC_FREE(&p->fns);
	bx_asm_fini(&p->main);
}
