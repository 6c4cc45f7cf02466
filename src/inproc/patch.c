/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Choose the jump that serves a point.
 *
 * A window reaches from its jump to the end of the point's instruction, and at
 * least over the jump's bytes.  Only its first byte may be a target.  So a
 * window is within one basic block, and may begin at any of the block's
 * instructions before the point.  Padding behind the last instruction of a
 * function is free.
 *
 * If fewer than five bytes are free, a jump of two bytes leads to padding
 * nearby that has room for one of five.  Or a jump of five bytes shares its
 * last bytes, unchanged, with the instructions that follow.  They are the upper
 * bytes of the distance (Duck, Gao, Roychoudhury: Binary Rewriting without
 * Control Flow Recovery, PLDI 2020, 3.2):
 *
 *	e9 ?? ?? | 48 89	to 65,536 places around +0x89480000
 *
 * and the trampoline goes there, if nothing is mapped.
 *
 * Points are served from the last to the first, so that the bytes behind a
 * point are final when the point is served.  A byte is `locked` when it was
 * changed, or when a jump relies on it.  It is `taken` when it was changed, or
 * belongs to an instruction that a window displaces.  No window displaces a
 * taken byte: a trampoline goes back to its window's end, where there must be
 * an instruction, not the rest of another window's jump.  Bytes of an earlier
 * plan's windows are locked and taken.  No jump relies on them, since `now` has
 * them as in the file.
 */
#include "inproc/patch_impl.h"

#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "inproc/tramp.h"

#define SHORT_JUMP 2
#define SHORT_REACH 127
#define NEAR_REACH                                                             \
	0x40000000 /* from a module to its trampolines: so far, that           \
		    * most of what code refers to stays in reach */
#define FAR_REACH 0x7ff00000
#define BACK_MAX 64 /* bytes from a window's beginning to its point */
#define LONGEST 15  /* instruction */
#define PADDING_MAX 256

/* A way to serve the points[first .. last]. */
struct window {
	size_t start, end; /* offsets in the text */
	size_t room;	   /* the end of the bytes that may be written */
	size_t first, last;
};

static const char *const tactic_texts[] = {
#define TACTIC(NAME, text) [INPROC_##NAME] = text,
#include "inproc/tactics.def"
#undef TACTIC
};

const char *
inproc_tactic_text(enum inproc_tactic t)
{
	return tactic_texts[t];
}

/* ---- questions to marks ------------------------------------------------- */

/* The end of the instruction at `off`: the next beginning, or sooner. */
static size_t
insn_end(const struct ip_text *t, size_t off)
{
	const struct x86_code code = { t->bytes, t->len, false };
	struct x86_insn insn;

	return x86_decode(&code, off, &insn) ? off + insn.len : off + 1;
}

/* The instruction before `off` if it falls through to `off`; else `off`. */
static size_t
previous(const struct ip_text *t, size_t off)
{
	size_t at;

	if (t->marks[off] & MARK_TARGET)
		return off;
	at = ip_previous(t, off);
	return t->marks[at] & MARK_LEAVES ? off : at;
}

/* May bytes in (from, to) be the middle of a jump? */
static bool
is_no_target(const struct ip_text *t, size_t from, size_t to)
{
	for (size_t i = from + 1; i < to; i++) {
		if (t->marks[i] & MARK_TARGET)
			return false;
	}
	return true;
}

static bool
is_unused(const struct ip_planner *p, size_t from, size_t to, uint8_t uses)
{
	for (size_t i = from; i < to; i++) {
		if (p->use[i] & uses)
			return false;
	}
	return true;
}

/* May a jump be written to all of [from, to)? */
static bool
is_free(const struct ip_planner *p, size_t from, size_t to)
{
	return is_unused(p, from, to, USE_LOCKED | USE_TAKEN);
}

void
ip_use(struct ip_planner *p, size_t from, size_t to, uint8_t how)
{
	for (size_t i = from; i < to; i++)
		p->use[i] |= how;
}

