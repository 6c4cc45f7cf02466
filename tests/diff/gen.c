/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generator.
 *
 * It writes straight-line code and forward branches around it, and tracks the
 * contents of each register: a number, the address of a string or of scratch
 * memory, or unusable.  At a join, a register keeps the contents that both
 * paths agree on.  Edge values are as likely as ordinary ones; faults, which
 * end a program early, are so rare that most programs run to their end.
 */
#include "gen_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

/* ---- random ------------------------------------------------------------- */

static uint64_t
mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* Mix the seed: the sequences of neighbouring seeds have nothing in common. */
void
gen_seed(struct gen_rng *rng, uint64_t seed)
{
	rng->state = mix(seed + 0x632be59bd9b4e019ULL);
}

/* splitmix64: a counter, mixed (Steele, Lea, Flood 2014) */
static uint64_t
random64(struct gen_rng *rng)
{
	return mix(rng->state += 0x9e3779b97f4a7c15ULL);
}

uint32_t
gen_random(struct gen_rng *rng, uint32_t n)
{
	return (uint32_t)(random64(rng) % n);
}

bool
g_one_in(struct gen *g, uint32_t n)
{
	return gen_random(g->rng, n) == 0;
}

static uint64_t
edge_number(struct gen *g)
{
	static const uint64_t edges[] = { 0, 1, 2, 3, 7, 8, 10, 16, 36, 47, 63,
		64, 65, 97, 127, 128, 255, 256, 4711, INT32_MAX, 0x80000000,
		UINT32_MAX, 0x100000000, INT64_MAX, (uint64_t)INT64_MIN,
		(uint64_t)INT64_MIN + 1, UINT64_MAX, UINT64_MAX - 1,
		UINT64_MAX - 62, UINT64_MAX - 63 };

	if (g_one_in(g, 6))
		return random64(g->rng);
	if (g_one_in(g, 3))
		return gen_random(g->rng, 20);
	return edges[gen_random(g->rng, COUNT(edges))];
}

/* An address that is mapped neither for the kernel nor for this process. */
uint64_t
g_wild_address(struct gen *g)
{
	static const uint64_t wild[] = { 0, 1, 8, 0xfff, 0x1001,
		0x8000000000000000, 0xdead000000000122, UINT64_MAX,
		UINT64_MAX - 7, 0xfffffffffffff000 };

	return wild[gen_random(g->rng, COUNT(wild))];
}

/* ---- instructions ------------------------------------------------------- */

void
g_put(struct gen *g, uint32_t ins)
{
	VEC_PUSH(&g->text, ins);
}

unsigned
g_any_dest(struct gen *g)
{
	return 1 + gen_random(g->rng, DIF_NREGS - 1);
}

void
g_now_holds(struct gen *g, unsigned r, enum what what, uint32_t size)
{
	g->regs[r] = (struct holds){ .what = what, .size = size };
}

void
g_put_constant(struct gen *g, unsigned r, uint64_t value)
{
	g_put(g, dif_instr_w(DIF_OP_SETX, (unsigned)g->ints.n, r));
	VEC_PUSH(&g->ints, value);
	g_now_holds(g, r, NUMBER, 0);
}

static void
put_string(struct gen *g, unsigned r, const char *s)
{
	g_put(g, dif_instr_w(DIF_OP_SETS, (unsigned)g->strs.len, r));
	strbuf_add(&g->strs, s, strlen(s) + 1);
	g_now_holds(g, r, STRING, (uint32_t)strlen(s) + 1);
	g->regs[r].is_there = true;
}

/* A register with such contents, or -1.  %r0 is a number, and a NULL string. */
static int
find_reg(struct gen *g, enum what what)
{
	unsigned start = gen_random(g->rng, DIF_NREGS);

	for (unsigned i = 0; i < DIF_NREGS; i++) {
		unsigned r = (start + i) % DIF_NREGS;

		if (g->regs[r].what == what ||
		    (r == 0 && what == STRING && g_one_in(g, 8)))
			return (int)r;
	}
	return -1;
}

/* ---- variables ---------------------------------------------------------- */

#define V(n) (DIF_VAR_USER_MIN + (n))
#define VAR_TURN V(0x100)
#define VAR_KEPT V(0x101) /* the address of an element, or 0 */

static const struct dif_type t_number = { .ckind = 1, .size = 8 };
static const struct dif_type t_string = { .kind = DIF_TYPE_STRING,
	.flags = DIF_TF_BYREF };
static const struct dif_type t_struct = {
	.ckind = 6, .flags = DIF_TF_BYREF, .size = GEN_STRUCT_SIZE
};

/* Scalars: ids 0, 1 numbers, 2, 3 strings, 4 a structure, in each scope. */
enum { NSCALARS = 5 };

static const struct dif_type *
scalar_type(unsigned n)
{
	return n < 2 ? &t_number : n < 4 ? &t_string : &t_struct;
}

static enum what
scalar_what(unsigned n)
{
	return n < 2 ? NUMBER : n < 4 ? STRING : MEMORY;
}

/* Arrays: the kinds of keys (Number, String, Bytes), and of values. */
static const struct array {
	uint8_t scope;
	const char *keys;
	enum what value;
} arrays[] = {
	{ DIFV_SCOPE_GLOBAL, "n", NUMBER }, { DIFV_SCOPE_GLOBAL, "s", NUMBER },
	{ DIFV_SCOPE_GLOBAL, "sn", NUMBER }, { DIFV_SCOPE_GLOBAL, "b", NUMBER },
	{ DIFV_SCOPE_GLOBAL, "nbsn", NUMBER },
	{ DIFV_SCOPE_GLOBAL, "n", STRING }, { DIFV_SCOPE_GLOBAL, "s", MEMORY },
	{ DIFV_SCOPE_THREAD, "n", NUMBER }, { DIFV_SCOPE_THREAD, "ns", STRING },
	{ DIFV_SCOPE_THREAD, "b", MEMORY },
	{ DIFV_SCOPE_GLOBAL, "nnnnnnnn", NUMBER },
	{ DIFV_SCOPE_GLOBAL, "n", MEMORY }, /* for do_kept() */
};
#define KEPT (COUNT(arrays) - 1)
#define ARRAY_ID(i) V(0x20 + (i))

