/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Detached runs: begin one, list all, end one (fleet/detached.h).
 *
 * What the streams have is hostile.  Of requests, only those count whose author
 * signed them for the subject on which they are; a host's letters tell no more
 * than whether it runs the script.
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

/* ---- reading ------------------------------------------------------------- */

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

static struct fleet_kept_host *
find_host(const struct fleet_kept *k, const char *name)
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
	struct fleet_kept_host *kh = find_host(k, name);

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

/* Remove what is kept of a run. */
static int
forget_run(struct dt_hdl *h, const char *run)
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
			rc = forget_run(h, k->id);
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

static bool
is_mine(const struct dt_hdl *h, const struct fleet_kept *k)
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
		if (is_mine(h, k))
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

/* ---- detaching ----------------------------------------------------------- */

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
		    !is_mine(h, k))
			continue;
		if (k->names.len != 0 && now < k->request->expires_ns)
			rc = dt_fail(h,
			    "a run '%s' of yours is there, on %s: --stop it, "
			    "or choose another name",
			    name, k->names.s);
		else
			rc = forget_run(h, k->id);
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

/* Nobody runs it: nothing stays. */
static int
give_up(struct dt_hdl *h, const char *text)
{
	if (forget_run(h, h->fleet->run) != 0)
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
	if (need_keep(h) != 0 || free_name(h, name) != 0 ||
	    dt_fleet_gather(h, must_answer) != 0)
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

/* ---- listing ------------------------------------------------------------- */

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

/* ---- stopping ------------------------------------------------------------ */

/* A signed request to stop the run; its subject is malloced. */
static void *
seal_stop(struct dt_hdl *h, const struct fleet_kept *k, char stop[FL_RUN_TEXT],
    size_t *n)
{
	static const char *all[] = { "*" };
	uint64_t now = clock_read_ns(CLOCK_REALTIME);
	uint64_t until = k->request->expires_ns;
	struct fl_request rq = { .flags = FL_WANTS_STOP,
		.hosts = { all, 1 },
		.detached = k->request->detached,
		.stops = k->id };
	void *bytes = dt_fleet_seal(h, &rq, until > now ? until - now : 1, n);

	fl_run_format(rq.id, stop);
	return bytes;
}

/* Of the hosts that run it: how many there are, and what they answered. */
struct stop_answers {
	size_t nhosts, nheard; /* all; those that were heard lately */
	size_t n, nrefused;
	size_t nawaited; /* answers of those that were heard lately */
};

static struct stop_answers
count_hosts(const struct fleet_kept *k)
{
	struct stop_answers answers = { 0 };

	VEC_FOREACH(&k->hosts, kh) {
		answers.nhosts += kh->runs;
		answers.nheard += kh->runs && kh->is_heard;
	}
	return answers;
}

/*
 * A letter is hostile: a host answers for itself, and once.  A host that does
 * not run the script has nothing to answer.
 */
static struct fleet_kept_host *
find_answerer(const struct fleet_kept *k, const struct fl_letter *letter)
{
	char *name = fl_subject_host(letter->subject);
	struct fleet_kept_host *kh = name != NULL ? find_host(k, name) : NULL;

	free(name);
	return kh != NULL && kh->runs && !kh->has_answered ? kh : NULL;
}

static void
take_answer(struct dt_hdl *h, const struct fleet_kept *k,
    const struct fl_letter *letter, struct stop_answers *answers)
{
	struct fleet_kept_host *kh = find_answerer(k, letter);
	struct fl_msg msg;
	char *text;

	if (kh == NULL || !fl_msg_decode(letter->data, letter->len, &msg) ||
	    (msg.kind != FL_ENDED && msg.kind != FL_REFUSED))
		return;
	text = fl_msg_text(&msg);
	dt_notice(h, "%s: %s%s", kh->name,
	    msg.kind == FL_REFUSED ? "refused: " : "",
	    *text != '\0' ? text : "the script has ended");
	kh->has_answered = true;
	answers->n++;
	answers->nrefused += msg.kind == FL_REFUSED;
	answers->nawaited += kh->is_heard;
	free(text);
}

/* Hear hosts until those that run it have ended it, or said why not. */
static int
hear_stop(
    struct dt_hdl *h, const struct fleet_kept *k, struct stop_answers *answers)
{
	struct dt_fleet *f = h->fleet;
	uint64_t until = now_ns() + FLEET_STOP_NS;
	struct fl_letter letter;

	while (answers->nawaited < answers->nheard && now_ns() < until &&
	    !h->wait.is_interrupted) {
		dt_fleet_sleep(h);
		for (int n = 0; n < FL_LETTERS && fl_bus_take(f->bus, &letter);
		     n++)
			take_answer(h, k, &letter, answers);
	}
	if (answers->nheard == 0)
		dt_notice(h, "hosts that are away end it when they come back");
	if (answers->nrefused != 0)
		return dt_fail(h, "the run goes on where that was refused");
	return answers->nawaited == answers->nheard ?
	    0 :
	    dt_fail(h, "%zu of %zu hosts did not answer",
		answers->nheard - answers->nawaited, answers->nheard);
}

static int
subscribe_to(struct dt_hdl *h, const char *run)
{
	char *subject = fl_subject_from_all(run);
	struct err err = { 0 };
	int rc = fl_bus_subscribe(h->fleet->bus, subject, &err);

	free(subject);
	return rc == 0 ? 0 : dt_fail_err(h, &err);
}

/* A request that all hosts refuse is not kept. */
static int
ask_to_stop(struct dt_hdl *h, const struct fleet_kept *k, const char *subject,
    const void *bytes, size_t n)
{
	struct fl_keep *keep = h->fleet->keep;
	struct stop_answers answers = count_hosts(k);
	struct err err = { 0 };

	if (fl_keep_put(keep, subject, bytes, n, &err) != 0)
		return dt_fail_err(h, &err);
	if (hear_stop(h, k, &answers) == 0)
		return 0;
	if (answers.nrefused == answers.nhosts &&
	    fl_keep_forget(keep, FL_RUNS_STREAM, subject, &err) != 0)
		err_clear(&err);
	return -1;
}

static int
stop_run(struct dt_hdl *h, const struct fleet_kept *k)
{
	char stop[FL_RUN_TEXT], *subject;
	size_t n = 0;
	void *bytes;
	int rc;

	if (k->names.len == 0)
		return dt_fail(h,
		    "no host runs '%s': it has ended, and --attach shows what "
		    "it made",
		    k->request->detached);
	bytes = seal_stop(h, k, stop, &n);
	subject = fl_detached_stop_subject(k->id, stop);
	/* hosts say that the run has ended, or refuse the request to stop */
	rc = bytes == NULL ? -1 : subscribe_to(h, k->id);
	if (rc == 0)
		rc = subscribe_to(h, stop);
	if (rc == 0)
		rc = ask_to_stop(h, k, subject, bytes, n);
	free(subject);
	free(bytes);
	return rc;
}

int
dt_fleet_end(struct dt_hdl *h, const char *name)
{
	struct fleet_runs runs = { 0 };
	struct fleet_kept *k;
	int rc = dt_fleet_read_runs(h, &runs);

	if (rc == 0) {
		k = dt_fleet_find_run(h, &runs, name);
		rc = k != NULL ? stop_run(h, k) : -1;
	}
	dt_fleet_free_runs(&runs);
	return rc;
}
