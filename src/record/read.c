/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blocks of a recording.
 *
 * After a damaged block header the next one is searched for: the marks of
 * blocks are four bytes, and a header has a checksum of its own.  After a block
 * with damaged contents the next one is where the header says.
 */
#include "record/read_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "record/pack.h"

#define CHUNK (256U << 10)
#define MAX_DAMAGE 16
#define MAX_HEADER 4096

void
record_note_damage(struct record *r, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	if (r->damage.n == MAX_DAMAGE) {
		r->nmore_damage++;
		return;
	}
	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	VEC_PUSH(&r->damage, strbuf_steal(&sb));
}

const char *
record_damage(const struct record *r, size_t n)
{
	if (n < r->damage.n)
		return r->damage.v[n];
	return n == MAX_DAMAGE && r->nmore_damage != 0 ?
	    "further parts could not be read" :
	    NULL;
}

/* ---- bytes -------------------------------------------------------------- */

static void
drop_read(struct record_source *s)
{
	memmove(s->buf.s, s->buf.s + s->pos, s->len - s->pos);
	s->buf.len = s->len -= s->pos;
	s->base += s->pos;
	s->pos = 0;
}

static ssize_t
read_some(int fd, void *to, size_t room)
{
	ssize_t n;

	do {
		n = read(fd, to, room);
	} while (n < 0 && errno == EINTR);
	return n;
}

/* Have `want` bytes at pos; false: there are fewer. */
static bool
have(struct record_source *s, size_t want)
{
	if (s->fd < 0 || s->len - s->pos >= want)
		return s->len - s->pos >= want;
	if (s->pos != 0)
		drop_read(s);
	while (s->len < want && s->error == 0) {
		size_t room = want - s->len > CHUNK ? want - s->len : CHUNK;
		char *to = strbuf_room(&s->buf, room);
		ssize_t n = read_some(s->fd, to, room);

		if (n < 0)
			s->error = -errno;
		if (n <= 0)
			break;
		s->buf.len = s->len += (size_t)n;
	}
	s->data = s->buf.s;
	return s->len >= want;
}

static uint64_t
offset(const struct record_source *s)
{
	return s->base + s->pos;
}

/* ---- headers ------------------------------------------------------------ */

static uint32_t
checksum(const void *data, size_t len)
{
	return (uint32_t)crc32(0, data, (uInt)len);
}

bool
record_is(FILE *f)
{
	int ch = getc(f);

	/* no text begins with this byte; a pipe takes one back */
	ungetc(ch, f);
	return ch == (unsigned char)RECORD_MAGIC[0];
}

static int
read_header(struct record *r, const char *name, struct err *err)
{
	struct record_fhdr h;

	if (!have(&r->src, sizeof(h)) && r->src.error != 0)
		return err_set(err, r->src.error, "cannot read %s: %s", name,
		    strerror(-r->src.error));
	if (r->src.len < sizeof(h) ||
	    memcmp(r->src.data, RECORD_MAGIC, sizeof(h.magic)) != 0)
		return err_set(err, -EINVAL,
		    "%s is not a recording; dtrace -x record=FILE makes one",
		    name);
	memcpy(&h, r->src.data, sizeof(h));
	if (h.crc != checksum(&h, offsetof(struct record_fhdr, crc)) ||
	    h.major == 0)
		return err_set(err, -EINVAL,
		    "%s is a recording whose header is damaged", name);
	if (h.major > RECORD_MAJOR)
		return err_set(err, -EINVAL,
		    "%s is a recording of format %u.%u, and this dtrace reads "
		    "formats up to %u: a newer dtrace is needed",
		    name, h.major, h.minor, RECORD_MAJOR);
	if (h.size < sizeof(h) || h.size > MAX_HEADER || !have(&r->src, h.size))
		return err_set(err, -EINVAL,
		    "%s is a recording whose header is cut off", name);
	r->is_newer = h.major == RECORD_MAJOR && h.minor > RECORD_MINOR;
	if (r->is_newer)
		record_note_damage(r,
		    "it has format %u.%u, newer than this dtrace's %u.%u: "
		    "what is unknown here is left out",
		    h.major, h.minor, RECORD_MAJOR, RECORD_MINOR);
	r->src.pos += h.size;
	return 0;
}

