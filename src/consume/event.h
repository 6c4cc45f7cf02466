/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_EVENT_H
#define CONSUME_EVENT_H

/*
 * Records and rows as typed values: the structs of include/dtrace.h.
 *
 * value.c alone reads data by their types, and event.c alone puts actions and
 * rows together.  JSON is written from the result, and programs get it from
 * dtrace_handle_event(): so both have the same.
 */
#include "base/mem.h"
#include "consume/consume_impl.h"
#include "dtrace.h"

/*
 * value.c: the value of a datum.  Its pointers lead into the arena or the
 * datum.
 */
dtrace_value_t value_datum(
    struct consumer *c, struct arena *a, const struct datum *d);
dtrace_value_t value_int(const char *name, int64_t v);
dtrace_value_t value_uint(const char *name, uint64_t v);
dtrace_value_t value_bytes(const char *name, const void *data, size_t size);
/* A copy of text that has no NUL. */
dtrace_value_t value_text(
    struct arena *a, const char *name, const char *s, size_t len);
/* A copy that has a NUL behind it, and may have others. */
char *value_copy(struct arena *a, const void *data, size_t size);

/* json.c, beside consume/json.h */
void json_value(struct strbuf *sb, const dtrace_value_t *val);
void json_datum(struct strbuf *sb, const dtrace_value_t *val);
/*
 * plain.c: values as text for files of other programs.
 *
 * plain_value() appends the text of a value that has one: numbers, names,
 * strings that are UTF-8; any other value is written as JSON.  plain_stack()
 * appends the frames from the root to the leaf, each behind a `;`.
 */
void plain_value(struct strbuf *sb, const dtrace_value_t *val);
void plain_stack(struct strbuf *sb, const dtrace_value_t *val);
/* The name of a frame, without the offset in a function. */
void plain_frame(struct strbuf *sb, const dtrace_frame_t *f);
bool plain_is_stack(const dtrace_value_t *val);
/*
 * One frame of a folded stack: without `;`, and with control characters and
 * bytes that are no UTF-8 as escapes.
 */
void plain_folded(struct strbuf *sb, const char *s, size_t len);
/* The amount of a row: its number, or how many values a distribution has. */
int64_t plain_amount(const dtrace_aggvalue_t *val);

#endif
