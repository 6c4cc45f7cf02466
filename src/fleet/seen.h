/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_SEEN_H
#define FLEET_SEEN_H

/*
 * The requests that this host has accepted: none is accepted twice.
 *
 * An id is remembered until its request expires.  There is room for
 * FL_SEEN_MAX; when it is full, requests are refused, never forgotten.  With a
 * folder for state, the ids are in a file there, and survive the agent.
 */
#include <stdint.h>

#include "base/err.h"

#define FL_SEEN_MAX 65536

/*
 * `dir` NULL: only in memory.  Otherwise the folder exists, and no other agent
 * uses it (-EBUSY).  A damaged file is an error (-EINVAL): it is not guessed
 * which requests were accepted.
 */
CHECKED struct fl_seen *fl_seen_open(
    const char *dir, uint64_t now_ns, struct err *err);
void fl_seen_close(struct fl_seen *s);

/*
 * Remember an id.  -EALREADY: it is remembered; -EBUSY: no room; -EIO: it could
 * not be written to disk.  After a failure it is not accepted.
 */
CHECKED int fl_seen_add(struct fl_seen *s, const uint8_t id[16],
    uint64_t expires_ns, uint64_t now_ns, struct err *err);
/* 0 if it is remembered and has not ended, or -EALREADY. */
CHECKED int fl_seen_resume(
    struct fl_seen *s, const uint8_t id[16], struct err *err);
/* The run has ended: fl_seen_resume() refuses it from now on. */
CHECKED int fl_seen_end(
    struct fl_seen *s, const uint8_t id[16], struct err *err);

#endif
