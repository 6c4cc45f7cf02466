/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console of a fleet (dtrace --fleet): other hosts trace, and their
 * recordings are printed here as one run, while they are made.
 *
 *	request  --NATS-->  agents (dtraced)
 *	consumer <- tape_merge <- blocks of recordings  <--NATS--  agents
 *
 * The agents end the script when the console's beats are no longer heard.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "libdtrace/fleet.h"

#define WAIT_MS 20

static void
send_kind(struct dt_fleet *f, enum fl_kind kind)
{
	struct fl_msg msg = { .kind = kind };
	struct strbuf sb = { 0 };

	fl_msg_encode(&msg, &sb);
	/* a beat that is lost is followed by others */
	(void)fl_bus_send(f->bus, f->run_subject, sb.s, sb.len);
	strbuf_fini(&sb);
}

static void
beat(struct dt_fleet *f)
{
	uint64_t now = now_ns();

	if (now < f->beat_ns)
		return;
	f->beat_ns = now + FLEET_BEAT_NS;
	if (f->attach != NULL)
		return; /* no host waits for the beats of an attached console */
	send_kind(f, f->stop_ns != 0 ? FL_STOP : FL_BEAT);
}

void
dt_fleet_sleep(struct dt_hdl *h)
{
	struct pollfd fds[] = { { .fd = fl_bus_fd(h->fleet->bus),
				    .events = POLLIN },
		{ .fd = h->wait.interrupt_fd, .events = POLLIN } };

	/* reading a stream waits itself */
	if (h->fleet->attach != NULL)
		return;
	/* the second remains readable once a signal has come */
	poll(fds, h->wait.is_interrupted ? 1 : 2, WAIT_MS);
}

/* ---- the beginning ------------------------------------------------------- */

static bool
must_wait(const struct dt_fleet *f)
{
	uint64_t since = now_ns() - f->asked_ns;

	if (since < FLEET_ANSWER_NS)
		return true;
	if (f->merge != NULL || since > FLEET_BEGIN_NS)
		return false;
	return dt_fleet_count(f, FLEET_TRYING) +
	    dt_fleet_count(f, FLEET_TRACING) !=
	    0;
}

int
dt_fleet_nobody(struct dt_hdl *h, const char *text)
{
	if (fl_bus_is_forbidden(h->fleet->bus))
		return dt_fail(h,
		    "the NATS server does not permit all that a console needs: "
		    "to publish to " FL_SUBJECT_ASKS " and " FL_SUBJECT_RUNS
		    ", and to subscribe to dtrace.from.*.*");
	if (h->fleet->hosts.n == 0)
		return dt_fail(h,
		    "no host answered within a second: does dtraced run there, "
		    "with this NATS server, and do --hosts and --label mean "
		    "it?");
	return dt_fail(h, "%s", text);
}

int
dt_fleet_gather(struct dt_hdl *h, bool (*must)(const struct dt_fleet *f))
{
	struct dt_fleet *f = h->fleet;

	if (dt_fleet_send(h) != 0)
		return -1;
	while (must(f) && !h->wait.is_interrupted) {
		dt_fleet_sleep(h);
		if (dt_fleet_letters(h) != 0)
			return -1;
		dt_fleet_look(h);
		beat(f);
	}
	return 0;
}

int
dt_fleet_go(struct dt_hdl *h)
{
	struct dt_fleet *f = h->fleet;
	char *text;
	int rc = 0;

	if (dt_opt_flag(h, DT_OPT_FLOWINDENT) ||
	    dt_opt_flag(h, DT_OPT_AGGPERCPU))
		return dt_fail(h,
		    "a fleet does not have flowindent (-F) and aggpercpu yet: "
		    "CPUs of several hosts would be mixed");
	if (f->attach != NULL)
		return dt_fleet_attach_go(h);
	if (dt_fleet_gather(h, must_wait) != 0)
		return -1;
	if (h->wait.is_interrupted)
		return dt_fail(h, "a signal came before a host traced");
	text = dt_fleet_hosts_text(h);
	if (f->merge == NULL)
		rc = dt_fleet_nobody(h, text);
	else
		dt_notice(h, "%s", text);
	free(text);
	return rc;
}

/* ---- lists --------------------------------------------------------------- */

static bool
must_list(const struct dt_fleet *f)
{
	return now_ns() - f->asked_ns < FLEET_ANSWER_NS ||
	    dt_fleet_count(f, FLEET_TRYING) +
		dt_fleet_count(f, FLEET_TRACING) !=
	    0;
}

int
dt_fleet_list(struct dt_hdl *h, dt_probe_f *fn, void *arg)
{
	struct dt_fleet *f = h->fleet;
	char *text;
	int rc = 0;

	f->list = mem_alloc(sizeof(*f->list));
	if (dt_fleet_gather(h, must_list) != 0)
		return -1;
	if (h->wait.is_interrupted)
		return dt_fail(h, "a signal came before all hosts had listed");
	text = dt_fleet_hosts_text(h);
	if (dt_fleet_count(f, FLEET_ENDED) == 0)
		rc = dt_fleet_nobody(h, text);
	else
		dt_notice(h, "%s", text);
	free(text);
	h->end.is_done = true;
	h->end.status = f->has_lost;
	if (rc == 0 && f->list->probes.n == 0)
		rc = dt_fail(h,
		    "no probe of these hosts matches that the policy permits");
	return rc == 0 ? dt_fleet_list_give(f->list, fn, arg) : rc;
}

/* ---- the work ------------------------------------------------------------ */

