/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/vec.h"

#include <string.h>

#include "base/mem.h"

void *
vec_grow(void *v, size_t *cap, size_t want, size_t elem_size)
{
	size_t n = *cap ? *cap : 8;

	if (want <= *cap)
		return v;
	while (n < want)
		n *= 2;
	v = mem_realloc(v, n * elem_size);
	memset((char *)v + *cap * elem_size, 0, (n - *cap) * elem_size);
	*cap = n;
	return v;
}
