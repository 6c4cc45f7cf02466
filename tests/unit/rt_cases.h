/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_UNIT_RT_CASES_H
#define TESTS_UNIT_RT_CASES_H

/*
 * What the runtime must answer, as data: one table, checked on the host
 * (test_runtime.c) and inside the kernel (live/test_bpf_runtime.c).
 */
#include "unit.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "dif/dif.h"
#include "exec/runtime/rt.h"

#define RT_COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The machine state's layout for a strsize; staging holds two strings. */
#define RT_LAYOUT(s)							\
	{								\
		.strsize = (s), .memmask = 16 * (s) - 1,		\
		.tmp_a = 4 * (s), .tmp_b = 5 * (s),			\
		.scratch_begin = 6 * (s), .scratch_end = 16 * (s),	\
	}
#define RT_STATE_SIZE(s) (RT_MEM_OFF + 16 * (s) + (s))

/* Where the cases run. */
struct rt_env {
	struct rt_conf conf;
	struct rt_mstate *ms;	/* as this process sees it */
	/* Call a function by name: arguments without the slot. */
	uint64_t (*call)(struct rt_env *env, const char *fn,
	    const uint64_t *args);
	void *arg;
};

/* Argument count without the slot, in the order of rt.h. */
struct rt_fn {
	const char *name;
	unsigned nargs;
	int has_slot;
	union {
		u64 (*f1)(u64 a);
		u64 (*f2)(u64 a, u64 b);
		u64 (*f3)(u64 a, u64 b, u64 c);
		u64 (*f4)(u64 a, u64 b, u64 c, u64 d);
		u64 (*f5)(u64 a, u64 b, u64 c, u64 d, u64 e);
	} u;
};
static const struct rt_fn rt_fns[] = {
	{ "rt_strlen", 1, 1, { .f2 = rt_strlen } },
	{ "rt_strjoin", 2, 1, { .f3 = rt_strjoin } },
	{ "rt_substr", 4, 1, { .f5 = rt_substr } },
	{ "rt_index", 4, 1, { .f5 = rt_index } },
	{ "rt_rindex", 4, 1, { .f5 = rt_rindex } },
	{ "rt_strchr", 2, 1, { .f3 = rt_strchr } },
	{ "rt_strrchr", 2, 1, { .f3 = rt_strrchr } },
	{ "rt_strstr", 2, 1, { .f3 = rt_strstr } },
	{ "rt_basename", 1, 1, { .f2 = rt_basename } },
	{ "rt_dirname", 1, 1, { .f2 = rt_dirname } },
	{ "rt_lltostr", 3, 1, { .f4 = rt_lltostr } },
	{ "rt_copyin", 2, 1, { .f3 = rt_copyin } },
	{ "rt_copyinstr", 3, 1, { .f4 = rt_copyinstr } },
	{ "rt_progenyof", 1, 1, { .f2 = rt_progenyof } },
	{ "rt_mutex_owned", 2, 1, { .f3 = rt_mutex_owned } },
	{ "rt_mutex_owner", 2, 1, { .f3 = rt_mutex_owner } },
	{ "rt_mutex_type_adaptive", 2, 1, { .f3 = rt_mutex_type_adaptive } },
	{ "rt_mutex_type_spin", 2, 1, { .f3 = rt_mutex_type_spin } },
	{ "rt_rw_read_held", 2, 1, { .f3 = rt_rw_read_held } },
	{ "rt_rw_write_held", 2, 1, { .f3 = rt_rw_write_held } },
	{ "rt_rw_iswriter", 2, 1, { .f3 = rt_rw_iswriter } },
	{ "rt_d_path", 1, 1, { .f2 = rt_d_path } },
	{ "rt_cwd", 0, 1, { .f1 = rt_cwd } },
	{ "rt_root", 0, 1, { .f1 = rt_root } },
	{ "rt_getf", 1, 1, { .f2 = rt_getf } },
	{ "rt_execargs", 0, 1, { .f1 = rt_execargs } },
	{ "rt_rand", 0, 1, { .f1 = rt_rand } },
	{ "rt_alloc", 1, 1, { .f2 = rt_alloc } },
	{ "rt_scmp", 2, 1, { .f3 = rt_scmp } },
	{ "rt_store_str", 3, 1, { .f4 = rt_store_str } },
	{ "rt_store_bytes", 3, 1, { .f4 = rt_store_bytes } },
	{ "rt_load", 2, 1, { .f3 = rt_load } },
	{ "rt_uload", 2, 1, { .f3 = rt_uload } },
	{ "rt_quantize_index", 1, 0, { .f1 = rt_quantize_index } },
	{ "rt_lquantize_index", 2, 0, { .f2 = rt_lquantize_index } },
	{ "rt_llquantize_index", 2, 0, { .f2 = rt_llquantize_index } },
};

static inline const struct rt_fn *
rt_fn_find(const char *name)
{
	for (size_t i = 0; i < RT_COUNT(rt_fns); i++) {
		if (strcmp(rt_fns[i].name, name) == 0)
			return &rt_fns[i];
	}
	fail_msg("no function %s", name);
	return NULL;
}

enum rt_arg_kind {
	A_NUM,		/* the number itself (also a wild address) */
	A_STR,		/* address of a copy of `s`, as the kernel sees it */
	A_USTR,		/* ... as user space sees it */
	A_FILL,		/* address of n times 'x' */
	A_UFILL,
};
struct rt_arg {
	enum rt_arg_kind kind;
	int64_t n;
	const char *s;
};
#define N(x) { A_NUM, (int64_t)(x), NULL }
#define S(x) { A_STR, 0, x }
#define U(x) { A_USTR, 0, x }
#define F(x) { A_FILL, x, NULL }
#define UF(x) { A_UFILL, x, NULL }

