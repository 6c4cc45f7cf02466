/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Detached runs that the server keeps (fleet/detached.h): read them, list them,
 * find one by its name, forget one.
 *
 * The streams are hostile.  A request counts only if its author signed it for
 * the subject on which it is; a host's letters tell no more than whether the
 * host runs the script.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fleet/detached.h"
#include "libdtrace/fleet.h"

#define READ_MS 1000

/* Connect to the streams. */
CHECKED static int
need_keep(struct dt_hdl *h)
{
	struct dt_fleet *f = h->fleet;
	struct err err = { 0 };

	if (f->keep != NULL || fl_keep_open(f->bus, &f->keep, &err) == 0)
		return 0;
	return dt_fail_err(h, &err);
}

/* Call f for all letters of a stream; one that is not there has none. */
static int
read_all(struct dt_hdl *h, const struct fl_reader_opts *opts,
    void (*f)(const struct fl_kept *kept, void *arg), void *arg)
{
	struct fl_keep *k = h->fleet->keep;
	struct fl_keep_state state;
	struct err err = { 0 };
	struct fl_reader *r;
	struct fl_kept kept;
	bool is_whole = false;
	int rc = fl_keep_look(k, opts->stream, &state, &err);

	if (rc != 0 && rc != -ENOENT)
		return dt_fail_err(h, &err);
	err_clear(&err);
	if (rc != 0 || state.n == 0)
		return 0;
	r = fl_reader_open(k, opts);
	while (!is_whole && fl_reader_next(r, READ_MS, &kept)) {
		f(&kept, arg);
		is_whole = fl_reader_is_at_end(r);
	}
	is_whole |= fl_reader_is_at_end(r);
	fl_reader_close(r);
	return is_whole ?
	    0 :
	    dt_fail(h, "the NATS server does not give what it keeps");
}

static void
take_run(const struct fl_kept *kept, void *arg)
{
	struct fleet_runs *runs = arg;
	struct fleet_kept k = { .bytes = 0 };
	struct fl_detached_id id;
	struct err err = { 0 };
	bool is_right = false;

	if (!fl_detached_parse(kept->letter.subject, &id) || id.stops)
		return;
	k.request = fl_request_peek(kept->letter.data, kept->letter.len, &err);
	err_clear(&err);
	if (k.request != NULL) {
		fl_run_format(k.request->id, k.id);
		is_right = strcmp(k.id, id.run) == 0 &&
		    (k.request->flags & FL_WANTS_STOP) == 0 &&
		    k.request->detached != NULL &&
		    fl_detached_is_name(k.request->detached);
	}
	if (is_right)
		VEC_PUSH(&runs->v, k);
	else
		fl_request_destroy(k.request);
}

struct fleet_kept_host *
dt_fleet_kept_host(const struct fleet_kept *k, const char *name)
{
	VEC_FOREACH(&k->hosts, kh) {
		if (strcmp(kh->name, name) == 0)
			return kh;
	}
	return NULL;
}

static struct fleet_kept_host *
need_host(struct fleet_kept *k, const char *name)
{
	struct fleet_kept_host *kh = dt_fleet_kept_host(k, name);

	if (kh != NULL)
		return kh;
	VEC_PUSH(
	    &k->hosts, ((struct fleet_kept_host){ .name = mem_strdup(name) }));
	return &k->hosts.v[k->hosts.n - 1];
}

/* A host comes again if it sends while the stream is read. */
static void
take_host(const struct fl_kept *kept, void *arg)
{
	uint64_t now = clock_read_ns(CLOCK_REALTIME);
	char *host = fl_subject_host(kept->letter.subject);
	struct fleet_kept_host *kh;
	struct fl_msg msg;

	if (host != NULL &&
	    fl_msg_decode(kept->letter.data, kept->letter.len, &msg)) {
		kh = need_host(arg, host);
		kh->runs = msg.kind != FL_ENDED && msg.kind != FL_REFUSED;
		kh->is_heard = now < kept->wall_ns + FL_CUT_NS;
	}
	free(host);
}

static void
write_names(struct fleet_kept *k)
{
	VEC_FOREACH(&k->hosts, kh) {
		if (kh->runs)
			strbuf_printf(&k->names, "%s%s%s",
			    k->names.len != 0 ? "," : "", kh->name,
			    kh->is_heard ? "" : "?");
	}
}

static int
read_hosts(struct dt_hdl *h, struct fleet_kept *k)
{
	char *stream = fl_detached_stream(k->id);
	char *subject = fl_subject_from_all(k->id);
	const struct fl_reader_opts opts = {
		.stream = stream, .filter = subject, .only_last = true
	};
	struct fl_keep_state state;
	struct err err = { 0 };
	int rc;

	if (fl_keep_look(h->fleet->keep, stream, &state, &err) == 0)
		k->bytes = state.bytes;
	err_clear(&err);
	rc = read_all(h, &opts, take_host, k);
	write_names(k);
	free(subject);
	free(stream);
	return rc;
}

