/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DIF as text: the assembler survives any, and what it accepts is stable: its
 * listing gives the same listing again.
 */
#include <stdlib.h>
#include <string.h>

#include "dif/dif.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dif_obj *
assemble(const char *text, size_t len)
{
	struct dif_obj *dp = NULL;
	char *msg = NULL;

	if (dif_assemble(text, len, &dp, &msg) != 0 && msg == NULL)
		abort();
	free(msg);
	return dp;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dif_obj *dp = assemble((const char *)data, size), *again;
	struct strbuf first = { 0 }, second = { 0 };
	char *msg = NULL;

	if (dp == NULL)
		return 0;
	dif_format(dp, &first);
	again = assemble(first.s, first.len);
	if (again == NULL)
		abort();
	dif_format(again, &second);
	if (strcmp(first.s, second.s) != 0)
		abort();
	(void)dif_verify(dp, &msg);
	free(msg);
	strbuf_fini(&first);
	strbuf_fini(&second);
	dif_obj_destroy(dp);
	dif_obj_destroy(again);
	return 0;
}
