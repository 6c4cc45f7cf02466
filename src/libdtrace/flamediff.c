/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option flamediff: the other run of a flame graph.
 *
 * The consumer reads lines of oformat=folded.  A recording is made such lines
 * of: it is replayed by a handle of its own into a file without a name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "consume/oformat.h"
#include "libdtrace/dt_impl.h"

static int
cannot_read(struct dt_hdl *h, const char *path, const char *why)
{
	return dt_fail(h, "option flamediff: %s: %s", path, why);
}

/* Take over the messages of the other handle. */
static void
take_notices(struct dt_hdl *h, struct dt_hdl *other)
{
	const char *text = dt_notices(other);

	if (*text != '\0')
		dt_notice(h, "option flamediff: %.*s", (int)strcspn(text, "\n"),
		    text);
}

static int
replay_into(struct dt_hdl *other, const char *path, FILE *out)
{
	enum dt_work work = DT_WORK_OKAY;

	if (dt_replay_open(other, path) != 0 ||
	    dt_setopt(other, "oformat", "folded") != 0 ||
	    dt_setopt(other, "quiet", NULL) != 0 || dt_go(other) != 0)
		return -1;
	while (work == DT_WORK_OKAY)
		work = dt_work(other, out);
	return work == DT_WORK_DONE ? 0 : -1;
}

/* The lines of a recording, in a file without a name; NULL: an error is set. */
static FILE *
fold(struct dt_hdl *h, const char *path)
{
	struct dt_hdl *other = dt_open();
	FILE *out = tmpfile();

	if (other == NULL || out == NULL) {
		cannot_read(h, path, strerror(errno));
	} else if (replay_into(other, path, out) != 0) {
		cannot_read(h, path, dt_errmsg(other));
	} else {
		take_notices(h, other);
		rewind(out);
		dt_close(other);
		return out;
	}
	if (other != NULL)
		dt_close(other);
	if (out != NULL)
		fclose(out);
	return NULL;
}

int
dt_flamediff_open(struct dt_hdl *h)
{
	const struct dt_optval *v = &h->opts.vals[DT_OPT_FLAMEDIFF];
	const char *path;
	FILE *f;

	if (!v->is_set)
		return 0;
	path = v->strs.v[0];
	if (oformat_by_choice((size_t)dt_opt(h, DT_OPT_OFORMAT)) !=
	    &oformat_flame)
		return dt_fail(
		    h, "option flamediff is about oformat=flame, and no other");
	f = fopen(path, "re");
	if (f == NULL)
		return cannot_read(h, path, strerror(errno));
	if (record_is(f)) {
		fclose(f);
		f = fold(h, path);
	}
	h->output.before = f;
	return f != NULL ? 0 : -1;
}
