/* SPDX-License-Identifier: BSD-2-Clause */
/* The request of a fleet's console: what the command line says, signed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "libdtrace/fleet.h"

/* A thousand hosts send 64 MiB of deltas at once, when they are stopped. */
#define LETTERS_MAX ((size_t)96 << 20)

static char *
default_author(void)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	if (config != NULL && *config != '\0')
		return mem_printf("%s/dtrace/fleet.key", config);
	return mem_printf(
	    "%s/.config/dtrace/fleet.key", home != NULL ? home : "");
}

static int
take_conf(struct dt_hdl *h, const struct dt_fleet_ask *ask)
{
	struct fl_conf *c = &h->fleet->conf;
	struct err err = { 0 };

	if (ask->conf != NULL && fl_conf_read(ask->conf, c, &err) != 0)
		return dt_fail_err(h, &err);
	if (c->labels.n != 0)
		return dt_fail(h,
		    "%s has labels, which are an agent's: --label chooses "
		    "hosts",
		    ask->conf);
	if (ask->url != NULL) {
		free(c->url);
		c->url = mem_strdup(ask->url);
	}
	if (c->author == NULL || ask->author != NULL) {
		free(c->author);
		c->author = ask->author != NULL ? mem_strdup(ask->author) :
						  default_author();
	}
	for (size_t i = 0; ask->labels[i] != NULL; i++) {
		if (fl_conf_add_label(c, ask->labels[i], &err) != 0)
			return dt_fail_err(h, &err);
	}
	return 0;
}

int
dt_fleet_open(struct dt_hdl *h, const struct dt_fleet_ask *ask)
{
	struct dt_fleet *f = h->fleet = mem_alloc(sizeof(*f));
	struct fl_bus_opts opts;
	struct err err = { 0 };

	f->space = record_space_create();
	if (f->space == NULL)
		return dt_fail(
		    h, "cannot read recordings: %s", strerror(ENOMEM));
	for (size_t i = 0; ask->hosts[i] != NULL; i++)
		VEC_PUSH(&f->patterns, mem_strdup(ask->hosts[i]));
	for (size_t i = 0; ask->args[i] != NULL; i++)
		VEC_PUSH(&f->args, mem_strdup(ask->args[i]));
	if (take_conf(h, ask) != 0)
		return -1;
	if (f->patterns.n == 0 && f->conf.labels.n == 0)
		VEC_PUSH(&f->patterns, mem_strdup("*"));
	if (fl_key_read(f->conf.author, &f->key, &err) != 0)
		return dt_fail_err(h, &err);
	opts = fl_conf_bus(&f->conf, "dtrace");
	opts.queue_max = LETTERS_MAX;
	return fl_bus_open(&opts, &f->bus, &err) != 0 ? dt_fail_err(h, &err) :
							0;
}

/* Options of output do not go to hosts: the console makes the output. */
void
dt_fleet_setopt(struct dt_hdl *h, const char *name, const char *value)
{
	enum dt_opt opt = dt_options_find(name);

	if (opt == DT_OPT_DESTRUCTIVE ||
	    (opt != DT_OPT_MAX && opt != DT_OPT_SWITCHRATE &&
		dt_replay_takes(opt)))
		return;
	VEC_PUSH(&h->fleet->options,
	    ((struct fl_pair){
		mem_strdup(name), value != NULL ? mem_strdup(value) : NULL }));
}

static int
add(struct dt_hdl *h, enum fl_program_kind kind, const char *bytes, size_t n)
{
	char *copy = mem_alloc(n + 1);

	memcpy(copy, bytes, n);
	VEC_PUSH(&h->fleet->programs, ((struct fl_program){ kind, copy, n }));
	return 0;
}

int
dt_fleet_add(struct dt_hdl *h, enum lang_pspec spec, const char *text)
{
	enum fl_program_kind kind = FL_PROGRAM_NAME;

	switch (spec) {
	case LANG_PSPEC_PROVIDER:
		kind = FL_PROGRAM_PROVIDER;
		break;
	case LANG_PSPEC_MOD:
		kind = FL_PROGRAM_MODULE;
		break;
	case LANG_PSPEC_FUNC:
		kind = FL_PROGRAM_FUNCTION;
		break;
	case LANG_PSPEC_NAME:
		break;
	}
	return add(h, kind, text, strlen(text));
}