static bool
is_header(const char *p, struct record_bhdr *h)
{
	memcpy(h, p, sizeof(*h));
	return memcmp(h->magic, RECORD_BLOCK_MAGIC, sizeof(h->magic)) == 0 &&
	    h->crc == checksum(h, offsetof(struct record_bhdr, crc)) &&
	    h->stored <= RECORD_STORED_MAX && h->raw <= RECORD_RAW_MAX &&
	    h->packed <= RECORD_RAW_MAX;
}

/* Go to the next block header: false if there is none. */
static bool
find_header(struct record *r, struct record_bhdr *h)
{
	struct record_source *s = &r->src;
	uint64_t from = offset(s);

	while (have(s, sizeof(*h))) {
		const char *p = s->data + s->pos, *mark;
		size_t n = s->len - s->pos;

		if (is_header(p, h)) {
			if (offset(s) != from)
				record_note_damage(r,
				    "%llu bytes at offset %llu are no block",
				    (unsigned long long)(offset(s) - from),
				    (unsigned long long)from);
			return true;
		}
		mark = memmem(p + 1, n - 1, RECORD_BLOCK_MAGIC, 4);
		/* the mark may be cut by the end of what has been read */
		s->pos += mark != NULL ? (size_t)(mark - p) : n - 3;
	}
	if (s->base + s->len != from)
		record_note_damage(r,
		    "it ends within a block: %llu bytes from offset %llu on "
		    "are left out",
		    (unsigned long long)(s->base + s->len - from),
		    (unsigned long long)from);
	s->pos = s->len;
	return false;
}

/* ---- contents ----------------------------------------------------------- */

/* Give the shared buffers back: all that came has been read. */
static void
give_back(struct record *r)
{
	struct record_space *space = r->space;
	struct record_block *b = &r->block;

	if (space == NULL)
		return;
	if (b->cap > space->spare_cap) {
		free(space->spare);
		space->spare = b->raw;
		space->spare_cap = b->cap;
	} else {
		free(b->raw);
	}
	b->raw = NULL;
	b->cap = 0;
	r->src.base += r->src.pos;
	strbuf_fini(&r->src.buf);
	r->src.data = NULL;
	r->src.len = r->src.pos = 0;
}

static bool
reserve_raw(struct record *r, size_t len)
{
	struct record_block *b = &r->block;
	char *raw;

	if (b->raw == NULL && r->space != NULL) {
		b->raw = r->space->spare;
		b->cap = r->space->spare_cap;
		r->space->spare = NULL;
		r->space->spare_cap = 0;
	}
	if (len <= b->cap)
		return true;
	raw = realloc(b->raw, len);
	if (raw == NULL)
		return false;
	b->raw = raw;
	b->cap = len;
	return true;
}

/* Decompress `len` bytes.  Returns why not, or NULL. */
static const char *
decompress(struct record *r, const struct record_bhdr *h, const char *stored,
    char *to, size_t len)
{
	size_t n = len;

	if ((h->flags & RECORD_ZSTD) == 0) {
		if (h->stored != len)
			return "its sizes contradict each other";
		if (len != 0)
			memcpy(to, stored, len);
	} else {
		n = ZSTD_decompressDCtx(r->zstd, to, len, stored, h->stored);
	}
	return ZSTD_isError(n) || n != len ? "it cannot be decompressed" : NULL;
}

static const char *
unpack(struct record *r, const struct record_bhdr *h, const char *stored)
{
	char *packed = malloc((size_t)h->packed + 1);
	const char *why = strerror(ENOMEM);

	if (packed != NULL)
		why = decompress(r, h, stored, packed, h->packed);
	if (why == NULL &&
	    !record_unpack(packed, h->packed, r->block.raw, h->raw))
		why = "it cannot be unpacked";
	free(packed);
	return why;
}

/* Returns why not, or NULL. */
static const char *
decode(struct record *r, const struct record_bhdr *h, const char *stored)
{
	struct record_block *b = &r->block;
	const char *why;

	if (checksum(stored, h->stored) != h->data_crc)
		return "its checksum does not match";
	if (!reserve_raw(r, h->raw))
		return strerror(ENOMEM);
	if ((h->flags & ~(RECORD_ZSTD | RECORD_PACKED)) != 0)
		return "it is stored in a way that is unknown here";
	why = (h->flags & RECORD_PACKED) != 0 ?
	    unpack(r, h, stored) :
	    decompress(r, h, stored, b->raw, h->raw);
	if (why != NULL)
		return why;
	b->type = h->type;
	b->len = h->raw;
	b->pos = 0;
	return NULL;
}

