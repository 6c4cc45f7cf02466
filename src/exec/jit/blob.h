/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_JIT_BLOB_H
#define EXEC_JIT_BLOB_H

/*
 * The runtime as code for any process: position-independent bytes that call
 * nothing outside of themselves, use integer registers only and write to no
 * data of their own.  tools/blobembed.py makes them during the build.
 */
#include <stdint.h>

extern const uint8_t rt_blob[]; /* the first 8: rt_denied_off */
extern const uint32_t rt_blob_size;

struct rt_blob_func {
	const char *name;
	uint32_t off;
};
extern const struct rt_blob_func rt_blob_funcs[]; /* by name */
extern const uint32_t rt_blob_nfuncs;

/* All functions, including static ones, by offset: "0000cd30 name\n" each. */
extern const char rt_blob_names[];
extern const uint32_t rt_blob_names_size;

#endif