static void
stop(struct dt_fleet *f)
{
	if (f->stop_ns != 0)
		return;
	f->stop_ns = now_ns();
	f->beat_ns = 0;
	beat(f);
}

static bool
is_over(const struct dt_fleet *f)
{
	if (f->stop_ns != 0 && now_ns() - f->stop_ns > FLEET_STOP_NS)
		return true;
	if (f->attach != NULL && dt_fleet_attach_must_go_on(f))
		return false;
	if (dt_fleet_must_merge(f))
		return false;
	return dt_fleet_count(f, FLEET_TRYING) +
	    dt_fleet_count(f, FLEET_TRACING) ==
	    0;
}

/* Print the records that have come, and merge the values of aggregations. */
static int
consume(struct dt_hdl *h)
{
	struct tape_merge *m = h->fleet->merge;
	uint32_t agg;
	int rc, all = 0;

	do {
		rc = consumer_work(h->output.consumer, &h->end.status);
		all = rc != 0 ? rc : all;
		agg = tape_merge_pending(m);
		while (rc >= 0 && tape_merge_pending(m) != 0)
			rc = consumer_turn_agg(
			    h->output.consumer, tape_merge_pending(m));
	} while (rc >= 0 && agg != 0);
	return rc < 0 ? rc : all;
}

/* The status is exit()'s; without one it tells of hosts that were lost. */
static void
set_status(struct dt_hdl *h, bool has_exited)
{
	if (!has_exited && h->end.status == 0 && h->fleet->has_lost)
		h->end.status = 1;
}

static enum dt_work
finish(struct dt_hdl *h)
{
	int status = 0, rc;

	dt_fleet_settle(h);
	tape_merge_finish(h->fleet->merge);
	rc = consume(h);
	set_status(h, rc > 0);
	status = h->end.status;
	if (rc >= 0)
		rc = consumer_finish(h->output.consumer, &status);
	dt_fleet_look(h);
	h->end.is_done = true;
	if (rc >= 0)
		rc = consumer_end(h->output.consumer, dt_exit_status(h));
	return rc < 0 ? dt_cannot_consume(h, rc) : DT_WORK_DONE;
}

/* An attached console leaves at once: the run is not its own. */
static bool
must_end(const struct dt_hdl *h)
{
	return h->fleet->attach != NULL &&
	    (h->wait.is_interrupted || h->end.is_stopped);
}

enum dt_work
dt_fleet_work(struct dt_hdl *h, FILE *out)
{
	struct dt_fleet *f = h->fleet;
	int rc;

	if (h->end.is_done)
		return DT_WORK_DONE;
	dt_need_consumer(h, out);
	if (must_end(h)) {
		dt_fleet_attach_leave(h);
		return finish(h);
	}
	if ((h->wait.is_interrupted || h->end.is_stopped) &&
	    !dt_fleet_must_begin(f))
		stop(f);
	if (dt_fleet_letters(h) != 0)
		return DT_WORK_ERROR;
	dt_fleet_look(h);
	beat(f);
	if (is_over(f))
		return finish(h);
	tape_merge_set_until(f->merge, dt_fleet_wall(f) - FLEET_HOLD_NS);
	rc = consume(h);
	if (rc < 0)
		return dt_cannot_consume(h, rc);
	/* exit() on a host ends a detached run there alone */
	if (rc > 0 && f->attach == NULL)
		stop(f);
	return DT_WORK_OKAY;
}

struct tape_merge *
dt_fleet_merge(const struct dt_hdl *h)
{
	return h->fleet->merge;
}

/* ---- the end ------------------------------------------------------------- */

void
dt_fleet_free_host(struct fleet_host *fh)
{
	free(fh->name);
	free(fh->why);
	fl_stream_fini(&fh->stream);
	fl_stream_fini(&fh->begin);
	strbuf_fini(&fh->start);
	VEC_FREE(&fh->listed);
	free(fh);
}

static void
free_request(struct dt_fleet *f)
{
	VEC_FOREACH(&f->patterns, p)
		free((char *)(uintptr_t)*p);
	VEC_FREE(&f->patterns);
	VEC_FOREACH(&f->args, p)
		free((char *)(uintptr_t)*p);
	VEC_FREE(&f->args);
	VEC_FOREACH(&f->options, o) {
		free((char *)(uintptr_t)o->name);
		free((char *)(uintptr_t)o->value);
	}
	VEC_FREE(&f->options);
	VEC_FOREACH(&f->programs, p)
		free((char *)(uintptr_t)p->bytes);
	VEC_FREE(&f->programs);
	fl_key_fini(&f->key);
	fl_conf_fini(&f->conf);
}

void
dt_fleet_close(struct dt_hdl *h)
{
	struct dt_fleet *f = h->fleet;

	if (f == NULL)
		return;
	/* an error ends the console, and with it the scripts */
	if (f->bus != NULL && f->run_subject != NULL && !h->end.is_done) {
		send_kind(f, FL_STOP);
		fl_bus_flush(f->bus, 1000);
	}
	dt_fleet_attach_free(f->attach);
	dt_fleet_detach_free(f->detach);
	fl_keep_close(f->keep);
	fl_bus_close(f->bus);
	VEC_FOREACH(&f->hosts, fh)
		dt_fleet_free_host(*fh);
	VEC_FREE(&f->hosts);
	dt_fleet_free_mergers(f);
	dt_fleet_list_destroy(f->list);
	idmap_fini(&f->named);
	tape_merge_destroy(f->merge);
	record_space_destroy(f->space);
	dt_fleet_program_fini(&f->program);
	free_request(f);
	free(f->run_subject);
	free(f);
	h->fleet = NULL;
}
