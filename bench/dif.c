/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cost of DIF by itself: the interpreter's speed over simple instructions,
 * and the verifier's time for the largest possible objects.
 *
 * Prints "NAME VALUE UNIT" lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/err.h"
#include "base/mem.h"
#include "exec/interp/interp.h"

#define NTEXT (DIF_MAX_BYTES / 4) /* instructions of the largest object */
#define NRUNS 2000
#define NVARS 6000

static double
now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static struct dif_obj *
object(uint32_t ntext)
{
	struct dif_obj *dp = mem_alloc(sizeof(*dp));

	dp->text = mem_alloc(ntext * sizeof(*dp->text));
	dp->ntext = ntext;
	dp->rtype.size = 8;
	dp->text[0] = dif_instr(DIF_OP_NOT, 0, 0, 1);
	dp->text[ntext - 1] = dif_instr(DIF_OP_RET, 0, 0, 1);
	return dp;
}

static void
must_verify(struct dif_obj *dp)
{
	struct err err = { 0 };

	if (dif_verify(dp, &err) == 0)
		return;
	fprintf(stderr, "bench/dif: %s\n", err_text(&err));
	exit(1);
}

/* ---- the interpreter ---------------------------------------------------- */

/* An object of arithmetic, moves, a compare and a branch that is not taken. */
static struct dif_obj *
simple_instructions(void)
{
	static const uint32_t piece[] = {
		(uint32_t)DIF_OP_ADD << 24 | 0x010102,
		(uint32_t)DIF_OP_XOR << 24 | 0x020103,
		(uint32_t)DIF_OP_MOV << 24 | 0x030004,
		(uint32_t)DIF_OP_SUB << 24 | 0x040201,
		(uint32_t)DIF_OP_CMP << 24 | 0x010100,
		(uint32_t)DIF_OP_BNE << 24,
		(uint32_t)DIF_OP_SRL << 24 | 0x040205,
		(uint32_t)DIF_OP_OR << 24 | 0x050106,
	};
	const uint32_t n = sizeof(piece) / sizeof(piece[0]);
	struct dif_obj *dp = object(100 * n + 2);

	for (uint32_t i = 0; i < 100 * n; i++) {
		dp->text[i + 1] = piece[i % n];
		if (dif_instr_op(piece[i % n]) == DIF_OP_BNE)
			dp->text[i + 1] |= i + 2;
	}
	return dp;
}

static void
bench_interpreter(void)
{
	const struct in_opts opts = {
		.strsize = 256, .scratchsize = 4096, .dynvarsize = 4096
	};
	struct dif_obj *dp = simple_instructions();
	const struct dif_obj *objs[] = { dp };
	struct in_firing firing = { .thread = 1 };
	struct in_result res;
	struct in_machine *m;
	double best = 1e9, start;
	struct err err = { 0 };

	must_verify(dp);
	m = in_machine_create(&opts, objs, 1, &err);
	in_fire(m, &firing);
	for (int round = 0; round < 20; round++) {
		start = now_s();
		for (int i = 0; i < NRUNS; i++)
			in_run(m, 0, &res);
		start = now_s() - start;
		best = start < best ? start : best;
	}
	printf("interpreter %.0f million simple instructions a second\n",
	    (double)dp->ntext * NRUNS / best / 1e6);
	in_machine_destroy(m);
	dif_obj_destroy(dp);
}

/* ---- the verifier ------------------------------------------------------- */

/* Shapes of the largest objects, named after the kind of their instructions. */
enum shape { ARITHMETIC, NEAR_BRANCHES, FAR_BRANCHES, CALLS, NSHAPES };
static const char *const shape_names[] = { "arithmetic", "near-branches",
	"far-branches", "calls" };

static uint32_t
instruction(enum shape shape, uint32_t pc)
{
	switch (shape) {
	case NEAR_BRANCHES:
		return dif_instr_b(DIF_OP_BE, pc + 1);
	case FAR_BRANCHES:
		return dif_instr_b(
		    DIF_OP_BE, pc < NTEXT / 2 ? NTEXT / 2 + pc - 1 : pc + 1);
	case CALLS:
		if (pc > 8)
			return dif_instr_w(DIF_OP_CALL, DIF_SUBR_STRJOIN, 1);
		return dif_instr(DIF_OP_PUSHTV, 0, 0, 1);
	default:
		return dif_instr(DIF_OP_ADD, 1, 1, 1);
	}
}

static void
time_verify(const char *name, struct dif_obj *dp)
{
	double best = 1e9, start;

	for (int round = 0; round < 20; round++) {
		start = now_s();
		must_verify(dp);
		start = now_s() - start;
		best = start < best ? start : best;
	}
	printf("verify-%s %.2f ms for %u instructions\n", name, best * 1e3,
	    dp->ntext);
	dif_obj_destroy(dp);
}

/* Make an object that is half instructions, half variables. */
static struct dif_obj *
many_variables(void)
{
	struct dif_obj *dp = object(NTEXT / 2);

	dp->strtab = mem_alloc(1);
	dp->strlen = 1;
	dp->nvar = NVARS;
	dp->vartab = mem_alloc(NVARS * sizeof(*dp->vartab));
	for (uint32_t i = 0; i < NVARS; i++)
		dp->vartab[i] = (struct dif_var){ .id = DIF_VAR_MAX - i,
			.kind = DIFV_KIND_SCALAR,
			.type = { .size = 8 } };
	for (uint32_t pc = 1; pc + 1 < dp->ntext; pc++)
		dp->text[pc] =
		    dif_instr_w(DIF_OP_LDGS, DIF_VAR_MAX - pc % NVARS, 1);
	return dp;
}

int
main(void)
{
	bench_interpreter();
	for (enum shape shape = 0; shape < NSHAPES; shape++) {
		struct dif_obj *dp = object(NTEXT);

		for (uint32_t pc = 1; pc + 1 < NTEXT; pc++)
			dp->text[pc] = instruction(shape, pc);
		time_verify(shape_names[shape], dp);
	}
	time_verify("variables", many_variables());
	return 0;
}
