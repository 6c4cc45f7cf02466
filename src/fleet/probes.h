/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_PROBES_H
#define FLEET_PROBES_H

/*
 * A list of probes on its way to a console: blocks, each behind a struct
 * record_bhdr of which only `stored` is set.
 *
 *	provider NUL module NUL function NUL name NUL ...
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define FL_PROBE_PARTS 4
/* Bytes of a probe, NULs included. */
#define FL_PROBE_MAX 4096U
/* A block is sent when it has this size. */
#define FL_PROBES_BLOCK (60U << 10)

/* Append a probe; false: its names are too long. */
bool fl_probes_add(struct strbuf *sb, const char *const parts[FL_PROBE_PARTS]);
/*
 * The bytes of the next probe, which are *n, in hostile bytes; *at moves behind
 * them.  NULL: there is none, or the rest is malformed.
 */
const char *fl_probes_next(
    const char *bytes, size_t len, size_t *at, size_t *n);
/* The beginning of each part of such a probe. */
void fl_probes_split(const char *probe, const char *parts[FL_PROBE_PARTS]);

#endif
