/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_UNIT_RT_CASES_H
#define TESTS_UNIT_RT_CASES_H

/*
 * What the runtime must answer, as data: one table, checked on the host
 * (test_runtime.c) and inside the kernel (live/test_bpf_runtime.c).
 */
#include "unit.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "dif/dif.h"
#include "exec/runtime/rt.h"

#define RT_COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The machine state's layout for a strsize; staging holds the arguments. */
#define RT_LAYOUT(s)							\
	{								\
		.strsize = (s), .memmask = 32 * (s) - 1,		\
		.locals = 7 * (s), .tmp_a = 8 * (s), .tmp_b = 9 * (s),	\
		.tok = 10 * (s), .scratch_begin = 11 * (s),		\
		.scratch_end = 21 * (s),				\
	}
#define RT_STATE_SIZE(s) (RT_MEM_OFF + 32 * (s) + (s))

/* Where the cases run. */
struct rt_env {
	struct rt_conf conf;
	struct rt_mstate *ms;	/* as this process sees it */
	uint8_t *globals;	/* likewise, RT_GLOBALS_SIZE bytes */
	uint64_t globals_addr;	/* as the runtime sees them */
	int no_copyout;		/* a locked-down kernel writes to no process */
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
	{ "rt_random64", 0, 1, { .f1 = rt_random64 } },
	{ "rt_getmajor", 1, 1, { .f2 = rt_getmajor } },
	{ "rt_getminor", 1, 1, { .f2 = rt_getminor } },
	{ "rt_strtok", 2, 1, { .f3 = rt_strtok } },
	{ "rt_strtoll", 3, 1, { .f4 = rt_strtoll } },
	{ "rt_cleanpath", 1, 1, { .f2 = rt_cleanpath } },
	{ "rt_toupper", 1, 1, { .f2 = rt_toupper } },
	{ "rt_tolower", 1, 1, { .f2 = rt_tolower } },
	{ "rt_json", 2, 1, { .f3 = rt_json } },
	{ "rt_memref", 2, 1, { .f3 = rt_memref } },
	{ "rt_memstr", 3, 1, { .f4 = rt_memstr } },
	{ "rt_inet_ntop", 2, 1, { .f3 = rt_inet_ntop } },
	{ "rt_inet_ntoa", 1, 1, { .f2 = rt_inet_ntoa } },
	{ "rt_inet_ntoa6", 1, 1, { .f2 = rt_inet_ntoa6 } },
	{ "rt_link_ntop", 2, 1, { .f3 = rt_link_ntop } },
	{ "rt_uuidstr", 1, 1, { .f2 = rt_uuidstr } },
	{ "rt_bcopy", 3, 1, { .f4 = rt_bcopy } },
	{ "rt_copyinto", 3, 1, { .f4 = rt_copyinto } },
	{ "rt_copyout", 3, 1, { .f4 = rt_copyout } },
	{ "rt_copyoutstr", 3, 1, { .f4 = rt_copyoutstr } },
	{ "rt_poke", 3, 1, { .f4 = rt_poke } },
	{ "rt_alloc", 1, 1, { .f2 = rt_alloc } },
	{ "rt_scmp", 2, 1, { .f3 = rt_scmp } },
	{ "rt_store_str", 3, 1, { .f4 = rt_store_str } },
	{ "rt_store_bytes", 3, 1, { .f4 = rt_store_bytes } },
	{ "rt_store_ref", 3, 1, { .f4 = rt_store_ref } },
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
	A_BYTES,	/* address of n bytes */
	A_UBYTES,
	A_GLOBAL,	/* address n bytes into the globals' storage */
	A_LOCAL,	/* ... the clause-local variables */
	A_CLAIMED,	/* ... scratch, of which RT_CLAIMED bytes are claimed */
};
#define RT_CLAIMED 600
#define RT_GLOBALS_SIZE 64
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
#define B(n, x) { A_BYTES, n, x }
#define UB(n, x) { A_UBYTES, n, x }
#define GLOBAL(n) { A_GLOBAL, n, NULL }
#define LOCAL(n) { A_LOCAL, n, NULL }
#define CLAIMED(n) { A_CLAIMED, n, NULL }

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

	/* strtoll(s[, base]) */
	{ "rt_strtoll", { S("0"), N(0), N(1) }, NUM(0) },
	{ "rt_strtoll", { S("42"), N(0), N(1) }, NUM(42) },
	{ "rt_strtoll", { S("-42"), N(0), N(1) }, NUM(-42) },
	{ "rt_strtoll", { S("+42"), N(0), N(1) }, NUM(42) },
	{ "rt_strtoll", { S("-+42"), N(0), N(1) }, NUM(0) },
	{ "rt_strtoll", { S(" \t\n 42"), N(0), N(1) }, NUM(42) },
	{ "rt_strtoll", { S("4 2"), N(0), N(1) }, NUM(4) },
	{ "rt_strtoll", { S("- 42"), N(0), N(1) }, NUM(0) },
	{ "rt_strtoll", { S("42abc"), N(0), N(1) }, NUM(42) },
	{ "rt_strtoll", { S("abc"), N(0), N(1) }, NUM(0) },
	{ "rt_strtoll", { S(""), N(0), N(1) }, NUM(0) },
	{ "rt_strtoll", { N(0), N(0), N(1) }, NUM(0) },
	{ "rt_strtoll", { S("9223372036854775807"), N(0), N(1) },
	  NUM(INT64_MAX) },
	{ "rt_strtoll", { S("-9223372036854775808"), N(0), N(1) },
	  NUM(INT64_MIN) },
	{ "rt_strtoll", { S("18446744073709551615"), N(10), N(2) }, NUM(-1) },
	{ "rt_strtoll", { S("18446744073709551617"), N(10), N(2) }, NUM(1) },
	{ "rt_strtoll", { S("101"), N(2), N(2) }, NUM(5) },
	{ "rt_strtoll", { S("1012"), N(2), N(2) }, NUM(5) },
	{ "rt_strtoll", { S("zZ"), N(36), N(2) }, NUM(35 * 36 + 35) },
	{ "rt_strtoll", { S("0x1F"), N(16), N(2) }, NUM(0x1f) },
	{ "rt_strtoll", { S("0X1f"), N(16), N(2) }, NUM(0x1f) },
	{ "rt_strtoll", { S("-0xff"), N(16), N(2) }, NUM(-255) },
	{ "rt_strtoll", { S("0xg"), N(16), N(2) }, NUM(0) },
	{ "rt_strtoll", { S("00x1"), N(16), N(2) }, NUM(0) },
	{ "rt_strtoll", { S("1x1"), N(16), N(2) }, NUM(1) },
	{ "rt_strtoll", { S("0x10"), N(0), N(1) }, NUM(0) },
	{ "rt_strtoll", { S("0x10"), N(36), N(2) }, NUM(33 * 1296 + 36) },
	{ "rt_strtoll", { S("017"), N(8), N(2) }, NUM(15) },
	{ "rt_strtoll", { S("/:@[`{"), N(36), N(2) }, NUM(0) },
	{ "rt_strtoll", { F(256), N(33), N(2) }, NUM(0) },
	{ "rt_strtoll", { S("1"), N(1), N(2) }, FAULT(ILLOP) },
	{ "rt_strtoll", { S("1"), N(37), N(2) }, FAULT(ILLOP) },
	{ "rt_strtoll", { S("1"), N(-2), N(2) }, FAULT(ILLOP) },
	{ "rt_strtoll", { N(WILD), N(0), N(1) }, FAULT(BADADDR) },

	{ "rt_toupper", { S("") }, STR("") },
	{ "rt_toupper", { N(0) }, STR("") },
	{ "rt_toupper", { S("`az{ @AZ[ 019") }, STR("`AZ{ @AZ[ 019") },
	{ "rt_toupper", { S("abcdefghijklmnopqrstuvwxyz") },
	  STR("ABCDEFGHIJKLMNOPQRSTUVWXYZ") },
	{ "rt_toupper", { S("\341\342\372\3731") }, STR("\341\342\372\3731") },
	{ "rt_toupper", { N(WILD) }, FAULT(BADADDR) },
	{ "rt_tolower", { S("`az{ @AZ[ 019") }, STR("`az{ @az[ 019") },
	{ "rt_tolower", { S("ABCDEFGHIJKLMNOPQRSTUVWXYZ") },
	  STR("abcdefghijklmnopqrstuvwxyz") },
	{ "rt_tolower", { S("\301\302\332\3331") }, STR("\301\302\332\3331") },
	{ "rt_tolower", { F(255) }, FILL(255) },
	{ "rt_tolower", { F(256) }, FILL(255) },
	{ "rt_tolower", { N(WILD) }, FAULT(BADADDR) },

	{ "rt_cleanpath", { S("") }, STR("") },
	{ "rt_cleanpath", { N(0) }, STR("") },
	{ "rt_cleanpath", { S("/") }, STR("/") },
	{ "rt_cleanpath", { S("//") }, STR("/") },
	{ "rt_cleanpath", { S("/.") }, STR("/") },
	{ "rt_cleanpath", { S("/./.") }, STR("/") },
	{ "rt_cleanpath", { S("/..") }, STR("/") },
	{ "rt_cleanpath", { S("/../../") }, STR("/") },
	{ "rt_cleanpath", { S("/usr/bin") }, STR("/usr/bin") },
	{ "rt_cleanpath", { S("/usr//bin") }, STR("/usr/bin") },
	{ "rt_cleanpath", { S("///usr////bin") }, STR("/usr/bin") },
	{ "rt_cleanpath", { S("/usr/./bin") }, STR("/usr/bin") },
	{ "rt_cleanpath", { S("/usr/././/./bin") }, STR("/usr/bin") },
	{ "rt_cleanpath", { S("/usr/../bin") }, STR("/bin") },
	{ "rt_cleanpath", { S("/usr/local/../../bin") }, STR("/bin") },
	{ "rt_cleanpath", { S("/usr/../../../bin") }, STR("/bin") },
	{ "rt_cleanpath", { S("/usr/bin/") }, STR("/usr/bin") },
	{ "rt_cleanpath", { S("/usr/bin/.") }, STR("/usr/bin") },
	{ "rt_cleanpath", { S("/usr/bin/..") }, STR("/usr") },
	{ "rt_cleanpath", { S("/usr/..") }, STR("/") },
	{ "rt_cleanpath", { S("/.hidden/..more/...") },
	  STR("/.hidden/..more/...") },
	{ "rt_cleanpath", { S("/a/b../c.") }, STR("/a/b../c.") },
	{ "rt_cleanpath", { S("usr/./bin") }, STR("usr/bin") },
	{ "rt_cleanpath", { S("./usr") }, STR("usr") },
	{ "rt_cleanpath", { S(".") }, STR(".") },
	{ "rt_cleanpath", { S("./") }, STR(".") },
	{ "rt_cleanpath", { S("..") }, STR("..") },
	{ "rt_cleanpath", { S("../") }, STR("..") },
	{ "rt_cleanpath", { S("../../usr") }, STR("../../usr") },
	{ "rt_cleanpath", { S("usr/..") }, STR(".") },
	{ "rt_cleanpath", { S("usr/../..") }, STR("..") },
	{ "rt_cleanpath", { S("usr/../bin") }, STR("bin") },
	{ "rt_cleanpath", { S("usr/../../bin/../lib") }, STR("../lib") },
	{ "rt_cleanpath", { S("../usr/..") }, STR("..") },
	{ "rt_cleanpath", { S("a/b/c/../../d") }, STR("a/d") },
	{ "rt_cleanpath", { S("/a/../a/../a/../a/../a/../a/../b") },
	  STR("/b") },
	{ "rt_cleanpath", { F(255) }, FILL(255) },
	{ "rt_cleanpath", { F(256) }, FILL(255) },
	{ "rt_cleanpath", { N(WILD) }, FAULT(BADADDR) },

	/* the first token; more in rt_check_strtok() */
	{ "rt_strtok", { S("one two"), S(" ") }, STR("one") },
	{ "rt_strtok", { S("  one"), S(" ") }, STR("one") },
	{ "rt_strtok", { S("one"), S("") }, STR("one") },
	{ "rt_strtok", { S("one"), N(0) }, STR("one") },
	{ "rt_strtok", { S(""), S(" ") }, NUM(0) },
	{ "rt_strtok", { S("  "), S(" ") }, NUM(0) },
	{ "rt_strtok", { S("a\377b"), S("\377") }, STR("a") },
	{ "rt_strtok", { S("key=value"), S(":=") }, STR("key") },
	{ "rt_strtok", { F(255), S("y") }, FILL(255) },
	{ "rt_strtok", { F(256), S("y") }, FILL(255) },
	{ "rt_strtok", { F(20), F(256) }, NUM(0) },
	{ "rt_strtok", { N(0), S(" ") }, FAULT(BADADDR) },
	{ "rt_strtok", { N(WILD), S(" ") }, FAULT(BADADDR) },
	{ "rt_strtok", { S("one"), N(WILD) }, FAULT(BADADDR) },

	{ "rt_memstr", { B(8, "ab\0cd\0e"), N(' '), N(8) }, STR("ab cd e") },
	{ "rt_memstr", { B(8, "ab\0cd\0e"), N(' '), N(7) }, STR("ab cd ") },
	{ "rt_memstr", { B(8, "\0\0\0\0\0\0\0"), N('-'), N(8) },
	  STR("-------") },
	{ "rt_memstr", { B(8, "ab\0cd\0e"), N(0x100 + '.'), N(4) },
	  STR("ab.") },
	{ "rt_memstr", { B(8, "ab\0cd\0e"), N(0), N(8) }, STR("ab") },
	{ "rt_memstr", { S("x"), N(' '), N(1) }, STR("") },
	{ "rt_memstr", { S("x"), N(' '), N(0) }, NUM(0) },
	{ "rt_memstr", { F(300), N(' '), N(301) }, FILL(300) },
	{ "rt_memstr", { F(300), N(' '), N(4097) }, FAULT(ILLOP) },
	{ "rt_memstr", { F(300), N(' '), N(-1) }, FAULT(ILLOP) },
	{ "rt_memstr", { F(300), N(' '), N(2561) }, FAULT(NOSCRATCH) },
	{ "rt_memstr", { N(0), N(' '), N(8) }, FAULT(BADADDR) },
	{ "rt_memstr", { N(WILD), N(' '), N(8) }, FAULT(BADADDR) },

	{ "rt_inet_ntoa", { B(4, "\300\250\001\027") }, STR("192.168.1.23") },
	{ "rt_inet_ntoa", { B(4, "\0\0\0\0") }, STR("0.0.0.0") },
	{ "rt_inet_ntoa", { B(4, "\377\377\377\377") },
	  STR("255.255.255.255") },
	{ "rt_inet_ntoa", { B(4, "\012\143\144\311") }, STR("10.99.100.201") },
	{ "rt_inet_ntoa", { N(0) }, FAULT(BADADDR) },
	{ "rt_inet_ntoa", { N(WILD) }, FAULT(BADADDR) },
	{ "rt_inet_ntop", { N(2), B(4, "\177\0\0\001") }, STR("127.0.0.1") },
	{ "rt_inet_ntop", { N(10), B(16, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\001")
	  }, STR("::1") },
	{ "rt_inet_ntop", { N(1), B(4, "\177\0\0\001") }, FAULT(ILLOP) },
	{ "rt_inet_ntop", { N(-1), B(4, "\177\0\0\001") }, FAULT(ILLOP) },
	{ "rt_inet_ntop", { N(10), N(WILD) }, FAULT(BADADDR) },
	{ "rt_inet_ntoa6", { N(0) }, FAULT(BADADDR) },
	{ "rt_inet_ntoa6", { N(WILD) }, FAULT(BADADDR) },

	{ "rt_link_ntop", { N(1), B(6, "\000\020\340\212\161\136") },
	  STR("00:10:e0:8a:71:5e") },
	{ "rt_link_ntop", { N(32), B(20, "\200\0\004\004\376\214\101\172"
	    "\0\0\0\0\0\002\311\002\0\051\061\315") },
	  STR("80:00:04:04:fe:8c:41:7a:00:00:00:00:00:02:c9:02:00:29:31:cd") },
	{ "rt_link_ntop", { N(0), B(6, "abcdef") }, FAULT(ILLOP) },
	{ "rt_link_ntop", { N(1), N(0) }, FAULT(BADADDR) },
	{ "rt_link_ntop", { N(1), N(WILD) }, FAULT(BADADDR) },

	{ "rt_uuidstr", { B(16, "\x6b\xa7\xb8\x10\x9d\xad\x11\xd1\x80\xb4"
	    "\x00\xc0\x4f\xd4\x30\xc8") },
	  STR("6ba7b810-9dad-11d1-80b4-00c04fd430c8") },
	{ "rt_uuidstr", { N(0) }, FAULT(BADADDR) },
	{ "rt_uuidstr", { N(WILD) }, FAULT(BADADDR) },

	{ "rt_getmajor", { N(0x12345678) }, NUM(0x123) },
	{ "rt_getminor", { N(0x12345678) }, NUM(0x45678) },
	{ "rt_getmajor", { N(-1) }, NUM(0xfff) },
	{ "rt_getminor", { N(-1) }, NUM(0xfffff) },

#define J(doc, path, want) { "rt_json", { S(doc), S(path) }, want }
	J("{\"a\":1}", "a", STR("1")),
	J("{\"a\":1}", "b", NUM(0)),
	J("{\"a\":1,\"b\":\"two\"}", "b", STR("two")),
	J("{\"ab\":1,\"a\":2}", "a", STR("2")),
	J("{\"a\":1,\"ab\":2}", "ab", STR("2")),
	J("{\"a\":1,\"a\":2}", "a", STR("1")),
	J("{\"\":1}", "", STR("1")),
	J("{\"a\":\"\"}", "a", STR("")),
	J("{\"a\":{\"b\":[10,{\"c\":\"deep\"},[30,31]]}}", "a.b[1].c",
	    STR("deep")),
	J("{\"a\":{\"b\":[10,{\"c\":\"deep\"},[30,31]]}}", "a.b[2][1]",
	    STR("31")),
	J("{\"a\":{\"b\":[10,{\"c\":\"deep\"},[30,31]]}}", "a.b",
	    STR("[10,{\"c\":\"deep\"},[30,31]]")),
	J("{\"a\":{\"b\":[10,{\"c\":\"deep\"},[30,31]]}}", "a.b[2]",
	    STR("[30,31]")),
	J("{\"a\":{\"b\":[10,{\"c\":\"deep\"},[30,31]]}}", "a.b[3]", NUM(0)),
	J("{\"a\":{\"b\":[10,{\"c\":\"deep\"},[30,31]]}}", "a.b[0].c",
	    NUM(0)),
	J("{\"a\":{\"b\":[10,{\"c\":\"deep\"},[30,31]]}}", "a.b.c", NUM(0)),
	J("{\"a\":{\"b\":[10,{\"c\":\"deep\"},[30,31]]}}", "a.b[1].c.d",
	    NUM(0)),
	J("{\"x\":{\"a\":1},\"a\":2}", "a", STR("2")),
	J("{\"x\":[{\"a\":[1]}],\"a\":2}", "a", STR("2")),
	J("{\"x\":\"}\",\"a\":2}", "a", STR("2")),
	J("{\"x\":\"\\\"a\\\":5,\",\"a\":2}", "a", STR("2")),
	J("{\"x\":{\"y\":\"{[\"},\"a\":2}", "a", STR("2")),
	J("[1,5,10]", "0", STR("1")),
	J("[1,5,10]", "[0]", STR("1")),
	J("[1,5,10]", "2", STR("10")),
	J("[1,5,10]", "[3]", NUM(0)),
	J("[1,5,10]", "-1", NUM(0)),
	J("[1,5,10]", "a", NUM(0)),
	J("[1,5,10]", "1x", NUM(0)),
	J("[1,5,10]", "", NUM(0)),
	J("[1,5,10]", "99999999999999999999999", NUM(0)),
	J("[0,1,2,3,4,5,6,7,8,9,10,11,12]", "12", STR("12")),
	J("[]", "0", NUM(0)),
	J("{}", "a", NUM(0)),
	J("[[],{},[[]],{\"a\":{}},7]", "4", STR("7")),
	J("[[],{}]", "1", STR("{}")),
	J("[[],{}]", "0[0]", NUM(0)),
	J("[true,false,null]", "0", STR("true")),
	J("[true,false,null]", "1", STR("false")),
	J("[true,false,null]", "2", STR("null")),
	J("[true,false,null]", "2.x", NUM(0)),
	J("[1.5001,-16.3e10,1E+5,-0]", "0", STR("1.5001")),
	J("[1.5001,-16.3e10,1E+5,-0]", "1", STR("-16.3e10")),
	J("[1.5001,-16.3e10,1E+5,-0]", "2", STR("1E+5")),
	J("[1.5001,-16.3e10,1E+5,-0]", "3", STR("-0")),
	J(" \t\n{ \"a\"\t:\r\n [ 1 , { \"b\" : 2 } ] , \"c\":3 } ", "a[1].b",
	    STR("2")),
	J(" \t\n{ \"a\"\t:\r\n [ 1 , { \"b\" : 2 } ] , \"c\":3 } ", "a",
	    STR("[ 1 , { \"b\" : 2 } ]")),
	J(" \t\n{ \"a\"\t:\r\n [ 1 , { \"b\" : 2 } ] , \"c\":3 } ", "c",
	    STR("3")),
	/* escapes are passed over and left as they are */
	J("[\"a\\\"b\\\\\", 2]", "0", STR("a\\\"b\\\\")),
	J("[\"a\\\"b\\\\\", 2]", "1", STR("2")),
	J("[\"\\u00e9\\uF00f\", 2]", "0", STR("\\u00e9\\uF00f")),
	J("[\"\\u00eg\", 2]", "1", NUM(0)),
	J("[\"\\u00\", 2]", "1", NUM(0)),
	J("{\"a\\\"b\":1,\"c\":2}", "a\\\"b", STR("1")),
	J("{\"a\\\"b\":1,\"c\":2}", "c", STR("2")),
	J("{\"\\u0061\":1}", "a", NUM(0)),
	/* not JSON */
	J("", "a", NUM(0)),
	J("1", "", NUM(0)),
	J("\"a\"", "a", NUM(0)),
	J("x", "a", NUM(0)),
	J("{a:1}", "a", NUM(0)),
	J("{\"a\" 1}", "a", NUM(0)),
	J("{\"x\":1 \"a\":2}", "a", NUM(0)),
	J("{\"x\":1,,\"a\":2}", "a", NUM(0)),
	J("{\"x\":[1,],\"a\":2}", "a", NUM(0)),
	J("{\"x\":{\"y\":1,},\"a\":2}", "a", NUM(0)),
	J("{\"x\":[1},\"a\":2}", "a", NUM(0)),
	J("{\"x\":{1},\"a\":2}", "a", NUM(0)),
	J("[0x10]", "0", NUM(0)),
	J("[1-2]", "0", NUM(0)),
	J("[1.]", "0", NUM(0)),
	J("[-]", "0", NUM(0)),
	J("[1.2.3]", "0", NUM(0)),
	J("[1 2]", "0", STR("1")),
	J("[1 2]", "1", NUM(0)),
	J("[truex]", "0", NUM(0)),
	J("[tru]", "0", NUM(0)),
	J("[nulltrue]", "0", NUM(0)),
	J("[True]", "0", NUM(0)),
	J("[yes,1]", "1", NUM(0)),
	/* cut short */
	J("{", "a", NUM(0)),
	J("{\"a", "a", NUM(0)),
	J("{\"a\":", "a", NUM(0)),
	J("{\"a\":12", "a", NUM(0)),
	J("{\"a\":\"12", "a", NUM(0)),
	J("{\"a\":\"12\"", "a", STR("12")),
	J("{\"a\":[1,2]", "a", STR("[1,2]")),
	J("{\"a\":[1,2", "a", NUM(0)),
	J("[", "0", NUM(0)),
	/* ']' ends an element; then the path ends or another begins */
	J("{\"a\":[1]}", "a]", STR("[1]")),
		J("{\"a\":[1]}", "a[0]]", NUM(0)),
	J("{\"a\":[1]}", "a[0]x", NUM(0)),
	J("{\"a\":[1]}", "a[0", STR("1")),
	J("{\"a\":[1]}", "a.", NUM(0)),
	J("{\"a\":{\"\":1}}", "a.", STR("1")),
	J("{\"0\":1}", "[0]", STR("1")),
	{ "rt_json", { N(0), S("a") }, NUM(0) },
	{ "rt_json", { S("{\"\":1}"), N(0) }, STR("1") },
	{ "rt_json", { F(256), S("a") }, NUM(0) },
	{ "rt_json", { N(WILD), S("a") }, FAULT(BADADDR) },
	{ "rt_json", { S("{}"), N(WILD) }, FAULT(BADADDR) },

	/* dst: scratch that was claimed, variables, nothing else */
	{ "rt_bcopy", { S("x"), N(0), N(0) }, NUM(0) },
	{ "rt_bcopy", { N(0), CLAIMED(0), N(1) }, FAULT(BADADDR) },
	{ "rt_bcopy", { N(WILD), CLAIMED(0), N(8) }, FAULT(BADADDR) },
	{ "rt_bcopy", { N(WILD), GLOBAL(0), N(8) }, FAULT(BADADDR) },
	{ "rt_bcopy", { S("x"), N(WILD), N(1) }, FAULT(BADADDR) },
	{ "rt_bcopy", { S("x"), S("y"), N(1) }, FAULT(BADADDR) },
	{ "rt_bcopy", { S("x"), CLAIMED(-1), N(2) }, FAULT(BADADDR) },
	{ "rt_bcopy", { S("x"), CLAIMED(RT_CLAIMED), N(1) }, FAULT(BADADDR) },
	{ "rt_bcopy", { S("x"), CLAIMED(RT_CLAIMED - 1), N(2) },
	  FAULT(BADADDR) },
	{ "rt_bcopy", { S("x"), CLAIMED(1), N(-1) }, FAULT(BADADDR) },
	{ "rt_bcopy", { S("x"), GLOBAL(-1), N(2) }, FAULT(BADADDR) },
	{ "rt_bcopy", { S("x"), GLOBAL(RT_GLOBALS_SIZE - 1), N(2) },
	  FAULT(BADADDR) },
	{ "rt_bcopy", { S("x"), LOCAL(-1), N(2) }, FAULT(BADADDR) },
	{ "rt_bcopy", { S("x"), LOCAL(256 - 1), N(2) }, FAULT(BADADDR) },
	{ "rt_copyinto", { N(0), N(0), N(0) }, NUM(0) },
	{ "rt_copyinto", { N(0), N(1), CLAIMED(0) }, FAULT(BADADDR) },
	{ "rt_copyinto", { N(WILD), N(9), GLOBAL(0) }, FAULT(BADADDR) },
	{ "rt_copyinto", { U("x"), N(1), N(WILD) }, FAULT(BADADDR) },
	{ "rt_copyinto", { U("x"), N(2), CLAIMED(RT_CLAIMED - 1) },
	  FAULT(BADADDR) },
	{ "rt_copyout", { N(0), N(0), N(0) }, NUM(0) },
	{ "rt_copyout", { N(WILD), U("x"), N(1) }, FAULT(BADADDR) },
	{ "rt_copyout", { S("x"), N(0), N(1) }, FAULT(BADADDR) },
	{ "rt_copyout", { S("x"), N(WILD), N(1) }, FAULT(BADADDR) },
	{ "rt_copyout", { S("x"), U("x"), N(-1) }, FAULT(ILLOP) },
	{ "rt_copyoutstr", { S("x"), N(0), N(0) }, NUM(0) },
	{ "rt_copyoutstr", { S("x"), N(WILD), N(1) }, FAULT(BADADDR) },
	{ "rt_copyoutstr", { N(WILD), U("x"), N(1) }, FAULT(BADADDR) },
	{ "rt_poke", { CLAIMED(RT_CLAIMED - 8), N(1), N(8) }, NUM(0) },
	{ "rt_poke", { CLAIMED(RT_CLAIMED), N(1), N(1) }, FAULT(BADADDR) },
	{ "rt_poke", { CLAIMED(-8), N(1), N(8) }, FAULT(BADADDR) },
	{ "rt_poke", { CLAIMED(1), N(1), N(2) }, FAULT(BADALIGN) },
	{ "rt_poke", { GLOBAL(RT_GLOBALS_SIZE - 1), N(1), N(1) }, NUM(0) },
	{ "rt_poke", { GLOBAL(RT_GLOBALS_SIZE), N(1), N(1) },
	  FAULT(BADADDR) },
	{ "rt_poke", { LOCAL(248), N(1), N(8) }, NUM(0) },
	{ "rt_poke", { LOCAL(256), N(1), N(8) }, FAULT(BADADDR) },
	{ "rt_poke", { N(0), N(1), N(8) }, FAULT(BADADDR) },

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
	env->ms->tok = 0;
	memset(env->ms->mem, 0xa5, 32 * env->conf.strsize);
	memset(env->globals, 0xa5, RT_GLOBALS_SIZE);
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
	case A_BYTES:
	case A_UBYTES:
		memcpy(p, a->s, (size_t)a->n);
		break;
	case A_GLOBAL:
		return env->globals_addr + (uint64_t)a->n;
	case A_LOCAL:
		return rt_env_addr(env, env->conf.locals + (uint64_t)a->n);
	case A_CLAIMED:
		env->ms->scratch = env->conf.scratch_begin + RT_CLAIMED;
		return rt_env_addr(env, env->conf.scratch_begin +
		    (uint64_t)a->n);
	}
	if (a->kind == A_STR || a->kind == A_FILL || a->kind == A_BYTES)
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

		if (env->no_copyout && strncmp(c->fn, "rt_copyout", 10) == 0)
			continue;
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
		{ "rt_store_ref", { 0, WILD, 16 }, DIF_FLT_BADADDR },
		{ "rt_store_ref", { 0, 0, 16 }, DIF_FLT_BADADDR },
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

