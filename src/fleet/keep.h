/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_KEEP_H
#define FLEET_KEEP_H

/*
 * Streams of the NATS server (JetStream): letters that it keeps on its disk.
 *
 * A stream keeps all letters that are sent to its subjects, also those of
 * fl_bus_send(), in the order of arrival, each with a number that counts from
 * 1.  All functions wait for the server, FL_KEEP_MS at most.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fleet/bus.h"

struct fl_keep;

#define FL_KEEP_MS 3000

/* The bus is borrowed, and outlives the result.  0, or -errno with *err. */
CHECKED int fl_keep_open(
    struct fl_bus *bus, struct fl_keep **outp, struct err *err);
void fl_keep_close(struct fl_keep *k);

#define FL_KEEP_SUBJECTS 2

struct fl_keep_form {
	const char *name;
	const char *subjects[FL_KEEP_SUBJECTS]; /* NULL: no more */
	uint64_t max_bytes, max_age_ns;
	bool is_full_at_end; /* a full one takes no more; else it drops the
				oldest */
	bool keeps_last;     /* of each subject only the last letter */
};

/* Make a stream, unless it exists.  -ENOSYS: the server has no JetStream. */
CHECKED int fl_keep_make(
    struct fl_keep *k, const struct fl_keep_form *form, struct err *err);
/* Remove a stream; one that is not there is no error. */
CHECKED int fl_keep_remove(
    struct fl_keep *k, const char *stream, struct err *err);
/* Remove the letters of a subject. */
CHECKED int fl_keep_forget(struct fl_keep *k, const char *stream,
    const char *subject, struct err *err);
/* Send a letter: 0 if the server has it on disk. */
CHECKED int fl_keep_put(struct fl_keep *k, const char *subject,
    const void *data, size_t len, struct err *err);

struct fl_keep_state {
	uint64_t n, bytes;    /* of letters */
	uint64_t first, last; /* numbers; first - 1 were dropped */
};

/* -ENOENT: there is no such stream. */
CHECKED int fl_keep_look(struct fl_keep *k, const char *stream,
    struct fl_keep_state *out, struct err *err);

/* ---- reading ------------------------------------------------------------- */

struct fl_reader;

/* A letter that was kept; valid until the next fl_reader_next(). */
struct fl_kept {
	struct fl_letter letter;
	uint64_t number;
	uint64_t wall_ns; /* when it came to the server */
	uint64_t nmissed; /* letters before it that were dropped */
};

struct fl_reader_opts {
	const char *stream, *filter; /* borrowed; filter NULL: all subjects */
	uint64_t first;		     /* number to begin with */
	bool only_last;		     /* of each subject; instead of `first` */
};

/* Never fails here: fl_reader_next() begins, again after the server's end. */
struct fl_reader *fl_reader_open(
    struct fl_keep *k, const struct fl_reader_opts *opts);
void fl_reader_close(struct fl_reader *r);
/* Wait so long for a letter; false: there is none now. */
bool fl_reader_next(struct fl_reader *r, int timeout_ms, struct fl_kept *out);
/* There was none behind the last one, when the server gave it. */
bool fl_reader_is_at_end(const struct fl_reader *r);

#endif
