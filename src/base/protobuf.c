/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/protobuf.h"

#include <string.h>

enum wire { WIRE_VARINT = 0, WIRE_8_BYTES = 1, WIRE_LENGTH = 2 };

#define VARINT_MAX 10 /* bytes of 64 bits */
#define LENGTH_ROOM 5 /* bytes of a length below 2^35 */

/* Seven bits to a byte, the lowest first; all but the last have the top bit. */
static size_t
varint(uint8_t out[VARINT_MAX], uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		out[n++] = (uint8_t)(v | 0x80);
	out[n++] = (uint8_t)v;
	return n;
}

void
pb_packed(struct strbuf *sb, uint64_t v)
{
	uint8_t bytes[VARINT_MAX];

	strbuf_add(sb, bytes, varint(bytes, v));
}

static void
tag(struct strbuf *sb, uint32_t field, enum wire wire)
{
	pb_packed(sb, (uint64_t)field << 3 | wire);
}

void
pb_uint(struct strbuf *sb, uint32_t field, uint64_t v)
{
	tag(sb, field, WIRE_VARINT);
	pb_packed(sb, v);
}

void
pb_int(struct strbuf *sb, uint32_t field, int64_t v)
{
	pb_uint(sb, field, (uint64_t)v);
}

void
pb_double(struct strbuf *sb, uint32_t field, double v)
{
	tag(sb, field, WIRE_8_BYTES);
	strbuf_add(sb, &v, sizeof(v)); /* little-endian */
}

void
pb_bytes(struct strbuf *sb, uint32_t field, const void *data, size_t len)
{
	tag(sb, field, WIRE_LENGTH);
	pb_packed(sb, len);
	strbuf_add(sb, data, len);
}

void
pb_str(struct strbuf *sb, uint32_t field, const char *s)
{
	pb_bytes(sb, field, s, strlen(s));
}

size_t
pb_open(struct strbuf *sb, uint32_t field)
{
	static const char room[LENGTH_ROOM];

	tag(sb, field, WIRE_LENGTH);
	strbuf_add(sb, room, sizeof(room));
	return sb->len;
}

void
pb_close(struct strbuf *sb, size_t at)
{
	uint8_t bytes[VARINT_MAX];
	size_t len = sb->len - at, n = varint(bytes, len);
	char *to = sb->s + at - LENGTH_ROOM;

	memcpy(to, bytes, n);
	memmove(to + n, sb->s + at, len);
	sb->len -= LENGTH_ROOM - n;
	sb->s[sb->len] = '\0';
}
