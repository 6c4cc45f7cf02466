/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwind tables from bytes: an ELF image, or else an .eh_frame at address
 * 0x1000 for code at 0x10000.  Rows must come in order, and the table must find
 * each.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "unwind/unwind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const struct unw_table *t)
{
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct unw_row *r = &t->rows.v[i];

		if (i > 0 && r->off <= r[-1].off)
			abort();
		if (UNW_RULE_KIND(r->rule) > UNW_SIGNAL ||
		    unw_table_rule(t, r->off) != r->rule)
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct unw_seg segs[] = { { 0x10000, 0x8000, 0x400 },
		{ 0x20000, 0x100, 0x9000 } };
	struct unw_table t = { 0 };
	struct err err = { 0 };
	int rc;

	if (size >= 4 && memcmp(data, "\177ELF", 4) == 0)
		rc = unw_image(data, size, &t, &err);
	else
		rc = unw_eh_frame(data, size, 0x1000, segs, 2, &t, &err);
	if ((rc != 0) != (err.text != NULL))
		abort();
	err_clear(&err);
	check(&t);
	unw_table_fini(&t);
	return 0;
}
