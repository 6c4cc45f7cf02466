/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several recordings as one: they are read in the order of time.
 *
 *	tape 0:  ---a--------b----c-->		its own clock, and the time of
 *	tape 1:      -----d----e------>		all: that clock + shift_ns
 *	firings:    a    d   b e  c
 *
 * The clocks of machines begin when these start.  A shift is constant, so that
 * the distance of two times of a machine is what it was; it makes clocks agree
 * by the wall time at the starts of the runs.  It is 0 for the machine that was
 * started first, and positive for the others: no time is below 0.
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "libdtrace/dt_impl.h"

/* The clocks of one boot differ by what it takes to read them, and by what the
 * wall clock was set meanwhile. */
#define BOOT_NS 1000000

static uint64_t
boot_of(const struct dt_tape *t)
{
	const struct record_machine *m = record_machine(t->file);

	return m->wall_ns - m->time_ns;
}

static bool
is_same_boot(const struct dt_tape *a, const struct dt_tape *b)
{
	const struct record_machine *ma = record_machine(a->file);
	const struct record_machine *mb = record_machine(b->file);
	int64_t by = (int64_t)(boot_of(a) - boot_of(b));

	return strcmp(ma->host, mb->host) == 0 &&
	    strcmp(ma->release, mb->release) == 0 && by > -BOOT_NS &&
	    by < BOOT_NS;
}

bool
dt_tapes_are_of_one_boot(const struct dt_hdl *h)
{
	for (size_t i = 1; i < h->replay.tapes.n; i++) {
		if (!is_same_boot(&h->replay.tapes.v[0], &h->replay.tapes.v[i]))
			return false;
	}
	return true;
}

void
dt_tapes_join(struct dt_hdl *h)
{
	const struct dt_tape *first = &h->replay.tapes.v[0];

	VEC_FOREACH(&h->replay.tapes, t) {
		if (boot_of(t) < boot_of(first))
			first = t;
	}
	VEC_FOREACH(&h->replay.tapes, t) {
		if (!is_same_boot(t, first))
			t->shift_ns = boot_of(t) - boot_of(first);
	}
}

int64_t
dt_tapes_target(const struct dt_hdl *h)
{
	int64_t target = record_machine(h->replay.tapes.v[0].file)->target;

	VEC_FOREACH(&h->replay.tapes, t) {
		if (record_machine(t->file)->target != target)
			return -1;
	}
	return h->replay.tapes.n == 1 || dt_tapes_are_of_one_boot(h) ? target :
								       -1;
}

/* ---- reading ------------------------------------------------------------- */

static int
skip_record(const struct dt_record *rec, void *arg)
{
	(void)rec;
	(void)arg;
	return 0;
}

static int
skip(uint32_t agg_id, const void *key, const void *val, void *arg)
{
	(void)agg_id;
	(void)key;
	(void)val;
	(void)arg;
	return 0;
}

/* Skip an event that is not a record: aggregations of the recorded run, which
 * the query does not print, or the end of a drain. */
static void
pass(struct dt_hdl *h, struct dt_tape *t)
{
	struct tape_player *p = t->player;
	uint32_t agg;

	switch (tape_player_next(p, &agg)) {
	case TAPE_WORK:
		tape_player_set_until(p, 0);
		(void)tape_player_ops(p)->drain(
		    tape_player_exec(p), false, skip_record, NULL);
		break;
	case TAPE_TURN:
		(void)tape_player_ops(p)->agg_turn(
		    tape_player_exec(p), agg, skip, NULL);
		break;
	case TAPE_DROPS:
	case TAPE_NOTICE:
	case TAPE_STOPPED:
		break;
	case TAPE_ERROR:
		dt_notice(h, "%s", tape_player_text(p));
		t->is_over = true;
		break;
	case TAPE_END:
		t->is_over = true;
		break;
	}
}

/* Go to the next record; false: there is none. */
static bool
advance(struct dt_hdl *h, struct dt_tape *t)
{
	uint64_t ns;

	while (!t->is_over) {
		if (tape_player_time(t->player, &ns) && ns != 0) {
			t->next_ns = ns + t->shift_ns;
			return true;
		}
		pass(h, t);
	}
	return false;
}

/*
 * The tape with the next record, and the time of the first record of another.
 */
static struct dt_tape *
find_next(struct dt_hdl *h, uint64_t *until)
{
	struct dt_tape *next = NULL;

	*until = UINT64_MAX;
	VEC_FOREACH(&h->replay.tapes, t) {
		if (!advance(h, t))
			continue;
		if (next == NULL || t->next_ns < next->next_ns) {
			if (next != NULL)
				*until = next->next_ns;
			next = t;
		} else if (t->next_ns < *until) {
			*until = t->next_ns;
		}
	}
	return next;
}

int
dt_tapes_read(void *arg, uint32_t *tape, dt_record_f *f, void *farg)
{
	struct dt_hdl *h = arg;
	uint64_t until;
	struct dt_tape *t = find_next(h, &until);

	if (t == NULL)
		return 0;
	*tape = (uint32_t)(t - h->replay.tapes.v);
	h->replay.now_ns = t->next_ns;
	tape_player_set_until(
	    t->player, until == UINT64_MAX ? until : until - t->shift_ns);
	return tape_player_ops(t->player)->drain(
		   tape_player_exec(t->player), false, f, farg) < 0 ?
	    -ECANCELED :
	    1;
}

/* ---- the book ------------------------------------------------------------ */

/* The recordings are of one boot, or nothing asks for addresses. */
static const struct record_name *
find_name(void *arg, enum record_name_kind kind, uint64_t pid, uint64_t addr)
{
	const struct dt_hdl *h = arg;
	const struct record_name *found = NULL;

	VEC_FOREACH(&h->replay.tapes, t) {
		const struct record_name *n =
		    record_find_name(t->file, kind, pid, addr);

		if (n != NULL && n->is_found)
			return n;
		found = n != NULL ? n : found;
	}
	return found;
}

static const struct record_mapping *
find_file(void *arg, uint64_t pid, uint64_t addr)
{
	const struct dt_hdl *h = arg;
	const struct record_mapping *found = NULL;

	for (size_t i = 0; i < h->replay.tapes.n && found == NULL; i++)
		found =
		    record_find_mapping(h->replay.tapes.v[i].file, pid, addr);
	return found;
}

static const char *
find_kernel_file(void *arg, const char *module)
{
	const struct dt_hdl *h = arg;
	const char *found = NULL;

	for (size_t i = 0; i < h->replay.tapes.n && found == NULL; i++)
		found = record_find_build_id(h->replay.tapes.v[i].file, module);
	return found;
}

static uint64_t
clock_now(void *arg)
{
	const struct dt_hdl *h = arg;

	return h->replay.now_ns;
}

static uint64_t
wall_offset(void *arg)
{
	const struct dt_hdl *h = arg;
	const struct dt_tape *t = &h->replay.tapes.v[0];
	const struct consume_book *b = tape_player_book(t->player);

	return b->wall_offset(b->arg) - t->shift_ns;
}

const struct consume_book *
dt_tapes_book(struct dt_hdl *h)
{
	if (h->replay.tapes.n == 1)
		return tape_player_book(h->replay.tapes.v[0].player);
	h->replay.book = (struct consume_book){ .find = find_name,
		.find_file = find_file,
		.find_kernel_file = find_kernel_file,
		.clock = clock_now,
		.wall_offset = wall_offset,
		.arg = h };
	return &h->replay.book;
}
