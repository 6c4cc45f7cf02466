/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Strings character by character: strtok, strtoll, cleanpath, toupper, tolower.
 *
 * Each is one loop over a string that was read in bulk before; the loop's
 * variables hold a state, so that no loop is inside another.
 */
#include "exec/runtime/rt_code.h"

/* ---- strtok ------------------------------------------------------------- */

/*
 * The text is copied when it is given, so later calls in the firing do not
 * depend on what the program writes to its memory in between.
 */
struct tok {
	u64 seps[4];  /* a bit per character */
	u64 pos, end; /* in the text */
	u64 start;    /* of the token; RT_NONE: before the token */
};

RT_INLINE int
is_sep(const struct tok *t, u64 c)
{
	return t->seps[c >> 6 & 3] >> (c & 63) & 1;
}

RT_CALLBACK long
seps_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct tok *t = RT_LOOP_VARS(struct tok, ms);
	u64 c = *rt_mem(ms, RTC(ms, tmp_b) + i);

	t->seps[c >> 6 & 3] |= (u64)1 << (c & 63);
	return 0;
}

RT_CALLBACK long
token_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct tok *t = RT_LOOP_VARS(struct tok, ms);
	u64 c = *rt_mem(ms, RTC(ms, tok) + t->pos);

	(void)i;
	if (is_sep(t, c)) {
		if (t->start != RT_NONE)
			return 1;
	} else if (t->start == RT_NONE) {
		t->start = t->pos;
	}
	t->pos++;
	return 0;
}

/* Take a new text, or continue with the old one: 0, or 1 after a fault. */
RT_INLINE u64
take_text(struct rt_mstate *ms, u64 s)
{
	u64 n;

	if (s == 0 && ms->tok == 0) {
		rt_fault(ms, DIF_FLT_BADADDR, s);
		return 1;
	}
	if (s == 0)
		return 0;
	/* A failed read leaves zeroes, so it must not go to the old text. */
	if ((n = rt_get_a(ms, s)) == RT_NONE)
		return 1;
	rt_peek(ms, rt_mem(ms, RTC(ms, tok)), RTC(ms, strsize),
	    rt_addr(ms, RTC(ms, tmp_a)));
	ms->tok = 1;
	ms->tok_len = n;
	return 0;
}

RT_PUBLIC u64
rt_strtok(u64 slot, u64 s, u64 seps)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	struct tok *t;
	u64 m;

	if (ms == NULL || (m = rt_get_b(ms, seps)) == RT_NONE ||
	    take_text(ms, s) != 0)
		return 0;
	t = RT_LOOP_VARS(struct tok, ms);
	t->seps[0] = t->seps[1] = t->seps[2] = t->seps[3] = 0;
	RT_LOOP(m, seps_step, &ctx);
	t->pos = ms->tok - 1;
	t->end = ms->tok_len;
	t->start = RT_NONE;
	RT_LOOP(t->end - t->pos, token_step, &ctx);
	/* After the separator that ended the token, if there was one. */
	ms->tok = 1 + (t->pos < t->end ? t->pos + 1 : t->end);
	if (t->start == RT_NONE)
		return 0;
	return rt_slice(ms, RTC(ms, tok) + t->start, t->pos - t->start);
}

/* ---- strtoll ------------------------------------------------------------ */

struct number {
	u64 base, value;
	u64 negative;
	u64 ndigits;   /* digits read, including the 0 of 0x */
	u64 in_number; /* past blanks and sign */
};

/* The value of a digit; 255 for anything else. */
RT_INLINE u64
digit_value(u64 c)
{
	if (c - '0' < 10)
		return c - '0';
	c |= 0x20;
	return c - 'a' < 26 ? c - 'a' + 10 : 255;
}

/* Is it the x of 0x?  A digit must follow it. */
RT_INLINE int
is_hex_prefix(struct rt_mstate *ms, const struct number *n, u64 c, u64 i)
{
	return n->base == 16 && n->ndigits == 1 && n->value == 0 &&
	    (c | 0x20) == 'x' &&
	    digit_value(*rt_mem(ms, RTC(ms, tmp_a) + i + 1)) < 16;
}

