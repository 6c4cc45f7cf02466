/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code of which it is not known where its instructions begin, as data between
 * functions may have put the decoder out of step.  Such code stays as it is.
 */
#include <stdlib.h>

#include "base/bounds.h"
#include "base/vec.h"
#include "inproc/module.h"
#include "inproc/module_impl.h"
#include "x86/insn.h"

#define INSN_MAX 15 /* bytes of an instruction */
#define READ_MAX 64 /* instructions of a second reading */

/*
 * No instruction is known to begin at `off`.  System calls are remembered: they
 * are refused by name, not passed over.
 */
static void
take_back(struct ip_text *t, size_t off)
{
	if (t->marks[off] & MARK_INSN && ip_is_call(t, off))
		BOUNDS_PUSH(&t->doubtful_calls, off);
	t->marks[off] &= (uint8_t)~MARK_INSN;
}

/* The instruction that holds the byte at `off`; `off` itself: none does. */
static size_t
insn_around(const struct ip_text *t, size_t off)
{
	const struct x86_code code = { t->bytes, t->len, false };
	struct x86_insn insn;

	for (size_t n = 1; n < INSN_MAX && n <= off; n++) {
		if (t->marks[off - n] & MARK_INSN)
			return x86_decode(&code, off - n, &insn) &&
				insn.len > n ?
			    off - n :
			    off;
	}
	return off;
}

/* ---- second readings ----------------------------------------------------- */

/* Targets between two instructions, each of them once. */
struct between {
	struct ip_open *o;
	VEC(struct place {
		struct ip_text *t;
		size_t off;
	})
	places;
};

static void
add_place(struct between *b, struct ip_text *t, size_t off)
{
	if ((t->marks[off] & (MARK_TARGET | MARK_INSN | MARK_BROKEN)) !=
	    MARK_TARGET)
		return;
	t->marks[off] |= MARK_BROKEN;
	BOUNDS_PUSH(&b->places, (struct place){ t, off });
}

static void
add_target(struct between *b, uint64_t vaddr)
{
	struct ip_text *t = ip_text_at(b->o->m, vaddr);

	if (t != NULL)
		add_place(b, t, vaddr - t->vaddr);
}

/*
 * Read code from a target on, until both readings are in step.  Returns where
 * that is; *is_met is false if this reading ends before.
 */
static size_t
read_again(struct between *b, const struct ip_text *t, size_t off, bool *is_met)
{
	const struct x86_code code = { t->bytes, t->len, false };
	struct x86_insn insn;

	*is_met = false;
	for (unsigned i = 0; i < READ_MAX && off < t->len; i++) {
		if (t->marks[off] & MARK_INSN) {
			*is_met = true;
			return off;
		}
		if (!x86_decode(&code, off, &insn))
			return off;
		ip_note_branch(b->o, t, off, &insn);
		if (insn.kind == X86_CALL || insn.kind == X86_JMP ||
		    insn.kind == X86_JCC)
			add_target(b, t->vaddr + insn.target);
		off += insn.len;
		if (ip_leaves(&insn))
			return off;
	}
	return off;
}

/* Either reading may be wrong: no instruction of the first remains. */
static void
doubt_both(struct between *b, const struct place *at)
{
	struct ip_text *t = at->t;
	size_t from = insn_around(t, at->off);
	bool is_met;
	size_t to = read_again(b, t, at->off, &is_met);

	for (; from < to; from++)
		take_back(t, from);
	if (to < t->len)
		t->marks[to] |= is_met ? MARK_TARGET : MARK_BROKEN;
}

void
ip_read_twice(struct ip_open *o)
{
	struct between b = { .o = o };
	size_t steps = 0;

	VEC_FOREACH(&o->m->texts, t) {
		for (size_t off = 0; off < t->len && !BOUNDS_POLL(steps); off++)
			add_place(&b, t, off);
	}
	while (b.places.n != 0 && !BOUNDS_POLL(steps)) {
		struct place at = b.places.v[--b.places.n];

		doubt_both(&b, &at);
	}
	VEC_FREE(&b.places);
}

/* ---- code that nothing leads to ------------------------------------------ */

enum step {
	IN_STEP,
	BEHIND_LEAVE, /* padding follows, or code that something leads to */
	IN_DOUBT,
};

/* The decoder's state at an instruction, by that behind the one before. */
static enum step
step_at(enum step before, uint8_t marks)
{
	if (marks & (MARK_TARGET | MARK_FUNC))
		return IN_STEP;
	if (before == BEHIND_LEAVE && marks & MARK_PAD)
		return BEHIND_LEAVE;
	return before == IN_STEP ? IN_STEP : IN_DOUBT;
}

/* The place to which the call at `off` returns; not a call: the text's end. */
static size_t
end_of_call(const struct ip_text *t, size_t off)
{
	const struct x86_code code = { t->bytes, t->len, false };
	struct x86_insn insn;

	return x86_decode(&code, off, &insn) &&
		(insn.kind == X86_CALL || insn.kind == X86_CALL_FAR) ?
	    off + insn.len :
	    t->len;
}

/*
 * Code behind a jump or a return, or behind bytes that are no instruction, was
 * decoded from there on by guess.  It is in doubt up to where something leads,
 * which is not a call in that code that returns.
 */
static void
doubt_unreached(struct ip_text *t)
{
	enum step step = IN_DOUBT;
	size_t steps = 0, after_call = t->len;

	for (size_t off = 0; off < t->len && !BOUNDS_POLL(steps); off++) {
		uint8_t marks = t->marks[off];

		if (marks & MARK_BROKEN)
			step = IN_DOUBT;
		if ((marks & MARK_INSN) == 0)
			continue;
		step = step_at(
		    step, off == after_call ? marks & ~MARK_TARGET : marks);
		if (step == IN_DOUBT) {
			after_call = end_of_call(t, off);
			take_back(t, off);
		} else if (marks & MARK_LEAVES) {
			step = BEHIND_LEAVE;
		}
	}
}

void
ip_doubt_unreached(const struct ip_open *o)
{
	VEC_FOREACH(&o->m->texts, t) {
		doubt_unreached(t);
		ip_sort_numbers(t->doubtful_calls.v, t->doubtful_calls.n);
	}
}