static const uint8_t scalar_loads[] = { [DIFV_SCOPE_GLOBAL] = DIF_OP_LDGS,
	[DIFV_SCOPE_THREAD] = DIF_OP_LDTS,
	[DIFV_SCOPE_LOCAL] = DIF_OP_LDLS };
static const uint8_t scalar_stores[] = { [DIFV_SCOPE_GLOBAL] = DIF_OP_STGS,
	[DIFV_SCOPE_THREAD] = DIF_OP_STTS,
	[DIFV_SCOPE_LOCAL] = DIF_OP_STLS };
static const uint8_t array_loads[] = {
	[DIFV_SCOPE_GLOBAL] = DIF_OP_LDGAA, [DIFV_SCOPE_THREAD] = DIF_OP_LDTAA
};
static const uint8_t array_stores[] = {
	[DIFV_SCOPE_GLOBAL] = DIF_OP_STGAA, [DIFV_SCOPE_THREAD] = DIF_OP_STTAA
};

static uint32_t
what_size(enum what what)
{
	return what == MEMORY ? GEN_STRUCT_SIZE : 0;
}

static void
load_scalar(struct gen *g, unsigned r, uint8_t scope, unsigned n)
{
	g_put(g, dif_instr_w(scalar_loads[scope], V(n), r));
	g_now_holds(g, r, scalar_what(n), what_size(scalar_what(n)));
}

/* ---- built-in variables -------------------------------------------------- */

/* Built-in variables whose value both sides know. */
static const uint32_t known_numbers[] = { DIF_VAR_PID, DIF_VAR_TID,
	DIF_VAR_PPID, DIF_VAR_UID, DIF_VAR_GID, DIF_VAR_EPID, DIF_VAR_ID,
	DIF_VAR_ARG0, DIF_VAR_ARG1, DIF_VAR_ARG2, DIF_VAR_ARG3, DIF_VAR_ARG4,
	DIF_VAR_ARG5, DIF_VAR_ARG6, DIF_VAR_ARG7, DIF_VAR_ARG8, DIF_VAR_ARG9,
	DIF_VAR_CPU, DIF_VAR_ERRNO, DIF_VAR_IPL };
static const uint32_t known_strings[] = { DIF_VAR_EXECNAME, DIF_VAR_THREADNAME,
	DIF_VAR_PROBEPROV, DIF_VAR_PROBEMOD, DIF_VAR_PROBEFUNC,
	DIF_VAR_PROBENAME, DIF_VAR_PROBE };
static const uint32_t made_up[] = { DIF_VAR_CWD, DIF_VAR_EXECARGS,
	DIF_VAR_ZONENAME };
/* Variables that keep their value during a firing, and one that only grows. */
static const uint32_t steady[] = { DIF_VAR_TIMESTAMP, DIF_VAR_WALLTIMESTAMP,
	DIF_VAR_VTIMESTAMP, DIF_VAR_MACHTIMESTAMP, DIF_VAR_CURTHREAD,
	DIF_VAR_STACKDEPTH, DIF_VAR_CALLER, DIF_VAR_CURCPU, DIF_VAR_CHIP,
	DIF_VAR_LGRP, DIF_VAR_HOST };
static const uint32_t stacks[] = { DIF_VAR_USTACKDEPTH, DIF_VAR_UCALLER };
/* Counters that few machines have; on others they are refused. */
static const uint32_t counters[] = { DIF_VAR_CPUCYCLES, DIF_VAR_CPUINSTRS,
	DIF_VAR_VCYCLES, DIF_VAR_VINSTRS };

static bool
is_among(const uint32_t *list, size_t n, uint32_t id)
{
	for (size_t i = 0; i < n; i++) {
		if (list[i] == id)
			return true;
	}
	return false;
}

bool
gen_reads(const struct gen_env *env, uint32_t var)
{
	if (var == DIF_VAR_MACHTIMESTAMP)
		return !env->lacks_tsc;
	if (var == DIF_VAR_ARGS || is_among(counters, COUNT(counters), var))
		return !env->is_for_kernel;
	return var > DIF_VAR_ARRAY_MAX;
}

/* ---- operands: found or made -------------------------------------------- */

/* Load one of these built-in variables, or one of two scalars from `first` on;
 * false: loaded neither. */
static bool
load_something(struct gen *g, unsigned r, const uint32_t *builtins, uint32_t n,
    unsigned first)
{
	enum what what = scalar_what(first);

	switch (gen_random(g->rng, 8)) {
	case 0:
		g_put(g,
		    dif_instr_w(
			DIF_OP_LDGS, builtins[gen_random(g->rng, n)], r));
		g_now_holds(g, r, what, what == STRING);
		return true;
	case 1:
	case 2:
		load_scalar(g, r, (uint8_t)gen_random(g->rng, 3),
		    first + gen_random(g->rng, 2));
		return true;
	default:
		return false;
	}
}

static unsigned
make_number(struct gen *g)
{
	unsigned r = g_any_dest(g);

	if (!load_something(g, r, known_numbers, COUNT(known_numbers), 0))
		g_put_constant(g, r, edge_number(g));
	return r;
}

/* A constant of `len` bytes, without special characters. */
static void
put_long_string(struct gen *g, unsigned r, uint32_t len)
{
	char *s = mem_alloc(len + 1);

	for (uint32_t i = 0; i < len; i++)
		s[i] = (char)('a' + (i + len) % 26);
	put_string(g, r, s);
	free(s);
}

static void
put_any_string(struct gen *g, unsigned r)
{
	static const char *const strings[] = { "", "a", "k", "key", "abcabcab",
		"abcabcabc", "/usr/lib/x.so", "/", "//a//b/", "a/b/", "..",
		"./../a/./b", "  blank ", "-42", "0x1F", "012", "99999999999",
		"\x01\x7f\x80\xff", "A.b[0]", "{\"a\": [1, {\"b\": \"x\"}]}",
		"a,b,,c" };
	uint32_t strsize = g->env->strsize;

	if (g_one_in(g, 4))
		put_long_string(g, r, strsize - 2 + gen_random(g->rng, 5));
	else
		put_string(g, r, strings[gen_random(g->rng, COUNT(strings))]);
}