/* Go behind the block; NULL: the file ends within it. */
static const char *
take_stored(struct record *r, const struct record_bhdr *h)
{
	struct record_source *s = &r->src;
	const char *stored;

	r->block.at = offset(s);
	if (h->number != r->nblocks && !r->has_gaps)
		record_note_damage(r,
		    "blocks %u to %u before offset %llu are missing",
		    r->nblocks, h->number - 1, (unsigned long long)r->block.at);
	r->nblocks = h->number + 1;
	if (!have(s, sizeof(*h) + (size_t)h->stored)) {
		record_note_damage(r,
		    "it ends within the block at offset %llu, which is left "
		    "out",
		    (unsigned long long)r->block.at);
		s->pos = s->len;
		return NULL;
	}
	stored = s->data + s->pos + sizeof(*h);
	s->pos += sizeof(*h) + h->stored;
	return stored;
}

bool
record_decode(struct record *r, const struct record_bhdr *h, const char *stored)
{
	const char *why = decode(r, h, stored);

	if (why != NULL)
		record_note_damage(r,
		    "the block at offset %llu is left out: %s",
		    (unsigned long long)r->block.at, why);
	return why == NULL;
}

int
record_next_stored(struct record *r, struct record_bhdr *h, const char **stored,
    struct err *err)
{
	while (find_header(r, h)) {
		*stored = take_stored(r, h);
		if (*stored != NULL)
			return 1;
	}
	if (r->src.error != 0)
		return err_set(err, r->src.error,
		    "cannot read the recording: %s", strerror(-r->src.error));
	return 0;
}

int
record_next_block(struct record *r, struct err *err)
{
	struct record_bhdr h;
	const char *stored;
	int rc;

	while ((rc = record_next_stored(r, &h, &stored, err)) == 1) {
		if (record_decode(r, &h, stored))
			return 1;
	}
	r->block.len = r->block.pos = 0;
	give_back(r);
	return rc;
}

bool
record_next_item(
    struct record *r, struct record_item *item, struct record_payload *payload)
{
	struct record_block *b = &r->block;

	if (b->len - b->pos < sizeof(*item)) {
		b->pos = b->len;
		return false;
	}
	memcpy(item, b->raw + b->pos, sizeof(*item));
	b->pos += sizeof(*item);
	if (item->len > b->len - b->pos) {
		record_note_damage(r,
		    "the block at offset %llu has an item that is longer than "
		    "the block",
		    (unsigned long long)b->at);
		b->pos = b->len;
		return false;
	}
	*payload = (struct record_payload){ b->raw + b->pos,
		b->raw + b->pos + item->len };
	b->pos += (size_t)RECORD_PADDED(item->len);
	if (b->pos > b->len)
		b->pos = b->len;
	return true;
}

const char *
record_take_string(struct record_payload *pl)
{
	const char *s = pl->p;
	const char *nul = memchr(s, '\0', (size_t)(pl->end - s));

	if (nul == NULL)
		return NULL;
	pl->p = nul + 1;
	return s;
}

/* ---- the recording ------------------------------------------------------ */

/* Read up to the first events: they need the tables before them. */
static int
read_start(struct record *r, const char *name, struct err *err)
{
	int rc = read_header(r, name, err);

	while (rc == 0) {
		rc = record_next_block(r, err);
		if (rc != 1)
			break;
		rc = 0;
		if (r->block.type == RECORD_BLOCK_EVENTS)
			break;
		if (r->block.type == RECORD_BLOCK_TABLES)
			record_read_tables(r);
		else if (r->block.type == RECORD_BLOCK_PROGRAM)
			record_read_program(r);
	}
	if (rc == 0 && (!r->tables.has_machine || r->tables.program == NULL))
		rc = err_set(err, -EINVAL,
		    "%s is a recording that has no %s: nothing can be read "
		    "without%s%s",
		    name, r->tables.has_machine ? "program" : "machine",
		    r->damage.n != 0 ? ": " : "",
		    r->damage.n != 0 ? r->damage.v[0] : "");
	return rc;
}

