/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the cpc provider's probes: each gives an event with a valid count,
 * or a reason.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "provider/cpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = strndup((const char *)data, size);
	struct err err = { 0 };
	struct perf_event_attr attr;
	int rc = dt_cpc_parse(name, &attr, &err);

	assert(rc == 0 || rc == -EINVAL);
	assert((err.text != NULL) == (rc != 0));
	if (rc == 0) {
		assert(
		    attr.sample_period > 0 && attr.sample_period <= INT64_MAX);
		assert(!attr.exclude_kernel || !attr.exclude_user);
	}
	err_clear(&err);
	free(name);
	return 0;
}