static unsigned
make_string(struct gen *g)
{
	unsigned r = g_any_dest(g);

	if (g->env->has_made_up && g_one_in(g, 3)) {
		g_put(g,
		    dif_instr_w(DIF_OP_LDGS,
			made_up[gen_random(g->rng, COUNT(made_up))], r));
		g_now_holds(g, r, STRING, 1);
	} else if (!load_something(
		       g, r, known_strings, COUNT(known_strings), 2))
		put_any_string(g, r);
	return r;
}

static unsigned
make_memory(struct gen *g, uint32_t least)
{
	static const uint32_t sizes[] = { 1, 3, 8, 12, 16, 24, 40, 64 };
	uint32_t size = sizes[gen_random(g->rng, COUNT(sizes))];
	unsigned r = g_any_dest(g), n = g_any_dest(g);

	size = size < least ? least : size;
	g_put_constant(g, n, size);
	g_put(g, dif_instr(DIF_OP_ALLOCS, n, 0, r));
	g_now_holds(g, r, MEMORY, size);
	g->regs[r].is_there = true;
	return r;
}

unsigned
g_any_number(struct gen *g)
{
	int r = g_one_in(g, 3) ? -1 : find_reg(g, NUMBER);

	return r >= 0 ? (unsigned)r : make_number(g);
}

/* A string; now and then, an address without a string. */
unsigned
g_any_string(struct gen *g)
{
	int r = g_one_in(g, 3) ? -1 : find_reg(g, STRING);
	unsigned wild;

	if (g_one_in(g, 60)) {
		wild = g_any_dest(g);
		g_put_constant(g, wild, g_wild_address(g));
		return wild;
	}
	return r >= 0 ? (unsigned)r : make_string(g);
}

unsigned
g_any_memory(struct gen *g, uint32_t least)
{
	int r = g_one_in(g, 4) ? -1 : find_reg(g, MEMORY);

	if (r >= 0 && g->regs[r].size >= least)
		return (unsigned)r;
	return make_memory(g, least);
}

static unsigned
any_of(struct gen *g, enum what what)
{
	switch (what) {
	case STRING:
		return g_any_string(g);
	case MEMORY:
		return g_any_memory(g, GEN_STRUCT_SIZE);
	default:
		return g_any_number(g);
	}
}

/* Operands in two registers: making the second must not lose the first. */
static bool
two_of(struct gen *g, enum what a, enum what b, unsigned *ra, unsigned *rb)
{
	*ra = any_of(g, a);
	*rb = any_of(g, b);
	return g->regs[*ra].what == a || (*ra == 0 && a != MEMORY);
}

/* ---- statements --------------------------------------------------------- */

static void
do_arithmetic(struct gen *g)
{
	static const uint8_t ops[] = { DIF_OP_OR, DIF_OP_XOR, DIF_OP_AND,
		DIF_OP_SLL, DIF_OP_SRL, DIF_OP_SUB, DIF_OP_ADD, DIF_OP_MUL,
		DIF_OP_SRA };
	unsigned a, b, rd = g_any_dest(g);

	if (!two_of(g, NUMBER, NUMBER, &a, &b))
		return;
	g_put(g, dif_instr(ops[gen_random(g->rng, COUNT(ops))], a, b, rd));
	g_now_holds(g, rd, NUMBER, 0);
}

static void
do_division(struct gen *g)
{
	static const uint8_t ops[] = { DIF_OP_SDIV, DIF_OP_UDIV, DIF_OP_SREM,
		DIF_OP_UREM };
	unsigned a, b = g_any_dest(g), rd = g_any_dest(g);
	uint64_t divisor = edge_number(g);

	a = g_any_number(g);
	if (divisor == 0 && !g_one_in(g, 8))
		divisor = UINT64_MAX;
	if (g_one_in(g, 20)) {
		a = b % (DIF_NREGS - 1) + 1;
		g_put_constant(g, a, (uint64_t)INT64_MIN);
		divisor = UINT64_MAX;
	}
	g_put_constant(g, b, divisor);
	g_put(g, dif_instr(ops[gen_random(g->rng, COUNT(ops))], a, b, rd));
	g_now_holds(g, rd, NUMBER, 0);
}

static void
do_unary(struct gen *g)
{
	unsigned a = gen_random(g->rng, DIF_NREGS), rd = g_any_dest(g);

	if (g->regs[a].what == NOTHING)
		a = g_any_number(g);
	if (g->regs[a].what == NUMBER && g_one_in(g, 2)) {
		g_put(g, dif_instr(DIF_OP_NOT, a, 0, rd));
		g_now_holds(g, rd, NUMBER, 0);
		return;
	}
	g_put(g, dif_instr(DIF_OP_MOV, a, 0, rd));
	g->regs[rd] = g->regs[a];
}

static void
do_make(struct gen *g)
{
	switch (gen_random(g->rng, 3)) {
	case 0:
		make_number(g);
		break;
	case 1:
		make_string(g);
		break;
	default:
		make_memory(g, 1);
		break;
	}
}

static void
do_store_scalar(struct gen *g)
{
	uint8_t scope = (uint8_t)gen_random(g->rng, 3);
	unsigned n = gen_random(g->rng, NSCALARS), r;

	r = g_one_in(g, 10) ? 0 : any_of(g, scalar_what(n));
	g_put(g, dif_instr_w(scalar_stores[scope], V(n), r));
}

static void
do_load_scalar(struct gen *g)
{
	load_scalar(g, g_any_dest(g), (uint8_t)gen_random(g->rng, 3),
	    gen_random(g->rng, NSCALARS));
}

/* r <- r + offset, as an address. */
static unsigned
offset_address(struct gen *g, unsigned r, uint32_t off)
{
	unsigned n = g_any_dest(g), rd = g_any_dest(g);

	if (off == 0)
		return r;
	if (n == r)
		n = n % (DIF_NREGS - 1) + 1;
	g_put_constant(g, n, off);
	g_put(g, dif_instr(DIF_OP_ADD, r, n, rd));
	g_now_holds(g, rd, NOTHING, 0);
	return rd;
}

/*
 * An offset, mostly inside and aligned.  Behind a variable is another one of
 * the same size, which each substrate chooses; behind an element is nothing.
 */
