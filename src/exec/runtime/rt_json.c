/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * json(): the value at a path in a JSON text (RFC 8259).
 *
 *	{ "a": { "b": [ { "c": 1 }, 2 ] } }	a.b[0].c is 1
 *
 * One pass over the text in tmp_a, a character per step, and at the same time
 * over the path in tmp_b, whose elements end at '.', '[' or ']'.  An element is
 * a key of an object or a number in an array.  A container in which an element
 * is searched is *on the path*; `on` is the depth of the innermost one.  All
 * other values are skipped, but their brackets, strings and words must be
 * valid.  The value that the last element names is the result: a string without
 * its quotes, anything else as it is written; escapes stay as they are, in keys
 * too, as in other DTraces.
 *
 * The result is NULL if there is no such element, or if the text read so far is
 * not JSON.  So a text that was cut at strsize still gives the values that are
 * complete in it.
 */
#include "exec/runtime/rt_code.h"

#define DEPTH_MAX 64 /* of nesting: one bit each */

enum json_state {
	JSON_SELECT,	/* reading the number of an element from the path */
	JSON_VALUE,	/* before a value */
	JSON_FIRST,	/* before a value or the array's end */
	JSON_KEY,	/* before a key */
	JSON_FIRST_KEY, /* before a key or the object's end */
	JSON_IN_KEY,
	JSON_COLON,
	JSON_STRING,
	JSON_INT,
	JSON_FRACTION,
	JSON_EXPONENT,
	JSON_WORD, /* true, false, null */
	JSON_NEXT, /* after a value */
};

struct json {
	u64 pos, n; /* in the text */
	u64 state;
	u64 escape;	  /* remaining characters of an escape; 5: not known */
	u64 depth, kinds; /* kinds, bit 0: the innermost is an object */
	u64 on;
	u64 hit;	    /* the next value is the element of `on` */
	u64 path, path_len; /* path: the element searched for */
	u64 key;	    /* in the path, while the key agrees; or RT_NONE */
	u64 left;	    /* elements to skip in the array `on` */
	u64 token;	    /* start of a word */
	u64 from, to;	    /* the result; RT_NONE: not known yet */
	u64 goal;	    /* the depth around the result */
};

/* The results of a step. */
enum { JSON_GO_ON, JSON_STOP };

RT_INLINE u64
path_char(struct rt_mstate *ms, const struct json *j, u64 pos)
{
	return pos < j->path_len ? *rt_mem(ms, RTC(ms, tmp_b) + pos) : 0;
}

RT_INLINE int
ends_element(u64 c)
{
	return c == 0 || c == '.' || c == '[' || c == ']';
}

RT_INLINE int
is_digit(u64 c)
{
	return c - '0' < 10;
}

RT_INLINE int
is_hex_digit(u64 c)
{
	return is_digit(c) || (c | 0x20) - 'a' < 6;
}

RT_INLINE int
is_last_element(const struct json *j)
{
	return j->path == RT_NONE;
}

/* The path's element ends at `pos`: go to the next one, if there is one. */
RT_INLINE long
next_element(struct rt_mstate *ms, struct json *j, u64 pos)
{
	u64 c = path_char(ms, j, pos);

	if (c == ']') {
		pos++;
		c = path_char(ms, j, pos);
	}
	if (c == 0) {
		j->path = RT_NONE;
		return JSON_GO_ON;
	}
	j->path = pos + 1;
	return c == ']' || !ends_element(c) ? JSON_STOP : JSON_GO_ON;
}

/* A value ends before `end`: it may be the result. */
RT_INLINE long
json_end_value(struct json *j, u64 end)
{
	j->state = JSON_NEXT;
	if (j->from == RT_NONE || j->depth != j->goal)
		return JSON_GO_ON;
	j->to = end;
	return JSON_STOP;
}

/* An opening bracket. */
RT_INLINE long
json_open(struct json *j, u64 is_object)
{
	if (j->depth == DEPTH_MAX)
		return JSON_STOP;
	j->depth++;
	j->kinds = j->kinds << 1 | is_object;
	j->state = is_object ? JSON_FIRST_KEY : JSON_FIRST;
	if (!j->hit)
		return JSON_GO_ON;
	j->hit = 0;
	if (is_last_element(j)) {
		j->from = j->pos;
		j->goal = j->depth - 1;
		return JSON_GO_ON;
	}
	j->on = j->depth;
	if (!is_object) {
		j->state = JSON_SELECT;
		j->key = j->path;
		j->left = 0;
	}
	return JSON_GO_ON;
}