/* The length, and as many of the bytes as there is room for. */
static inline void
rt_check_store_ref(struct rt_env *env)
{
	static const struct {
		uint64_t len, max, want;
	} cases[] = { { 0, 16, 0 }, { 5, 16, 5 }, { 16, 16, 16 }, { 300, 16, 16 },
		{ 300, 400, 300 }, { 256, 256, 256 }, { ~0ULL, 8, 8 } };
	u8 *mem = env->ms->mem, *dst = &mem[1024];

	for (size_t i = 0; i < RT_COUNT(cases); i++) {
		uint64_t words[2] = { rt_env_addr(env, 512), cases[i].len };
		uint64_t args[4] = { 1024, rt_env_addr(env, 0), cases[i].max };

		rt_env_reset(env);
		memcpy(mem, words, sizeof(words));
		for (unsigned b = 0; b < 400; b++)
			mem[512 + b] = (u8)b;
		assert_int_equal(env->call(env, "rt_store_ref", args), 0);
		assert_memory_equal(dst, &cases[i].len, sizeof(uint64_t));
		assert_memory_equal(dst + 8, &mem[512], cases[i].want);
		assert_int_equal(dst[8 + cases[i].want], 0xa5);
	}
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
		assert_int_equal(env->ms->scratch, next + sizes[i]);
		next += (sizes[i] + 7) & ~7ULL;
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

/* One text through all its tokens, and on behind the last. */
static inline void
rt_check_strtok(struct rt_env *env)
{
	static const struct {
		const char *text, *seps, *tokens[6];
	} cases[] = {
		{ "one two three", " ", { "one", "two", "three" } },
		{ " one  two ", " ", { "one", "two" } },
		{ "a:b,c", ":,", { "a", "b", "c" } },
		{ "a=b", "", { "a=b" } },
		{ "/usr/local/bin/", "/", { "usr", "local", "bin" } },
		{ "", " ", { NULL } },
		{ ",,,", ",", { NULL } },
		{ "a,b\377c", "\377,", { "a", "b", "c" } },
	};

	for (size_t i = 0; i < RT_COUNT(cases); i++) {
		struct rt_arg text = S(cases[i].text), seps = S(cases[i].seps);
		uint64_t args[4] = { 0 }, got;

		rt_env_reset(env);
		args[0] = rt_case_arg(env, &text, 0);
		args[1] = rt_case_arg(env, &seps, 1);
		for (unsigned n = 0; cases[i].tokens[n] != NULL; n++) {
			got = env->call(env, "rt_strtok", args);
			assert_int_equal(env->ms->fault, 0);
			assert_string_equal(rt_case_result(env, got),
			    cases[i].tokens[n]);
			/* the caller's text may go away now */
			memset(env->ms->mem, 'Z', strlen(cases[i].text));
			args[0] = 0;
		}
		for (int n = 0; n < 2; n++) {
			assert_int_equal(env->call(env, "rt_strtok", args), 0);
			assert_int_equal(env->ms->fault, 0);
			args[0] = 0;
		}
	}
}

/* Other separators may end the next token; a bad text leaves the old one. */
static inline void
rt_check_strtok_change(struct rt_env *env)
{
	struct rt_arg text = S("a=b;c=d"), semi = S(";"), eq = S("=");
	uint64_t args[4] = { 0 };

	rt_env_reset(env);
	args[0] = rt_case_arg(env, &text, 0);
	args[1] = rt_case_arg(env, &semi, 1);
	assert_string_equal(rt_case_result(env,
	    env->call(env, "rt_strtok", args)), "a=b");
	args[0] = WILD;
	assert_int_equal(env->call(env, "rt_strtok", args), 0);
	assert_int_equal(env->ms->fault, DIF_FLT_BADADDR);
	env->ms->fault = 0;
	args[0] = 0;
	args[1] = rt_case_arg(env, &eq, 1);
	assert_string_equal(rt_case_result(env,
	    env->call(env, "rt_strtok", args)), "c");
	assert_string_equal(rt_case_result(env,
	    env->call(env, "rt_strtok", args)), "d");
}

/* inet_ntop(3) is right, but for its ::ffff:0:0/96 in newer C libraries. */
static inline void
rt_check_inet6(struct rt_env *env)
{
	static const char *const texts[] = {
		"::", "::1", "1::", "fe80::214:4fff:fe0b:76c8",
		"1080::808:c:417a", "::127.0.0.1", "::ffff:127.0.0.1",
		"::ffff:255.255.255.255", "::fffe:7f00:1",
		"fe12:3456:789a:bcde:214::",
		"fe12:3456:789a:bcde:214:4fff:fe0b:0",
		"1:2:3:4:5:6:7:8", "1:0:2:3:4:5:6:7", "1:0:0:2:0:0:3:4",
		"1:0:0:2:0:0:0:3", "0:1:2:3:4:5:6:0", "::2:3:4:5:6:7",
		"1::8", "abcd:0:0:1::", "0:0:1:0:0:1:0:0", "::1:0:0:0:0",
		"1:20:300:4000:5:60:700:8000", "ffff:ffff:ffff:ffff:ffff:"
		"ffff:ffff:ffff", "::ffff:0:1.2.3.4", "64:ff9b::c000:221",
	};

	for (size_t i = 0; i < RT_COUNT(texts); i++) {
		uint64_t args[4] = { 0 };
		char want[INET6_ADDRSTRLEN];
		struct in6_addr in6;

		assert_int_equal(inet_pton(AF_INET6, texts[i], &in6), 1);
		assert_non_null(inet_ntop(AF_INET6, &in6, want,
		    sizeof(want)));
		rt_env_reset(env);
		memcpy(env->ms->mem, &in6, sizeof(in6));
		args[0] = rt_env_addr(env, 0);
		assert_string_equal(rt_case_result(env,
		    env->call(env, "rt_inet_ntoa6", args)), want);
		assert_int_equal(env->ms->fault, 0);
	}
}

/*
 * Every zero and nonzero combination of groups, with the shortest text by a
 * slow hand: all ways to write "::" tried.
 */
static inline void
rt_check_inet6_runs(struct rt_env *env)
{
	for (unsigned bits = 0; bits < 256; bits++) {
		uint64_t args[4] = { 0 };
		char want[INET6_ADDRSTRLEN];
		struct in6_addr in6 = { 0 };

		for (unsigned g = 0; g < 8; g++)
			in6.s6_addr[2 * g + 1] = bits >> g & 1 ? 0xa0 : 0;
		inet_ntop(AF_INET6, &in6, want, sizeof(want));
		rt_env_reset(env);
		memcpy(env->ms->mem, &in6, sizeof(in6));
		args[0] = rt_env_addr(env, 0);
		assert_string_equal(rt_case_result(env,
		    env->call(env, "rt_inet_ntoa6", args)), want);
	}
}

/* Copies that succeed: every byte arrives, and none around it changes. */
struct rt_copy_case {
	struct rt_arg dst;
	unsigned size;
};
static const struct rt_copy_case rt_copy_cases[] = {
	{ CLAIMED(0), 1 }, { CLAIMED(0), RT_CLAIMED }, { CLAIMED(3), 5 },
	{ CLAIMED(RT_CLAIMED - 1), 1 }, { CLAIMED(1), 500 },
	{ GLOBAL(0), RT_GLOBALS_SIZE }, { GLOBAL(8), 8 }, { GLOBAL(1), 21 },
	{ GLOBAL(RT_GLOBALS_SIZE - 3), 3 },
	{ LOCAL(0), 256 }, { LOCAL(13), 200 }, { LOCAL(255), 1 },
};

/* Where this process sees the destination, and what belongs to it. */
static inline const uint8_t *
rt_copy_view(const struct rt_env *env, const struct rt_arg *dst)
{
	if (dst->kind == A_GLOBAL)
		return env->globals + dst->n;
	return env->ms->mem + dst->n + (dst->kind == A_LOCAL ?
	    env->conf.locals : env->conf.scratch_begin);
}

static inline void
rt_check_copies(struct rt_env *env)
{
	for (size_t i = 0; i < 2 * RT_COUNT(rt_copy_cases); i++) {
		const struct rt_copy_case *c = &rt_copy_cases[i / 2];
		const uint8_t *view = rt_copy_view(env, &c->dst);
		uint64_t args[4] = { 0 }, dst;

		rt_env_reset(env);
		for (unsigned b = 0; b < c->size; b++)
			env->ms->mem[b] = (uint8_t)(b * 7 + 1);
		dst = rt_case_arg(env, &c->dst, 2);
		args[0] = rt_env_addr(env, 0);
		args[1] = dst;
		args[2] = c->size;
		if (i % 2) {
			args[0] = (uint64_t)(uintptr_t)env->ms->mem;
			args[1] = c->size;
			args[2] = dst;
		}
		env->call(env, i % 2 ? "rt_copyinto" : "rt_bcopy", args);
		assert_int_equal(env->ms->fault, 0);
		for (unsigned b = 0; b < c->size; b++)
			assert_int_equal(view[b], (uint8_t)(b * 7 + 1));
		if (c->dst.kind != A_GLOBAL || c->dst.n > 0)
			assert_int_equal(view[-1], 0xa5);
		if (c->dst.kind != A_GLOBAL ||
		    c->dst.n + c->size < RT_GLOBALS_SIZE)
			assert_int_equal(view[c->size], 0xa5);
	}
}

/* Into this process's memory: the bytes, and none around them. */
static inline void
rt_check_copyout(struct rt_env *env)
{
	static const unsigned sizes[] = { 1, 8, 255, 256, 257, 300, 1000 };
	static char to[1100];

	for (size_t i = 0; i < RT_COUNT(sizes); i++) {
		uint64_t args[4] = { 0, (uint64_t)(uintptr_t)to + 1, sizes[i] };

		rt_env_reset(env);
		memset(to, '.', sizeof(to));
		memset(env->ms->mem, 'x', sizes[i]);
		args[0] = rt_env_addr(env, 0);
		env->call(env, "rt_copyout", args);
		assert_int_equal(env->ms->fault, 0);
		assert_int_equal(to[0], '.');
		assert_int_equal(to[sizes[i] + 1], '.');
		for (unsigned b = 0; b < sizes[i]; b++)
			assert_int_equal(to[1 + b], 'x');
	}
}

static inline void
rt_check_copyoutstr(struct rt_env *env)
{
	static const struct {
		int64_t fill, max;
		unsigned want;		/* x's */
		int nul;		/* is there a NUL behind them */
	} cases[] = {
		{ 5, 100, 5, 1 }, { 5, 6, 5, 1 }, { 5, 5, 5, 0 },
		{ 5, 3, 3, 0 }, { 5, 0, 0, 0 }, { 0, 10, 0, 1 },
		{ 255, 1000, 255, 1 }, { 256, 1000, 255, 1 },
		{ 300, 1000, 255, 1 }, { 300, -1, 255, 1 },
	};
	static char to[300];

	for (size_t i = 0; i < RT_COUNT(cases); i++) {
		struct rt_arg s = F(cases[i].fill);
		uint64_t args[4] = { 0, (uint64_t)(uintptr_t)to,
			(uint64_t)cases[i].max };

		rt_env_reset(env);
		memset(to, '.', sizeof(to));
		args[0] = rt_case_arg(env, &s, 0);
		env->call(env, "rt_copyoutstr", args);
		assert_int_equal(env->ms->fault, 0);
		for (unsigned b = 0; b < cases[i].want; b++)
			assert_int_equal(to[b], 'x');
		assert_int_equal(to[cases[i].want], cases[i].nul ? 0 : '.');
		assert_int_equal(to[cases[i].want + 1], '.');
	}
}

/* A page that may not be written is a bad address, and stays as it is. */
static inline void
rt_check_copyout_readonly(struct rt_env *env)
{
	static const char fixed[8192] __attribute__((aligned(4096))) = "const";
	struct rt_arg s = S("other");
	uint64_t args[4] = { 0, (uint64_t)(uintptr_t)fixed, 5 };

	rt_env_reset(env);
	args[0] = rt_case_arg(env, &s, 0);
	assert_int_equal(env->call(env, "rt_copyout", args), 0);
	assert_int_equal(env->ms->fault, DIF_FLT_BADADDR);
	assert_int_equal(env->ms->fault_val, args[1]);
	assert_string_equal(fixed, "const");
}

static inline void
rt_check_memref(struct rt_env *env)
{
	uint64_t args[4] = { 0x123456789a, 77 }, words[2], got;

	rt_env_reset(env);
	got = env->call(env, "rt_memref", args);
	assert_int_equal(got, rt_env_addr(env, env->conf.scratch_begin));
	memcpy(words, rt_case_result(env, got), sizeof(words));
	assert_int_equal(words[0], 0x123456789a);
	assert_int_equal(words[1], 77);
	env->ms->scratch = env->conf.scratch_end - 8;
	assert_int_equal(env->call(env, "rt_memref", args), 0);
	assert_int_equal(env->ms->fault, DIF_FLT_NOSCRATCH);
}

/* As deep as json() goes, and one deeper: 64 brackets. */
static inline void
rt_check_json_depth(struct rt_env *env)
{
	for (int depth = 63; depth <= 65; depth++) {
		uint64_t args[4] = { 0 }, got;
		char doc[200], *p = doc;

		p += sprintf(p, "[");
		for (int i = 1; i < depth; i++)
			*p++ = '[';
		for (int i = 1; i < depth; i++)
			*p++ = ']';
		strcpy(p, ",7]");
		rt_env_reset(env);
		struct rt_arg d = S(doc), path = S("1");
		args[0] = rt_case_arg(env, &d, 0);
		args[1] = rt_case_arg(env, &path, 1);
		got = env->call(env, "rt_json", args);
		assert_int_equal(env->ms->fault, 0);
		if (depth > 64)
			assert_int_equal(got, 0);
		else
			assert_string_equal(rt_case_result(env, got), "7");
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
	for (int i = 0; i < 100; i++)
		all |= env->call(env, "rt_random64", args);
	assert_int_equal(all, ~0ULL);
}

static inline void
rt_check_all(struct rt_env *env)
{
	rt_cases_run(env);
	rt_check_lltostr(env);
	rt_check_store_str(env);
	rt_check_store_faults(env);
	rt_check_store_bytes(env);
	rt_check_store_ref(env);
	rt_check_alloc(env);
	rt_check_result_room(env);
	rt_check_rand(env);
	rt_check_strtok(env);
	rt_check_strtok_change(env);
	rt_check_inet6(env);
	rt_check_inet6_runs(env);
	rt_check_copies(env);
	rt_check_memref(env);
	rt_check_json_depth(env);
}

#endif
