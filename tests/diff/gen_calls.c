/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of subroutines, with valid arguments and some invalid ones.  Most
 * arguments follow from the prototypes.
 */
#include "gen_impl.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t subrs[] = {
#define DIF_SUBR(val, NAME, name, proto, flags) DIF_SUBR_##NAME,
#include "dif/dif_subrs.def"
#undef DIF_SUBR
};

/* The meaning of a type in a prototype: n, s, u (user address), m (address of
 * memory) or ?. */
static char
kind_of_type(const char *type, size_t len)
{
	static const char *const numbers[] = { "int", "char", "size_t", "pid_t",
		"int64_t", "uint16_t", "uint32_t", "uint64_t", "uint_t",
		"dev_t", "major_t", "minor_t" };

	while (len > 0 && *type == ' ') {
		type++;
		len--;
	}
	for (size_t i = 0; i < COUNT(numbers); i++) {
		if (strlen(numbers[i]) == len &&
		    memcmp(type, numbers[i], len) == 0)
			return 'n';
	}
	if (len == 6 && memcmp(type, "string", 6) == 0)
		return 's';
	if (len > 2 && memcmp(type + len - 2, " *", 2) == 0)
		return 'm';
	return len == 9 && memcmp(type, "uintptr_t", 9) == 0 ? 'u' : '?';
}

static void
push_argument(struct gen *g, char kind)
{
	unsigned r;

	if (kind == 's') {
		g_push_string(g, g_any_string(g));
	} else if (kind == 'n') {
		g_push_value(g, g_any_number(g));
	} else if (kind == 'm') {
		g_push_value(g, g_any_memory(g, ADDRESS_BYTES));
	} else {
		r = g_any_dest(g);
		g_put_user_address(g, r);
		g_push_value(g, r);
	}
}

/* Push the arguments of a prototype; optional ones perhaps. */
static void
push_arguments(struct gen *g, const char *proto)
{
	const char *p = strchr(proto, '(') + 1;
	bool has_rest = !g_one_in(g, 3);

	while (*p != ')' && (*p != '[' || has_rest)) {
		p += strspn(p, "[, ");
		push_argument(g, kind_of_type(p, strcspn(p, ",])")));
		p += strcspn(p, ",])");
		p += strspn(p, "], ");
	}
}

static char
result_kind(const struct dif_subrinfo *si)
{
	return kind_of_type(si->proto, strcspn(si->proto, " "));
}

void
g_push_constant(struct gen *g, uint64_t value)
{
	unsigned r = g_any_dest(g);

	g_put_constant(g, r, value);
	g_push_value(g, r);
}

static void
push_user_address(struct gen *g)
{
	unsigned r = g_any_dest(g);

	g_put_user_address(g, r);
	g_push_value(g, r);
}

/* Push the address of memory with at least the returned number of bytes. */
static uint32_t
push_memory(struct gen *g)
{
	unsigned r = g_any_memory(g, 8);
	uint32_t size = g->regs[r].size;

	g_push_value(g, r);
	return size;
}

/* A size: mostly what is there, rarely more than all scratch memory. */
static uint32_t
some_size(struct gen *g, uint32_t max)
{
	return g_one_in(g, 20) ? 1U << 20 : gen_random(g->rng, max + 1);
}

void
g_put_call(struct gen *g, uint32_t subr, unsigned rd, struct holds result)
{
	g_put(g, dif_instr_w(DIF_OP_CALL, subr, rd));
	g->regs[rd] = result;
}

static const struct holds a_number = { .what = NUMBER },
			  nothing = { .what = NOTHING };

/* Subroutines with memory and its size among their arguments or results. */

static void
call_alloca(struct gen *g, uint32_t subr, unsigned rd)
{
	struct holds result = { .what = MEMORY,
		.size = 1 + gen_random(g->rng, 40) };

	g_push_constant(g, result.size);
	g_put_call(g, subr, rd, result);
}

static void
call_copyin(struct gen *g, uint32_t subr, unsigned rd)
{
	struct holds result = { .what = MEMORY,
		.size = g_one_in(g, 10) ? 4 * g->env->strsize :
					  1 + gen_random(g->rng, 40) };

	push_user_address(g);
	g_push_constant(g, result.size);
	g_put_call(g, subr, rd, result);
}

static void
call_bcopy(struct gen *g, uint32_t subr, unsigned rd)
{
	uint32_t size = push_memory(g);

	push_memory(g);
	g_push_constant(g, gen_random(g->rng, (size < 8 ? size : 8) + 1));
	g_put_call(g, subr, rd, nothing);
}

static void
call_copyinto(struct gen *g, uint32_t subr, unsigned rd)
{
	push_user_address(g);
	g_push_constant(g, some_size(g, 8));
	push_memory(g);
	g_put_call(g, subr, rd, nothing);
}