static uint32_t
some_offset(struct gen *g, const struct holds *h, uint32_t width)
{
	uint32_t size = h->size;

	if ((size != GEN_STRUCT_SIZE || h->is_elem) && g_one_in(g, 25))
		return gen_random(g->rng, size + 8);
	if (width > size)
		return 0;
	return gen_random(g->rng, (size - width) / width + 1) * width;
}

static void
do_store_memory(struct gen *g)
{
	unsigned shift = gen_random(g->rng, 4), r, value, addr;
	uint32_t width = 1U << shift;

	r = g_any_memory(g, 8);
	addr = offset_address(g, r, some_offset(g, &g->regs[r], width));
	value = g_one_in(g, 3) ? 0 : g_any_dest(g);
	if (g->regs[value].what != NUMBER)
		value = 0;
	if (g_one_in(g, 40)) {
		addr = g_any_dest(g);
		g_put_constant(g, addr, g_wild_address(g));
	}
	g_put(g, dif_instr(DIF_OP_STB + shift, value, 0, addr));
}

/* LDSB + n, RLDSB + n: sign and width by n */
static void
do_load_memory(struct gen *g)
{
	static const uint32_t widths[] = { 1, 2, 4, 1, 2, 4, 8 };
	unsigned n = gen_random(g->rng, COUNT(widths)), r, addr;
	unsigned rd = g_any_dest(g);
	uint32_t size, off;

	r = g_one_in(g, 3) ? g_any_string(g) : g_any_memory(g, 8);
	size = g->regs[r].what == NUMBER ? 0 : g->regs[r].size;
	/* only the start of a string is known, unless it is a constant */
	if (g->regs[r].what == STRING && size < widths[n])
		n = g_one_in(g, 2) ? 0 : 3;
	off = size > widths[n] ? gen_random(g->rng, size - widths[n] + 1) : 0;
	if (g->regs[r].what == STRING && size == 0 && r != 0)
		return;
	addr = offset_address(g, r, off);
	g_put(g,
	    dif_instr((g_one_in(g, 2) ? DIF_OP_LDSB : DIF_OP_RLDSB) + n, addr,
		0, rd));
	g_now_holds(g, rd, NUMBER, 0);
}

void
g_put_user_address(struct gen *g, unsigned r)
{
	uint32_t off = g_one_in(g, 8) ? GEN_USER_SIZE - gen_random(g->rng, 12) :
					gen_random(g->rng, 256);

	g_put_constant(
	    g, r, g_one_in(g, 30) ? g_wild_address(g) : g->env->user + off);
}

static void
do_load_user(struct gen *g)
{
	unsigned n = gen_random(g->rng, 7), addr = g_any_dest(g);
	unsigned rd = g_any_dest(g);

	g_put_user_address(g, addr);
	/* user memory is not readable as the kernel's */
	g_put(g,
	    dif_instr((g_one_in(g, 30) ? DIF_OP_LDSB : DIF_OP_ULDSB) + n, addr,
		0, rd));
	g_now_holds(g, rd, NUMBER, 0);
}

static void
do_copy_memory(struct gen *g)
{
	unsigned from, to, n;
	uint32_t max, size;

	from = g_one_in(g, 2) ? g_any_string(g) : g_any_memory(g, 1);
	to = g_any_memory(g, 8);
	max = g->regs[from].size < g->regs[to].size ? g->regs[from].size :
						      g->regs[to].size;
	if (g->regs[from].what == NOTHING || (max == 0 && from != 0))
		return;
	n = g_any_dest(g);
	if (n == from || n == to)
		return;
	size = gen_random(g->rng, max + 1);
	g_put_constant(g, n, size);
	g_put(g, dif_instr(DIF_OP_COPYS, from, n, to));
}

static void
do_alloc_extreme(struct gen *g)
{
	unsigned n = g_any_dest(g), rd = g_any_dest(g);

	g_put_constant(g, n,
	    g_one_in(g, 2) ?
		edge_number(g) :
		(uint64_t)g->env->strsize * gen_random(g->rng, 20));
	g_put(g, dif_instr(DIF_OP_ALLOCS, n, 0, rd));
	g_now_holds(g, rd, NOTHING, 0);
}

static void
do_nothing(struct gen *g)
{
	g_put(g, dif_instr(DIF_OP_NOP, 0, 0, 0));
}

static void
do_reserved(struct gen *g)
{
	unsigned rd = g_any_dest(g);

	if (!g_one_in(g, 20))
		return;
	g_put(g, dif_instr(DIF_OP_LDTA, 0, 0, rd));
	g_now_holds(g, rd, NUMBER, 0);
}

static uint32_t
any_steady(struct gen *g)
{
	if (g->env->has_stacks && g_one_in(g, 2))
		return stacks[gen_random(g->rng, COUNT(stacks))];
	if (!g->env->is_for_kernel && g_one_in(g, 6))
		return counters[gen_random(g->rng, COUNT(counters))];
	return steady[gen_random(g->rng, COUNT(steady))];
}

/* A built-in variable gives the same value when it is read twice in a
 * firing. */
static void
do_steady(struct gen *g)
{
	uint32_t id = any_steady(g);

	if (!gen_reads(g->env, id))
		return;
	g_put(g, dif_instr_w(DIF_OP_LDGS, id, 1));
	g_put(g, dif_instr_w(DIF_OP_LDGS, id, 2));
	g_put(g, dif_instr(DIF_OP_SUB, 2, 1, 1));
	if (id == DIF_VAR_WALLTIMESTAMP) {
		g_put_constant(g, 2, 63);
		g_put(g, dif_instr(DIF_OP_SRL, 1, 2, 1));
	}
	g_now_holds(g, 1, NUMBER, 0);
	g_now_holds(g, 2, NOTHING, 0);
}

/* ---- the tuple stack ---------------------------------------------------- */

void
g_flush(struct gen *g)
{
	if (g->depth == 0 && !g_one_in(g, 8))
		return;
	g_put(g, dif_instr(DIF_OP_FLUSHTS, 0, 0, 0));
	g->depth = 0;
}

void
g_push_value(struct gen *g, unsigned r)
{
	g_put(g, dif_instr(DIF_OP_PUSHTV, 0, 0, r));
	g->depth += g->depth < DIF_NTREGS;
}

