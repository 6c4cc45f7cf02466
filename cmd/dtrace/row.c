/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/row.h"

#include <string.h>

/* Right-aligned, followed by a blank; *at is filled with blanks. */
static char *
put_column(char *at, const char *s, size_t len, size_t width)
{
	at += len < width ? width - len : 0;
	memcpy(at, s, len);
	return at + len + 1;
}

static const char *
decimal(uint32_t v, char buf[static 11])
{
	char *at = &buf[10];

	*at = '\0';
	do {
		*--at = (char)('0' + v % 10);
		v /= 10;
	} while (v != 0);
	return at;
}

void
row_print(struct strbuf *row, const struct dt_probe *p, FILE *out)
{
	char id[11];
	const struct {
		const char *s;
		size_t width;
	} columns[] = { { decimal(p->id, id), 5 }, { p->prov, 10 },
		{ p->mod, 17 }, { p->func, 33 }, { p->name, 0 } };
	enum { N = sizeof(columns) / sizeof(columns[0]) };
	size_t lens[N], room = 0;
	char *start, *at;

	for (size_t i = 0; i < N; i++) {
		lens[i] = strlen(columns[i].s);
		room += lens[i] + columns[i].width + 1;
	}
	start = at = strbuf_room(row, room);
	memset(start, ' ', room);
	for (size_t i = 0; i < N; i++)
		at = put_column(at, columns[i].s, lens[i], columns[i].width);
	at[-1] = '\n';
	fwrite_unlocked(start, 1, (size_t)(at - start), out);
}
