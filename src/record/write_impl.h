/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORD_WRITE_IMPL_H
#define RECORD_WRITE_IMPL_H

/* Between the two halves of the writer: blocks in memory, and the file. */
#include "base/str.h"
#include "record/write.h"

/*
 * Blocks that go into the file together.  The events need the tables, which
 * precede them.  The events are packed.
 */
struct record_batch {
	struct strbuf program, tables, events;
	size_t raw; /* bytes of the events when they are unpacked */
};

struct record_file;
CHECKED int record_file_create(
    const char *path, struct record_file **outp, struct err *err);
/*
 * Give the batch to the thread; *b becomes an empty one.  Waits while the
 * thread has too many.
 */
void record_file_give(struct record_file *f, struct record_batch *b);
/* Wait until all that was given is written. */
void record_file_wait(struct record_file *f);
bool record_file_failed(const struct record_file *f);
char *record_file_failure(struct record_file *f);
/* Wait until all is written, and close: 0, or -errno of the first error. */
CHECKED int record_file_close(struct record_file *f, struct err *err);

void record_batch_fini(struct record_batch *b);

#endif