enum rt_want { W_NUM, W_STR, W_FILL, W_OFF, W_FAULT };
struct rt_case {
	const char *fn;
	struct rt_arg args[4];
	enum rt_want want;
	int64_t n;		/* number, length, offset from the first
				 * argument, enum dif_fault */
	const char *s;
};
#define NUM(x) W_NUM, (int64_t)(x), NULL
#define STR(x) W_STR, 0, x
#define FILL(x) W_FILL, x, NULL
#define OFF(x) W_OFF, x, NULL
#define FAULT(x) W_FAULT, DIF_FLT_##x, NULL

#define WILD 0x1234567812345678		/* not canonical: nobody's memory */

/* strsize is 256 */
static const struct rt_case rt_cases[] = {
	{ "rt_strlen", { S("") }, NUM(0) },
	{ "rt_strlen", { N(0) }, NUM(0) },
	{ "rt_strlen", { S("a") }, NUM(1) },
	{ "rt_strlen", { S("hello, world") }, NUM(12) },
	{ "rt_strlen", { F(254) }, NUM(254) },
	{ "rt_strlen", { F(255) }, NUM(255) },
	{ "rt_strlen", { F(256) }, NUM(256) },
	{ "rt_strlen", { F(300) }, NUM(256) },
	{ "rt_strlen", { N(WILD) }, FAULT(BADADDR) },
	{ "rt_strlen", { N(8) }, FAULT(BADADDR) },
	{ "rt_strlen", { N(-1) }, FAULT(BADADDR) },

	{ "rt_strjoin", { S(""), S("") }, STR("") },
	{ "rt_strjoin", { S("foo"), S("") }, STR("foo") },
	{ "rt_strjoin", { S(""), S("bar") }, STR("bar") },
	{ "rt_strjoin", { S("foo"), S("bar") }, STR("foobar") },
	{ "rt_strjoin", { N(0), S("bar") }, STR("bar") },
	{ "rt_strjoin", { S("foo"), N(0) }, STR("foo") },
	{ "rt_strjoin", { F(200), F(54) }, FILL(254) },
	{ "rt_strjoin", { F(200), F(55) }, FILL(255) },
	{ "rt_strjoin", { F(200), F(56) }, FILL(255) },
	{ "rt_strjoin", { F(255), S("y") }, FILL(255) },
	{ "rt_strjoin", { F(256), S("y") }, FILL(255) },
	{ "rt_strjoin", { F(254), S("xyz") }, FILL(255) },
	{ "rt_strjoin", { S(""), F(300) }, FILL(255) },
	{ "rt_strjoin", { S("a"), N(WILD) }, FAULT(BADADDR) },
	{ "rt_strjoin", { N(WILD), S("a") }, FAULT(BADADDR) },

	/* substr(s, index[, len]); the last argument is nargs */
	{ "rt_substr", { S("abcdef"), N(0), N(0), N(2) }, STR("abcdef") },
	{ "rt_substr", { S("abcdef"), N(2), N(0), N(2) }, STR("cdef") },
	{ "rt_substr", { S("abcdef"), N(6), N(0), N(2) }, STR("") },
	{ "rt_substr", { S("abcdef"), N(7), N(0), N(2) }, STR("") },
	{ "rt_substr", { S("abcdef"), N(-2), N(0), N(2) }, STR("ef") },
	{ "rt_substr", { S("abcdef"), N(-6), N(0), N(2) }, STR("abcdef") },
	{ "rt_substr", { S("abcdef"), N(-9), N(0), N(2) }, STR("abcdef") },
	{ "rt_substr", { S("abcdef"), N(1), N(3), N(3) }, STR("bcd") },
	{ "rt_substr", { S("abcdef"), N(1), N(0), N(3) }, STR("") },
	{ "rt_substr", { S("abcdef"), N(1), N(99), N(3) }, STR("bcdef") },
	{ "rt_substr", { S("abcdef"), N(1), N(-1), N(3) }, STR("bcde") },
	{ "rt_substr", { S("abcdef"), N(1), N(-5), N(3) }, STR("") },
	{ "rt_substr", { S("abcdef"), N(1), N(-9), N(3) }, STR("") },
	{ "rt_substr", { S("abcdef"), N(-3), N(2), N(3) }, STR("de") },
	{ "rt_substr", { S("abcdef"), N(-3), N(-2), N(3) }, STR("d") },
	{ "rt_substr", { S("abcdef"), N(-8), N(4), N(3) }, STR("ab") },
	{ "rt_substr", { S("abcdef"), N(INT_MAX), N(INT_MAX), N(3) },
	  STR("") },
	{ "rt_substr", { S("abcdef"), N(INT_MIN), N(INT_MIN), N(3) },
	  STR("") },
	{ "rt_substr", { S("abcdef"), N(1), N(INT_MAX), N(3) }, STR("bcdef") },
	{ "rt_substr", { S(""), N(0), N(1), N(3) }, STR("") },
	{ "rt_substr", { N(0), N(0), N(1), N(3) }, STR("") },
	{ "rt_substr", { F(255), N(0), N(0), N(2) }, FILL(255) },
	{ "rt_substr", { F(256), N(0), N(0), N(2) }, FILL(255) },
	{ "rt_substr", { F(256), N(1), N(0), N(2) }, FILL(255) },
	{ "rt_substr", { N(WILD), N(0), N(0), N(2) }, FAULT(BADADDR) },

	{ "rt_index", { S("foobarfoo"), S("foo"), N(0), N(2) }, NUM(0) },
	{ "rt_index", { S("foobarfoo"), S("foo"), N(1), N(3) }, NUM(6) },
	{ "rt_index", { S("foobarfoo"), S("foo"), N(6), N(3) }, NUM(6) },
	{ "rt_index", { S("foobarfoo"), S("foo"), N(7), N(3) }, NUM(-1) },
	{ "rt_index", { S("foobarfoo"), S("foo"), N(99), N(3) }, NUM(-1) },
	{ "rt_index", { S("foobarfoo"), S("foo"), N(-5), N(3) }, NUM(0) },
	{ "rt_index", { S("foobarfoo"), S("foo"), N(INT_MIN), N(3) }, NUM(0) },
	{ "rt_index", { S("foobarfoo"), S("bar"), N(0), N(2) }, NUM(3) },
	{ "rt_index", { S("foobarfoo"), S("baz"), N(0), N(2) }, NUM(-1) },
	{ "rt_index", { S("foo"), S("foobar"), N(0), N(2) }, NUM(-1) },
	{ "rt_index", { S(""), S(""), N(0), N(2) }, NUM(0) },
	{ "rt_index", { S("abc"), S(""), N(2), N(3) }, NUM(2) },
	{ "rt_index", { S("abc"), S(""), N(9), N(3) }, NUM(3) },
	{ "rt_index", { S("abc"), N(0), N(0), N(2) }, NUM(0) },
	{ "rt_index", { N(0), S("a"), N(0), N(2) }, NUM(-1) },
	{ "rt_index", { S("abc"), N(WILD), N(0), N(2) }, FAULT(BADADDR) },
	{ "rt_index", { N(WILD), S("abc"), N(0), N(2) }, FAULT(BADADDR) },

	{ "rt_rindex", { S("foobarfoo"), S("foo"), N(0), N(2) }, NUM(6) },
	{ "rt_rindex", { S("foobarfoo"), S("foo"), N(6), N(3) }, NUM(6) },
	{ "rt_rindex", { S("foobarfoo"), S("foo"), N(5), N(3) }, NUM(0) },
	{ "rt_rindex", { S("foobarfoo"), S("foo"), N(0), N(3) }, NUM(0) },
	{ "rt_rindex", { S("foobarfoo"), S("foo"), N(99), N(3) }, NUM(6) },
	{ "rt_rindex", { S("foobarfoo"), S("foo"), N(-1), N(3) }, NUM(-1) },
	{ "rt_rindex", { S("foobarfoo"), S("bar"), N(2), N(3) }, NUM(-1) },
	{ "rt_rindex", { S("abc"), S(""), N(0), N(2) }, NUM(3) },
	{ "rt_rindex", { S("abc"), S(""), N(1), N(3) }, NUM(1) },
	{ "rt_rindex", { S("abc"), S(""), N(-1), N(3) }, NUM(0) },
	{ "rt_rindex", { S("abc"), S("abcd"), N(0), N(2) }, NUM(-1) },
	{ "rt_rindex", { S("aaaaaaaaaaaaaaaaaaaa"), S("aaaaaaaaaa"), N(0),
	  N(2) }, NUM(10) },

	{ "rt_strstr", { S("foobar"), S("") }, OFF(0) },
	{ "rt_strstr", { S(""), S("") }, OFF(0) },
	{ "rt_strstr", { S("foobar"), S("foo") }, OFF(0) },
	{ "rt_strstr", { S("foobar"), S("bar") }, OFF(3) },
	{ "rt_strstr", { S("foobar"), S("r") }, OFF(5) },
	{ "rt_strstr", { S("foobar"), S("rx") }, NUM(0) },
	{ "rt_strstr", { S("foobar"), S("foobarx") }, NUM(0) },
	{ "rt_strstr", { S(""), S("x") }, NUM(0) },
	{ "rt_strstr", { N(0), S("x") }, NUM(0) },
	{ "rt_strstr", { S("abc"), N(0) }, OFF(0) },
	{ "rt_strstr", { S("0123456789abcdefXYZ"), S("89abcdefX") }, OFF(8) },
	{ "rt_strstr", { S("0123456789abcdefXYZ"), S("9abcdefXYZ") },
	  OFF(9) },
	{ "rt_strstr", { S("0123456789abcdefXYZ"), S("89abcdefY") }, NUM(0) },
	{ "rt_strstr", { S("aaaaaaaaaaaaaaaaaaab"), S("aaaaaaaaab") },
	  OFF(10) },
	{ "rt_strstr", { S("ababababababababababac"), S("ababababac") },
	  OFF(12) },
	{ "rt_strstr", { S("xx12345678"), S("12345678") }, OFF(2) },
	{ "rt_strstr", { S("xx1234567812345678"), S("1234567812345678") },
	  OFF(2) },
	{ "rt_strstr", { S("aXbXcXdXeXfXgXhXiXj"), S("Xj") }, OFF(17) },
	{ "rt_strstr", { S("........X........Y"), S("Y") }, OFF(17) },
	{ "rt_strstr", { S("........X........Y"), S("XY") }, NUM(0) },
	{ "rt_strstr", { S("....................ab"), S("ab") }, OFF(20) },
	{ "rt_strstr", { S("x\200\1\200y"), S("\200y") }, OFF(3) },
	{ "rt_strstr", { F(256), F(256) }, OFF(0) },
	{ "rt_strstr", { F(255), F(200) }, OFF(0) },
	{ "rt_strstr", { F(255), S("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxy") },
	  NUM(0) },
	{ "rt_strstr", { S("a"), N(WILD) }, FAULT(BADADDR) },

	{ "rt_strchr", { S("foobar"), N('o') }, OFF(1) },
	{ "rt_strchr", { S("foobar"), N('f') }, OFF(0) },
	{ "rt_strchr", { S("foobar"), N('r') }, OFF(5) },
	{ "rt_strchr", { S("foobar"), N('x') }, NUM(0) },
	{ "rt_strchr", { S("foobar"), N(0) }, OFF(6) },
	{ "rt_strchr", { S("foobar"), N('o' + 256) }, OFF(1) },
	{ "rt_strchr", { S(""), N('x') }, NUM(0) },
	{ "rt_strchr", { S(""), N(0) }, OFF(0) },
	{ "rt_strchr", { N(0), N('x') }, NUM(0) },
	{ "rt_strchr", { S("0123456789abcdefg"), N('7') }, OFF(7) },
	{ "rt_strchr", { S("0123456789abcdefg"), N('8') }, OFF(8) },
	{ "rt_strchr", { S("0123456789abcdefg"), N('g') }, OFF(16) },
	{ "rt_strchr", { S("a\200b\377c"), N(-1) }, OFF(3) },
	{ "rt_strchr", { S("a\200b\377c"), N(0x80) }, OFF(1) },
	{ "rt_strchr", { S("\001\001\001"), N(0) }, OFF(3) },
	{ "rt_strchr", { F(256), N(0) }, NUM(0) },
	{ "rt_strchr", { F(255), N(0) }, OFF(255) },
	{ "rt_strchr", { N(WILD), N('x') }, FAULT(BADADDR) },

	{ "rt_strrchr", { S("foobar"), N('o') }, OFF(2) },
	{ "rt_strrchr", { S("foobar"), N('f') }, OFF(0) },
	{ "rt_strrchr", { S("foobar"), N('x') }, NUM(0) },
	{ "rt_strrchr", { S("foobar"), N(0) }, OFF(6) },
	{ "rt_strrchr", { S("/a/b/c/d/e/f/g/h/i"), N('/') }, OFF(16) },
	{ "rt_strrchr", { S("/abcdefghijklmnop"), N('/') }, OFF(0) },
	{ "rt_strrchr", { F(256), N('x') }, OFF(255) },
	{ "rt_strrchr", { N(0), N('x') }, NUM(0) },

	/* the table of POSIX.1-2017, basename(), and more */
	{ "rt_basename", { S("/usr/lib") }, STR("lib") },
	{ "rt_basename", { S("/usr/") }, STR("usr") },
	{ "rt_basename", { S("usr") }, STR("usr") },
	{ "rt_basename", { S("/") }, STR("/") },
	{ "rt_basename", { S("//") }, STR("/") },
	{ "rt_basename", { S("///") }, STR("/") },
	{ "rt_basename", { S(".") }, STR(".") },
	{ "rt_basename", { S("..") }, STR("..") },
	{ "rt_basename", { S("") }, STR(".") },
	{ "rt_basename", { N(0) }, STR(".") },
	{ "rt_basename", { S("//usr//lib//") }, STR("lib") },
	{ "rt_basename", { S("/home//dwc//test") }, STR("test") },
	{ "rt_basename", { S("a/b") }, STR("b") },
	{ "rt_basename", { S("/very/long/path/to/some/file.txt") },
	  STR("file.txt") },
	{ "rt_basename", { S("abcdefgh/") }, STR("abcdefgh") },
	{ "rt_basename", { S("////////////////") }, STR("/") },
	{ "rt_basename", { F(256) }, FILL(255) },
	{ "rt_basename", { N(WILD) }, FAULT(BADADDR) },

	{ "rt_dirname", { S("/usr/lib") }, STR("/usr") },
	{ "rt_dirname", { S("/usr/") }, STR("/") },
	{ "rt_dirname", { S("usr") }, STR(".") },
	{ "rt_dirname", { S("/") }, STR("/") },
	{ "rt_dirname", { S("//") }, STR("/") },
	{ "rt_dirname", { S(".") }, STR(".") },
	{ "rt_dirname", { S("..") }, STR(".") },
	{ "rt_dirname", { S("") }, STR(".") },
	{ "rt_dirname", { N(0) }, STR(".") },
	{ "rt_dirname", { S("//usr//lib//") }, STR("//usr") },
	{ "rt_dirname", { S("/home//dwc//test") }, STR("/home//dwc") },
	{ "rt_dirname", { S("a/b") }, STR("a") },
	{ "rt_dirname", { S("a/b/") }, STR("a") },
	{ "rt_dirname", { S("/a") }, STR("/") },
	{ "rt_dirname", { S("///a///") }, STR("/") },
	{ "rt_dirname", { S("/very/long/path/to/some/file.txt") },
	  STR("/very/long/path/to/some") },

	{ "rt_lltostr", { N(0), N(0), N(1) }, STR("0") },
	{ "rt_lltostr", { N(1234567890123), N(0), N(1) },
	  STR("1234567890123") },
	{ "rt_lltostr", { N(-1), N(0), N(1) }, STR("-1") },
	{ "rt_lltostr", { N(INT64_MAX), N(0), N(1) },
	  STR("9223372036854775807") },
	{ "rt_lltostr", { N(INT64_MIN), N(0), N(1) },
	  STR("-9223372036854775808") },
	{ "rt_lltostr", { N(INT64_MIN), N(10), N(2) },
	  STR("-9223372036854775808") },
	{ "rt_lltostr", { N(INT64_MIN), N(16), N(2) },
	  STR("0x8000000000000000") },
	{ "rt_lltostr", { N(INT64_MIN), N(8), N(2) },
	  STR("01000000000000000000000") },
	{ "rt_lltostr", { N(-1), N(16), N(2) }, STR("0xffffffffffffffff") },
	{ "rt_lltostr", { N(-1), N(36), N(2) }, STR("3w5e11264sgsf") },
	{ "rt_lltostr", { N(35), N(36), N(2) }, STR("z") },
	{ "rt_lltostr", { N(5), N(2), N(2) }, STR("101") },
	{ "rt_lltostr", { N(0), N(16), N(2) }, STR("0x0") },
	{ "rt_lltostr", { N(8), N(8), N(2) }, STR("010") },
	{ "rt_lltostr", { N(1), N(1), N(2) }, FAULT(ILLOP) },
	{ "rt_lltostr", { N(1), N(0), N(2) }, FAULT(ILLOP) },
	{ "rt_lltostr", { N(1), N(37), N(2) }, FAULT(ILLOP) },
	{ "rt_lltostr", { N(1), N(-1), N(2) }, FAULT(ILLOP) },

	{ "rt_copyin", { U("some bytes"), N(11) }, STR("some bytes") },
	{ "rt_copyin", { UF(300), N(301) }, FILL(300) },
	{ "rt_copyin", { UF(256), N(257) }, FILL(256) },
	{ "rt_copyin", { U("x"), N(10 * 256 + 1) }, FAULT(NOSCRATCH) },
	{ "rt_copyin", { U("x"), N(-1) }, FAULT(NOSCRATCH) },
	{ "rt_copyin", { N(0), N(8) }, FAULT(BADADDR) },
	{ "rt_copyin", { N(WILD), N(8) }, FAULT(BADADDR) },

	/* copyinstr(uaddr[, max]) */
	{ "rt_copyinstr", { U("hello"), N(0), N(1) }, STR("hello") },
	{ "rt_copyinstr", { U(""), N(0), N(1) }, STR("") },
	{ "rt_copyinstr", { U("hello"), N(3), N(2) }, STR("hel") },
	{ "rt_copyinstr", { U("hello"), N(5), N(2) }, STR("hello") },
	{ "rt_copyinstr", { U("hello"), N(6), N(2) }, STR("hello") },
	{ "rt_copyinstr", { U("hello"), N(0), N(2) }, STR("") },
	{ "rt_copyinstr", { U("hello"), N(-1), N(2) }, STR("hello") },
	{ "rt_copyinstr", { UF(254), N(0), N(1) }, FILL(254) },
	{ "rt_copyinstr", { UF(255), N(0), N(1) }, FILL(255) },
	{ "rt_copyinstr", { UF(256), N(0), N(1) }, FILL(255) },
	{ "rt_copyinstr", { UF(300), N(299), N(2) }, FILL(255) },
	{ "rt_copyinstr", { UF(300), N(255), N(2) }, FILL(255) },
	{ "rt_copyinstr", { UF(300), N(254), N(2) }, FILL(254) },
	{ "rt_copyinstr", { N(0), N(0), N(1) }, FAULT(BADADDR) },
	{ "rt_copyinstr", { N(WILD), N(0), N(1) }, FAULT(BADADDR) },

	{ "rt_progenyof", { N(1) }, NUM(1) },
	{ "rt_progenyof", { N(2147483646) }, NUM(0) },
	{ "rt_progenyof", { N(-1) }, NUM(0) },

	{ "rt_alloc", { N(10 * 256 + 1) }, FAULT(NOSCRATCH) },
	{ "rt_alloc", { N(-1) }, FAULT(NOSCRATCH) },
	{ "rt_alloc", { N(16) }, STR("") },

	{ "rt_scmp", { S(""), S("") }, NUM(0) },
	{ "rt_scmp", { N(0), N(0) }, NUM(0) },
	{ "rt_scmp", { N(0), S("") }, NUM(0) },
	{ "rt_scmp", { S(""), N(0) }, NUM(0) },
	{ "rt_scmp", { S("a"), N(0) }, NUM(1) },
	{ "rt_scmp", { N(0), S("a") }, NUM(-1) },
	{ "rt_scmp", { S("abc"), S("abc") }, NUM(0) },
	{ "rt_scmp", { S("abc"), S("abd") }, NUM(-1) },
	{ "rt_scmp", { S("abd"), S("abc") }, NUM(1) },
	{ "rt_scmp", { S("abc"), S("ab") }, NUM(1) },
	{ "rt_scmp", { S("ab"), S("abc") }, NUM(-1) },
	{ "rt_scmp", { S("\377"), S("a") }, NUM(1) },
	{ "rt_scmp", { S("12345678"), S("123456789") }, NUM(-1) },
	{ "rt_scmp", { S("12345678"), S("12345678") }, NUM(0) },
	{ "rt_scmp", { S("1234567"), S("1234567") }, NUM(0) },
	{ "rt_scmp", { S("123456781"), S("123456782") }, NUM(-1) },
	{ "rt_scmp", { S("ab\001"), S("ab") }, NUM(1) },
	{ "rt_scmp", { F(255), F(255) }, NUM(0) },
	{ "rt_scmp", { F(255), F(256) }, NUM(-1) },
	{ "rt_scmp", { F(256), F(300) }, NUM(0) },
	{ "rt_scmp", { S("a"), N(WILD) }, FAULT(BADADDR) },
	{ "rt_scmp", { N(WILD), S("a") }, FAULT(BADADDR) },

	{ "rt_load", { S("\001\002\003\004\005\006\007\210"), N(1) },
	  NUM(0x01) },
	{ "rt_load", { S("\001\002\003\004\005\006\007\210"), N(2) },
	  NUM(0x0201) },
	{ "rt_load", { S("\001\002\003\004\005\006\007\210"), N(4) },
	  NUM(0x04030201) },
	{ "rt_load", { S("\001\002\003\004\005\006\007\210"), N(8) },
	  NUM(0x8807060504030201) },
	{ "rt_load", { N(0), N(4) }, FAULT(BADADDR) },
	{ "rt_load", { N(WILD), N(8) }, FAULT(BADADDR) },
	{ "rt_load", { S("x"), N(9) }, FAULT(ILLOP) },
	{ "rt_uload", { U("\001\002\003\004\005\006\007\210"), N(4) },
	  NUM(0x04030201) },
	{ "rt_uload", { U("\001\002\003\004\005\006\007\210"), N(8) },
	  NUM(0x8807060504030201) },
	{ "rt_uload", { N(0), N(1) }, FAULT(BADADDR) },

	{ "rt_quantize_index", { N(0) }, NUM(63) },
	{ "rt_quantize_index", { N(1) }, NUM(64) },
	{ "rt_quantize_index", { N(2) }, NUM(65) },
	{ "rt_quantize_index", { N(3) }, NUM(65) },
	{ "rt_quantize_index", { N(4) }, NUM(66) },
	{ "rt_quantize_index", { N(1023) }, NUM(73) },
	{ "rt_quantize_index", { N(1024) }, NUM(74) },
	{ "rt_quantize_index", { N(0xffffffff) }, NUM(95) },
	{ "rt_quantize_index", { N(0x100000000) }, NUM(96) },
	{ "rt_quantize_index", { N(INT64_MAX) }, NUM(126) },
	{ "rt_quantize_index", { N(-1) }, NUM(62) },
	{ "rt_quantize_index", { N(-2) }, NUM(61) },
	{ "rt_quantize_index", { N(-3) }, NUM(61) },
	{ "rt_quantize_index", { N(-4) }, NUM(60) },
	{ "rt_quantize_index", { N(INT64_MIN + 1) }, NUM(0) },
	{ "rt_quantize_index", { N(INT64_MIN) }, NUM(0) },
	{ "rt_quantize_index", { N(-(1LL << 62)) }, NUM(0) },
	{ "rt_quantize_index", { N(-(1LL << 62) + 1) }, NUM(1) },

/* step 63..48, levels 47..32, base 31..0 */
#define LQ(base, step, levels)						\
	N((uint64_t)(step) << 48 | (uint64_t)(levels) << 32 | (uint32_t)(base))
	{ "rt_lquantize_index", { N(-1), LQ(0, 10, 10) }, NUM(0) },
	{ "rt_lquantize_index", { N(0), LQ(0, 10, 10) }, NUM(1) },
	{ "rt_lquantize_index", { N(9), LQ(0, 10, 10) }, NUM(1) },
	{ "rt_lquantize_index", { N(10), LQ(0, 10, 10) }, NUM(2) },
	{ "rt_lquantize_index", { N(99), LQ(0, 10, 10) }, NUM(10) },
	{ "rt_lquantize_index", { N(100), LQ(0, 10, 10) }, NUM(11) },
	{ "rt_lquantize_index", { N(INT_MAX), LQ(0, 10, 10) }, NUM(11) },
	{ "rt_lquantize_index", { N(-101), LQ(-100, 1, 200) }, NUM(0) },
	{ "rt_lquantize_index", { N(-100), LQ(-100, 1, 200) }, NUM(1) },
	{ "rt_lquantize_index", { N(0), LQ(-100, 1, 200) }, NUM(101) },
	{ "rt_lquantize_index", { N(99), LQ(-100, 1, 200) }, NUM(200) },
	{ "rt_lquantize_index", { N(100), LQ(-100, 1, 200) }, NUM(201) },
	{ "rt_lquantize_index", { N(INT_MAX), LQ(INT_MIN, 65535, 65535) },
	  NUM(65535 + 1) },
	{ "rt_lquantize_index", { N(0x100000005), LQ(0, 1, 10) }, NUM(6) },
	{ "rt_lquantize_index", { N(9), LQ(0, 3, 3) }, NUM(4) },

/* factor 63..48, low 47..32, high 31..16, nsteps 15..0 */
#define LLQ(factor, low, high, nsteps)					\
	N((uint64_t)(factor) << 48 | (uint64_t)(low) << 32 |		\
	    (uint64_t)(high) << 16 | (nsteps))
	/*
	 * llquantize(x, 10, 0, 2, 10): bucket 0 is < 1; 1 ... 9 begin at
	 * 1, 2, ... 9; 10 ... 18 at 10, 20, ... 90; 19 ... 27 at 100, 200, ...
	 * 900; 28 is >= 1000.
	 */
	{ "rt_llquantize_index", { N(-5), LLQ(10, 0, 2, 10) }, NUM(0) },
	{ "rt_llquantize_index", { N(0), LLQ(10, 0, 2, 10) }, NUM(0) },
	{ "rt_llquantize_index", { N(1), LLQ(10, 0, 2, 10) }, NUM(1) },
	{ "rt_llquantize_index", { N(9), LLQ(10, 0, 2, 10) }, NUM(9) },
	{ "rt_llquantize_index", { N(10), LLQ(10, 0, 2, 10) }, NUM(10) },
	{ "rt_llquantize_index", { N(19), LLQ(10, 0, 2, 10) }, NUM(10) },
	{ "rt_llquantize_index", { N(99), LLQ(10, 0, 2, 10) }, NUM(18) },
	{ "rt_llquantize_index", { N(100), LLQ(10, 0, 2, 10) }, NUM(19) },
	{ "rt_llquantize_index", { N(999), LLQ(10, 0, 2, 10) }, NUM(27) },
	{ "rt_llquantize_index", { N(1000), LLQ(10, 0, 2, 10) }, NUM(28) },
	{ "rt_llquantize_index", { N(INT64_MAX), LLQ(10, 0, 2, 10) },
	  NUM(28) },
	/*
	 * llquantize(x, 10, 1, 2, 20): 0 is < 10; then [10, 100) in steps of
	 * 5 (20 over [0, 100) less the first 2), 18 buckets; [100, 1000) in
	 * steps of 50, 18 buckets; 37 is >= 1000.
	 */
	{ "rt_llquantize_index", { N(9), LLQ(10, 1, 2, 20) }, NUM(0) },
	{ "rt_llquantize_index", { N(10), LLQ(10, 1, 2, 20) }, NUM(1) },
	{ "rt_llquantize_index", { N(14), LLQ(10, 1, 2, 20) }, NUM(1) },
	{ "rt_llquantize_index", { N(15), LLQ(10, 1, 2, 20) }, NUM(2) },
	{ "rt_llquantize_index", { N(99), LLQ(10, 1, 2, 20) }, NUM(18) },
	{ "rt_llquantize_index", { N(100), LLQ(10, 1, 2, 20) }, NUM(19) },
	{ "rt_llquantize_index", { N(149), LLQ(10, 1, 2, 20) }, NUM(19) },
	{ "rt_llquantize_index", { N(150), LLQ(10, 1, 2, 20) }, NUM(20) },
	{ "rt_llquantize_index", { N(999), LLQ(10, 1, 2, 20) }, NUM(36) },
	{ "rt_llquantize_index", { N(1000), LLQ(10, 1, 2, 20) }, NUM(37) },
	/* factor 2, one bucket per power: 2^m is 1 + m - low */
	{ "rt_llquantize_index", { N(1), LLQ(2, 0, 61, 2) }, NUM(1) },
	{ "rt_llquantize_index", { N(1LL << 40), LLQ(2, 0, 61, 2) },
	  NUM(41) },
	{ "rt_llquantize_index", { N((1LL << 62) - 1), LLQ(2, 0, 61, 2) },
	  NUM(62) },
	{ "rt_llquantize_index", { N(1LL << 62), LLQ(2, 0, 61, 2) },
	  NUM(63) },
	/* nsteps 0, factor 0: what no compiler emits must not divide by 0 */
	{ "rt_llquantize_index", { N(5), LLQ(0, 0, 2, 10) }, NUM(0) },
	{ "rt_llquantize_index", { N(5), LLQ(10, 0, 2, 0) }, NUM(1) },
};

