/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Predicates that only compute from arguments.  Random objects are compiled to
 * decide while the arguments are in their registers; the interpreter must
 * agree.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "exec/interp/interp.h"
#include "exec/jit/jit_impl.h"

#define CODE_SIZE 65536
#define OBJECTS 3000
#define CALLS 40 /* per object */
#define NTEXT 24
#define NTRUE 4 /* DIF registers in use */

static uint8_t *region;
static uint64_t seed = 1;

static uint32_t
below(uint32_t n) /* a random number (Knuth's MMIX generator) */
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(seed >> 33) % n;
}

/* One of few different values, so that some are equal. */
static uint64_t
value(void)
{
	static const uint64_t some[] = { 0, 1, 2, 3, 5, 63, 64, ~0ULL, ~1ULL,
		0x7fffffff, 0x80000000, 1ULL << 63, ~0ULL >> 1,
		0x123456789abcdef0 };

	return some[below(sizeof(some) / sizeof(some[0]))];
}

/* ---- objects ------------------------------------------------------------ */

static unsigned
reg(void)
{
	return below(NTRUE + 1);
}

static uint32_t
load_or_set(const struct dif_obj *dp, unsigned r)
{
	return below(3) == 0 ?
	    dif_instr_w(DIF_OP_SETX, below(dp->nint), r) :
	    dif_instr_w(DIF_OP_LDGS, DIF_VAR_ARG0 + below(JIT_NARGS), r);
}

static uint32_t
compute(void)
{
	static const enum dif_op ops[] = { DIF_OP_OR, DIF_OP_XOR, DIF_OP_AND,
		DIF_OP_SUB, DIF_OP_ADD, DIF_OP_MUL, DIF_OP_SLL, DIF_OP_SRL,
		DIF_OP_SRA };
	uint32_t n = sizeof(ops) / sizeof(ops[0]);
	uint32_t i = below(below(20) == 0 ? n + 2 : n - 3);

	if (i >= n)
		return dif_instr(i % 2 ? DIF_OP_NOT : DIF_OP_MOV, reg(), 0,
		    1 + below(NTRUE));
	return dif_instr(ops[i], reg(), reg(), 1 + below(NTRUE));
}

static uint32_t
compare(void)
{
	return below(4) == 0 ? dif_instr(DIF_OP_TST, reg(), 0, 0) :
			       dif_instr(DIF_OP_CMP, reg(), reg(), 0);
}

static uint32_t
branch(uint32_t pc)
{
	static const enum dif_op ops[] = { DIF_OP_BA, DIF_OP_BE, DIF_OP_BNE,
		DIF_OP_BG, DIF_OP_BGU, DIF_OP_BGE, DIF_OP_BGEU, DIF_OP_BL,
		DIF_OP_BLU, DIF_OP_BLE, DIF_OP_BLEU };

	return dif_instr_b(ops[below(sizeof(ops) / sizeof(ops[0]))],
	    pc + 1 + below(NTEXT - 1 - pc));
}

static struct dif_obj *
make(void)
{
	struct dif_obj *dp = mem_alloc(sizeof(*dp));
	uint32_t pc = 0;

	dp->ntext = NTEXT;
	dp->text = mem_alloc(NTEXT * sizeof(*dp->text));
	dp->nint = 3;
	dp->inttab = mem_alloc(dp->nint * sizeof(*dp->inttab));
	for (uint32_t i = 0; i < dp->nint; i++)
		dp->inttab[i] = value();
	dp->strtab = mem_alloc(1);
	dp->strlen = 1;
	dp->rtype = (struct dif_type){ .kind = DIF_TYPE_CTF, .size = 4 };
	for (; pc < NTRUE; pc++)
		dp->text[pc] = load_or_set(dp, pc + 1);
	for (; pc < NTEXT - 1; pc++) {
		uint32_t kind = below(50) == 0 ? 7 : below(7);

		if (kind < 2)
			dp->text[pc] = load_or_set(dp, 1 + below(NTRUE));
		else if (kind < 4)
			dp->text[pc] = compute();
		else if (kind == 4 && pc > NTRUE + 4)
			dp->text[pc] = dif_instr(DIF_OP_RET, 0, 0, reg());
		else if (kind < 7 && pc + 2 < NTEXT) {
			dp->text[pc] = compare();
			pc++;
			dp->text[pc] = branch(pc);
		} else
			dp->text[pc] = branch(pc);
	}
	dp->text[NTEXT - 1] = dif_instr(DIF_OP_RET, 0, 0, reg());
	return dp;
}

