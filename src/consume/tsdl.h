/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_TSDL_H
#define CONSUME_TSDL_H

/*
 * Values in Common Trace Format 1.8 (diamon.org/ctf): their bytes, and their
 * declaration in its language TSDL.
 *
 * An event class of CTF says which fields each of its events has.  The values
 * of one clause may differ in that: a member may not have been recorded, an
 * array of characters may be no text.  So the bytes come with a shape, a short
 * text that determines the declaration of the values; events of one clause
 * with another shape are another class.
 *
 * Numbers and characters have no alignment beyond a byte: a trace is as small
 * as its values.
 */
#include "consume/event.h"

/* Append a value's bytes and its shape. */
void tsdl_put(
    struct strbuf *data, struct strbuf *shape, const dtrace_value_t *val);
/* Append a text as CTF has it, with a NUL behind it. */
void tsdl_put_text(struct strbuf *data, const char *s, size_t len);
void tsdl_put_number(struct strbuf *data, uint64_t v, size_t size);

/* The fields of a struct that is being declared. */
struct tsdl_fields {
	struct strbuf *sb;
	unsigned depth; /* of structs, for the indentation */
	struct strtab names;
};

void tsdl_begin(struct tsdl_fields *f, struct strbuf *sb, unsigned depth);
void tsdl_end(struct tsdl_fields *f);
/*
 * Declare the field `name` for a value.  *shape is moved behind its shape. What
 * is no letter, digit or `_` of the name becomes `_`, and one more `_` is put
 * before it, which readers do not show: so no name is a word of TSDL.
 */
void tsdl_declare(struct tsdl_fields *f, const char *name,
    const dtrace_value_t *val, const char **shape);
/* Declare a field of a type that TSDL text names, or a sequence of it. */
void tsdl_declare_as(
    struct tsdl_fields *f, const char *name, const char *type, bool is_many);
/* Append a text as a constant, with its quotes. */
void tsdl_quote(struct strbuf *sb, const char *s);

/* The types that declarations name. */
extern const char tsdl_types[];

#endif
