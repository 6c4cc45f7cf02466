/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACE_BUILD_H
#define DTRACE_BUILD_H

/* dtrace -h and -G, as build systems call them. */
#include <stddef.h>

#include "libdtrace/dt.h"

enum build { BUILD_NONE, BUILD_HEADER, BUILD_OBJECT };

/*
 * Is -f's argument part of a compiler's flag, as in -fPIC?  Otherwise -f names
 * a function.
 */
bool build_is_flag(const char *function);

/*
 * Write the header or the object for the compiled programs.  `source` is the
 * file of -s; `output` that of -o, or NULL: then the output is placed beside
 * the source.  Returns 0, or -1 with dt_errmsg().
 */
int build_write(struct dt_hdl *dtp, enum build build, const char *source,
    const char *output, int bits, char *const *objects, size_t nobjects);

#endif
