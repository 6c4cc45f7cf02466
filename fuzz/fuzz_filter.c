/* SPDX-License-Identifier: BSD-2-Clause */
/* Seccomp filters from any bytes: each evaluation ends, and reads only the
 * filter. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "exec/runtime/rt_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t n = (uint32_t)(size / sizeof(struct rt_bpf));
	struct rt_bpf *prog = malloc(n * sizeof(*prog) + 1);

	if (prog == NULL)
		return 0;
	memcpy(prog, data, n * sizeof(*prog));
	for (uint32_t nr = 0; nr < 450; nr += 39)
		rt_filter_permits(prog, n, nr);
	free(prog);
	return 0;
}
