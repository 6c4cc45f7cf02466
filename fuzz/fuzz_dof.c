/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DOF from bytes: decode, print, look at as each of its uses, make a program.
 * What is accepted keeps its promises: a program can be listed and saved again,
 * and is then the same.
 */
#include <stdlib.h>
#include <string.h>

#include "dof/dof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_probes(const struct dof *d)
{
	struct dof_usdt u;

	for (uint32_t i = 0; i < d->hdr.dofh_secnum; i++) {
		if (d->secs[i].dofs_type != DOF_SECT_PROVIDER)
			continue;
		dof_get_usdt(d, i, &u);
		dof_usdt_fini(&u);
	}
}

static void
save_again(const struct dif_prog *p)
{
	const struct dof_prog_opts opts = { .strip = true };
	struct strbuf sb = { 0 }, a = { 0 }, b = { 0 };
	struct dif_prog *q;
	char *msg = NULL;
	struct dof *d;

	dof_encode_progs(&p, 1, &opts, &sb);
	if (dof_decode(sb.s, sb.len, &msg, &d) != 0)
		abort();
	if (dof_check_enabling(d, &msg) == 0) {
		if (dof_decode_prog(d, DOF_ABI_GUESS, &msg, &q) != 0)
			abort();
		dif_prog_dump(p, NULL, &a);
		dif_prog_dump(q, NULL, &b);
		if (a.len != b.len || (a.len != 0 &&
		    memcmp(a.s, b.s, a.len) != 0))
			abort();
		dif_prog_destroy(q);
	}
	free(msg);
	dof_destroy(d);
	strbuf_fini(&sb);
	strbuf_fini(&a);
	strbuf_fini(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dif_prog *p = NULL;
	struct strbuf out = { 0 };
	struct dof *d;
	char *msg = NULL;

	if (dof_decode(data, size, &msg, &d) != 0) {
		free(msg);
		return 0;
	}
	dof_print(d, NULL, &out);
	strbuf_fini(&out);
	if (dof_check_helper(d, &msg) == 0)
		read_probes(d);
	free(msg);
	msg = NULL;
	if (dof_check_enabling(d, &msg) == 0 &&
	    dof_decode_prog(d, DOF_ABI_GUESS, &msg, &p) == 0)
		save_again(p);
	dif_prog_destroy(p);
	free(msg);
	dof_destroy(d);
	return 0;
}
