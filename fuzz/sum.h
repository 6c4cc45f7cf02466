/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FUZZ_SUM_H
#define FUZZ_SUM_H

/* A target reads each byte that a decoder gave it: a sanitizer checks them. */
#include <stddef.h>
#include <stdint.h>

static inline size_t
sum(const void *data, size_t len)
{
	const uint8_t *p = data;
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += p[i];
	return n;
}

#endif