static void
call_memstr(struct gen *g, uint32_t subr, unsigned rd)
{
	uint32_t size = push_memory(g);

	g_push_value(g, g_any_number(g));
	g_push_constant(g, some_size(g, size));
	g_put_call(g, subr, rd, (struct holds){ .what = STRING });
}

static void
call_memref(struct gen *g, uint32_t subr, unsigned rd)
{
	g_push_constant(g, push_memory(g));
	g_put_call(g, subr, rd, nothing);
}

/* Push an address in the memory that is never read, or beyond its end. */
static uint32_t
push_out_address(struct gen *g)
{
	uint32_t off = gen_random(g->rng, GEN_OUT_SIZE);

	if (g_one_in(g, 10))
		g_push_constant(g, g_wild_address(g));
	else
		g_push_constant(g, g->env->user + GEN_OUT_FIRST + off);
	return GEN_OUT_SIZE - off;
}

static void
call_copyout(struct gen *g, uint32_t subr, unsigned rd)
{
	uint32_t have = push_memory(g), room = push_out_address(g);

	have = have < room ? have : room;
	g_push_constant(
	    g, g_one_in(g, 20) ? UINT32_MAX : gen_random(g->rng, have + 1));
	g_put_call(g, subr, rd, nothing);
}

static void
call_copyoutstr(struct gen *g, uint32_t subr, unsigned rd)
{
	g_push_string(g, g_any_string(g));
	g_push_constant(g, gen_random(g->rng, push_out_address(g) + 1));
	g_put_call(g, subr, rd, nothing);
}

/* Subroutines that examine data of a kernel. */

static void
call_progenyof(struct gen *g, uint32_t subr, unsigned rd)
{
	static const uint32_t ours[] = { DIF_VAR_PID, DIF_VAR_PPID };
	unsigned r = g_any_dest(g);

	if (g_one_in(g, 3)) {
		g_put_constant(g, r, g_one_in(g, 2) ? INT32_MAX : UINT64_MAX);
	} else {
		g_put(g,
		    dif_instr_w(
			DIF_OP_LDGS, ours[gen_random(g->rng, COUNT(ours))], r));
		g_now_holds(g, r, NUMBER, 0);
	}
	g_push_value(g, r);
	g_put_call(g, subr, rd, a_number);
}

/*
 * Make a lock in which all words are equal: so any kernel finds the same state,
 * wherever it keeps it.
 */
static void
call_lock(struct gen *g, uint32_t subr, unsigned rd)
{
	static const uint64_t states[] = { 0, 1, 0xff, 0x100,
		0x0101010101010101, 0xffffffffffffff00, UINT64_MAX,
		(uint64_t)INT64_MIN };
	const uint32_t words = 8;

	g_put_constant(g, 1, 8 * words);
	g_put(g, dif_instr(DIF_OP_ALLOCS, 1, 0, 2));
	g_put_constant(g, 1, states[gen_random(g->rng, COUNT(states))]);
	g_put_constant(g, 3, 8);
	g_put(g, dif_instr(DIF_OP_MOV, 2, 0, 4));
	for (uint32_t i = 0; i < words; i++) {
		g_put(g, dif_instr(DIF_OP_STX, 1, 0, 4));
		g_put(g, dif_instr(DIF_OP_ADD, 3, 4, 4));
	}
	g_now_holds(g, 2, MEMORY, 8 * words);
	g_now_holds(g, 4, NOTHING, 0);
	/* the state of these locks is not at their start */
	if (subr != DIF_SUBR_RW_ISWRITER && g_one_in(g, 12))
		g_put_constant(g, 2, g_wild_address(g));
	g_push_value(g, 2);
	g_push_constant(g, gen_random(g->rng, 4));
	g_put_call(g, subr, rd, a_number);
}

/* Ask for a file that does not exist, or twice for the same file. */
static void
call_getf(struct gen *g, uint32_t subr, unsigned rd)
{
	static const uint64_t none[] = { 1U << 20, INT32_MAX, UINT32_MAX,
		UINT64_MAX, (uint64_t)INT64_MIN };

	if (g_one_in(g, 2)) {
		g_push_constant(g, none[gen_random(g->rng, COUNT(none))]);
		g_put_call(g, subr, rd, a_number);
		return;
	}
	g_push_constant(g, gen_random(g->rng, 3));
	g_put_call(g, subr, 1, nothing);
	g_put_call(g, subr, 2, nothing);
	g_put(g, dif_instr(DIF_OP_SUB, 1, 2, 1));
	g_now_holds(g, 1, NUMBER, 0);
}

static void
call_d_path(struct gen *g, uint32_t subr, unsigned rd)
{
	g_push_constant(g, g_wild_address(g));
	g_put_call(g, subr, rd, (struct holds){ .what = STRING });
}

/* Properties of any random number. */