int
dt_fleet_add_file(struct dt_hdl *h, const char *path)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	struct strbuf sb = { 0 };
	size_t n = 0;
	bool is_dof;

	if (f == NULL)
		return dt_fail(h, "cannot read %s: %s", path, strerror(errno));
	do {
		sb.len += n;
		n = fread(strbuf_room(&sb, 65536), 1, 65536, f);
	} while (n != 0 && sb.len <= FL_REQUEST_MAX);
	if (f != stdin)
		fclose(f);
	is_dof = sb.len > 4 && memcmp(sb.s, "\177DOF", 4) == 0;
	if (sb.len == 0 || sb.len > FL_REQUEST_MAX ||
	    (!is_dof && memchr(sb.s, '\0', sb.len) != NULL)) {
		strbuf_fini(&sb);
		return dt_fail(h,
		    "%s: a fleet takes the text of a program, or its DOF, up "
		    "to %u kB",
		    path, FL_REQUEST_MAX >> 10);
	}
	add(h, is_dof ? FL_PROGRAM_DOF : FL_PROGRAM_NAME, sb.s, sb.len);
	strbuf_fini(&sb);
	return 0;
}

/* ---- sending ------------------------------------------------------------- */

void *
dt_fleet_seal(
    struct dt_hdl *h, struct fl_request *rq, uint64_t life_ns, size_t *n)
{
	uint64_t now = clock_read_ns(CLOCK_REALTIME);
	struct err err = { 0 };
	void *bytes = NULL;

	if (fl_request_begin(rq, now, now + life_ns, &err) == 0 &&
	    fl_request_seal(rq, &h->fleet->key, &bytes, n, &err) == 0)
		return bytes;
	(void)dt_fail_err(h, &err);
	return NULL;
}

/* Malloced bytes of the request, or NULL. */
static void *
seal(struct dt_hdl *h, size_t *n)
{
	struct dt_fleet *f = h->fleet;
	struct fl_request rq = { .flags = (dt_opt_flag(h, DT_OPT_DESTRUCTIVE) ?
						  FL_WANTS_DESTRUCTIVE :
						  0) |
		    (f->list != NULL ? FL_WANTS_LIST : 0),
		.hosts = { f->patterns.v, f->patterns.n },
		.labels = { f->conf.labels.v, f->conf.labels.n },
		.programs = { f->programs.v, f->programs.n },
		.options = { f->options.v, f->options.n },
		.args = { f->args.v, f->args.n },
		.detached = f->detach != NULL ? f->detach->name : NULL };
	/* lists and what the server keeps do not go by mergers */
	if (f->list == NULL && f->detach == NULL) {
		rq.mergers =
		    (struct fl_texts){ f->conf.mergers.v, f->conf.mergers.n };
		dt_fleet_name_mergers(h);
	}

	void *bytes = dt_fleet_seal(
	    h, &rq, f->detach != NULL ? f->detach->life_ns : FL_LIFE_NS, n);
	if (bytes == NULL)
		return NULL;
	fl_run_format(rq.id, f->run);
	return bytes;
}

static int
subscribe(struct dt_hdl *h)
{
	struct dt_fleet *f = h->fleet;
	char *from = fl_subject_from_all(f->run);
	char *merged = fl_subject_merged_all(f->run);
	struct err err = { 0 };
	int rc = fl_bus_subscribe(f->bus, from, &err);

	if (rc == 0 && f->mergers.n != 0)
		rc = fl_bus_subscribe(f->bus, merged, &err);
	free(merged);
	free(from);
	return rc != 0 ? dt_fail_err(h, &err) : 0;
}

static int
send_request(struct dt_hdl *h, const void *bytes, size_t n)
{
	struct dt_fleet *f = h->fleet;
	char *subject;
	int rc;

	if (f->detach != NULL)
		return dt_fleet_keep_request(h, bytes, n);
	subject = fl_subject_ask(f->run);
	rc = fl_bus_send(f->bus, subject, bytes, n);
	free(subject);
	return rc == 0 ?
	    0 :
	    dt_fail(h, "the NATS server does not take the request");
}

int
dt_fleet_send(struct dt_hdl *h)
{
	struct dt_fleet *f = h->fleet;
	size_t n = 0;
	void *bytes = seal(h, &n);
	int rc = bytes != NULL ? subscribe(h) : -1;

	if (rc == 0)
		rc = send_request(h, bytes, n);
	free(bytes);
	if (rc != 0)
		return -1;
	f->run_subject = fl_subject_run(f->run);
	fl_bus_flush(f->bus, 1000);
	f->asked_ns = now_ns();
	return 0;
}