/* Mark the bytes as used for later plans, too. */
static void
use_for_good(struct ip_planner *p, size_t from, size_t to, uint8_t how)
{
	uint64_t at = p->text->vaddr + p->bias;
	struct inproc_span span = { at + from, at + to };

	ip_use(p, from, to, how);
	VEC_PUSH(&p->space->windows, span);
	VEC_PUSH(&p->plan->windows, span);
}

/*
 * The end of padding that no jump leads to, from the end of an instruction that
 * leaves, as far as it matters.
 */
static size_t
padding_end(const struct ip_text *t, size_t off)
{
	size_t limit = off + PADDING_MAX;

	while (off < t->len && off < limit &&
	    (t->marks[off] & (MARK_PAD | MARK_TARGET)) == MARK_PAD)
		off = insn_end(t, off);
	return off;
}

/*
 * The end of a window's instructions: at `reach` or later, unless the code ends
 * before in padding that reaches it.  0: there is none.  A target may be inside
 * an instruction: libc jumps over a LOCK prefix when there is one thread.
 */
static size_t
window_end(const struct ip_text *t, size_t start, size_t min, size_t reach)
{
	size_t off = start;

	while (off < min || off < reach) {
		bool is_last;
		size_t next;

		if (off >= t->len || (t->marks[off] & MARK_INSN) == 0 ||
		    (off != start && t->marks[off] & MARK_TARGET))
			return 0;
		next = insn_end(t, off);
		if (!is_no_target(t, off, next))
			return 0;
		is_last = t->marks[off] & MARK_LEAVES;
		off = next;
		if (is_last)
			return off >= min && padding_end(t, off) >= reach ?
			    off :
			    0;
	}
	return off;
}

/* Was the whole function decoded? Then all its branches are known. */
static bool
is_sound(const struct ip_planner *p, const struct inproc_point *pt)
{
	uint64_t from = pt->func - p->text->vaddr;

	return pt->func >= p->text->vaddr && from < p->text->len &&
	    pt->size <= p->text->len - from &&
	    ip_is_sound(p->text, from, from + pt->size);
}

/* ---- writing ------------------------------------------------------------ */

static void
write_bytes(struct ip_planner *p, size_t off, const uint8_t *bytes, uint8_t n,
    uint8_t lock)
{
	struct inproc_write w = { .at = p->text->vaddr + p->bias + off,
		.window = p->plan->nwindows,
		.len = n };

	memcpy(w.old, p->text->bytes + off, n);
	memcpy(w.new, bytes, n);
	VEC_PUSH(&p->plan->writes, w);
	memcpy(p->now + off, bytes, n);
	use_for_good(p, off, off + lock, USE_LOCKED);
	ip_use(p, off, off + n, USE_TAKEN);
}

/*
 * JMP from one place to the other, of which only the first n bytes are written.
 */
static void
write_jump(struct ip_planner *p, size_t off, uint64_t to, uint8_t n)
{
	uint64_t at = p->text->vaddr + p->bias + off;
	int32_t disp = (int32_t)(to - (at + X86_JUMP_LEN));
	uint8_t bytes[X86_JUMP_LEN] = { 0xe9 };

	memcpy(bytes + 1, &disp, sizeof(disp));
	write_bytes(p, off, bytes, n, X86_JUMP_LEN);
}

static struct ip_window
describe(const struct ip_planner *p, const struct window *w)
{
	return (struct ip_window){ p->text, p->bias, w->start, w->end,
		p->points + w->first, w->last - w->first + 1, p->taker,
		p->silent_taker };
}

/* The length of the window's code at address `at`; 0: it cannot be there. */
static size_t
measure(struct ip_planner *p, const struct window *w, uint64_t at)
{
	struct ip_window iw = describe(p, w);
	struct strbuf code = { 0 };
	const char *why = ip_emit_window(&iw, at, &code, NULL);
	size_t len = code.len;

	strbuf_fini(&code);
	if (why != NULL)
		p->why = why;
	return why == NULL ? len : 0;
}