void
g_push_string(struct gen *g, unsigned r)
{
	g_put(g, dif_instr(DIF_OP_PUSHTR, DIF_TYPE_STRING, 0, r));
	g->depth += g->depth < DIF_NTREGS;
}

static void
push_bytes(struct gen *g, unsigned r)
{
	unsigned n = r % (DIF_NREGS - 1) + 1;

	g_put_constant(g, n, GEN_STRUCT_SIZE);
	g_put(g, dif_instr(DIF_OP_PUSHTR, DIF_TYPE_CTF, n, r));
	g->depth += g->depth < DIF_NTREGS;
}

/* Push a string, with a size that covers only its start. */
static void
push_cut_string(struct gen *g, unsigned r)
{
	unsigned n = r % (DIF_NREGS - 1) + 1;

	g_put_constant(g, n, 1 + gen_random(g->rng, g->env->strsize + 4));
	g_put(g, dif_instr(DIF_OP_PUSHTR, DIF_TYPE_STRING, n, r));
	g->depth += g->depth < DIF_NTREGS;
}

/* Push with a size that is no constant, and may be invalid. */
static void
do_push_sized(struct gen *g)
{
	unsigned r = g_any_memory(g, 1), n = g_any_number(g);

	g_put(g, dif_instr(DIF_OP_PUSHTR, DIF_TYPE_CTF, n, r));
	g->depth += g->depth < DIF_NTREGS;
	g_flush(g);
}

static void
do_stack(struct gen *g)
{
	uint32_t n = g_one_in(g, 10) ? 9 : gen_random(g->rng, 8);

	while (n-- > 0)
		g_push_value(g, g_any_number(g));
	while (g_one_in(g, 2)) {
		g_put(g, dif_instr(DIF_OP_POPTS, 0, 0, 0));
		g->depth -= g->depth > 0;
	}
	g_flush(g);
}

/* Push one of few keys, so that some occur again. */
static void
push_key(struct gen *g, char kind)
{
	static const char *const keys[] = { "", "k", "key" };
	unsigned r = g_any_dest(g);

	if (kind == 'b') {
		push_bytes(g, g_any_memory(g, GEN_STRUCT_SIZE));
	} else if (kind == 's' && g_one_in(g, 3)) {
		g_push_string(g, g_any_string(g));
	} else if (kind == 's' && g_one_in(g, 4)) {
		push_cut_string(g, g_any_string(g));
	} else if (kind == 's') {
		put_string(g, r, keys[gen_random(g->rng, COUNT(keys))]);
		g_push_string(g, r);
	} else if (g_one_in(g, 3)) {
		g_push_value(g, g_any_number(g));
	} else {
		g_put_constant(g, r, gen_random(g->rng, 3));
		g_push_value(g, r);
	}
}

/* Elements may have been deleted, and others may be in their places. */
static void
forget_elements(struct gen *g)
{
	for (unsigned r = 1; r < DIF_NREGS; r++) {
		if (g->regs[r].is_elem)
			g_now_holds(g, r, NOTHING, 0);
	}
}

/* Store what r holds to an element; its key is on the stack. */
static void
store_element(struct gen *g, unsigned i, unsigned r)
{
	g_put(g, dif_instr_w(array_stores[arrays[i].scope], ARRAY_ID(i), r));
	if (arrays[i].value != NUMBER && !g->regs[r].is_there)
		forget_elements(g);
}

static void
load_element(struct gen *g, unsigned i, unsigned r)
{
	const struct array *a = &arrays[i];

	g_put(g, dif_instr_w(array_loads[a->scope], ARRAY_ID(i), r));
	g_now_holds(g, r, a->value, what_size(a->value));
	g->regs[r].is_elem = a->value != NUMBER;
}

static void
do_array(struct gen *g)
{
	unsigned i = gen_random(g->rng, KEPT);
	const struct array *a = &arrays[i];

	g_flush(g);
	for (const char *k = a->keys; *k != '\0'; k++)
		push_key(g, *k);
	if (g_one_in(g, 2))
		store_element(g, i, g_one_in(g, 6) ? 0 : any_of(g, a->value));
	if (g_one_in(g, 2))
		load_element(g, i, g_any_dest(g));
	g_flush(g);
}

/* Store a word to an element that exists, was deleted, or never existed. */
static void
do_store_element(struct gen *g)
{
	unsigned i, r = g_any_dest(g);

	do
		i = gen_random(g->rng, KEPT);
	while (arrays[i].value == NUMBER);
	g_flush(g);
	for (const char *k = arrays[i].keys; *k != '\0'; k++)
		push_key(g, *k);
	if (!g_one_in(g, 8))
		store_element(g, i, any_of(g, arrays[i].value));
	load_element(g, i, r);
	if (g_one_in(g, 12)) {
		g_put(g,
		    dif_instr_w(array_stores[arrays[i].scope], ARRAY_ID(i), 0));
		forget_elements(g);
	}
	g_put(g, dif_instr(DIF_OP_STW, 0, 0, r));
	g_flush(g);
}

/*
 * Use an element of an array whose elements stay; its address may be from an
 * earlier firing.
 */
static void
do_kept(struct gen *g)
{
	unsigned value = make_memory(g, GEN_STRUCT_SIZE), r = g_any_dest(g);
	uint32_t to_none;

	if (g_one_in(g, 2)) {
		g_flush(g);
		push_key(g, 'n');
		if (g->regs[value].what != MEMORY)
			return;
		store_element(g, KEPT, value);
		load_element(g, KEPT, r);
		g_put(g, dif_instr_w(DIF_OP_STGS, VAR_KEPT, r));
		g_flush(g);
		return;
	}
	g_put(g, dif_instr_w(DIF_OP_LDGS, VAR_KEPT, r));
	g_now_holds(g, r, NOTHING, 0);
	g_put(g, dif_instr(DIF_OP_TST, r, 0, 0));
	g_put(g, dif_instr_b(DIF_OP_BE, 0));
	to_none = (uint32_t)g->text.n - 1;
	g_put(g, dif_instr(DIF_OP_STW, 0, 0, r));
	g->text.v[to_none] |= (uint32_t)g->text.n;
}

/* Use elements of args[]; or keys that the kernel substrate refuses by name:
 * their size or number depends on the path. */
