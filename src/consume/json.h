/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_JSON_H
#define CONSUME_JSON_H

/*
 * Writing JSON: objects, arrays, names and values, in the order of the calls.
 * Commas are added where they are needed; the caller closes what it opened.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

void json_open(struct strbuf *sb);	 /* an object in a list, or a line */
void json_open_value(struct strbuf *sb); /* an object after json_name() */
void json_name(struct strbuf *sb, const char *name);
void json_list(struct strbuf *sb, const char *name); /* "name":[ */
void json_str(struct strbuf *sb, const char *name, const char *s);
void json_int(struct strbuf *sb, const char *name, int64_t v);
void json_uint(struct strbuf *sb, const char *name, uint64_t v);
void json_text(struct strbuf *sb, const char *s, size_t len);

#endif
