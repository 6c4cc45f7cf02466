/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_UNIT_RT_CASES_H
#define TESTS_UNIT_RT_CASES_H

/*
 * The runtime's expected answers as one table, checked on the host
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
#define RT_LAYOUT(s)                                                           \
	{                                                                      \
		.strsize = (s), .memmask = 32 * (s)-1, .locals = 7 * (s),      \
		.tmp_a = 8 * (s), .tmp_b = 9 * (s), .tok = 10 * (s),           \
		.scratch_begin = 11 * (s), .scratch_end = 21 * (s),            \
	}
#define RT_STATE_SIZE(s) (RT_MEM_OFF + 32 * (s) + (s))

/* The environment in which the cases run. */
struct rt_env {
	struct rt_conf conf;
	struct rt_mstate *ms;  /* as this process sees it */
	uint8_t *globals;      /* likewise, RT_GLOBALS_SIZE bytes */
	uint64_t globals_addr; /* the same address as the runtime sees it */
	int no_copyout;	       /* a locked-down kernel writes to no process */
	/* Call a function by name: arguments without the slot. */
	uint64_t (*call)(
	    struct rt_env *env, const char *fn, const uint64_t *args);
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
	{ "rt_percentile_index", 1, 0, { .f1 = rt_percentile_index } },
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
	A_NUM,	/* the number itself (also a wild address) */
	A_STR,	/* address of a copy of `s` in the kernel */
	A_USTR, /* address of a copy of `s` in user space */
	A_FILL, /* address of n times 'x' */
	A_UFILL,
	A_BYTES, /* address of n bytes */
	A_UBYTES,
	A_GLOBAL,  /* address n bytes into the globals' storage */
	A_LOCAL,   /* address n bytes into the clause-local variables */
	A_CLAIMED, /* claimed scratch, RT_CLAIMED bytes */
};
#define RT_CLAIMED 600
#define RT_GLOBALS_SIZE 64
struct rt_arg {
	enum rt_arg_kind kind;
	int64_t n;
	const char *s;
};
#define N(x)                                                                   \
	{                                                                      \
		A_NUM, (int64_t)(x), NULL                                      \
	}
#define S(x)                                                                   \
	{                                                                      \
		A_STR, 0, x                                                    \
	}
#define U(x)                                                                   \
	{                                                                      \
		A_USTR, 0, x                                                   \
	}
#define F(x)                                                                   \
	{                                                                      \
		A_FILL, x, NULL                                                \
	}
#define UF(x)                                                                  \
	{                                                                      \
		A_UFILL, x, NULL                                               \
	}
#define B(n, x)                                                                \
	{                                                                      \
		A_BYTES, n, x                                                  \
	}
#define UB(n, x)                                                               \
	{                                                                      \
		A_UBYTES, n, x                                                 \
	}
#define GLOBAL(n)                                                              \
	{                                                                      \
		A_GLOBAL, n, NULL                                              \
	}
#define LOCAL(n)                                                               \
	{                                                                      \
		A_LOCAL, n, NULL                                               \
	}
#define CLAIMED(n)                                                             \
	{                                                                      \
		A_CLAIMED, n, NULL                                             \
	}

enum rt_want { W_NUM, W_STR, W_FILL, W_OFF, W_FAULT };
struct rt_case {
	const char *fn;
	struct rt_arg args[4];
	enum rt_want want;
	int64_t n; /* number, length, offset from the first
				 * argument, enum dif_fault */
	const char *s;
};
#define NUM(x) W_NUM, (int64_t)(x), NULL
#define STR(x) W_STR, 0, x
#define FILL(x) W_FILL, x, NULL
#define OFF(x) W_OFF, x, NULL
#define FAULT(x) W_FAULT, DIF_FLT_##x, NULL

#define WILD 0x1234567812345678 /* not canonical: in no address space */

/* strsize is 256 */
static const struct rt_case rt_cases[] = {
#include "rt_cases_strings.def"
#include "rt_cases_memory.def"
#include "rt_cases_net.def"
#include "rt_cases_json.def"
#include "rt_cases_agg.def"
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
		return rt_env_addr(
		    env, env->conf.scratch_begin + (uint64_t)a->n);
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

/* ---- cases that do not fit the table ------------------------------------ */

/* The digits of `v` in `base`, computed the slow way. */
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
			    base == 16			    ? "0x" :
				base == 8 && values[i] != 0 ? "0" :
							      "",
			    digits);
			rt_env_reset(env);
			assert_string_equal(
			    rt_case_result(
				env, env->call(env, "rt_lltostr", args)),
			    want);
		}
	}
}

