/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replay (dtrace -r): the consumer prints a recorded run again.
 *
 *	dt_replay_open -> dt_setopt -> dt_go -> { dt_work }
 *
 * Nothing of this machine is asked but for its clock and its terminal: the
 * program, its options, the probes and the names of addresses come from the
 * file.  A recording is hostile: its program is decoded and verified as every
 * DOF, and nothing of it runs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"

bool
dt_is_replay(const struct dt_hdl *h)
{
	return h->replay.tapes.n != 0 || h->fleet != NULL;
}

struct dt_tape *
dt_tape_open(struct dt_hdl *h, const char *path)
{
	struct err err = { 0 };
	struct dt_tape *t, new = { 0 };
	const void *dof;
	size_t len;

	if (record_open(path, &new.file, &err) != 0) {
		(void)dt_fail_err(h, &err);
		return NULL;
	}
	new.path = mem_strdup(path);
	VEC_PUSH(&h->replay.tapes, new);
	t = &h->replay.tapes.v[h->replay.tapes.n - 1];
	dof = record_program(t->file, &len);
	t->dif = dt_load_dof(h, dof, len);
	return t->dif != NULL ? t : NULL;
}

int
dt_replay_open(struct dt_hdl *h, const char *path)
{
	if (dt_is_replay(h))
		return dt_replays_add(h, path);
	return dt_tape_open(h, path) != NULL ? 0 : -1;
}

static struct dt_tape *
the_tape(struct dt_hdl *h)
{
	return &h->replay.tapes.v[0];
}

/* Options of the output may be others than those of the recorded run. */
bool
dt_replay_takes(enum dt_opt opt)
{
	return dt_optinfo[opt].class_ == DT_OPT_DYNAMIC ||
	    opt == DT_OPT_OFORMAT || opt == DT_OPT_AGGPERCPU ||
	    opt == DT_OPT_ALLFAULTS || opt == DT_OPT_COLOR ||
	    opt == DT_OPT_DEBUG || opt == DT_OPT_DROPTAGS ||
	    opt == DT_OPT_ENCODING || opt == DT_OPT_FLAMEDIFF;
}

int
dt_replay_check_option(struct dt_hdl *h, const char *name)
{
	enum dt_opt opt = dt_options_find(name);

	if (!dt_is_replay(h) || dt_is_query(h) || h->fleet != NULL ||
	    opt == DT_OPT_MAX || dt_replay_takes(opt))
		return 0;
	return dt_fail(h,
	    "option %s: it concerns tracing, which is over; a replay takes "
	    "options of the output",
	    name);
}

/* Name the actions of the run that changed the system: a replay skips them. */
static void
tell_destructive(struct dt_hdl *h)
{
	struct strbuf names = { 0 };
	bool seen[UINT8_MAX + 1] = { 0 };

	VEC_FOREACH(&the_tape(h)->dif->clauses, cl) {
		VEC_FOREACH(&cl->actions, a) {
			const struct dif_actinfo *info =
			    DT_ACT_IS_DESTRUCTIVE(a->kind) ? dif_act(a->kind) :
							     NULL;

			if (info == NULL || seen[a->kind & UINT8_MAX])
				continue;
			seen[a->kind & UINT8_MAX] = true;
			strbuf_printf(&names, "%s%s()",
			    names.len != 0 ? ", " : "", info->name);
		}
	}
	if (names.len != 0)
		dt_notice(h,
		    "the recorded program has %s: a replay does not change "
		    "the system",
		    names.s);
	strbuf_fini(&names);
}

void
dt_replay_tell_damage(struct dt_hdl *h)
{
	const char *text;

	VEC_FOREACH(&h->replay.tapes, t) {
		while ((text = record_damage(t->file, t->ntold)) != NULL) {
			t->ntold++;
			if (h->replay.tapes.n == 1 &&
			    !h->replay.is_one_of_several)
				dt_notice(
				    h, "the recording is damaged: %s", text);
			else
				dt_notice(h, "the recording %s is damaged: %s",
				    t->path, text);
		}
	}
}

static void
tell_machine(struct dt_hdl *h, const struct dt_tape *t)
{
	const struct record_machine *m = record_machine(t->file);
	const char *build_id = record_find_build_id(t->file, "vmlinux");

	dt_notice(h,
	    "%s: recorded by %s on %s, Linux %s (build id %s), %s, "
	    "%u CPU%s",
	    t->path, m->dtrace, m->host, m->release,
	    build_id != NULL ? build_id : "not recorded", m->arch, m->ncpus,
	    m->ncpus == 1 ? "" : "s");
}

void
dt_replay_tell_machines(struct dt_hdl *h)
{
	if (!h->is_verbose)
		return;
	VEC_FOREACH(&h->replay.tapes, t)
		tell_machine(h, t);
	VEC_FOREACH(&h->replay.others, o) {
		VEC_FOREACH(&(*o)->replay.tapes, t)
			tell_machine(h, t);
	}
}