static int
open_source(
    struct record *r, const char *name, struct record **outp, struct err *err)
{
	int rc;

	record_tables_init(&r->tables);
	if (r->space != NULL)
		r->tables.max = RECORD_FED_TABLES_MAX;
	r->zstd = r->space != NULL ? r->space->zstd : ZSTD_createDCtx();
	rc = r->zstd == NULL ? err_set(err, -ENOMEM, "cannot read %s: %s", name,
				   strerror(ENOMEM)) :
			       read_start(r, name, err);
	if (rc != 0) {
		record_close(r);
		return rc;
	}
	*outp = r;
	return 0;
}

int
record_open(const char *path, struct record **outp, struct err *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct record *r = mem_alloc(sizeof(*r));

	r->src.fd =
	    is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	if (r->src.fd < 0) {
		int error = -errno;

		free(r);
		return err_set(err, error, "cannot read the recording %s: %s",
		    path, strerror(-error));
	}
	return open_source(r, is_stdin ? "standard input" : path, outp, err);
}

int
record_open_mem(
    const void *data, size_t len, struct record **outp, struct err *err)
{
	struct record *r = mem_alloc(sizeof(*r));

	r->src = (struct record_source){ .fd = -1, .data = data, .len = len };
	return open_source(r, "the data", outp, err);
}

struct record_space *
record_space_create(void)
{
	struct record_space *space = mem_alloc(sizeof(*space));

	space->zstd = ZSTD_createDCtx();
	if (space->zstd != NULL)
		return space;
	free(space);
	return NULL;
}

void
record_space_destroy(struct record_space *space)
{
	if (space == NULL)
		return;
	ZSTD_freeDCtx(space->zstd);
	free(space->spare);
	free(space);
}

static int
open_fed(struct record_space *space, bool has_gaps, const void *data,
    size_t len, struct record **outp, struct err *err)
{
	struct record *r = mem_alloc(sizeof(*r));

	r->space = space;
	r->has_gaps = has_gaps;
	r->src.fd = -1;
	record_feed(r, data, len);
	return open_source(r, "the recording of the host", outp, err);
}

int
record_open_fed(struct record_space *space, const void *data, size_t len,
    struct record **outp, struct err *err)
{
	return open_fed(space, false, data, len, outp, err);
}

int
record_open_tables(struct record_space *space, const void *data, size_t len,
    struct record **outp, struct err *err)
{
	return open_fed(space, true, data, len, outp, err);
}

void
record_feed(struct record *r, const void *data, size_t len)
{
	struct record_source *s = &r->src;

	if (s->pos != 0)
		drop_read(s);
	strbuf_add(&s->buf, data, len);
	s->data = s->buf.s;
	s->len = s->buf.len;
	/* more has come: what looked like the end was not */
	if (r->has_peeked && r->peeked_rc == 0)
		r->has_peeked = false;
}

size_t
record_unread(const struct record *r)
{
	return r->src.len - r->src.pos;
}

bool
record_has_start(const void *data, size_t len)
{
	const char *p = data;
	struct record_bhdr h;

	if (len < sizeof(struct record_fhdr))
		return false;
	for (size_t at = sizeof(struct record_fhdr); len - at >= sizeof(h);) {
		if (!is_header(p + at, &h) || h.type == RECORD_BLOCK_EVENTS)
			return true; /* record_open_fed() says what is wrong */
		if (len - at - sizeof(h) < h.stored)
			return false;
		at += sizeof(h) + h.stored;
	}
	return false;
}

void
record_close(struct record *r)
{
	if (r == NULL)
		return;
	if (r->src.fd >= 0)
		close(r->src.fd);
	strbuf_fini(&r->src.buf);
	free(r->block.raw);
	if (r->is_of_parts)
		VEC_FREE(&r->tables.aggs);
	else
		record_tables_fini(&r->tables);
	if (r->space == NULL)
		ZSTD_freeDCtx(r->zstd);
	VEC_FOREACH(&r->damage, text)
		free(*text);
	VEC_FREE(&r->damage);
	free(r);
}