/* A run whose time was over long ago is removed. */
static bool
is_old(const struct fleet_kept *k)
{
	return clock_read_ns(CLOCK_REALTIME) >
	    k->request->expires_ns + FL_KEPT_NS;
}

static int
forget_letters(struct dt_hdl *h, const char *run, struct err *err)
{
	char *asked = fl_detached_subject(run);
	char *stops = fl_detached_stop_subject(run, "*");
	int rc = fl_keep_forget(h->fleet->keep, FL_RUNS_STREAM, asked, err);

	if (rc == 0)
		rc = fl_keep_forget(h->fleet->keep, FL_RUNS_STREAM, stops, err);
	free(stops);
	free(asked);
	return rc;
}

int
dt_fleet_forget_run(struct dt_hdl *h, const char *run)
{
	char *stream = fl_detached_stream(run);
	char *starts = fl_detached_start_stream(run);
	struct err err = { 0 };
	int rc = forget_letters(h, run, &err);

	if (rc == 0)
		rc = fl_keep_remove(h->fleet->keep, stream, &err);
	if (rc == 0)
		rc = fl_keep_remove(h->fleet->keep, starts, &err);
	free(starts);
	free(stream);
	return rc == 0 ? 0 : dt_fail_err(h, &err);
}

static void
kept_fini(struct fleet_kept *k)
{
	fl_request_destroy(k->request);
	VEC_FOREACH(&k->hosts, kh)
		free(kh->name);
	VEC_FREE(&k->hosts);
	strbuf_fini(&k->names);
}

int
dt_fleet_read_runs(struct dt_hdl *h, struct fleet_runs *out)
{
	const struct fl_reader_opts opts = { .stream = FL_RUNS_STREAM,
		.filter = FL_SUBJECT_KEPT };
	size_t n = 0;
	int rc = need_keep(h);

	if (rc == 0)
		rc = read_all(h, &opts, take_run, out);
	for (size_t i = 0; i < out->v.n; i++) {
		struct fleet_kept *k = &out->v.v[i];

		if (rc == 0 && is_old(k)) {
			rc = dt_fleet_forget_run(h, k->id);
			kept_fini(k);
			continue;
		}
		if (rc == 0)
			rc = read_hosts(h, k);
		out->v.v[n++] = *k;
	}
	out->v.n = n;
	return rc;
}

void
dt_fleet_free_runs(struct fleet_runs *runs)
{
	VEC_FOREACH(&runs->v, k)
		kept_fini(k);
	VEC_FREE(&runs->v);
}

bool
dt_fleet_is_mine(const struct dt_hdl *h, const struct fleet_kept *k)
{
	return memcmp(k->request->author_key, h->fleet->key.public,
		   FL_PUBLIC_SIZE) == 0;
}

struct fleet_kept *
dt_fleet_find_run(struct dt_hdl *h, struct fleet_runs *runs, const char *name)
{
	struct fleet_kept *found = NULL;
	size_t n = 0;

	VEC_FOREACH(&runs->v, k) {
		if (strcmp(k->request->detached, name) != 0)
			continue;
		if (dt_fleet_is_mine(h, k))
			return k;
		found = k;
		n++;
	}
	if (n == 1)
		return found;
	if (n == 0)
		(void)dt_fail(
		    h, "there is no detached run '%s': --list shows all", name);
	else
		(void)dt_fail(h,
		    "several authors have a run '%s': give the key of one "
		    "with --author",
		    name);
	return NULL;
}

static int
give_run(const struct fleet_kept *k,
    int (*f)(const struct dt_fleet_run *run, void *arg), void *arg)
{
	char author[FL_PUBLIC_TEXT] = "?";
	struct err err = { 0 };
	struct dt_fleet_run run = { .name = k->request->detached,
		.author = author,
		.hosts = k->names.s != NULL ? k->names.s : "",
		.since_ns = k->request->issued_ns,
		.until_ns = k->request->expires_ns,
		.bytes = k->bytes };

	if (fl_public_format(k->request->author_key, author, &err) != 0)
		err_clear(&err);
	return f(&run, arg);
}

int
dt_fleet_runs(struct dt_hdl *h,
    int (*f)(const struct dt_fleet_run *run, void *arg), void *arg)
{
	struct fleet_runs runs = { 0 };
	int rc = dt_fleet_read_runs(h, &runs);

	for (size_t i = 0; rc == 0 && i < runs.v.n; i++)
		rc = give_run(&runs.v.v[i], f, arg);
	dt_fleet_free_runs(&runs);
	return rc;
}