static void
do_args_or_host_only(struct gen *g)
{
	unsigned r, n, rd = g_any_dest(g);

	if (g->env->is_for_kernel || g_one_in(g, 2)) {
		g_put(g,
		    dif_instr(DIF_OP_LDGA, DIF_VAR_ARGS, g_any_number(g), rd));
		g_now_holds(g, rd, NUMBER, 0);
		return;
	}
	r = g_any_memory(g, GEN_STRUCT_SIZE);
	n = g_any_number(g);
	if (g->regs[r].what == MEMORY) {
		g_put(g, dif_instr(DIF_OP_PUSHTR, DIF_TYPE_CTF, n, r));
		g->depth += g->depth < DIF_NTREGS;
	}
	g_put(g, dif_instr_w(DIF_OP_STGAA, ARRAY_ID(0), g_any_number(g)));
}

/* ---- branches ----------------------------------------------------------- */

static void do_if(struct gen *g);

static void
statement(struct gen *g)
{
	static void (*const some[])(struct gen * g) = { do_arithmetic,
		do_arithmetic, do_arithmetic, do_division, do_unary, do_make,
		do_store_scalar, do_store_scalar, do_load_scalar,
		do_store_memory, do_store_memory, do_load_memory,
		do_load_memory, do_load_user, do_copy_memory, do_nothing,
		do_steady, g_do_root, do_stack, do_push_sized, do_array,
		do_array, do_store_element, do_kept, g_do_call, g_do_call,
		g_do_call, g_do_call, do_if, do_if, do_reserved,
		g_do_speculations, g_do_full, do_args_or_host_only };

	if (!g->env->has_made_up && g_one_in(g, 40))
		do_alloc_extreme(g);
	else
		some[gen_random(g->rng, COUNT(some))](g);
}

/* Compare a text with a similar one: equal, with another character, or
 * truncated. */
static void
compare_texts(struct gen *g)
{
	unsigned a = g_any_dest(g), b = a % (DIF_NREGS - 1) + 1;
	size_t at = g->strs.len, n;
	char *like;

	put_any_string(g, a);
	n = strlen(g->strs.s + at);
	like = mem_printf("%s", g->strs.s + at);
	if (n != 0 && g_one_in(g, 3))
		like[gen_random(g->rng, (uint32_t)n)] ^= 1;
	else if (n != 0 && g_one_in(g, 3))
		like[gen_random(g->rng, (uint32_t)n)] = '\0';
	put_string(g, b, like);
	free(like);
	g_put(g, dif_instr(DIF_OP_SCMP, a, b, 0));
}

/* Set the condition flags, or keep the present ones. */
static void
put_compare(struct gen *g)
{
	unsigned a, b;

	switch (gen_random(g->rng, 7)) {
	case 0:
		if (two_of(g, STRING, STRING, &a, &b))
			g_put(g, dif_instr(DIF_OP_SCMP, a, b, 0));
		break;
	case 1:
		a = gen_random(g->rng, DIF_NREGS);
		if (g->regs[a].what != NOTHING)
			g_put(g, dif_instr(DIF_OP_TST, a, 0, 0));
		break;
	case 2:
		break;
	case 3:
		compare_texts(g);
		break;
	default:
		if (two_of(g, NUMBER, NUMBER, &a, &b))
			g_put(g, dif_instr(DIF_OP_CMP, a, b, 0));
		break;
	}
	/* arithmetic leaves the flags alone */
	if (g_one_in(g, 4))
		do_arithmetic(g);
}

/* Emit a branch whose target is unknown yet; returns its position. */
static uint32_t
put_branch(struct gen *g, bool is_always)
{
	uint32_t nops = g_one_in(g, 2) ? 2 : 10; /* be, bne; or any */
	enum dif_op op = is_always ?
	    DIF_OP_BA :
	    (enum dif_op)(DIF_OP_BE + gen_random(g->rng, nops));

	g_put(g, dif_instr_b(op, 0));
	return (uint32_t)g->text.n - 1;
}

static void
lands_here(struct gen *g, uint32_t branch)
{
	g->text.v[branch] |= (uint32_t)g->text.n;
}

/* Keep the contents that both paths agree on. */
static void
join(struct gen *g, const struct holds *other)
{
	for (unsigned r = 1; r < DIF_NREGS; r++) {
		struct holds *h = &g->regs[r];

		if (h->what != other[r].what ||
		    (h->what == MEMORY && h->size != other[r].size))
			*h = (struct holds){ 0 };
		else if (other[r].size < h->size)
			h->size = other[r].size;
		h->is_elem |= other[r].is_elem;
		h->is_there &= other[r].is_there;
	}
}

static void
put_return(struct gen *g)
{
	int r = g->result.what == MEMORY ? -1 : find_reg(g, g->result.what);

	for (unsigned i = 1; i < DIF_NREGS && r < 0; i++) {
		if (g->regs[i].what == MEMORY &&
		    g->regs[i].size >= g->result.size)
			r = (int)i;
	}
	g_put(g, dif_instr(DIF_OP_RET, 0, 0, r > 0 ? (unsigned)r : 0));
}

static void
block(struct gen *g)
{
	for (uint32_t n = gen_random(g->rng, 5); n > 0; n--)
		statement(g);
	if (g_one_in(g, 8))
		g_push_value(g, g_any_number(g));
	/* end the object here; the code behind is unreachable */
	if (g_one_in(g, 12))
		put_return(g);
}

/* Paths that join may have pushed different things, so the stack is flushed. */
static void
meet(struct gen *g, const struct holds *other)
{
	join(g, other);
	g_put(g, dif_instr(DIF_OP_FLUSHTS, 0, 0, 0));
	g->depth = 0;
}

static void
do_if(struct gen *g)
{
	struct holds before[DIF_NREGS], first[DIF_NREGS];
	uint32_t to_else, to_end;

	if (g->nifs++ >= MAX_IFS)
		return;
	g_flush(g);
	if (g->depth != 0)
		return;
	put_compare(g);
	memcpy(before, g->regs, sizeof(before));
	to_else = put_branch(g, g_one_in(g, 12));
	block(g);
	if (g_one_in(g, 2)) {
		lands_here(g, to_else);
		meet(g, before);
		return;
	}
	memcpy(first, g->regs, sizeof(first));
	to_end = put_branch(g, true);
	lands_here(g, to_else);
	memcpy(g->regs, before, sizeof(before));
	g->depth = 0;
	block(g);
	lands_here(g, to_end);
	meet(g, first);
}