/* ---- their code --------------------------------------------------------- */

static const int regs[JIT_NARGS] = { X_RDI, X_RSI, X_RDX, X_RCX, X_R8, X_R9 };
static const int kept[] = { X_RBX, X_RBP, X_R12, X_R13, X_R14, X_R15 };

/* `after` receives the arguments' registers, to show that they did not
 * change. */
typedef uint64_t decide_f(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
    uint64_t, uint64_t *after);

static void
emit_answer(struct x_asm *a, uint64_t answer)
{
	x_load(a, 8, false, X_RAX, X_AT(X_RSP, 8 * (6 + 1)));
	for (unsigned i = 0; i < JIT_NARGS; i++)
		x_store(a, 8, X_AT(X_RAX, (int32_t)(8 * i)), regs[i]);
	x_movi(a, X_RAX, answer);
	for (unsigned i = 6; i-- > 0;)
		x_pop(a, kept[i]);
	x_ret(a);
}

static decide_f *
compile(const struct dif_obj *dp, uint32_t *used)
{
	static const struct jit_env env = { .args = regs };
	struct x_asm a = { 0 };
	x_label no = x_new_label(&a);
	void *code = region;
	decide_f *f;
	struct err err = { 0 };

	for (unsigned i = 0; i < 6; i++)
		x_push(&a, kept[i]);
	if (!jit_decide(&a, &env, dp, no, used, &err))
		fail_msg("%s", err.text);
	emit_answer(&a, 1);
	x_bind(&a, no);
	emit_answer(&a, 0);
	x_finish(&a);
	assert_true(x_here(&a) <= CODE_SIZE);
	memcpy(region, a.code.s, x_here(&a));
	x_fini(&a);
	memcpy(&f, &code, sizeof(f));
	return f;
}

/* ---- both --------------------------------------------------------------- */

static void
fail_with(const struct dif_obj *dp, const uint64_t *v, const char *what)
{
	struct strbuf sb = { 0 };

	dif_dump(dp, &sb);
	fail_msg("%s, of %#lx %#lx %#lx %#lx %#lx %#lx:\n%s", what, v[0], v[1],
	    v[2], v[3], v[4], v[5], sb.s);
}

static void
check_call(
    const struct dif_obj *dp, struct in_machine *m, decide_f *f, uint32_t used)
{
	struct in_firing firing = { 0 };
	uint64_t v[JIT_NARGS], after[JIT_NARGS], answer;
	struct in_result want;

	for (unsigned i = 0; i < JIT_NARGS; i++) {
		v[i] = value();
		firing.vars[RT_VAR_ARG0 + i] = v[i];
	}
	in_fire(m, &firing);
	in_run(m, 0, &want);
	assert_false(want.is_fault);
	answer = f(v[0], v[1], v[2], v[3], v[4], v[5], after);
	if (answer != (want.value != 0))
		fail_with(dp, v, answer ? "it holds" : "it does not hold");
	for (unsigned i = 0; i < JIT_NARGS; i++) {
		if (after[i] != v[i] && (used & 1U << regs[i]) == 0)
			fail_with(dp, v, "an argument has changed");
	}
}

static void
test_decisions(void **state)
{
	static const struct in_opts opts = {
		.strsize = 256, .scratchsize = 256, .dynvarsize = 4096
	};
	static const struct jit_env env = { .args = regs };
	unsigned leaves = 0;

	(void)state;
	for (unsigned n = 0; n < OBJECTS; n++) {
		struct dif_obj *dp = make();
		struct in_machine *m;
		struct err err = { 0 };
		uint32_t used = 0, may = jit_leaf(&env, dp);
		decide_f *f;

		if (may != 0) {
			leaves++;
			if (dif_verify(dp, &err) != 0)
				fail_msg("%s", err.text);
			m = in_machine_create(
			    &opts, (const struct dif_obj *const *)&dp, 1, &err);
			if (m == NULL)
				fail_msg("%s", err.text);
			f = compile(dp, &used);
			assert_int_equal(used & ~may, 0);
			for (unsigned i = 0; i < CALLS; i++)
				check_call(dp, m, f, used);
			in_machine_destroy(m);
		}
		dif_obj_destroy(dp);
	}
	assert_true(leaves > OBJECTS / 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decisions),
	};
	int rc;

	region = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (region == MAP_FAILED)
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	munmap(region, CODE_SIZE);
	return rc;
}