/* The address of `off` in mem as the runtime sees it. */
static inline uint64_t
rt_env_addr(const struct rt_env *env, uint64_t off)
{
	return env->ms->base + RT_MEM_OFF + off;
}

static inline void
rt_env_reset(struct rt_env *env)
{
	env->ms->fault = env->ms->fault_val = 0;
	env->ms->scratch = env->conf.scratch_begin;
	memset(env->ms->mem, 0xa5, 16 * env->conf.strsize);
}

static inline uint64_t
rt_case_arg(struct rt_env *env, const struct rt_arg *a, unsigned i)
{
	uint64_t off = 2 * env->conf.strsize * i;
	char *p = (char *)env->ms->mem + off;

	switch (a->kind) {
	case A_NUM:
		return (uint64_t)a->n;
	case A_STR:
	case A_USTR:
		memcpy(p, a->s, strlen(a->s) + 1);
		break;
	case A_FILL:
	case A_UFILL:
		memset(p, 'x', (size_t)a->n);
		p[a->n] = '\0';
		break;
	}
	if (a->kind == A_STR || a->kind == A_FILL)
		return rt_env_addr(env, off);
	return (uint64_t)(uintptr_t)p;
}

/* A result string, read where the runtime wrote it; NULL if elsewhere. */
static inline const char *
rt_case_result(const struct rt_env *env, uint64_t addr)
{
	uint64_t off = addr - rt_env_addr(env, 0);

	if (off < env->conf.scratch_begin || off >= env->conf.scratch_end)
		return NULL;
	return (const char *)env->ms->mem + off;
}