struct rt_store_case {
	unsigned fill; /* length of the string */
	unsigned size;
	unsigned want; /* x's in the destination, then NULs */
};
static const struct rt_store_case rt_store_cases[] = {
	{ 0, 8, 0 },
	{ 1, 8, 1 },
	{ 7, 8, 7 },
	{ 8, 8, 8 },
	{ 9, 8, 8 },
	{ 0, 1, 0 },
	{ 1, 1, 1 },
	{ 5, 1, 1 },
	{ 16, 0, 0 },
	{ 3, 256, 3 },
	{ 255, 256, 255 },
	{ 256, 256, 256 },
	{ 300, 256, 256 },
	{ 15, 16, 15 },
	{ 16, 16, 16 },
	{ 17, 16, 16 },
	{ 100, 13, 13 },
};

/* A stored string fills its destination to the last byte, and no byte around
 * it. */
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
		assert_int_equal(env->call(env, cases[i].fn, cases[i].args), 1);
		assert_int_equal(env->ms->fault, cases[i].fault);
	}
	/* NULL is the empty string */
	rt_env_reset(env);
	assert_int_equal(
	    env->call(env, "rt_store_str", (uint64_t[]){ 16, 0, 8, 0 }), 0);
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
	assert_memory_equal(&env->ms->mem[512],
	    "\xa5"
	    "a\0b\0c\0d\xa5",
	    9);
}

/* A stored reference has the full length, and as many bytes as there is room
 * for. */
static inline void
rt_check_store_ref(struct rt_env *env)
{
	static const struct {
		uint64_t len, max, want;
	} cases[] = { { 0, 16, 0 }, { 5, 16, 5 }, { 16, 16, 16 },
		{ 300, 16, 16 }, { 300, 400, 300 }, { 256, 256, 256 },
		{ ~0ULL, 8, 8 } };
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

/* Allocations follow each other, aligned and zeroed, until scratch is used up.
 * A 0 follows each allocation if there is room for it. */
static inline void
rt_check_alloc(struct rt_env *env)
{
	static const uint64_t sizes[] = { 1, 8, 9, 0, 256, 300, 511 };
	uint64_t next = env->conf.scratch_begin, args[4] = { 0 };

	rt_env_reset(env);
	for (size_t i = 0; i < RT_COUNT(sizes); i++) {
		args[0] = sizes[i];
		assert_int_equal(
		    env->call(env, "rt_alloc", args), rt_env_addr(env, next));
		for (uint64_t b = 0; b < sizes[i]; b++)
			assert_int_equal(env->ms->mem[next + b], 0);
		assert_int_equal(env->ms->mem[next + sizes[i]], 0);
		assert_int_equal(env->ms->mem[next + sizes[i] + 1], 0xa5);
		assert_int_equal(env->ms->scratch, next + sizes[i]);
		next += (sizes[i] + 7) & ~7ULL;
	}
	args[0] = env->conf.scratch_end - next;
	assert_int_not_equal(env->call(env, "rt_alloc", args), 0);
	assert_int_equal(env->ms->fault, 0);
	assert_int_equal(env->ms->mem[env->conf.scratch_end], 0xa5);
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
		assert_int_equal(
		    env->ms->fault, room < 8 ? DIF_FLT_NOSCRATCH : 0);
	}
}

/* strtok() finds each token of a text, and none after the last. */
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
			assert_string_equal(
			    rt_case_result(env, got), cases[i].tokens[n]);
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

/* Each call may have other separators; a bad text keeps the old one. */
static inline void
rt_check_strtok_change(struct rt_env *env)
{
	struct rt_arg text = S("a=b;c=d"), semi = S(";"), eq = S("=");
	uint64_t args[4] = { 0 };

	rt_env_reset(env);
	args[0] = rt_case_arg(env, &text, 0);
	args[1] = rt_case_arg(env, &semi, 1);
	assert_string_equal(
	    rt_case_result(env, env->call(env, "rt_strtok", args)), "a=b");
	args[0] = WILD;
	assert_int_equal(env->call(env, "rt_strtok", args), 0);
	assert_int_equal(env->ms->fault, DIF_FLT_BADADDR);
	env->ms->fault = 0;
	args[0] = 0;
	args[1] = rt_case_arg(env, &eq, 1);
	assert_string_equal(
	    rt_case_result(env, env->call(env, "rt_strtok", args)), "c");
	assert_string_equal(
	    rt_case_result(env, env->call(env, "rt_strtok", args)), "d");
}