/* ---- objects ------------------------------------------------------------ */

static void
declare(struct dif_obj *dp, uint32_t id, uint8_t scope, uint8_t kind,
    const struct dif_type *type)
{
	dp->vartab =
	    mem_realloc(dp->vartab, (dp->nvar + 1) * sizeof(*dp->vartab));
	dp->vartab[dp->nvar++] = (struct dif_var){ .name = 0,
		.id = id,
		.scope = scope,
		.kind = kind,
		.flags = DIFV_F_REF | DIFV_F_MOD,
		.type = *type };
}

static bool
is_declared(const struct dif_obj *dp, uint32_t id, uint8_t scope)
{
	for (uint32_t i = 0; i < dp->nvar; i++) {
		if (dp->vartab[i].id == id && dp->vartab[i].scope == scope)
			return true;
	}
	return false;
}

static const struct dif_type *
type_of(uint32_t id)
{
	enum what value;

	if (id == VAR_TURN || id == VAR_KEPT)
		return &t_number;
	if (id < ARRAY_ID(0))
		return scalar_type(id - V(0));
	value = arrays[id - ARRAY_ID(0)].value;
	return value == NUMBER ? &t_number :
	    value == STRING    ? &t_string :
				 &t_struct;
}

const char *const gen_class_names[GEN_NCLASSES] = { "number", "string",
	"structure" };

enum gen_class
gen_class_of(uint32_t id)
{
	const struct dif_type *t = type_of(id);

	return t == &t_number ? GEN_NUMBER :
	    t == &t_string    ? GEN_STRING :
				GEN_STRUCT;
}

bool
gen_has(uint8_t op, enum gen_class c)
{
	if (dif_opinfo[op].fmt != DIF_FMT_LDV &&
	    dif_opinfo[op].fmt != DIF_FMT_STV)
		return false;
	if (dif_op_kind(op) == DIFV_KIND_SCALAR)
		return true;
	for (size_t i = 0; i < COUNT(arrays); i++) {
		if (arrays[i].scope == dif_op_scope(op) &&
		    gen_class_of(ARRAY_ID(i)) == c)
			return true;
	}
	return false;
}

/* Declare the variables that an object's instructions name. */
static void
declare_used(struct dif_obj *dp)
{
	for (uint32_t i = 0; i < dp->ntext; i++) {
		uint8_t op = dif_instr_op(dp->text[i]);
		uint32_t id = dif_instr_idx(dp->text[i]);
		enum dif_fmt fmt = dif_opinfo[op].fmt;

		if ((fmt == DIF_FMT_LDV || fmt == DIF_FMT_STV) &&
		    id >= DIF_VAR_USER_MIN &&
		    !is_declared(dp, id, dif_op_scope(op)))
			declare(dp, id, dif_op_scope(op), dif_op_kind(op),
			    type_of(id));
	}
}

static struct dif_type
result_type(const struct holds *h)
{
	struct dif_type t = h->what == STRING ? t_string :
	    h->what == NUMBER		      ? t_number :
						t_struct;

	if (h->what == MEMORY)
		t.size = h->size;
	return t;
}

static struct dif_obj *
finish(struct gen *g)
{
	struct dif_obj *dp = mem_alloc(sizeof(*dp));

	dp->text = g->text.v;
	dp->ntext = (uint32_t)g->text.n;
	dp->inttab = g->ints.v;
	dp->nint = (uint32_t)g->ints.n;
	dp->strtab = g->strs.s;
	dp->strlen = (uint32_t)g->strs.len;
	dp->rtype = result_type(&g->result);
	declare_used(dp);
	return dp;
}

static void
begin(struct gen *g, enum what result, uint32_t size)
{
	g->regs[0].what = NUMBER;
	g->result = (struct holds){ .what = result, .size = size };
	strbuf_add(&g->strs, "v", 2);
}

struct dif_obj *
gen_object(struct gen_rng *rng, const struct gen_env *env)
{
	struct gen g = { .rng = rng, .env = env };
	uint32_t n = 2 + gen_random(rng, 14);

	begin(&g, NUMBER + gen_random(rng, 3), 0);
	if (g.result.what == MEMORY)
		g.result.size = 1 + gen_random(rng, GEN_STRUCT_SIZE);
	do_nothing(&g); /* no object is a single instruction: see the plan */
	while (n-- > 0)
		statement(&g);
	if (g.result.what == MEMORY)
		g_any_memory(&g, g.result.size);
	put_return(&g);
	return finish(&g);
}

/* ---- results ------------------------------------------------------------- */

/* Return r, or bytes of a constant for a structure that is NULL. */
static void
return_or_constant(struct gen *g, unsigned r)
{
	uint32_t to_null;

	g_put(g, dif_instr(DIF_OP_TST, r, 0, 0));
	g_put(g, dif_instr_b(DIF_OP_BE, 0));
	to_null = (uint32_t)g->text.n - 1;
	g_put(g, dif_instr(DIF_OP_RET, 0, 0, r));
	lands_here(g, to_null);
	put_string(g, r, "nothing here");
	g_put(g, dif_instr(DIF_OP_RET, 0, 0, r));
}

static struct dif_obj *
observe_scalar(struct gen *g, uint8_t scope, unsigned n)
{
	begin(g, scalar_what(n), what_size(scalar_what(n)));
	do_nothing(g);
	load_scalar(g, 1, scope, n);
	if (scalar_what(n) == MEMORY)
		return_or_constant(g, 1);
	else
		g_put(g, dif_instr(DIF_OP_RET, 0, 0, 1));
	return finish(g);
}

/* Show the element of the first keys: 0, 0 ..., or "k". */
static struct dif_obj *
observe_array(struct gen *g, unsigned i)
{
	const struct array *a = &arrays[i];

	begin(g, a->value, what_size(a->value));
	for (const char *k = a->keys; *k != '\0'; k++) {
		if (*k == 'n') {
			g_push_value(g, 0);
		} else if (*k == 's') {
			put_string(g, 1, "k");
			g_push_string(g, 1);
		} else {
			put_string(g, 1,
			    "\x01\x01\x01\x01\x01\x01\x01\x01"
			    "\x01\x01\x01\x01");
			push_bytes(g, 1);
		}
	}
	g_put(g, dif_instr_w(array_loads[a->scope], ARRAY_ID(i), 1));
	if (a->value == MEMORY)
		return_or_constant(g, 1);
	else
		g_put(g, dif_instr(DIF_OP_RET, 0, 0, 1));
	return finish(g);
}

