/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One DIF object -> BPF.
 *
 * dif_verify() has passed: registers, tables and branch targets are in range
 * and every branch goes forward, so one DIF instruction maps to a group of BPF
 * ones (difo_instr.c), and labels resolve in one pass.
 *
 * Addresses are plain numbers here (see exec/runtime/rt.h): a helper reads
 * foreign memory; our own storage is accessed by its place.  The walk tracks
 * what BPF wants constant or what saves code: the depth and kinds of the tuple
 * stack and constants in registers (dif/flow.h), and whether condition flags
 * outlive the branch behind a compare.
 */
#include "exec/bpf/emit/difo_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

uint32_t
bx_dif_off(const struct walk *w)
{
	return w->pc * 4;
}

uint32_t
bx_tuple_depth(struct walk *w)
{
	if (w->st->depth_min != w->st->depth_max)
		bx_refuse(w->t, bx_here_span(w),
		    "the tuple stack differs "
		    "between two ways to instruction %u",
		    w->pc);
	return w->st->depth_min;
}

struct diag_span
bx_here_span(const struct walk *w)
{
	return w->dp->spans ? w->dp->spans[w->pc] : (struct diag_span){ 0 };
}

static bool
reads_flags(uint32_t ins)
{
	return dif_opinfo[dif_instr_op(ins)].fmt == DIF_FMT_BRANCH &&
	    dif_instr_op(ins) != DIF_OP_BA;
}

static bool
sets_flags(uint32_t ins)
{
	uint8_t op = dif_instr_op(ins);

	return op == DIF_OP_CMP || op == DIF_OP_TST || op == DIF_OP_SCMP;
}

/* Find the reachable instructions.  Branches only go forward, so one pass
 * suffices. */
static void
find_reached(struct walk *w)
{
	const struct dif_obj *dp = w->dp;

	w->is_reached[0] = true;
	for (uint32_t i = 0; i < dp->ntext; i++) {
		uint8_t op = dif_instr_op(dp->text[i]);

		if (!w->is_reached[i])
			continue;
		if (dif_opinfo[op].fmt == DIF_FMT_BRANCH) {
			uint32_t label = dif_instr_label(dp->text[i]);

			w->is_reached[label] = w->is_target[label] = true;
		}
		if (op != DIF_OP_BA && op != DIF_OP_RET)
			w->is_reached[i + 1] = true;
	}
}

/* flags_live[i]: does an instruction after i read the flags before one sets
 * them?  One pass from the end suffices. */
static void
find_live_flags(struct walk *w)
{
	const struct dif_obj *dp = w->dp;
	bool *live_in = mem_alloc(dp->ntext + 1);

	for (uint32_t i = dp->ntext; i-- > 0;) {
		uint32_t ins = dp->text[i];
		uint8_t op = dif_instr_op(ins);
		bool out =
		    op != DIF_OP_BA && op != DIF_OP_RET && live_in[i + 1];

		if (dif_opinfo[op].fmt == DIF_FMT_BRANCH)
			out |= live_in[dif_instr_label(ins)];
		w->flags_live[i] = out;
		live_in[i] = reads_flags(ins) || (out && !sets_flags(ins));
	}
	/* All flags start cleared, like those of a compare of 1 with 0. */
	if (live_in[0]) {
		bx_sti(&w->t->a, 8, R10, FP_CCA, 1);
		bx_sti(&w->t->a, 8, R10, FP_CCB, 0);
	}
	free(live_in);
}

static void
note_source(struct walk *w)
{
	const struct diag_span *spans = w->dp->spans;

	if (spans != NULL &&
	    (w->pc == 0 ||
		memcmp(&spans[w->pc], &spans[w->pc - 1], sizeof(*spans)) != 0))
		bx_note(w->t, spans[w->pc], "%s", "");
}

static bool
emit_arrival(void *arg, uint32_t pc, const struct dif_state *st)
{
	struct walk *w = arg;

	if (pc == w->fused)
		return true;
	w->pc = pc;
	w->st = st;
	if (w->is_target[pc])
		bx_bind(&w->t->a, w->labels[pc]);
	note_source(w);
	bx_instr(w, w->dp->text[pc]);
	return w->t->refused.why == NULL;
}

void
bx_difo(struct bx_tr *t, const struct dif_obj *dp)
{
	struct walk w = { .t = t,
		.dp = dp,
		.end = bx_new_label(&t->a),
		.fused = UINT32_MAX };

	w.labels = mem_alloc(dp->ntext * sizeof(*w.labels));
	w.is_reached = mem_alloc(dp->ntext + 1);
	w.is_target = mem_alloc(dp->ntext);
	w.flags_live = mem_alloc(dp->ntext);
	find_reached(&w);
	find_live_flags(&w);
	for (uint32_t i = 0; i < dp->ntext; i++) {
		if (w.is_target[i])
			w.labels[i] = bx_new_label(&t->a);
	}
	dif_flow(dp, emit_arrival, &w);
	bx_bind(&t->a, w.end);
	free(w.labels);
	free(w.is_reached);
	free(w.is_target);
	free(w.flags_live);
}