RT_CALLBACK long
number_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct number *n = RT_LOOP_VARS(struct number, ms);
	u64 c = *rt_mem(ms, RTC(ms, tmp_a) + i), d = digit_value(c);

	if (!n->in_number && rt_is_space(c))
		return 0;
	if (!n->in_number && (c == '-' || c == '+')) {
		n->in_number = 1;
		n->negative = c == '-';
		return 0;
	}
	n->in_number = 1;
	if (d < n->base)
		n->value = n->value * n->base + d;
	else if (!is_hex_prefix(ms, n, c, i))
		return 1;
	n->ndigits++;
	return 0;
}

/* Modulo 2^64: values that do not fit wrap, as in the original. */
RT_PUBLIC u64
rt_strtoll(u64 slot, u64 s, u64 base, u64 nargs)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	struct number *num;
	u64 n;

	base = nargs < 2 ? 10 : (u32)base;
	if (ms == NULL)
		return 0;
	if (base < 2 || base > 36)
		return rt_fault(ms, DIF_FLT_ILLOP, base);
	if ((n = rt_get_a(ms, s)) == RT_NONE)
		return 0;
	if (n < RTC(ms, strsize))
		*rt_mem(ms, RTC(ms, tmp_a) + n) = 0;
	num = RT_LOOP_VARS(struct number, ms);
	num->base = base;
	num->value = num->negative = num->ndigits = num->in_number = 0;
	RT_LOOP(n, number_step, &ctx);
	return num->negative ? -num->value : num->value;
}

/* ---- cleanpath ---------------------------------------------------------- */

/*
 * The shortest path of the same meaning, by its text alone: without empty
 * components, without ".", and without "name/..".  A ".." without a component
 * before it is kept in a relative path and has no effect at the root.  Only "/"
 * ends in a slash; a path that becomes empty is ".", but "" stays "".
 *
 *	text	/usr/./share/../lib
 *	              ^ in: next component, at most two bytes tell . and ..
 *	result	/usr/
 *	        ^floor: nothing before it can be taken back
 *	             ^ out
 */
enum clean_state {
	CLEAN_START, /* at the start of a component, or at a slash */
	CLEAN_COPY,  /* within a component that is kept */
	CLEAN_POP,   /* removing the last one of the result */
};
struct clean {
	u64 in, n;
	u64 base; /* offset in mem of the result */
	u64 out;  /* its length */
	u64 floor;
	u64 state;
};

RT_INLINE void
clean_put(struct rt_mstate *ms, struct clean *k, u8 c)
{
	*rt_mem(ms, k->base + k->out) = c;
	k->out++;
}

/* Keep a component, after a slash unless it is the first. */
RT_INLINE long
clean_keep(struct rt_mstate *ms, struct clean *k)
{
	if (k->out > 0 && *rt_mem(ms, k->base + k->out - 1) != '/')
		clean_put(ms, k, '/');
	k->state = CLEAN_COPY;
	return 0;
}

/*
 * At "..": remove a component; if there is none, a relative path keeps the dots
 * for good.
 */
RT_INLINE long
clean_up(struct rt_mstate *ms, struct clean *k)
{
	u64 is_absolute = *rt_mem(ms, RTC(ms, tmp_a)) == '/';

	if (k->out > k->floor) {
		k->in += 2;
		k->state = CLEAN_POP;
		return 0;
	}
	if (is_absolute) {
		k->in += 2;
		return 0;
	}
	k->floor = k->out + (k->out > 0) + 2;
	return clean_keep(ms, k);
}

RT_INLINE long
clean_start(struct rt_mstate *ms, struct clean *k)
{
	u64 left = k->n - k->in;
	u64 word = rt_word(ms, RTC(ms, tmp_a) + k->in) & rt_low_mask(left);
	u64 c0 = word & 0xff, c1 = word >> 8 & 0xff, c2 = word >> 16 & 0xff;

	if (left == 0)
		return 1;
	if (c0 == '/' || (c0 == '.' && (c1 == '/' || c1 == 0))) {
		k->in++;
		return 0;
	}
	if (c0 == '.' && c1 == '.' && (c2 == '/' || c2 == 0))
		return clean_up(ms, k);
	return clean_keep(ms, k);
}

