/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_PROTOBUF_H
#define BASE_PROTOBUF_H

/*
 * Writing Protocol Buffers (protobuf.dev/programming-guides/encoding): the
 * fields of a message, appended in the order of the calls.
 *
 * A field is its number and wire type, then a varint, 8 bytes, or a length and
 * so many bytes.  A message is a field of the third kind.  Its length stands
 * before its content, so room for it is kept, and a short content is moved
 * back:
 *
 *	size_t at = pb_open(sb, 11);
 *	pb_uint(sb, 1, 42);
 *	pb_close(sb, at);
 */
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* uint32, uint64, bool, enum; and int32, int64, which take 10 bytes if < 0. */
void pb_uint(struct strbuf *sb, uint32_t field, uint64_t v);
void pb_int(struct strbuf *sb, uint32_t field, int64_t v);
void pb_double(struct strbuf *sb, uint32_t field, double v);
void pb_bytes(struct strbuf *sb, uint32_t field, const void *data, size_t len);
/* The text is UTF-8: readers may refuse a string that is not. */
void pb_str(struct strbuf *sb, uint32_t field, const char *s);
/* A message that is a field; messages nest. */
size_t pb_open(struct strbuf *sb, uint32_t field);
void pb_close(struct strbuf *sb, size_t at);
/* A number of a packed repeated field, between pb_open() and pb_close(). */
void pb_packed(struct strbuf *sb, uint64_t v);

#endif