/* Put the window's code to `at`, where there is room for `len` bytes. */
static bool
emit(struct ip_planner *p, const struct window *w, uint64_t at, size_t len)
{
	struct ip_window iw = describe(p, w);
	struct inproc_plan *plan = p->plan;
	size_t start = plan->code.len, nmoves = plan->moves.n;
	const char *why = ip_emit_window(&iw, at, &plan->code, plan);

	if (why != NULL || plan->code.len - start > len) {
		plan->code.len = start;
		plan->moves.n = nmoves;
		return false;
	}
	VEC_PUSH(&plan->texts,
	    (struct inproc_text){
		at, (uint32_t)start, (uint32_t)(plan->code.len - start) });
	return true;
}

/*
 * Emit the window's code to begin in [lo, hi).  Returns its address; 0:
 * impossible.
 */
static uint64_t
place(struct ip_planner *p, const struct window *w, uint64_t lo, uint64_t hi)
{
	/* the length depends on what is in reach */
	for (unsigned i = 0; i < 2; i++) {
		size_t len = measure(p, w, i == 0 ? lo / 2 + hi / 2 : lo);
		uint64_t at;

		if (len == 0)
			return 0;
		at = inproc_space_take(p->space, lo, hi, len);
		if (at == 0)
			return 0;
		if (emit(p, w, at, len))
			return at;
	}
	return 0;
}

/* Place the code anywhere that a jump at `off` reaches. */
static uint64_t
place_near(struct ip_planner *p, const struct window *w, size_t off)
{
	uint64_t from = p->text->vaddr + p->bias + off;
	uint64_t base = p->text->vaddr + p->bias;
	uint64_t lo = base > NEAR_REACH ? base - NEAR_REACH : 1;
	uint64_t at = place(p, w, lo, base + NEAR_REACH);

	if (at == 0)
		at = place(p, w, from > FAR_REACH ? from - FAR_REACH : 1,
		    from + FAR_REACH);
	return at;
}

/* ---- tactics ------------------------------------------------------------ */

static bool
try_near(struct ip_planner *p, const struct window *w)
{
	uint64_t at;

	if (w->start + X86_JUMP_LEN > p->text->len ||
	    !is_no_target(p->text, w->start, w->start + X86_JUMP_LEN) ||
	    !is_free(p, w->start, w->start + X86_JUMP_LEN))
		return false;
	at = place_near(p, w, w->start);
	if (at == 0)
		return false;
	write_jump(p, w->start, at, X86_JUMP_LEN);
	return true;
}

/* Is [off, end) the end of a fully decoded function, and padding? */
static bool
is_understood(const struct ip_text *t, size_t off, size_t end)
{
	size_t from, to;

	ip_function(t, off, &from, &to);
	return ip_is_sound(t, from, end);
}

/*
 * Padding with room for a jump, in reach of a jump of two bytes at `start`; 0:
 * none.  Padding begins behind instructions that leave.
 */
static size_t
find_slot(const struct ip_planner *p, size_t start)
{
	const struct ip_text *t = p->text;
	size_t from = start + SHORT_JUMP, lo, hi;

	lo = from > SHORT_REACH + LONGEST ? from - SHORT_REACH - LONGEST : 0;
	hi = t->len - from > SHORT_REACH ? from + SHORT_REACH : t->len;
	for (size_t off = lo; off < hi; off++) {
		size_t at, end;

		if ((t->marks[off] & (MARK_INSN | MARK_LEAVES)) !=
		    (MARK_INSN | MARK_LEAVES))
			continue;
		at = insn_end(t, off);
		end = padding_end(t, at);
		for (; at + X86_JUMP_LEN <= end && at <= hi; at++) {
			if (at + SHORT_REACH >= from &&
			    is_free(p, at, at + X86_JUMP_LEN) &&
			    is_understood(t, off, at + X86_JUMP_LEN))
				return at;
		}
	}
	return 0;
}