RT_INLINE long
clean_copy(struct rt_mstate *ms, struct clean *k)
{
	u8 c = *rt_mem(ms, RTC(ms, tmp_a) + k->in);

	if (k->in == k->n)
		return 1;
	if (c == '/') {
		k->state = CLEAN_START;
		return 0;
	}
	clean_put(ms, k, c);
	k->in++;
	return 0;
}

/* Back to the slash before the component; the root's slash stays. */
RT_INLINE long
clean_pop(struct rt_mstate *ms, struct clean *k)
{
	if (k->out > k->floor) {
		k->out--;
		if (*rt_mem(ms, k->base + k->out) != '/')
			return 0;
	}
	k->state = CLEAN_START;
	return 0;
}

RT_CALLBACK long
clean_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct clean *k = RT_LOOP_VARS(struct clean, ms);

	(void)i;
	if (k->state == CLEAN_START)
		return clean_start(ms, k);
	if (k->state == CLEAN_COPY)
		return clean_copy(ms, k);
	return clean_pop(ms, k);
}

/*
 * A byte is copied and removed at most once, and begins one component: 4 steps.
 */
RT_PUBLIC u64
rt_cleanpath(u64 slot, u64 s)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	struct clean *k;
	u64 n;

	if (ms == NULL || (n = rt_get_a(ms, s)) == RT_NONE)
		return 0;
	if (n == RTC(ms, strsize))
		n--;
	k = RT_LOOP_VARS(struct clean, ms);
	k->in = k->out = k->floor = 0;
	k->n = n;
	k->base = rt_scratch(ms);
	k->state = CLEAN_START;
	if (n > 0 && *rt_mem(ms, RTC(ms, tmp_a)) == '/') {
		clean_put(ms, k, '/');
		k->floor = 1;
	}
	RT_LOOP(4 * n + 1, clean_step, &ctx);
	if (n > 0 && k->out == 0)
		clean_put(ms, k, '.');
	else if (n > 0 && k->out > k->floor &&
	    *rt_mem(ms, RTC(ms, tmp_a) + n - 1) == '/')
		clean_put(ms, k, '/');
	return rt_result(ms, k->out);
}

/* ---- upper and lower case ----------------------------------------------- */

struct letters {
	u64 off;
	u64 first; /* 'a' or 'A': the letters that change */
};

/*
 * Eight bytes at a time.  Two numbers are added to the low seven bits of each
 * byte: one carries into the eighth bit from `first` on, the other from after
 * the 26th letter on; letters are the bytes for which only the first carries.
 * Bytes with the eighth bit set are not ASCII.
 */
RT_CALLBACK long
letters_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct letters *l = RT_LOOP_VARS(struct letters, ms);
	u64 off = l->off + 8 * (u64)i, word = rt_word(ms, off);
	u64 from = (word & RT_LOWS) + (128 - l->first) * RT_ONES;
	u64 behind = (word & RT_LOWS) + (128 - l->first - 26) * RT_ONES;
	u64 found = from & ~behind & ~word & RT_HIGHS;

	rt_set_word(ms, off, word ^ found >> 2);
	return 0;
}

RT_INLINE u64
change_case(u64 slot, u64 s, u64 first)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	struct letters *l;
	u64 n, max;

	if (ms == NULL ||
	    (n = rt_get(ms, rt_scratch(ms), s, RTC(ms, strsize))) == RT_NONE)
		return 0;
	max = RTC(ms, strsize) - 1;
	l = RT_LOOP_VARS(struct letters, ms);
	l->off = rt_scratch(ms);
	l->first = first;
	RT_LOOP(RT_WORDS(n), letters_step, &ctx);
	return rt_result(ms, n < max ? n : max);
}

RT_PUBLIC u64
rt_toupper(u64 slot, u64 s)
{
	return change_case(slot, s, 'a');
}

RT_PUBLIC u64
rt_tolower(u64 slot, u64 s)
{
	return change_case(slot, s, 'A');
}
