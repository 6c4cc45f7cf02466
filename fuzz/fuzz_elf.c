/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ELF files from any bytes: find the DOF in them.
 */
#include <stdlib.h>

#include "base/err.h"
#include "base/str.h"
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
	struct err err = { 0 };

	if (dof_elf_iter(data, size, print, &out, &err) < 0 && err.text == NULL)
		abort();
	err_clear(&err);
	strbuf_fini(&out);
	return 0;
}
