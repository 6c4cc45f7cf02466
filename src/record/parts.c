/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of a recording: blocks of events, as they are stored.
 *
 * A reader of parts is a struct record without a source: it has the block that
 * it decodes, and of the tables only what events are compared with (the number
 * of CPUs, aggregations), as a copy, so that the owner may enter others
 * meanwhile.
 */
#include "record/read_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

struct record_part {
	struct record_bhdr hdr;
	char *stored;
	uint64_t at; /* where the block begins in the file */
	uint64_t next_seq, clock_ns, clock_wall_ns;
	bool has_clocks;

	/* the reader's state at the end of the part */
	uint64_t seq, time_ns, wall_ns;
	bool is_complete;
	VEC(char *) damage;
	size_t nmore_damage;
};

/* ---- the owner ----------------------------------------------------------- */

CHECKED static int
make_part(struct record *r, const struct record_bhdr *h, const char *stored,
    struct record_part **outp, struct err *err)
{
	struct record_part *p = mem_alloc(sizeof(*p));

	p->hdr = *h;
	p->at = r->block.at;
	p->stored = malloc((size_t)h->stored + 1);
	if (p->stored == NULL) {
		free(p);
		return err_set(err, -ENOMEM, "cannot read the recording: %s",
		    strerror(ENOMEM));
	}
	memcpy(p->stored, stored, h->stored);
	*outp = p;
	return 1;
}

/*
 * The rest of the block that record_next() has begun, as a part.  0: nothing is
 * left.
 */
CHECKED static int
take_rest(struct record *r, struct record_part **outp, struct err *err)
{
	struct record_block *b = &r->block;
	bool has_peeked = r->has_peeked && r->peeked_rc == 1;
	size_t from = has_peeked ? r->peeked_pos : b->pos;
	struct record_bhdr h = { .type = RECORD_BLOCK_EVENTS };
	int rc;

	if (b->type != RECORD_BLOCK_EVENTS || from >= b->len)
		return 0;
	h.stored = h.raw = (uint32_t)(b->len - from);
	h.data_crc = (uint32_t)crc32(0, (const Bytef *)b->raw + from, h.stored);
	rc = make_part(r, &h, b->raw + from, outp, err);
	if (rc != 1)
		return rc;
	(*outp)->next_seq = has_peeked ? r->peeked.seq : r->next_seq;
	(*outp)->clock_ns = r->clock_ns;
	(*outp)->clock_wall_ns = r->clock_wall_ns;
	(*outp)->has_clocks = r->has_clocks;
	r->has_peeked = false;
	b->pos = b->len;
	return 1;
}

static size_t
count_tables(const struct record_tables *t)
{
	return t->clauses.n + t->aggs.n + t->probes.n + t->enablings.n +
	    t->strings.n;
}

/*
 * Enter a block of tables.  True: readers need what is new.  They need no names
 * or processes.
 */
static bool
enter_tables(struct record *r, const struct record_bhdr *h, const char *stored)
{
	size_t before = count_tables(&r->tables);

	if (h->type != RECORD_BLOCK_TABLES || !record_decode(r, h, stored))
		return false;
	record_read_tables(r);
	return count_tables(&r->tables) != before;
}

int
record_take_part(
    struct record *r, struct record_part **outp, bool *grew, struct err *err)
{
	struct record_bhdr h;
	const char *stored;
	int rc;

	*grew = false;
	rc = take_rest(r, outp, err);
	while (rc == 0) {
		rc = record_next_stored(r, &h, &stored, err);
		if (rc != 1)
			return rc;
		if (h.type == RECORD_BLOCK_EVENTS)
			return make_part(r, &h, stored, outp, err);
		*grew |= enter_tables(r, &h, stored);
		rc = 0;
	}
	return rc;
}

void
record_end_part(struct record *r, struct record_part *p)
{
	VEC_FOREACH(&p->damage, text) {
		record_note_damage(r, "%s", *text);
		free(*text);
	}
	VEC_FREE(&p->damage);
	r->nmore_damage += p->nmore_damage;
	if (p->seq != 0)
		r->seq = p->seq;
	if (p->time_ns != 0) {
		r->time_ns = p->time_ns;
		r->wall_ns = p->wall_ns;
	}
	r->is_complete |= p->is_complete;
	free(p->stored);
	free(p);
}

void
record_times(const struct record *r, uint64_t *time_ns, uint64_t *wall_ns)
{
	*time_ns = r->time_ns;
	*wall_ns = r->wall_ns;
}

/* ---- a reader ------------------------------------------------------------ */

struct record *
record_reader_create(const struct record *r)
{
	struct record *reader = mem_alloc(sizeof(*reader));

	reader->src.fd = -1;
	reader->is_of_parts = true;
	reader->is_newer = r->is_newer;
	reader->tables.machine = r->tables.machine;
	reader->zstd = ZSTD_createDCtx();
	if (reader->zstd == NULL) {
		record_close(reader);
		return NULL;
	}
	record_share_tables(reader, r);
	return reader;
}

void
record_share_tables(struct record *reader, const struct record *r)
{
	reader->tables.aggs.n = 0;
	VEC_FOREACH(&r->tables.aggs, agg)
		VEC_PUSH(&reader->tables.aggs, *agg);
}

bool
record_begin_part(struct record *reader, const struct record_part *p)
{
	reader->block.at = p->at;
	reader->next_seq = p->next_seq;
	reader->clock_ns = p->clock_ns;
	reader->clock_wall_ns = p->clock_wall_ns;
	reader->has_clocks = p->has_clocks;
	reader->seq = reader->time_ns = reader->wall_ns = 0;
	reader->is_complete = false;
	return record_decode(reader, &p->hdr, p->stored);
}

void
record_leave_part(struct record *reader, struct record_part *p)
{
	p->seq = reader->seq;
	p->time_ns = reader->time_ns;
	p->wall_ns = reader->wall_ns;
	p->is_complete = reader->is_complete;
	VEC_FOREACH(&reader->damage, text)
		VEC_PUSH(&p->damage, *text);
	reader->damage.n = 0;
	p->nmore_damage = reader->nmore_damage;
	reader->nmore_damage = 0;
	reader->block.len = reader->block.pos = 0;
}
