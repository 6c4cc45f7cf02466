/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_MERGING_H
#define LIBDTRACE_MERGING_H

/*
 * The data of a run in a merger of a fleet (dtraced --merge): recordings of
 * hosts go in, and one recording with their aggregations comes out.  Whatever a
 * host sends is hostile; it can spoil its own data alone.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct dt_merging;

/*
 * `name` is the merger's, and borrowed; `max` is for the bytes of all keys and
 * values, of strings and of probes.  NULL: there is no memory.
 */
struct dt_merging *dt_merging_open(const char *name, size_t max);
void dt_merging_close(struct dt_merging *m);
/*
 * A host begins: `start` has what comes before the first event, and perhaps
 * more.  Its number, or -errno with *err: its data cannot be merged here.
 */
CHECKED int dt_merging_add(struct dt_merging *m, const char *host,
    const void *start, size_t len, struct err *err);
/* Whole blocks of the host; false: it sends more than is kept. */
bool dt_merging_feed(
    struct dt_merging *m, int host, const void *data, size_t len);
/* Blocks of the host that could not be read, since the last call. */
size_t dt_merging_damage(struct dt_merging *m, int host);
/* Has the host's recording ended as it should? */
bool dt_merging_has_ended(const struct dt_merging *m, int host);
/*
 * Merge what has come: 0, or -errno; -E2BIG: there are more keys than are
 * permitted; -EFBIG: more strings and probes.  After an error nothing
 * can be merged any more.
 */
CHECKED int dt_merging_take(struct dt_merging *m);
/* The same, and append the blocks of all that was merged since it was called
 * last. */
CHECKED int dt_merging_give(struct dt_merging *m, struct strbuf *out);

#endif
