/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORD_WRITE_H
#define RECORD_WRITE_H

/*
 * Writing a recording.  Calls copy their arguments into a block in memory; a
 * thread compresses full blocks and appends them to the file.  If the disk is
 * slower than the events for long, calls wait for it: memory is bounded.
 *
 * No call fails: after an error of the file, calls do nothing, and
 * record_write_failure() tells of it once.  The file then ends with the last
 * whole block.
 */
#include "record/record.h"

struct record_writer;

/* Make the file, in place of an older one: 0, or -errno with *err. */
CHECKED int record_create(
    const char *path, struct record_writer **outp, struct err *err);
/*
 * Write the rest and close the file: 0, or -errno with *err if it is not whole.
 */
CHECKED int record_finish(struct record_writer *w, struct err *err);
/* Why the file ends early, the first time that this is asked; NULL: it does
 * not.  Malloced. */
char *record_write_failure(struct record_writer *w);

/* Tables.  Numbers are those that a reader gives them. */
void record_put_machine(
    struct record_writer *w, const struct record_machine *m);
void record_put_program(struct record_writer *w, const void *dof, size_t len);
void record_put_clause(
    struct record_writer *w, uint32_t n, const struct record_clause *c);
void record_put_agg(
    struct record_writer *w, uint32_t id, const struct record_agg *a);
void record_put_probe(
    struct record_writer *w, uint32_t n, const struct record_probe *p);
void record_put_enabling(
    struct record_writer *w, uint32_t epid, const struct record_enabling *e);
void record_put_string(struct record_writer *w, uint32_t id, const char *s);
void record_put_source(
    struct record_writer *w, const struct record_program_source *s);
void record_put_label(struct record_writer *w, const struct record_label *l);
void record_put_process(
    struct record_writer *w, const struct record_process *p);
void record_put_mapping(
    struct record_writer *w, const struct record_mapping *m);
void record_put_build_id(
    struct record_writer *w, const char *module, const char *build_id);
void record_put_name(struct record_writer *w, enum record_name_kind kind,
    uint64_t pid, uint64_t addr, const struct record_name *name);

/* An event; `seq` and `wall_ns` are not read. */
void record_put_event(struct record_writer *w, const struct record_event *ev);
/* A fast path for RECORD_DATA, the most frequent event, of which it reads only
 * what a record has. */
void record_put_data(struct record_writer *w, const struct record_event *ev);

/*
 * Give the events to the thread if the first of them is older than
 * RECORD_FLUSH_NS.  What the thread has written survives any death of dtrace.
 */
#define RECORD_FLUSH_NS 250000000
void record_flush_old(struct record_writer *w);
/* Give all events to the thread. */
void record_flush(struct record_writer *w);
/* The same, and wait until the file has it. */
void record_sync(struct record_writer *w);

#endif
