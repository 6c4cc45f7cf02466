/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of a recording: several threads hand over records. */
#include "tape/tape_impl.h"

#include <stdlib.h>

#include "base/mem.h"

struct tape_reader {
	struct record *r;
};

struct tape_reader *
tape_reader_create(const struct tape_player *t)
{
	struct tape_reader *rd = mem_alloc(sizeof(*rd));

	rd->r = record_reader_create(t->r);
	if (rd->r == NULL) {
		free(rd);
		return NULL;
	}
	return rd;
}

void
tape_reader_destroy(struct tape_reader *rd)
{
	if (rd == NULL)
		return;
	record_close(rd->r);
	free(rd);
}

int
tape_player_take_part(
    struct tape_player *t, struct record_part **outp, bool *grew)
{
	*grew = false;
	if (t->error == 0)
		t->error = record_take_part(t->r, outp, grew, &t->err);
	if (t->error != 1)
		return t->error;
	t->error = 0;
	return 1;
}

void
tape_player_grow(
    struct tape_player *t, struct tape_reader *const *readers, size_t n)
{
	tape_grow_plan(t);
	for (size_t i = 0; i < n; i++)
		record_share_tables(readers[i]->r, t->r);
}

int
tape_reader_play(
    struct tape_reader *rd, struct record_part *p, dt_record_f *f, void *arg)
{
	struct record_event ev;
	struct err err = { 0 };
	int rc = 0;

	if (!record_begin_part(rd->r, p)) {
		record_leave_part(rd->r, p);
		return 0;
	}
	while (rc == 0 && record_next(rd->r, &ev, &err) == 1) {
		const struct dt_record rec = { .epid = ev.epid,
			.next_epid = ev.next_epid,
			.cpu = ev.cpu,
			.time_ns = ev.time_ns,
			.data = ev.data,
			.size = ev.size };

		if (ev.kind == RECORD_DATA && ev.epid != 0)
			rc = f(&rec, arg);
	}
	err_clear(&err);
	record_leave_part(rd->r, p);
	return rc;
}

void
tape_player_end_part(struct tape_player *t, struct record_part *p)
{
	uint64_t time_ns, wall_ns;

	record_end_part(t->r, p);
	record_times(t->r, &time_ns, &wall_ns);
	if (time_ns == 0)
		return;
	t->now_ns = time_ns;
	t->wall_offset_ns = wall_ns - time_ns;
}