static inline int
rt_case_is_met(const struct rt_env *env, const struct rt_case *c,
    uint64_t first, uint64_t got)
{
	const char *s = rt_case_result(env, got);
	char fill[1024];

	if (c->want == W_FAULT)
		return env->ms->fault == (uint64_t)c->n && got == 0;
	if (env->ms->fault != 0)
		return 0;
	switch (c->want) {
	case W_NUM:
		return got == (uint64_t)c->n;
	case W_OFF:
		return got == first + (uint64_t)c->n;
	case W_STR:
		return s != NULL && strcmp(s, c->s) == 0;
	case W_FILL:
		memset(fill, 'x', sizeof(fill));
		fill[c->n] = '\0';
		return s != NULL && strcmp(s, fill) == 0;
	case W_FAULT:
		break;
	}
	return 0;
}

static inline void
rt_cases_run(struct rt_env *env)
{
	for (size_t i = 0; i < RT_COUNT(rt_cases); i++) {
		const struct rt_case *c = &rt_cases[i];
		uint64_t args[4], got;

		rt_env_reset(env);
		for (unsigned a = 0; a < 4; a++)
			args[a] = rt_case_arg(env, &c->args[a], a);
		got = env->call(env, c->fn, args);
		if (!rt_case_is_met(env, c, args[0], got))
			fail_msg("row %zu, %s(\"%s\", ...): %#llx, fault %llu",
			    i, c->fn, c->args[0].s ? c->args[0].s : "",
			    (unsigned long long)got,
			    (unsigned long long)env->ms->fault);
	}
}

