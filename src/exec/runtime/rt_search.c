/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Strings in strings: strstr, index, rindex.
 *
 * The text is in tmp_a, the word in tmp_b.  At each position the word is
 * compared eight bytes at a time (the last eight may overlap those before), by
 * one loop without an inner one: a step either continues within the word or
 * moves to another position; forward, to the next byte equal to the word's
 * first.  Ordinary text takes far less than one step per byte, but hostile text
 * can take text * word / 8 steps, so the work is limited: beyond SEARCH_STEPS
 * (a millisecond or two) the search is a fault instead of a wait in probe
 * context.  Strings up to 1 KiB never get there.
 */
#include "exec/runtime/rt_code.h"

#define SEARCH_STEPS (1024 * 1024 / 8)

struct rt_search {
	u64 pos;   /* position where the word is compared */
	u64 end;   /* the last position to try */
	u64 first; /* the word's first byte, eight times */
	u64 j;	   /* next byte of the word to compare */
	u64 last;  /* start of the last bytes to compare */
	u64 mask;  /* bytes that count in a word of eight */
	u64 running;
	u64 found; /* position, or RT_NONE */
};

/* The eight bytes of the text that are compared now. */
RT_INLINE u64
search_text(const struct rt_mstate *ms, const struct rt_search *s)
{
	return rt_word(ms, RTC(ms, tmp_a) + s->pos + s->j);
}

RT_INLINE u64
search_differs(const struct rt_mstate *ms, const struct rt_search *s, u64 text)
{
	return (text ^ rt_word(ms, RTC(ms, tmp_b) + s->j)) & s->mask;
}

RT_INLINE long
search_end(struct rt_search *s, u64 found)
{
	s->found = found;
	s->running = 0;
	return 1;
}

/* Eight bytes are equal: continue within the word. */
RT_INLINE long
search_go_on(struct rt_search *s)
{
	if (s->j == s->last)
		return search_end(s, s->pos);
	s->j = s->j + 8 < s->last ? s->j + 8 : s->last;
	return 0;
}

RT_CALLBACK long
search_forward_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct rt_search *s = RT_LOOP_VARS(struct rt_search, ms);
	u64 text = search_text(ms, s), skip = 1, again;

	(void)i;
	if (search_differs(ms, s, text) == 0)
		return search_go_on(s);
	if (s->j == 0) {
		again = rt_zero_bytes(text ^ s->first) >> 8;
		skip = again != 0 ? rt_low_byte(again) + 1 : 8;
	}
	if (s->end - s->pos < skip)
		return search_end(s, RT_NONE);
	s->pos += skip;
	s->j = 0;
	return 0;
}

RT_CALLBACK long
search_backward_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct rt_search *s = RT_LOOP_VARS(struct rt_search, ms);

	(void)i;
	if (search_differs(ms, s, search_text(ms, s)) == 0)
		return search_go_on(s);
	if (s->pos == s->end)
		return search_end(s, RT_NONE);
	s->pos--;
	s->j = 0;
	return 0;
}

/* Set up for a word of m > 0 bytes; returns the number of steps. */
RT_INLINE u64
search_start(struct rt_mstate *ms, u64 pos, u64 end, u64 npos, u64 m)
{
	struct rt_search *s = RT_LOOP_VARS(struct rt_search, ms);
	u64 steps = npos * RT_WORDS(m);

	s->pos = pos;
	s->end = end;
	s->first = *rt_mem(ms, RTC(ms, tmp_b)) * RT_ONES;
	s->j = 0;
	s->last = m > 8 ? m - 8 : 0;
	s->mask = rt_low_mask(m);
	s->running = 1;
	s->found = RT_NONE;
	return steps < SEARCH_STEPS ? steps : SEARCH_STEPS;
}

RT_INLINE u64
search_result(struct rt_mstate *ms)
{
	const struct rt_search *s = RT_LOOP_VARS(struct rt_search, ms);

	if (s->running)
		return rt_fault(ms, DIF_FLT_ILLOP, rt_addr(ms, RTC(ms, tmp_a)));
	return s->found;
}

/* Search the positions first ... last forwards. */
RT_INLINE u64
search_forward(struct rt_mstate *ms, u64 first, u64 last, u64 m)
{
	struct rt_ctx ctx = { ms };
	u64 steps = search_start(ms, first, last, last - first + 1, m);

	RT_LOOP(steps, search_forward_step, &ctx);
	return search_result(ms);
}

/* Search the positions 0 ... last backwards. */
RT_INLINE u64
search_backward(struct rt_mstate *ms, u64 last, u64 m)
{
	struct rt_ctx ctx = { ms };
	u64 steps = search_start(ms, last, 0, last + 1, m);

	RT_LOOP(steps, search_backward_step, &ctx);
	return search_result(ms);
}

RT_PUBLIC u64
rt_strstr(u64 slot, u64 s, u64 sub)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 n, m, pos;

	if (ms == NULL || (n = rt_get_a(ms, s)) == RT_NONE ||
	    (m = rt_get_b(ms, sub)) == RT_NONE)
		return 0;
	if (m == 0)
		return s;
	if (m > n)
		return 0;
	pos = search_forward(ms, 0, n - m, m);
	return pos == RT_NONE || ms->fault != 0 ? 0 : s + pos;
}

/* First occurrence at or after `start`. */
RT_PUBLIC u64
rt_index(u64 slot, u64 s, u64 sub, u64 start, u64 nargs)
{
	struct rt_mstate *ms = rt_ms(slot);
	s64 from = nargs > 2 ? (s32)start : 0;
	u64 n, m;

	if (ms == NULL || (n = rt_get_a(ms, s)) == RT_NONE ||
	    (m = rt_get_b(ms, sub)) == RT_NONE)
		return 0;
	if (from < 0)
		from = 0;
	if (m == 0)
		return (u64)from < n ? (u64)from : n;
	if (m > n || (u64)from > n - m)
		return RT_NONE;
	return search_forward(ms, (u64)from, n - m, m);
}

/* Last occurrence that begins at or before `start`. */
RT_PUBLIC u64
rt_rindex(u64 slot, u64 s, u64 sub, u64 start, u64 nargs)
{
	struct rt_mstate *ms = rt_ms(slot);
	s64 from = nargs > 2 ? (s32)start : INT32_MAX;
	u64 n, m;

	if (ms == NULL || (n = rt_get_a(ms, s)) == RT_NONE ||
	    (m = rt_get_b(ms, sub)) == RT_NONE)
		return 0;
	if (m == 0)
		return from < 0 ? 0 : (u64)from < n ? (u64)from : n;
	if (m > n || from < 0)
		return RT_NONE;
	if ((u64)from > n - m)
		from = (s64)(n - m);
	return search_backward(ms, (u64)from, m);
}
