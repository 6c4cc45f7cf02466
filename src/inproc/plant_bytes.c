/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes of a stopped process's code: compare them, and write them, a page at a
 * time.
 *
 * Text pages are written by /proc/PID/mem, which lets a tracer write where the
 * process cannot, in its private copy of the page.
 */
#include "inproc/plant_impl.h"

#include <string.h>

/* Writes on one page, which is read and written once. */
struct chunk {
	const struct inproc_write *v;
	size_t n;
	uint64_t at, len;
	uint8_t bytes[2 * ENT_PAGE];
};

/* The next chunk of [w, end). */
static void
take_chunk(struct chunk *c, const struct inproc_write *w,
    const struct inproc_write *end)
{
	c->v = w;
	c->n = 0;
	c->at = w->at;
	for (; w < end && w->at >= c->at && w->at - c->at < ENT_PAGE; w++) {
		c->len = w->at + w->len - c->at;
		c->n++;
	}
}

static bool
has_bytes(
    const struct chunk *c, const struct inproc_write *w, const uint8_t *bytes)
{
	return memcmp(c->bytes + (w->at - c->at), bytes, w->len) == 0;
}

const struct inproc_write *
ent_find_changed(struct ent_stop *s, const struct inproc_write *w,
    const struct inproc_write *end)
{
	struct chunk c;

	for (; w < end; w += c.n) {
		take_chunk(&c, w, end);
		if (!ent_read(s, c.at, c.bytes, c.len))
			return w;
		for (size_t i = 0; i < c.n; i++) {
			if (!has_bytes(&c, &w[i], w[i].old))
				return &w[i];
		}
	}
	return NULL;
}

bool
ent_put(const struct ent_planting *p, const struct inproc_write *w,
    const struct inproc_write *end, ent_wanted_f *is_wanted, bool is_new)
{
	struct chunk c;

	for (; w < end; w += c.n) {
		c.n = 1;
		if (!is_wanted(p, w))
			continue;
		take_chunk(&c, w, end);
		if (!ent_read(p->s, c.at, c.bytes, c.len))
			return false;
		for (size_t i = 0; i < c.n; i++) {
			if (is_wanted(p, &w[i]))
				memcpy(c.bytes + (w[i].at - c.at),
				    is_new ? w[i].new : w[i].old, w[i].len);
		}
		if (!ent_write(p->s, c.at, c.bytes, c.len))
			return false;
	}
	return true;
}

bool
ent_is_in_memory(struct ent_stop *s, const struct inproc_write *w)
{
	uint8_t now[INPROC_WRITE_MAX];

	return ent_read(s, w->at, now, w->len) &&
	    memcmp(now, w->new, w->len) == 0;
}

bool
ent_is_ours(struct ent_stop *s, const struct inproc_write *w, size_t n)
{
	struct chunk c;

	for (const struct inproc_write *end = w + n; w < end; w += c.n) {
		take_chunk(&c, w, end);
		if (!ent_read(s, c.at, c.bytes, c.len))
			return false;
		for (size_t i = 0; i < c.n; i++) {
			if (!has_bytes(&c, &w[i], w[i].new) &&
			    !has_bytes(&c, &w[i], w[i].old))
				return false;
		}
	}
	return true;
}