/* ---- what does not fit the table ---------------------------------------- */

/* Text of `v` in `base`, the slow way. */
static inline void
rt_digits(uint64_t v, unsigned base, char *out)
{
	char rev[65];
	unsigned n = 0;

	do {
		rev[n++] = "0123456789abcdefghijklmnopqrstuvwxyz"[v % base];
		v /= base;
	} while (v != 0);
	while (n > 0)
		*out++ = rev[--n];
	*out = '\0';
}

static inline void
rt_check_lltostr(struct rt_env *env)
{
	static const int64_t values[] = { 0, 1, 7, 8, 9, 10, 35, 36, 255,
		1000000007, INT64_MAX, INT64_MIN, -1, -2, -1000 };

	for (size_t i = 0; i < RT_COUNT(values); i++) {
		for (uint64_t base = 2; base <= 36; base++) {
			uint64_t args[4] = { (uint64_t)values[i], base, 2 };
			int negative = base == 10 && values[i] < 0;
			char want[80], digits[65];

			rt_digits(negative ? -(uint64_t)values[i] : args[0],
			    (unsigned)base, digits);
			snprintf(want, sizeof(want), "%s%s%s",
			    negative ? "-" : "",
			    base == 16 ? "0x" : base == 8 ? "0" : "", digits);
			rt_env_reset(env);
			assert_string_equal(rt_case_result(env,
			    env->call(env, "rt_lltostr", args)), want);
		}
	}
}

