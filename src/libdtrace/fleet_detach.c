/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Begin a detached run (fleet/detached.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fleet/detached.h"
#include "libdtrace/fleet.h"

void
dt_fleet_detach_free(struct fleet_detach *d)
{
	if (d == NULL)
		return;
	free(d->name);
	free(d);
}

/* A name is free if this author has none such, or the run is over. */
static int
free_name(struct dt_hdl *h, const char *name)
{
	uint64_t now = clock_read_ns(CLOCK_REALTIME);
	struct fleet_runs runs = { 0 };
	int rc = dt_fleet_read_runs(h, &runs);

	VEC_FOREACH(&runs.v, k) {
		if (rc != 0 || strcmp(k->request->detached, name) != 0 ||
		    !dt_fleet_is_mine(h, k))
			continue;
		if (k->names.len != 0 && now < k->request->expires_ns)
			rc = dt_fail(h,
			    "a run '%s' of yours is there, on %s: --stop it, "
			    "or choose another name",
			    name, k->names.s);
		else
			rc = dt_fleet_forget_run(h, k->id);
	}
	dt_fleet_free_runs(&runs);
	return rc;
}

static int
make_start_stream(struct dt_hdl *h, const char *subject, struct err *err)
{
	struct dt_fleet *f = h->fleet;
	char *stream = fl_detached_start_stream(f->run);
	char *starts = mem_printf("%s" FL_SUBJECT_START, subject);
	struct fl_keep_form form =
	    fl_detached_start_form(stream, starts, f->detach->life_ns);
	int rc = fl_keep_make(f->keep, &form, err);

	free(starts);
	free(stream);
	return rc;
}

static int
make_streams(struct dt_hdl *h, struct err *err)
{
	struct dt_fleet *f = h->fleet;
	char *stream = fl_detached_stream(f->run);
	char *subject = fl_subject_from_all(f->run);
	struct fl_keep_form runs = fl_detached_runs_form();
	struct fl_keep_form run = fl_detached_run_form(
	    stream, subject, f->detach->max_bytes, f->detach->life_ns);
	int rc = fl_keep_make(f->keep, &runs, err);

	if (rc == 0)
		rc = fl_keep_make(f->keep, &run, err);
	if (rc == 0)
		rc = make_start_stream(h, subject, err);
	free(subject);
	free(stream);
	return rc;
}

int
dt_fleet_keep_request(struct dt_hdl *h, const void *bytes, size_t n)
{
	struct dt_fleet *f = h->fleet;
	char *subject = fl_detached_subject(f->run);
	struct err err = { 0 };
	int rc = make_streams(h, &err);

	if (rc == 0)
		rc = fl_keep_put(f->keep, subject, bytes, n, &err);
	free(subject);
	return rc == 0 ? 0 : dt_fail_err(h, &err);
}

static bool
must_answer(const struct dt_fleet *f)
{
	uint64_t since = now_ns() - f->asked_ns;

	return since < FLEET_ANSWER_NS ||
	    (since < FLEET_BEGIN_NS && dt_fleet_count(f, FLEET_TRYING) != 0);
}

/* No host runs it: the server keeps nothing of it. */
static int
give_up(struct dt_hdl *h, const char *text)
{
	if (dt_fleet_forget_run(h, h->fleet->run) != 0)
		return -1;
	return dt_fleet_nobody(h, text);
}

int
dt_fleet_detach(
    struct dt_hdl *h, const char *name, uint64_t max_bytes, uint64_t life_ns)
{
	struct dt_fleet *f = h->fleet;
	char *text;
	int rc = 0;

	if (!fl_detached_is_name(name))
		return dt_fail(h,
		    "a name of a run has 1 to 64 letters, digits and -_., "
		    "unlike '%s'",
		    name);
	f->detach = mem_alloc(sizeof(*f->detach));
	f->detach->name = mem_strdup(name);
	f->detach->max_bytes = max_bytes != 0 ? max_bytes : FL_KEPT_BYTES;
	f->detach->life_ns = life_ns;
	if (free_name(h, name) != 0 || dt_fleet_gather(h, must_answer) != 0)
		return -1;
	text = dt_fleet_hosts_text(h);
	if (dt_fleet_count(f, FLEET_TRACING) + dt_fleet_count(f, FLEET_TRYING) +
		dt_fleet_count(f, FLEET_ENDED) ==
	    0)
		rc = give_up(h, text);
	else
		dt_notice(h, "%s: %s", name, text);
	free(text);
	return rc;
}