/* Two random numbers differ: (x | -x) >> 63 of their difference is 1. */
static void
call_random(struct gen *g, uint32_t subr, unsigned rd)
{
	(void)rd;
	g_put_call(g, subr, 1, nothing);
	g_put_call(g, subr, 2, nothing);
	g_put(g, dif_instr(DIF_OP_XOR, 1, 2, 1));
	g_put(g, dif_instr(DIF_OP_SUB, 0, 1, 2));
	g_put(g, dif_instr(DIF_OP_OR, 1, 2, 1));
	g_put_constant(g, 2, 63);
	g_put(g, dif_instr(DIF_OP_SRL, 1, 2, 1));
	g_now_holds(g, 1, NUMBER, 0);
}

/* Other subroutines only need the arguments of their prototypes. */
static void
call_by_prototype(struct gen *g, uint32_t subr, unsigned rd)
{
	const struct dif_subrinfo *si = dif_subr_find(subr);

	push_arguments(g, si->proto);
	g_put_call(g, subr, rd,
	    result_kind(si) == 's' ? (struct holds){ .what = STRING } :
				     a_number);
}

static const struct {
	uint32_t subr;
	void (*call)(struct gen *g, uint32_t subr, unsigned rd);
} calls[] = {
	{ DIF_SUBR_ALLOCA, call_alloca },
	{ DIF_SUBR_COPYIN, call_copyin },
	{ DIF_SUBR_BCOPY, call_bcopy },
	{ DIF_SUBR_COPYINTO, call_copyinto },
	{ DIF_SUBR_MEMSTR, call_memstr },
	{ DIF_SUBR_MEMREF, call_memref },
	{ DIF_SUBR_COPYOUT, call_copyout },
	{ DIF_SUBR_COPYOUTSTR, call_copyoutstr },
	{ DIF_SUBR_PROGENYOF, call_progenyof },
	{ DIF_SUBR_MUTEX_OWNED, call_lock },
	{ DIF_SUBR_MUTEX_OWNER, call_lock },
	{ DIF_SUBR_MUTEX_TYPE_ADAPTIVE, call_lock },
	{ DIF_SUBR_MUTEX_TYPE_SPIN, call_lock },
	{ DIF_SUBR_RW_READ_HELD, call_lock },
	{ DIF_SUBR_RW_WRITE_HELD, call_lock },
	{ DIF_SUBR_RW_ISWRITER, call_lock },
	{ DIF_SUBR_GETF, call_getf },
	{ DIF_SUBR_D_PATH, call_d_path },
	{ DIF_SUBR_RAND, call_random },
	{ DIF_SUBR_RANDOM, call_random },
};

bool
gen_calls(const struct gen_env *env, uint32_t subr)
{
	const struct dif_subrinfo *si = dif_subr_find(subr);

	return si != NULL &&
	    (env->may_write_user || !(si->flags & DIF_SUBRF_DESTRUCTIVE));
}

/* Create more speculations than there are. */
void
g_do_speculations(struct gen *g)
{
	if (!g_one_in(g, 10))
		return;
	for (int i = 0; i <= GEN_NSPEC; i++)
		g_put_call(g, DIF_SUBR_SPECULATION, g_any_dest(g), a_number);
}

/* Call a subroutine that needs scratch memory when little is left. */
void
g_do_full(struct gen *g)
{
	unsigned n = g_any_dest(g), rd = g_any_dest(g);

	if (g->env->has_made_up || !g_one_in(g, 10))
		return;
	g_put_constant(g, n,
	    gen_scratch(g->env) - gen_random(g->rng, 2 * g->env->strsize));
	g_put(g, dif_instr(DIF_OP_ALLOCS, n, 0, rd));
	g_now_holds(g, rd, NOTHING, 0);
	g_flush(g);
	call_by_prototype(g, DIF_SUBR_STRJOIN, g_any_dest(g));
	g_flush(g);
}

/* The root is unknown to the generator, but reading it twice gives the same. */
void
g_do_root(struct gen *g)
{
	if (!g->env->has_made_up || !g_one_in(g, 3))
		return;
	g_flush(g);
	for (unsigned r = 1; r <= 2; r++) {
		g_put(g, dif_instr_w(DIF_OP_LDGS, DIF_VAR_ROOT, r));
		g_now_holds(g, r, NOTHING, 0);
		g_push_string(g, r);
	}
	g_put_call(g, DIF_SUBR_INDEX, 1, a_number);
	g_flush(g);
}

void
g_do_call(struct gen *g)
{
	uint32_t subr = subrs[gen_random(g->rng, COUNT(subrs))];
	unsigned rd = g_any_dest(g);
	size_t i = 0;

	if (!gen_calls(g->env, subr) ||
	    (subr == DIF_SUBR_D_PATH && !g->env->has_made_up))
		return;
	g_flush(g);
	while (i < COUNT(calls) && calls[i].subr != subr)
		i++;
	if (i < COUNT(calls))
		calls[i].call(g, subr, rd);
	else
		call_by_prototype(g, subr, rd);
	g_flush(g);
}