struct rt_store_case {
	unsigned fill;		/* length of the string */
	unsigned size;
	unsigned want;		/* x's in the destination, then NULs */
};
static const struct rt_store_case rt_store_cases[] = {
	{ 0, 8, 0 }, { 1, 8, 1 }, { 7, 8, 7 }, { 8, 8, 8 }, { 9, 8, 8 },
	{ 0, 1, 0 }, { 1, 1, 1 }, { 5, 1, 1 }, { 16, 0, 0 }, { 3, 256, 3 },
	{ 255, 256, 255 }, { 256, 256, 256 }, { 300, 256, 256 },
	{ 15, 16, 15 }, { 16, 16, 16 }, { 17, 16, 16 }, { 100, 13, 13 },
};

/* The destination is written to its last byte, and no byte around it. */
static inline void
rt_check_store_str(struct rt_env *env)
{
	const u8 *dst = &env->ms->mem[512];

	for (size_t i = 0; i < RT_COUNT(rt_store_cases); i++) {
		const struct rt_store_case *c = &rt_store_cases[i];
		struct rt_arg a = F(c->fill);
		uint64_t args[4] = { 512, 0, c->size };

		rt_env_reset(env);
		args[1] = rt_case_arg(env, &a, 0);
		assert_int_equal(env->call(env, "rt_store_str", args), 0);
		assert_int_equal(env->ms->fault, 0);
		if (c->fill < 512)
			assert_int_equal(dst[c->size], 0xa5);
		for (unsigned b = 0; b < c->size; b++)
			assert_int_equal(dst[b], b < c->want ? 'x' : 0);
	}
}

