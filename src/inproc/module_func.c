/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of a module: where one begins and ends.  All of a function that is
 * not understood is marked.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/vec.h"
#include "inproc/module.h"
#include "inproc/module_impl.h"
#include "unwind/unwind.h"

static bool
is_function(const struct ip_text *t, size_t off)
{
	return (t->marks[off] & (MARK_FUNC | MARK_LABEL)) == MARK_FUNC;
}

static void
find_starts(struct ip_open *o)
{
	size_t steps = 0;

	VEC_FOREACH(&o->m->texts, t) {
		VEC_PUSH(&t->starts, 0);
		for (size_t off = 1; off < t->len && !BOUNDS_POLL(steps);
		     off++) {
			if (is_function(t, off))
				BOUNDS_PUSH(&t->starts, off);
		}
	}
}

/* The number of the function that an offset is in. */
static size_t
func_number(const struct ip_text *t, size_t off)
{
	size_t lo = 0, hi = t->starts.n;

	while (hi - lo > 1) {
		size_t mid = (lo + hi) / 2;

		if (t->starts.v[mid] <= off)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

void
ip_function(const struct ip_text *t, size_t off, size_t *from, size_t *to)
{
	size_t i = func_number(t, off);

	*from = t->starts.v[i];
	*to = i + 1 < t->starts.n ? t->starts.v[i + 1] : t->len;
}

bool
ip_keeps_flags(const struct ip_text *t, size_t target)
{
	size_t from, to;

	if (t->keepers.n == 0 || target >= t->len)
		return false;
	ip_function(t, target, &from, &to);
	VEC_FOREACH(&t->keepers, k) {
		if (*k == from)
			return true;
	}
	return false;
}

/*
 * The beginning of the function that holds an address; the address itself if it
 * is not in code.
 */
static uint64_t
func_start(const struct ip_open *o, uint64_t vaddr)
{
	const struct ip_text *t = ip_text_at(o->m, vaddr);

	return t == NULL ?
	    vaddr :
	    t->vaddr + t->starts.v[func_number(t, vaddr - t->vaddr)];
}

/*
 * A site of <sys/sdt.h> is two nops, of one byte and of four.  Computed
 * addresses of code never lead to the second one.
 */
static bool
is_second_nop(const struct ip_text *t, size_t off)
{
	static const uint8_t nops[] = { 0x90, 0x0f, 0x1f, 0x40, 0x00 };

	return off != 0 && t->len - off >= sizeof(nops) - 1 &&
	    t->marks[off - 1] & MARK_INSN &&
	    memcmp(t->bytes + off - 1, nops, sizeof(nops)) == 0;
}

/* All instructions in [from, to). */
static void
mark_range(const struct ip_text *t, size_t from, size_t to, uint8_t marks)
{
	for (size_t i = from; i < to; i++) {
		if (t->marks[i] & MARK_INSN &&
		    (marks != MARK_TARGET || !is_second_nop(t, i)))
			t->marks[i] |= marks;
	}
}

/*
 * Marks to be set on all instructions of a function: a byte for each function
 * of a text.
 */
struct wishes {
	const struct ip_open *o;
	VEC(uint8_t *) marks; /* of each text */
};

static void
wishes_init(struct wishes *w, const struct ip_open *o)
{
	w->o = o;
	VEC_FOREACH(&o->m->texts, t)
		VEC_PUSH(&w->marks, mem_alloc(t->starts.n));
}

static void
wish(struct wishes *w, uint64_t vaddr, uint8_t marks)
{
	const struct ip_text *t = ip_text_at(w->o->m, vaddr);

	if (t != NULL)
		w->marks.v[t - w->o->m->texts.v]
			  [func_number(t, vaddr - t->vaddr)] |= marks;
}

/* Mark each function once, however many wishes it has. */
static void
grant(struct wishes *w)
{
	size_t steps = 0;

	for (size_t i = 0; i < w->marks.n; i++) {
		const struct ip_text *t = &w->o->m->texts.v[i];

		for (size_t k = 0; k < t->starts.n && !BOUNDS_POLL(steps);
		     k++) {
			size_t from, to;

			ip_function(t, t->starts.v[k], &from, &to);
			if (w->marks.v[i][k] & MARK_TARGET)
				mark_range(t, from, to, MARK_TARGET);
			if (w->marks.v[i][k] & MARK_STD)
				mark_range(t, from, to, MARK_STD);
		}
		free(w->marks.v[i]);
	}
	VEC_FREE(&w->marks);
}

/* Beginnings of the functions that jump through registers; sorted. */
static void
find_jumpers(struct ip_open *o)
{
	VEC_FOREACH(&o->far_jumps, j)
		*j = func_start(o, *j);
	ip_sort_numbers(o->far_jumps.v, o->far_jumps.n);
}

static bool
is_jumper(const struct ip_open *o, uint64_t func)
{
	return o->far_jumps.n != 0 &&
	    bsearch(&func, o->far_jumps.v, o->far_jumps.n,
		sizeof(*o->far_jumps.v), ip_compare_numbers) != NULL;
}

/*
 * Mark all of a function if its middle has a computed address, and it jumps
 * through a register or the function that computed the address does.
 */
static void
wish_computed(const struct ip_open *o, struct wishes *w)
{
	size_t steps = 0;

	VEC_FOREACH(&o->addresses, a) {
		uint64_t start = func_start(o, a->to);

		if (BOUNDS_POLL(steps))
			return;

		if (start != a->to &&
		    (is_jumper(o, start) ||
			is_jumper(o, func_start(o, a->from))))
			wish(w, start, MARK_TARGET);
	}
}

void
ip_mark_unknown(struct ip_open *o, const struct unw_places *places)
{
	struct wishes w = { 0 };

	find_starts(o);
	find_jumpers(o);
	wishes_init(&w, o);
	wish_computed(o, &w);
	VEC_FOREACH(&places->unknown, u)
		wish(&w, u->vaddr, MARK_TARGET);
	VEC_FOREACH(&o->stds, s)
		wish(&w, *s, MARK_STD);
	grant(&w);
}

bool
inproc_function_at(const struct inproc_module *m, uint64_t vaddr,
    uint64_t *func, uint64_t *size)
{
	const struct ip_text *t = ip_text_at(m, vaddr);
	size_t from, to;

	if (t == NULL)
		return false;
	ip_function(t, vaddr - t->vaddr, &from, &to);
	*func = t->vaddr + from;
	*size = to - from;
	return true;
}
