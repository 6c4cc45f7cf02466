/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ELF files from bytes: find the DOF in them.
 */
#include <stdlib.h>

#include "dof/dof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
print(const struct dof *d, void *arg)
{
	dof_print(d, NULL, arg);
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf out = { 0 };
	char *msg = NULL;

	if (dof_elf_iter(data, size, print, &out, &msg) < 0 && msg == NULL)
		abort();
	free(msg);
	strbuf_fini(&out);
	return 0;
}