static inline void
rt_check_store_faults(struct rt_env *env)
{
	static const struct {
		const char *fn;
		uint64_t args[4], fault;
	} cases[] = {
		{ "rt_store_str", { 0, WILD, 16 }, DIF_FLT_BADADDR },
		{ "rt_store_str", { 0, 0, 257 }, DIF_FLT_ILLOP },
		{ "rt_store_bytes", { 0, WILD, 16 }, DIF_FLT_BADADDR },
		{ "rt_store_bytes", { 0, 0, 16 }, DIF_FLT_BADADDR },
		{ "rt_store_bytes", { 0, 0, 257 }, DIF_FLT_ILLOP },
	};

	for (size_t i = 0; i < RT_COUNT(cases); i++) {
		rt_env_reset(env);
		assert_int_equal(env->call(env, cases[i].fn, cases[i].args),
		    1);
		assert_int_equal(env->ms->fault, cases[i].fault);
	}
	/* NULL is the empty string */
	rt_env_reset(env);
	assert_int_equal(env->call(env, "rt_store_str",
	    (uint64_t[]){ 16, 0, 8, 0 }), 0);
	assert_memory_equal(&env->ms->mem[16], "\0\0\0\0\0\0\0\0\xa5", 9);
}

static inline void
rt_check_store_bytes(struct rt_env *env)
{
	uint64_t args[4] = { 513, 0, 7 };

	rt_env_reset(env);
	memcpy(env->ms->mem, "a\0b\0c\0d\0e", 9);
	args[1] = rt_env_addr(env, 0);
	assert_int_equal(env->call(env, "rt_store_bytes", args), 0);
	assert_memory_equal(&env->ms->mem[512], "\xa5" "a\0b\0c\0d\xa5", 9);
}

