/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Write a DOF image that our own compiler would not write.
 *
 *	mkdof WHAT lsb|msb ilp32|lp64 VERSION >FILE
 *
 * WHAT is all, illumos, libact, late, or MODULE`SYMBOL to print the address of.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/dof_make.h"

static void
fill(struct dof_writer *w, const char *what)
{
	if (strchr(what, '`') != NULL)
		make_krel(w, what);
	else if (strcmp(what, "all") == 0)
		make_all(w);
	else if (strcmp(what, "late") == 0)
		make_late(w);
	else
		make_illumos(w, strcmp(what, "illumos") == 0);
}

int
main(int argc, char **argv)
{
	struct dof_ident id = { DOF_MODEL_LP64, DOF_ENCODE_LSB, 2 };
	struct strbuf out = { 0 };
	struct dof_writer *w;

	if (argc != 5)
		return 2;
	if (strcmp(argv[2], "msb") == 0)
		id.encoding = DOF_ENCODE_MSB;
	if (strcmp(argv[3], "ilp32") == 0)
		id.model = DOF_MODEL_ILP32;
	id.version = (uint8_t)atoi(argv[4]);
	w = dof_writer_create(&id);
	fill(w, argv[1]);
	dof_write_finish(w, &out);
	dof_writer_destroy(w);
	fwrite(out.s, 1, out.len, stdout);
	strbuf_fini(&out);
	return 0;
}