/* A closing bracket: on the path, the element was not found. */
RT_INLINE long
json_close(struct json *j, u64 is_object)
{
	if ((j->kinds & 1) != is_object || j->depth == j->on)
		return JSON_STOP;
	j->depth--;
	j->kinds >>= 1;
	return json_end_value(j, j->pos + 1);
}

/* A string, number or word begins with c. */
RT_INLINE long
json_simple(struct json *j, u64 c)
{
	if (j->depth == 0 || (j->hit && !is_last_element(j)))
		return JSON_STOP;
	if (j->hit) {
		j->hit = 0;
		j->from = j->pos + (c == '"');
		j->goal = j->depth;
	}
	j->token = j->pos;
	if (c == '"')
		j->state = JSON_STRING;
	else if (c == '-' || is_digit(c))
		j->state = JSON_INT;
	else if (c - 'a' < 26)
		j->state = JSON_WORD;
	else
		return JSON_STOP;
	return JSON_GO_ON;
}

RT_INLINE long
json_value(struct json *j, u64 c)
{
	if (rt_is_space(c))
		return JSON_GO_ON;
	if (c == '{' || c == '[')
		return json_open(j, c == '{');
	if (c == ']' && j->state == JSON_FIRST)
		return json_close(j, 0);
	return json_simple(j, c);
}

RT_INLINE long
json_key(struct json *j, u64 c)
{
	if (rt_is_space(c))
		return JSON_GO_ON;
	if (c == '}' && j->state == JSON_FIRST_KEY)
		return json_close(j, 1);
	j->state = JSON_IN_KEY;
	j->key = j->depth == j->on ? j->path : RT_NONE;
	return c == '"' ? JSON_GO_ON : JSON_STOP;
}

/* Within an escape: one character, or u and four digits. */
RT_INLINE long
json_escape(struct json *j, u64 c)
{
	if (j->escape == 5) {
		j->escape = c == 'u' ? 4 : 0;
		return JSON_GO_ON;
	}
	j->escape--;
	return is_hex_digit(c) ? JSON_GO_ON : JSON_STOP;
}

RT_INLINE long
json_string(struct json *j, u64 c)
{
	if (c == '"')
		return json_end_value(j, j->pos);
	if (c == '\\')
		j->escape = 5;
	return JSON_GO_ON;
}

RT_INLINE long
json_in_key(struct rt_mstate *ms, struct json *j, u64 c)
{
	u64 wanted = path_char(ms, j, j->key);

	if (c == '"' && j->escape == 0) {
		j->state = JSON_COLON;
		if (j->key == RT_NONE || !ends_element(wanted))
			return JSON_GO_ON;
		j->hit = 1;
		return next_element(ms, j, j->key);
	}
	if (j->key != RT_NONE)
		j->key = c == wanted && !ends_element(c) ? j->key + 1 : RT_NONE;
	if (j->escape != 0)
		return json_escape(j, c);
	if (c == '\\')
		j->escape = 5;
	return JSON_GO_ON;
}

RT_INLINE long
json_colon(struct json *j, u64 c)
{
	if (rt_is_space(c))
		return JSON_GO_ON;
	j->state = JSON_VALUE;
	return c == ':' ? JSON_GO_ON : JSON_STOP;
}

RT_INLINE long
json_next(struct json *j, u64 c)
{
	if (rt_is_space(c))
		return JSON_GO_ON;
	if (c == '}' || c == ']')
		return json_close(j, c == '}');
	if (c != ',')
		return JSON_STOP;
	j->state = j->kinds & 1 ? JSON_KEY : JSON_VALUE;
	if (j->depth == j->on && j->state == JSON_VALUE) {
		j->left--;
		j->hit = j->left == 0;
	}
	return JSON_GO_ON;
}

/*
 * After a number or word only the characters that may follow a value are valid.
 */
RT_INLINE long
json_end_simple(struct json *j, u64 c)
{
	if (c != ',' && c != '}' && c != ']' && !rt_is_space(c))
		return JSON_STOP;
	j->pos--; /* read it again */
	return json_end_value(j, j->pos + 1);
}