struct dif_obj *
gen_observer(const struct gen_env *env, bool is_local, uint32_t i)
{
	struct gen_rng rng = { 1 };
	struct gen g = { .rng = &rng, .env = env };

	if (is_local)
		return i < NSCALARS ? observe_scalar(&g, DIFV_SCOPE_LOCAL, i) :
				      NULL;
	if (i < 2 * NSCALARS)
		return observe_scalar(
		    &g, (uint8_t)(i / NSCALARS), i % NSCALARS);
	i -= 2 * NSCALARS;
	return i < COUNT(arrays) ? observe_array(&g, i) : NULL;
}

struct dif_obj *
gen_copyout(const struct gen_env *env)
{
	struct gen_rng rng = { 1 };
	struct gen g = { .rng = &rng, .env = env };

	begin(&g, NUMBER, 0);
	do_nothing(&g);
	put_string(&g, 1, "text");
	g_push_value(&g, 1);
	g_push_constant(&g, env->user + GEN_OUT_FIRST);
	g_push_constant(&g, 4);
	g_put_call(&g, DIF_SUBR_COPYOUT, 1, (struct holds){ .what = NOTHING });
	g_put(&g, dif_instr(DIF_OP_RET, 0, 0, 0));
	return finish(&g);
}

struct dif_obj *
gen_read(uint32_t var)
{
	struct gen_rng rng = { 1 };
	struct gen g = { .rng = &rng };

	begin(&g, NUMBER, 0);
	g_put(&g, dif_instr_w(DIF_OP_LDGS, var, 1));
	g_put(&g, dif_instr(DIF_OP_RET, 0, 0, 1));
	return finish(&g);
}

struct dif_obj *
gen_count(void)
{
	struct gen_rng rng = { 1 };
	struct gen g = { .rng = &rng };
	struct dif_obj *dp;

	begin(&g, NUMBER, 0);
	g_put(&g, dif_instr_w(DIF_OP_LDGS, VAR_TURN, 1));
	g_put_constant(&g, 2, 1);
	g_put(&g, dif_instr(DIF_OP_ADD, 1, 2, 1));
	g_put(&g, dif_instr_w(DIF_OP_STGS, VAR_TURN, 1));
	g_put(&g, dif_instr(DIF_OP_RET, 0, 0, 1));
	dp = finish(&g);
	dp->rtype.size = 0;
	return dp;
}

struct dif_obj *
gen_is_turn(uint64_t value)
{
	struct gen_rng rng = { 1 };
	struct gen g = { .rng = &rng };
	uint32_t no;

	begin(&g, NUMBER, 0);
	g_put(&g, dif_instr_w(DIF_OP_LDGS, VAR_TURN, 1));
	g_put_constant(&g, 2, value);
	g_put(&g, dif_instr(DIF_OP_CMP, 1, 2, 0));
	g_put(&g, dif_instr_b(DIF_OP_BNE, 0));
	no = (uint32_t)g.text.n - 1;
	g_put_constant(&g, 1, 1);
	g_put(&g, dif_instr(DIF_OP_RET, 0, 0, 1));
	lands_here(&g, no);
	g_put(&g, dif_instr(DIF_OP_RET, 0, 0, 0));
	return finish(&g);
}

void
gen_fill_user(uint8_t *p)
{
	for (uint32_t i = 0; i < GEN_USER_SIZE; i++)
		p[i] = i % 23 == 22 ? 0 : (uint8_t)(0x21 + i * 7 % 211);
	memcpy(p + 32, "user text", 10);
	/* the last bytes are a string without end */
	memset(p + GEN_USER_SIZE - 6, 'z', 6);
}

/* ---- variations --------------------------------------------------------- */

static void *
copy_array(const void *from, size_t size, size_t extra)
{
	void *to = mem_alloc(size + extra);

	if (size != 0)
		memcpy(to, from, size);
	return to;
}

static struct dif_obj *
copy_object(const struct dif_obj *dp, uint32_t extra)
{
	struct dif_obj *cp = mem_alloc(sizeof(*cp));

	*cp = *dp;
	cp->uses = NULL;
	cp->text = copy_array(
	    dp->text, dp->ntext * sizeof(*dp->text), extra * sizeof(*dp->text));
	cp->inttab = copy_array(dp->inttab, dp->nint * sizeof(*dp->inttab), 0);
	cp->strtab = copy_array(dp->strtab, dp->strlen, 0);
	cp->vartab = copy_array(dp->vartab, dp->nvar * sizeof(*dp->vartab), 0);
	return cp;
}

/* Move the labels behind pc by one. */
static void
move_labels(struct dif_obj *dp, uint32_t pc, int by)
{
	for (uint32_t i = 0; i < dp->ntext; i++) {
		if (dif_opinfo[dif_instr_op(dp->text[i])].fmt ==
			DIF_FMT_BRANCH &&
		    dif_instr_label(dp->text[i]) > pc)
			dp->text[i] += (uint32_t)by;
	}
}

struct dif_obj *
gen_without(const struct dif_obj *dp, uint32_t pc)
{
	struct dif_obj *cp = copy_object(dp, 0);

	cp->ntext--;
	memmove(cp->text + pc, cp->text + pc + 1,
	    (cp->ntext - pc) * sizeof(*cp->text));
	move_labels(cp, pc, -1);
	return cp;
}

struct dif_obj *
gen_with_nop(const struct dif_obj *dp, uint32_t pc)
{
	struct dif_obj *cp = copy_object(dp, 1);

	memmove(cp->text + pc + 1, cp->text + pc,
	    (dp->ntext - pc) * sizeof(*cp->text));
	cp->text[pc] = dif_instr(DIF_OP_NOP, 0, 0, 0);
	cp->ntext++;
	move_labels(cp, pc, 1);
	return cp;
}
