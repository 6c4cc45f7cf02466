/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DIF objects from bytes: the verifier, the disassembler and the assembler must
 * survive any object.  An accepted object runs in the interpreter, and reads
 * nothing but its own memory and the input.
 *
 * Input: four bytes with the numbers of instructions, integers, string bytes
 * and variables, one byte of return type, then the tables in that order.  Bytes
 * missing at the end read as zeros.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "dif/dif.h"
#include "exec/interp/interp.h"

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

static void
run_accepted(const struct dif_obj *dp, const uint8_t *data, size_t size)
{
	const struct rt_range given = { .addr = (uint64_t)(uintptr_t)data,
		.size = size };
	const struct in_opts opts = { .strsize = 32,
		.scratchsize = 256,
		.dynvarsize = 512,
		.kernel = { &given, 1 },
		.user = { &given, 1 } };
	struct in_firing firing = { .thread = 1 };
	struct in_result res;
	struct in_machine *m;
	struct err err = { 0 };

	for (unsigned i = 0; i < RT_NVARS; i++)
		firing.vars[i] = given.addr;
	m = in_machine_create(&opts, &dp, 1, &err);
	err_clear(&err);
	if (m == NULL)
		return;
	in_fire(m, &firing);
	in_run(m, 0, &res);
	if (res.is_fault && res.offset / 4 >= dp->ntext)
		abort();
	in_machine_destroy(m);
}

/* The text of any object assembles to the same object. */
static void
check_text(const struct dif_obj *dp)
{
	struct strbuf out = { 0 }, again = { 0 };
	struct dif_obj *back = NULL;
	struct err err = { 0 };

	dif_format(dp, &out);
	if (dif_assemble(out.s, out.len, &back, &err) != 0)
		abort();
	dif_format(back, &again);
	if (strcmp(out.s, again.s) != 0 ||
	    (dp->ntext != 0 &&
		memcmp(back->text, dp->text, dp->ntext * sizeof(*dp->text)) !=
		    0))
		abort();
	strbuf_fini(&out);
	strbuf_fini(&again);
	dif_obj_destroy(back);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct dif_obj *dp = mem_alloc(sizeof(*dp));
	struct strbuf out = { 0 };
	uint8_t head[5];
	struct err err = { 0 };

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
	/* the disassembler only gets tables that end with a NUL */
	if (dp->strlen != 0)
		dp->strtab[dp->strlen - 1] = '\0';
	if (dif_verify(dp, &err) == 0) {
		check_accepted(dp);
		run_accepted(dp, data, size);
	}
	err_clear(&err);
	dif_dump(dp, &out);
	check_text(dp);
	strbuf_fini(&out);
	dif_obj_destroy(dp);
	return 0;
}