RT_INLINE long
json_number(struct rt_mstate *ms, struct json *j, u64 c)
{
	if (is_digit(c))
		return JSON_GO_ON;
	if (j->state == JSON_EXPONENT && (c == '+' || c == '-'))
		return JSON_GO_ON;
	if (j->state == JSON_INT && c == '.') {
		j->state = JSON_FRACTION;
		return JSON_GO_ON;
	}
	if (j->state != JSON_EXPONENT && (c | 0x20) == 'e') {
		j->state = JSON_EXPONENT;
		return JSON_GO_ON;
	}
	if (!is_digit(*rt_mem(ms, RTC(ms, tmp_a) + j->pos - 1)))
		return JSON_STOP;
	return json_end_simple(j, c);
}

/* Little-endian: the first letter is the lowest byte. */
#define WORD_TRUE 0x65757274
#define WORD_NULL 0x6c6c756e
#define WORD_FALSE 0x65736c6166

RT_INLINE long
json_word(struct rt_mstate *ms, struct json *j, u64 c)
{
	u64 len = j->pos - j->token, word;

	if (c - 'a' < 26)
		return JSON_GO_ON;
	word = rt_word(ms, RTC(ms, tmp_a) + j->token) & rt_low_mask(len);
	if (word != WORD_TRUE && word != WORD_NULL && word != WORD_FALSE)
		return JSON_STOP;
	return json_end_simple(j, c);
}

/* A digit of the number in the path; the position in the text stays. */
RT_INLINE long
json_select(struct rt_mstate *ms, struct json *j)
{
	u64 c = path_char(ms, j, j->key);

	j->pos--;
	if (is_digit(c)) {
		j->left =
		    j->left < (u64)1 << 32 ? j->left * 10 + c - '0' : j->left;
		j->key++;
		return JSON_GO_ON;
	}
	if (!ends_element(c) || j->key == j->path)
		return JSON_STOP;
	j->state = JSON_FIRST;
	j->hit = j->left == 0;
	return next_element(ms, j, j->key);
}

RT_INLINE long
json_char(struct rt_mstate *ms, struct json *j, u64 c)
{
	switch (j->state) {
	case JSON_SELECT:
		return json_select(ms, j);
	case JSON_VALUE:
	case JSON_FIRST:
		return json_value(j, c);
	case JSON_KEY:
	case JSON_FIRST_KEY:
		return json_key(j, c);
	case JSON_IN_KEY:
		return json_in_key(ms, j, c);
	case JSON_COLON:
		return json_colon(j, c);
	case JSON_STRING:
		return j->escape != 0 ? json_escape(j, c) : json_string(j, c);
	case JSON_INT:
	case JSON_FRACTION:
	case JSON_EXPONENT:
		return json_number(ms, j, c);
	case JSON_WORD:
		return json_word(ms, j, c);
	case JSON_NEXT:
		return json_next(j, c);
	}
	return JSON_STOP;
}

RT_CALLBACK long
json_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct json *j = RT_LOOP_VARS(struct json, ms);
	long stop;

	(void)i;
	if (j->pos >= j->n)
		return JSON_STOP;
	stop = json_char(ms, j, *rt_mem(ms, RTC(ms, tmp_a) + j->pos));
	j->pos++;
	return stop;
}

/* Start with the whole text as the value of an element before the path. */
RT_INLINE void
json_start(struct rt_mstate *ms, struct json *j, u64 n, u64 m)
{
	j->pos = 0;
	j->n = n;
	j->state = JSON_VALUE;
	j->escape = 0;
	j->depth = j->kinds = j->on = 0;
	j->hit = 1;
	j->path_len = m;
	j->path = path_char(ms, j, 0) == '[';
	j->key = j->left = j->token = 0;
	j->from = j->to = RT_NONE;
	j->goal = 0;
}

/* A character of the text is read at most twice, one of the path once. */
RT_PUBLIC u64
rt_json(u64 slot, u64 doc, u64 path)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	struct json *j;
	u64 n, m;

	if (ms == NULL || (n = rt_get_a(ms, doc)) == RT_NONE ||
	    (m = rt_get_b(ms, path)) == RT_NONE)
		return 0;
	j = RT_LOOP_VARS(struct json, ms);
	json_start(ms, j, n, m);
	RT_LOOP(2 * n + m + 2, json_step, &ctx);
	if (j->to == RT_NONE)
		return 0;
	return rt_slice(ms, RTC(ms, tmp_a) + j->from, j->to - j->from);
}