/* Allocations follow each other, aligned and zeroed, until there is none. */
static inline void
rt_check_alloc(struct rt_env *env)
{
	static const uint64_t sizes[] = { 1, 8, 9, 0, 256, 300, 511 };
	uint64_t next = env->conf.scratch_begin, args[4] = { 0 };

	rt_env_reset(env);
	for (size_t i = 0; i < RT_COUNT(sizes); i++) {
		args[0] = sizes[i];
		assert_int_equal(env->call(env, "rt_alloc", args),
		    rt_env_addr(env, next));
		for (uint64_t b = 0; b < sizes[i]; b++)
			assert_int_equal(env->ms->mem[next + b], 0);
		assert_int_equal(env->ms->mem[next + sizes[i]], 0xa5);
		next += (sizes[i] + 7) & ~7ULL;
		assert_int_equal(env->ms->scratch, next);
	}
	args[0] = env->conf.scratch_end - next;
	assert_int_not_equal(env->call(env, "rt_alloc", args), 0);
	assert_int_equal(env->ms->fault, 0);
	args[0] = 1;
	assert_int_equal(env->call(env, "rt_alloc", args), 0);
	assert_int_equal(env->ms->fault, DIF_FLT_NOSCRATCH);
}

/* A string result that does not fit is a fault; one that just fits is not. */
static inline void
rt_check_result_room(struct rt_env *env)
{
	for (unsigned room = 0; room <= 16; room += 8) {
		struct rt_arg a = S("1234"), b = S("567");
		uint64_t args[4];

		rt_env_reset(env);
		env->ms->scratch = env->conf.scratch_end - room;
		args[0] = rt_case_arg(env, &a, 0);
		args[1] = rt_case_arg(env, &b, 1);
		env->call(env, "rt_strjoin", args);
		assert_int_equal(env->ms->fault,
		    room < 8 ? DIF_FLT_NOSCRATCH : 0);
	}
}

static inline void
rt_check_rand(struct rt_env *env)
{
	uint64_t args[4] = { 0 }, all = 0;

	for (int i = 0; i < 100; i++) {
		uint64_t v = env->call(env, "rt_rand", args);

		assert_true(v <= INT_MAX);
		all |= v;
	}
	assert_int_equal(all, INT_MAX);
}

static inline void
rt_check_all(struct rt_env *env)
{
	rt_cases_run(env);
	rt_check_lltostr(env);
	rt_check_store_str(env);
	rt_check_store_faults(env);
	rt_check_store_bytes(env);
	rt_check_alloc(env);
	rt_check_result_room(env);
	rt_check_rand(env);
}

#endif
