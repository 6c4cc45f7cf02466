/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A console that comes to a detached run (dtrace --attach).
 *
 * The server's stream has all letters that a console would have heard, from the
 * beginning.
 * Aggregations travel as deltas, so each missing letter counts: the console
 * reports letters that are no longer kept as lost.  The beginnings of
 * recordings are kept in another stream, so later blocks can be read without
 * the first.
 *
 * Until the console has read all kept letters, it uses the wall time at which a
 * letter came to the server instead of its own.  So records of several hosts
 * come in the same order as for a console that was there.
 */
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "fleet/detached.h"
#include "libdtrace/fleet.h"

#define FETCH_MS 20
#define START_MS 1000
#define LETTERS 1024 /* before what they bring is printed */

void
dt_fleet_attach_free(struct fleet_attach *at)
{
	if (at == NULL)
		return;
	fl_reader_close(at->reader);
	free(at->start_stream);
	free(at->stream);
	free(at->name);
	free(at);
}

static int
open_run(struct dt_hdl *h, const struct fleet_kept *k)
{
	struct dt_fleet *f = h->fleet;
	struct fleet_attach *at = f->attach = mem_alloc(sizeof(*at));
	struct fl_reader_opts opts = { .first = 1 };
	struct fl_keep_state state;
	struct err err = { 0 };

	at->name = mem_strdup(k->request->detached);
	at->stream = fl_detached_stream(k->id);
	at->start_stream = fl_detached_start_stream(k->id);
	at->until_ns = k->request->expires_ns;
	if (fl_keep_look(f->keep, at->stream, &state, &err) != 0)
		return dt_fail_err(h, &err);
	opts.stream = at->stream;
	at->reader = fl_reader_open(f->keep, &opts);
	return 0;
}

int
dt_fleet_attach(struct dt_hdl *h, const char *name)
{
	struct fleet_runs runs = { 0 };
	struct fleet_kept *k;
	int rc = dt_fleet_read_runs(h, &runs);

	if (rc == 0) {
		k = dt_fleet_find_run(h, &runs, name);
		rc = k != NULL ? open_run(h, k) : -1;
	}
	dt_fleet_free_runs(&runs);
	return rc;
}

/* ---- letters ------------------------------------------------------------- */

void
dt_fleet_read_starts(struct dt_hdl *h, uint64_t until_ns, const char *host)
{
	struct dt_fleet *f = h->fleet;
	const struct fl_reader_opts opts = { .stream =
						 f->attach->start_stream };
	struct fl_reader *r = fl_reader_open(f->keep, &opts);
	struct fl_kept kept;

	while (fl_reader_next(r, START_MS, &kept)) {
		if (kept.wall_ns <= until_ns &&
		    dt_fleet_take_start(h, &kept.letter, host) && host != NULL)
			break;
		if (fl_reader_is_at_end(r))
			break;
	}
	fl_reader_close(r);
}

/* Letters before this one are no longer kept. */
static int
take_missed(struct dt_hdl *h, const struct fl_kept *kept)
{
	struct dt_fleet *f = h->fleet;

	dt_notice(h,
	    "%llu messages of %s are no longer kept: their data are missing",
	    (unsigned long long)kept->nmissed, f->attach->name);
	f->has_lost = true;
	if (f->hosts.n != 0)
		return 0;
	dt_fleet_read_starts(h, kept->wall_ns, NULL);
	return dt_fleet_open_starts(h);
}

/* All that was kept is read. */
static void
tell_hosts(struct dt_hdl *h)
{
	struct dt_fleet *f = h->fleet;
	size_t n =
	    dt_fleet_count(f, FLEET_TRYING) + dt_fleet_count(f, FLEET_TRACING);

	dt_notice(h, "%s: %zu host%s run%s it", f->attach->name, n,
	    n == 1 ? "" : "s", n == 1 ? "s" : "");
}

int
dt_fleet_attach_letters(struct dt_hdl *h)
{
	struct fleet_attach *at = h->fleet->attach;
	struct fl_kept kept;

	for (int n = 0; n < LETTERS; n++) {
		if (!fl_reader_next(at->reader, FETCH_MS, &kept))
			break;
		at->wall_ns = kept.wall_ns;
		if (kept.nmissed != 0 && take_missed(h, &kept) != 0)
			return -1;
		if (dt_fleet_take_letter(h, &kept.letter) != 0)
			return -1;
		if (fl_reader_is_at_end(at->reader))
			break;
	}
	if (!at->has_caught_up && fl_reader_is_at_end(at->reader)) {
		at->has_caught_up = true;
		tell_hosts(h);
	}
	return 0;
}

uint64_t
dt_fleet_wall(const struct dt_fleet *f)
{
	return f->attach != NULL && !f->attach->has_caught_up ?
	    f->attach->wall_ns :
	    clock_read_ns(CLOCK_REALTIME);
}

bool
dt_fleet_attach_must_go_on(const struct dt_fleet *f)
{
	return !f->attach->has_caught_up;
}

void
dt_fleet_attach_leave(struct dt_hdl *h)
{
	struct dt_fleet *f = h->fleet;

	if (f->attach->has_caught_up)
		return;
	dt_notice(h, "%s: not all that is kept was read", f->attach->name);
	f->has_lost = true;
}

/* ---- the beginning ------------------------------------------------------- */

/* There is nothing to print yet, but there may be soon. */
static bool
must_wait(const struct dt_fleet *f, uint64_t began_ns)
{
	if (f->merge != NULL)
		return false;
	if (!f->attach->has_caught_up)
		return true;
	return now_ns() - began_ns < FLEET_BEGIN_NS &&
	    dt_fleet_count(f, FLEET_TRYING) +
		dt_fleet_count(f, FLEET_TRACING) !=
	    0;
}

int
dt_fleet_attach_go(struct dt_hdl *h)
{
	struct dt_fleet *f = h->fleet;
	uint64_t began_ns = now_ns();

	f->has_told_hosts = true;
	while (must_wait(f, began_ns) && !h->wait.is_interrupted) {
		if (dt_fleet_attach_letters(h) != 0)
			return -1;
		dt_fleet_look(h);
	}
	if (h->wait.is_interrupted)
		return dt_fail(h, "a signal came before a host was read");
	if (f->merge == NULL)
		return dt_fail(
		    h, "no host's data of %s can be read", f->attach->name);
	return 0;
}