/* Some forms of output tell what ran: take it from the recording. */
static void
take_run(struct dt_hdl *h)
{
	const struct record *r = the_tape(h)->file;
	const struct record_machine *m = record_machine(r);
	const struct record_program_source *s;

	h->output.sources.n = 0;
	for (size_t i = 0; (s = record_program_source(r, i)) != NULL; i++)
		VEC_PUSH(&h->output.sources,
		    ((struct consume_source){ s->name, s->text, s->nprobes }));
	for (uint32_t id = 1; id <= record_naggs(r); id++) {
		const struct record_agg *a = record_agg(r, id);
		bool has = a != NULL && *a->remark != '\0';

		VEC_PUSH(&h->output.remarks, has ? a->remark : NULL);
	}
	dt_set_run(h,
	    &(struct consume_run){ .product = m->dtrace,
		.host = m->host,
		.kernel = m->release,
		.start_ns = m->time_ns,
		.wall_ns = m->wall_ns });
}

int
dt_replay_go(struct dt_hdl *h)
{
	struct dt_tape *t = the_tape(h);
	struct err err = { 0 };

	dt_need_plan(h);
	if (plan_add_program(h->plan, t->dif, &h->compiled.diags) != 0)
		return dt_fail(h, "the recorded program cannot be enabled");
	if (tape_play(t->file, h->plan, &t->player, &err) != 0)
		return dt_fail_err(h, &err);
	take_run(h);
	dt_replay_tell_machines(h);
	tell_destructive(h);
	dt_replay_tell_damage(h);
	return dt_replays_go(h);
}

/* The exit status: the run's, or 1 if the recording does not have it. */
static void
take_status(struct dt_hdl *h)
{
	const char *path =
	    h->replay.is_one_of_several ? the_tape(h)->path : "the recording";

	if (tape_player_status(the_tape(h)->player, &h->end.status))
		return;
	if (h->wait.is_interrupted)
		return;
	h->end.status = 1;
	dt_notice(h,
	    "%s is cut off: tracing went on, or ended without dtrace's doing",
	    path);
}

/* One step of the recorded consumer. */
static int
step(struct dt_hdl *h, enum tape_step what, uint32_t agg)
{
	struct consumer *c = h->output.consumer;
	int status, rc = 0;

	switch (what) {
	case TAPE_WORK:
		/* an exit() does not end a replay: what it led to follows */
		rc = consumer_work(c, &status);
		break;
	case TAPE_TURN:
		rc = consumer_turn_agg(c, agg);
		break;
	case TAPE_DROPS:
		rc = consumer_report_drops(c);
		break;
	case TAPE_NOTICE:
		dt_notice(h, "%s", tape_player_text(the_tape(h)->player));
		break;
	case TAPE_ERROR:
		dt_notice(h, "%s", tape_player_text(the_tape(h)->player));
		break;
	case TAPE_STOPPED:
	case TAPE_END:
		break;
	}
	return rc < 0 ? rc : 0;
}

static enum dt_work
finish(struct dt_hdl *h)
{
	int status = 0, rc = consumer_finish(h->output.consumer, &status);
	enum tape_step what = TAPE_DROPS;
	uint32_t agg = 0;

	h->end.is_done = true;
	/* to the end of the file, where the status is */
	while (rc >= 0 && (what == TAPE_DROPS || what == TAPE_NOTICE)) {
		what = tape_player_next(the_tape(h)->player, &agg);
		rc = step(h, what, agg);
	}
	/* of a run that was cut off, drops may not be reported yet */
	if (rc >= 0)
		rc = consumer_report_drops(h->output.consumer);
	dt_replay_tell_damage(h);
	take_status(h);
	if (rc >= 0)
		rc = consumer_end(h->output.consumer, dt_exit_status(h));
	return rc < 0 ? dt_cannot_consume(h, rc) : DT_WORK_DONE;
}

enum dt_work
dt_replay_work(struct dt_hdl *h, FILE *out)
{
	return h->replay.others.n != 0 ? dt_replays_work(h, out) :
					 dt_replay_step(h, out);
}

enum dt_work
dt_replay_step(struct dt_hdl *h, FILE *out)
{
	enum tape_step what;
	uint32_t agg = 0;
	int rc;

	if (h->end.is_done)
		return DT_WORK_DONE;
	dt_need_consumer(h, out);
	if (h->wait.is_interrupted)
		return finish(h);
	what = tape_player_next(the_tape(h)->player, &agg);
	dt_replay_tell_damage(h);
	rc = step(h, what, agg);
	if (rc < 0)
		return dt_cannot_consume(h, rc);
	return what == TAPE_STOPPED || what == TAPE_END || what == TAPE_ERROR ?
	    finish(h) :
	    DT_WORK_OKAY;
}

void
dt_replay_close(struct dt_hdl *h)
{
	VEC_FOREACH(&h->replay.tapes, t) {
		tape_player_destroy(t->player);
		plan_destroy(t->plan);
		dif_prog_destroy(t->dif);
		record_close(t->file);
		free(t->path);
	}
	VEC_FREE(&h->replay.tapes);
	dt_replays_close(h);
	free(h->replay.hosts);
	free(h->replay.kernels);
}
