/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The predicate of a firing's strings: that of the firing, and an argument that
 * is not NULL.
 *
 *	ret  %rN	->	tst  %rN
 *				be   end
 *				ldgs ARG, %r1
 *				ret  %r1
 *			end:	ret  %r0
 *
 * A predicate may have several RETs; one of %r0 stays.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dif/dif.h"
#include "libdtrace/dt_impl.h"

#define EXPANDED 4

static bool
is_expanded(uint32_t ins)
{
	return dif_instr_op(ins) == DIF_OP_RET && dif_instr_rd(ins) != 0;
}

/*
 * The new place of each instruction; to[n] is behind the last one.  Malloced.
 */
static uint32_t *
places_of(const struct dif_obj *dp)
{
	uint32_t *to = mem_alloc((dp->ntext + 1) * sizeof(*to));

	for (uint32_t i = 0; i < dp->ntext; i++)
		to[i + 1] = to[i] + (is_expanded(dp->text[i]) ? EXPANDED : 1);
	return to;
}

static void
write_text(struct dif_obj *to, const struct dif_obj *from, uint16_t var)
{
	uint32_t *places = places_of(from), end = places[from->ntext];

	to->ntext = end + 1;
	to->text = mem_alloc(to->ntext * sizeof(*to->text));
	for (uint32_t i = 0; i < from->ntext; i++) {
		uint32_t ins = from->text[i], *p = &to->text[places[i]];

		*p = ins;
		if (dif_instr_op(ins) >= DIF_OP_BA &&
		    dif_instr_op(ins) <= DIF_OP_BLEU)
			*p = dif_instr_b((enum dif_op)dif_instr_op(ins),
			    places[dif_instr_label(ins)]);
		if (!is_expanded(ins))
			continue;
		p[0] = dif_instr(DIF_OP_TST, dif_instr_rd(ins), 0, 0);
		p[1] = dif_instr_b(DIF_OP_BE, end);
		p[2] = dif_instr_w(DIF_OP_LDGS, var, 1);
		p[3] = dif_instr(DIF_OP_RET, 0, 0, 1);
	}
	to->text[end] = dif_instr(DIF_OP_RET, 0, 0, 0);
	free(places);
}

static void *
copy(const void *from, size_t size)
{
	void *to = size != 0 ? mem_alloc(size) : NULL;

	if (size != 0)
		memcpy(to, from, size);
	return to;
}

struct dif_obj *
dt_firing_pred_and(const struct dif_obj *pred, uint16_t var)
{
	struct dif_obj *dp = mem_alloc(sizeof(*dp));

	write_text(dp, pred, var);
	dp->inttab = copy(pred->inttab, pred->nint * sizeof(*dp->inttab));
	dp->nint = pred->nint;
	dp->strtab = copy(pred->strtab, pred->strlen);
	dp->strlen = pred->strlen;
	dp->vartab = copy(pred->vartab, pred->nvar * sizeof(*dp->vartab));
	dp->nvar = pred->nvar;
	dp->rtype = (struct dif_type){
		.kind = DIF_TYPE_CTF, .ckind = CTF_K_INTEGER, .size = 8
	};
	dp->krels = copy(pred->krels, pred->nkrel * sizeof(*dp->krels));
	dp->nkrel = pred->nkrel;
	for (uint32_t i = 0; i < dp->nkrel; i++) {
		dp->krels[i].module = mem_strdup(pred->krels[i].module);
		dp->krels[i].symbol = mem_strdup(pred->krels[i].symbol);
	}
	return dp;
}