static bool
try_short(struct ip_planner *p, const struct window *w)
{
	uint8_t bytes[SHORT_JUMP] = { 0xeb };
	uint64_t at;
	size_t slot;

	if (w->start + SHORT_JUMP > p->text->len ||
	    !is_no_target(p->text, w->start, w->start + SHORT_JUMP) ||
	    !is_free(p, w->start, w->start + SHORT_JUMP))
		return false;
	/* not the padding that the short jump is in */
	slot = find_slot(p, w->start);
	if (slot == 0 ||
	    (slot < w->start + SHORT_JUMP && w->start < slot + X86_JUMP_LEN))
		return false;
	at = place_near(p, w, slot);
	if (at == 0)
		return false;
	bytes[1] = (uint8_t)(slot - (w->start + SHORT_JUMP));
	write_bytes(p, w->start, bytes, SHORT_JUMP, SHORT_JUMP);
	write_jump(p, slot, at, X86_JUMP_LEN);
	return true;
}

/* The number of bytes from `start` that may be changed, up to a jump's. */
static size_t
count_free(const struct ip_planner *p, size_t start, size_t end)
{
	size_t n = 0;

	while (n < X86_JUMP_LEN - 1 && start + n < end &&
	    p->use[start + n] == 0 &&
	    (n == 0 || (p->text->marks[start + n] & MARK_TARGET) == 0))
		n++;
	return n;
}

static bool
try_pun(struct ip_planner *p, const struct window *w)
{
	const struct ip_text *t = p->text;
	size_t n = count_free(p, w->start, w->room);
	uint64_t from = t->vaddr + p->bias + w->start + X86_JUMP_LEN, lo, at;
	uint8_t bytes[4] = { 0 };
	int32_t disp;

	if (n == 0 || w->start + X86_JUMP_LEN > t->len ||
	    !is_unused(p, w->start + n, w->start + X86_JUMP_LEN, USE_EARLIER))
		return false;
	memcpy(bytes + n - 1, p->now + w->start + n, X86_JUMP_LEN - n);
	memcpy(&disp, bytes, sizeof(disp));
	lo = from + (uint64_t)(int64_t)disp;
	at = place(p, w, lo, lo + (UINT64_C(1) << 8 * (n - 1)));
	if (at == 0)
		return false;
	write_jump(p, w->start, at, (uint8_t)n);
	return true;
}

/* ---- serving ------------------------------------------------------------ */

typedef bool try_f(struct ip_planner *p, const struct window *w);

static const struct {
	enum inproc_tactic tactic;
	try_f *try;
	uint8_t bytes; /* least number of the window's bytes to change */
} tactics[] = {
	{ INPROC_NEAR, try_near, X86_JUMP_LEN },
	{ INPROC_SHORT, try_short, SHORT_JUMP },
	{ INPROC_PUN, try_pun, 4 },
	{ INPROC_PUN, try_pun, 3 },
	{ INPROC_PUN, try_pun, 2 },
	{ INPROC_PUN, try_pun, 1 },
};

static void
set_fates(struct ip_planner *p, size_t first, size_t last,
    enum inproc_tactic tactic, const char *why)
{
	for (size_t i = first; i <= last; i++)
		p->plan->fates.v[p->numbers[i]] =
		    (struct inproc_fate){ tactic, p->plan->nwindows, why };
}

static size_t
offset_of(const struct ip_planner *p, size_t i)
{
	return p->points[i]->vaddr - p->text->vaddr;
}

/*
 * Should the instruction at `off` stay in place? points[last] is the last
 * point.
 */
static bool
is_to_stay(const struct ip_planner *p, size_t off, size_t last)
{
	for (size_t i = last + 1; i-- > 0;) {
		if (p->points[i]->vaddr < p->text->vaddr + off)
			return false;
		if (p->points[i]->vaddr == p->text->vaddr + off &&
		    p->points[i]->stays)
			return true;
	}
	return false;
}