/* inet_ntop(3) gives the expected text, except for ::ffff:0:0/96 in newer C
 * libraries. */
static inline void
rt_check_inet6(struct rt_env *env)
{
	static const char *const texts[] = {
		"::",
		"::1",
		"1::",
		"fe80::214:4fff:fe0b:76c8",
		"1080::808:c:417a",
		"::127.0.0.1",
		"::ffff:127.0.0.1",
		"::ffff:255.255.255.255",
		"::fffe:7f00:1",
		"fe12:3456:789a:bcde:214::",
		"fe12:3456:789a:bcde:214:4fff:fe0b:0",
		"1:2:3:4:5:6:7:8",
		"1:0:2:3:4:5:6:7",
		"1:0:0:2:0:0:3:4",
		"1:0:0:2:0:0:0:3",
		"0:1:2:3:4:5:6:0",
		"::2:3:4:5:6:7",
		"1::8",
		"abcd:0:0:1::",
		"0:0:1:0:0:1:0:0",
		"::1:0:0:0:0",
		"1:20:300:4000:5:60:700:8000",
		"ffff:ffff:ffff:ffff:ffff:"
		"ffff:ffff:ffff",
		"::ffff:0:1.2.3.4",
		"64:ff9b::c000:221",
	};

	for (size_t i = 0; i < RT_COUNT(texts); i++) {
		uint64_t args[4] = { 0 };
		char want[INET6_ADDRSTRLEN];
		struct in6_addr in6;

		assert_int_equal(inet_pton(AF_INET6, texts[i], &in6), 1);
		assert_non_null(inet_ntop(AF_INET6, &in6, want, sizeof(want)));
		rt_env_reset(env);
		memcpy(env->ms->mem, &in6, sizeof(in6));
		args[0] = rt_env_addr(env, 0);
		assert_string_equal(
		    rt_case_result(env, env->call(env, "rt_inet_ntoa6", args)),
		    want);
		assert_int_equal(env->ms->fault, 0);
	}
}

/*
 * Every combination of zero and nonzero groups, compared with the shortest
 * text: a slow loop tries all ways to write "::".
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
		assert_string_equal(
		    rt_case_result(env, env->call(env, "rt_inet_ntoa6", args)),
		    want);
	}
}

/* Copies that succeed write every byte, and change none around them. */
struct rt_copy_case {
	struct rt_arg dst;
	unsigned size;
};
static const struct rt_copy_case rt_copy_cases[] = {
	{ CLAIMED(0), 1 },
	{ CLAIMED(0), RT_CLAIMED },
	{ CLAIMED(3), 5 },
	{ CLAIMED(RT_CLAIMED - 1), 1 },
	{ CLAIMED(1), 500 },
	{ GLOBAL(0), RT_GLOBALS_SIZE },
	{ GLOBAL(8), 8 },
	{ GLOBAL(1), 21 },
	{ GLOBAL(RT_GLOBALS_SIZE - 3), 3 },
	{ LOCAL(0), 256 },
	{ LOCAL(13), 200 },
	{ LOCAL(255), 1 },
};

/* The address at which this process sees the destination of a copy. */
static inline const uint8_t *
rt_copy_view(const struct rt_env *env, const struct rt_arg *dst)
{
	if (dst->kind == A_GLOBAL)
		return env->globals + dst->n;
	return env->ms->mem + dst->n +
	    (dst->kind == A_LOCAL ? env->conf.locals : env->conf.scratch_begin);
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

/* copyout() writes the bytes to this process's memory, and none around them. */
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
		unsigned want; /* x's */
		int nul;       /* is there a NUL behind them */
	} cases[] = {
		{ 5, 100, 5, 1 },
		{ 5, 6, 5, 1 },
		{ 5, 5, 5, 0 },
		{ 5, 3, 3, 0 },
		{ 5, 0, 0, 0 },
		{ 0, 10, 0, 1 },
		{ 255, 1000, 255, 1 },
		{ 256, 1000, 255, 1 },
		{ 300, 1000, 255, 1 },
		{ 300, -1, 255, 1 },
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

/* A read-only page is a bad address, and does not change. */
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

/* json() accepts 64 brackets inside each other, and no more. */
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
