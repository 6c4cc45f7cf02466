/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DIF objects from bytes: the verifier and the disassembler must survive any.
 *
 * Input: four bytes with the counts of instructions, integers, string bytes
 * and variables, one byte of return type, then the tables in that order; what
 * is missing at the end reads as zeros.
 */
#include <stdlib.h>
#include <string.h>

#include "dif/dif.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t left;
};

static void
take(struct input *in, void *to, size_t n)
{
	size_t have = n < in->left ? n : in->left;

	memset(to, 0, n);
	if (have != 0)
		memcpy(to, in->data, have);
	in->data += have;
	in->left -= have;
}

static void *
take_array(struct input *in, size_t n, size_t elem)
{
	void *p = mem_alloc(n * elem);

	take(in, p, n * elem);
	return p;
}

/* Every branch of an accepted object goes forward and stays inside. */
static void
check_accepted(const struct dif_obj *dp)
{
	for (uint32_t i = 0; i < dp->ntext; i++) {
		uint32_t ins = dp->text[i];

		if (dif_opinfo[dif_instr_op(ins)].fmt == DIF_FMT_BRANCH &&
		    (dif_instr_label(ins) <= i ||
		    dif_instr_label(ins) >= dp->ntext))
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct dif_obj *dp = mem_alloc(sizeof(*dp));
	struct strbuf out = { 0 };
	uint8_t head[5];
	char *msg = NULL;

	take(&in, head, sizeof(head));
	dp->ntext = head[0];
	dp->nint = head[1];
	dp->strlen = head[2];
	dp->nvar = head[3] % 16;
	dp->rtype.kind = head[4] & 3;
	dp->rtype.flags = head[4] >> 2 & 3;
	dp->rtype.size = head[4] >> 4;
	dp->text = take_array(&in, dp->ntext, sizeof(*dp->text));
	dp->inttab = take_array(&in, dp->nint, sizeof(*dp->inttab));
	dp->strtab = take_array(&in, dp->strlen, 1);
	dp->vartab = take_array(&in, dp->nvar, sizeof(*dp->vartab));
	/* the disassembler is only shown tables that end with a NUL */
	if (dp->strlen != 0)
		dp->strtab[dp->strlen - 1] = '\0';
	if (dif_verify(dp, &msg) == 0)
		check_accepted(dp);
	free(msg);
	dif_dump(dp, &out);
	strbuf_fini(&out);
	dif_obj_destroy(dp);
	return 0;
}
