/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several runs of one program printed as one: each recording has a handle and a
 * consumer of its own, which print to one output in the order of wall time.
 *
 *	the first handle -> others[0], others[1] ...
 *
 * A step of a replay takes the records up to the next one of another recording.
 * Only text is made of lines that can stand between each other.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "libdtrace/dt_impl.h"

#define OTHERS_MAX 255

static struct dt_tape *
tape_of(struct dt_hdl *h)
{
	return &h->replay.tapes.v[0];
}

/* ---- opening ------------------------------------------------------------- */

static bool
is_same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool
is_same_source(const struct record_program_source *a,
    const struct record_program_source *b)
{
	return is_same_text(a->name, b->name) && is_same_text(a->text, b->text);
}

static bool
has_same_sources(const struct record *a, const struct record *b)
{
	for (size_t i = 0;; i++) {
		const struct record_program_source *sa =
		    record_program_source(a, i);
		const struct record_program_source *sb =
		    record_program_source(b, i);

		if (sa == NULL || sb == NULL)
			return sa == sb;
		if (!is_same_source(sa, sb))
			return false;
	}
}

/* A script's name may stand for several texts. */
static bool
has_same_layout(const struct record *a, const struct record *b)
{
	uint32_t n = record_nclauses(a);

	if (n != record_nclauses(b) || record_naggs(a) != record_naggs(b))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct record_clause *ca = record_clause(a, i);
		const struct record_clause *cb = record_clause(b, i);

		if (ca == NULL || cb == NULL || ca->size != cb->size)
			return false;
	}
	return true;
}

static int
check_program(struct dt_hdl *h, struct dt_hdl *other)
{
	const struct dt_tape *a = tape_of(h), *b = tape_of(other);

	if (has_same_sources(a->file, b->file) &&
	    has_same_layout(a->file, b->file))
		return 0;
	return dt_fail(h,
	    "%s and %s are runs of different programs: print one at a time, or "
	    "ask the firings of both with a program (-n, -s)",
	    a->path, b->path);
}

int
dt_replays_add(struct dt_hdl *h, const char *path)
{
	struct dt_hdl *other;

	if (h->replay.others.n == OTHERS_MAX)
		return dt_fail(
		    h, "%u recordings at a time are the limit", OTHERS_MAX + 1);
	other = dt_open();
	if (other == NULL)
		return dt_fail(h, "no memory for another recording");
	VEC_PUSH(&h->replay.others, other);
	if (dt_replay_open(other, path) != 0)
		return dt_fail(h, "%s", dt_errmsg(other));
	h->replay.is_one_of_several = other->replay.is_one_of_several = true;
	return check_program(h, other);
}

int
dt_replays_setopt(struct dt_hdl *h, const char *name, const char *value)
{
	VEC_FOREACH(&h->replay.others, o) {
		if (dt_setopt(*o, name, value) != 0)
			return dt_fail(h, "%s", dt_errmsg(*o));
	}
	return 0;
}

void
dt_replays_close(struct dt_hdl *h)
{
	VEC_FOREACH(&h->replay.others, o)
		dt_close(*o);
	VEC_FREE(&h->replay.others);
}

/* ---- going --------------------------------------------------------------- */

/* Give the user the notices of the other handle. */
static void
take_notices(struct dt_hdl *h, struct dt_hdl *other)
{
	static const char prefix[] = "dtrace: ";
	char *text = mem_strdup(dt_notices(other)), *rest = text, *line;

	while ((line = strsep(&rest, "\n")) != NULL) {
		if (strncmp(line, prefix, sizeof(prefix) - 1) == 0)
			line += sizeof(prefix) - 1;
		if (*line != '\0')
			dt_notice(h, "%s", line);
	}
	free(text);
}

static int
check_form(struct dt_hdl *h)
{
	if (dt_opt(h, DT_OPT_OFORMAT) == 0)
		return 0;
	return dt_fail(h,
	    "option oformat: several recordings are printed as text alone: "
	    "print one at a time, or ask the firings of all with a program "
	    "(-n, -s)");
}

int
dt_replays_go(struct dt_hdl *h)
{
	if (h->replay.others.n != 0 && check_form(h) != 0)
		return -1;
	VEC_FOREACH(&h->replay.others, o) {
		if (dt_go(*o) != 0)
			return dt_fail(h, "%s", dt_errmsg(*o));
		take_notices(h, *o);
	}
	return 0;
}

/* ---- working ------------------------------------------------------------- */

/* The wall time of the handle's next record.  Events without a time have that
 * of the record before them. */
static uint64_t
next_wall(struct dt_hdl *h)
{
	struct dt_tape *t = tape_of(h);
	const struct consume_book *b = tape_player_book(t->player);
	uint64_t ns;

	if (tape_player_time(t->player, &ns))
		t->next_ns = ns + b->wall_offset(b->arg);
	return t->next_ns;
}

static bool
speculates(const struct dt_hdl *h)
{
	VEC_FOREACH(&h->plan->clauses, pc) {
		if (plan_clause_does(pc, DIF_STEP_SPECULATE))
			return true;
	}
	return false;
}

/* End the next drain before `wall_ns`.  Not in a run with speculations: the
 * consumer counts drains until it prints one, so drains must be whole. */
static void
limit(struct dt_hdl *h, uint64_t wall_ns)
{
	struct tape_player *p = tape_of(h)->player;
	const struct consume_book *b = tape_player_book(p);
	bool is_limited = wall_ns != UINT64_MAX && !speculates(h);

	tape_player_set_until(
	    p, is_limited ? wall_ns - b->wall_offset(b->arg) : UINT64_MAX);
}

struct replays_turn {
	struct dt_hdl *next;
	uint64_t wall_ns, until_ns;
};

static void
consider(struct replays_turn *t, struct dt_hdl *h)
{
	uint64_t wall;

	if (h->end.is_done)
		return;
	wall = next_wall(h);
	if (t->next == NULL || wall < t->wall_ns) {
		t->until_ns = t->next != NULL ? t->wall_ns : UINT64_MAX;
		t->next = h;
		t->wall_ns = wall;
	} else if (wall < t->until_ns) {
		t->until_ns = wall;
	}
}

static enum dt_work
work_of(struct dt_hdl *h, struct replays_turn *t, FILE *out)
{
	enum dt_work rc;

	limit(t->next, t->until_ns);
	t->next->wait.is_interrupted = h->wait.is_interrupted;
	rc = dt_replay_step(t->next, out);
	if (t->next == h)
		return rc;
	take_notices(h, t->next);
	if (rc == DT_WORK_DONE && h->replay.status == 0)
		h->replay.status = t->next->end.status;
	if (rc == DT_WORK_ERROR)
		(void)dt_fail(h, "%s", dt_errmsg(t->next));
	return rc;
}

/* The status is the first that is not 0. */
static enum dt_work
finish(struct dt_hdl *h)
{
	if (h->end.status == 0)
		h->end.status = h->replay.status;
	return DT_WORK_DONE;
}

enum dt_work
dt_replays_work(struct dt_hdl *h, FILE *out)
{
	struct replays_turn t = { 0 };

	/* one heading for all */
	dt_need_consumer(h, out);
	VEC_FOREACH(&h->replay.others, o) {
		dt_need_consumer(*o, out);
		consumer_share_heading(
		    (*o)->output.consumer, h->output.consumer);
	}
	consider(&t, h);
	VEC_FOREACH(&h->replay.others, o)
		consider(&t, *o);
	if (t.next == NULL)
		return finish(h);
	return work_of(h, &t, out) == DT_WORK_ERROR ? DT_WORK_ERROR :
						      DT_WORK_OKAY;
}