/* The end of a window for the instruction at `off` or for its predecessor. */
static size_t
end_at(const struct ip_planner *p, size_t start, size_t off, size_t bytes,
    bool is_moved)
{
	size_t end;

	if (is_moved)
		return window_end(
		    p->text, start, insn_end(p->text, off), start + bytes);
	if (start + bytes > off || p->text->marks[off] & MARK_TARGET)
		return 0;
	end = window_end(p->text, start, off, start + bytes);
	return end == off ? end : 0;
}

/*
 * Try one tactic at one beginning; it also serves the points between that and
 * points[last].
 */
static bool
try_start(struct ip_planner *p, size_t start, size_t *first, size_t last,
    size_t which, bool is_moved)
{
	struct window w = { start, 0, 0, last, last };

	w.end = end_at(
	    p, start, offset_of(p, last), tactics[which].bytes, is_moved);
	while (w.first > 0 && p->points[w.first - 1]->vaddr >= p->text->vaddr &&
	    offset_of(p, w.first - 1) >= start)
		w.first--;
	if (w.end == 0 || !is_unused(p, start, w.end, USE_TAKEN))
		return false;
	w.room = p->text->marks[ip_previous(p->text, w.end)] & MARK_LEAVES ?
	    padding_end(p->text, w.end) :
	    w.end;
	if (!tactics[which].try(p, &w))
		return false;
	use_for_good(p, start, w.end, USE_TAKEN);
	set_fates(p, w.first, last, tactics[which].tactic, NULL);
	p->plan->nwindows++;
	*first = w.first;
	return true;
}

/*
 * Possible beginnings of a window for the instruction at `off`: first those
 * that are points, from the farthest to the nearest, since one jump then serves
 * several; then the others, from the nearest on.
 */
struct starts {
	size_t v[2 * BACK_MAX];
	size_t n;
};

static bool
is_point(const struct ip_planner *p, size_t off, size_t last)
{
	for (size_t i = last + 1; i-- > 0;) {
		if (p->points[i]->vaddr < p->text->vaddr + off)
			return false;
		if (p->points[i]->vaddr == p->text->vaddr + off)
			return true;
	}
	return false;
}

static void
find_starts(
    const struct ip_planner *p, size_t last, bool may_move, struct starts *s)
{
	size_t all[BACK_MAX], n = 0, off = offset_of(p, last), before = off;

	s->n = 0;
	do {
		all[n++] = before;
		off = before;
		before = previous(p->text, off);
	} while (before != off && n < BACK_MAX &&
	    before + BACK_MAX > offset_of(p, last) &&
	    (may_move || !is_to_stay(p, before, last)));
	for (size_t i = n; i-- > 0;) {
		if (is_point(p, all[i], last))
			s->v[s->n++] = all[i];
	}
	for (size_t i = 0; i < n; i++) {
		if (!is_point(p, all[i], last))
			s->v[s->n++] = all[i];
	}
}

/*
 * Serve points[last] and perhaps some before it; *first is then the first of
 * them.
 */
static bool
try_all(struct ip_planner *p, size_t *first, size_t last, bool may_move)
{
	bool is_moved = may_move || !is_to_stay(p, offset_of(p, last), last);
	struct starts s;

	find_starts(p, last, may_move, &s);
	for (size_t t = 0; t < sizeof(tactics) / sizeof(tactics[0]); t++) {
		for (size_t i = 0; i < s.n; i++) {
			if (try_start(p, s.v[i], first, last, t, is_moved))
				return true;
		}
	}
	return false;
}

size_t
ip_serve(struct ip_planner *p, size_t last)
{
	size_t first = last;

	if (p->m->is_go && (p->taker == 0 || p->silent_taker == 0)) {
		set_fates(p, last, last, INPROC_REFUSED,
		    "stacks of Go have no room for it");
		return last;
	}
	p->why = "its function holds data, or code that must stay in place";
	if (is_sound(p, p->points[last])) {
		p->why = "no jump fits there: a jump may lead to the next code";
		if ((p->has_stays && try_all(p, &first, last, false)) ||
		    try_all(p, &first, last, true))
			return first;
	}
	set_fates(p, last, last, INPROC_REFUSED, p->why);
	return last;
}
