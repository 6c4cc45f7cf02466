/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queries: new programs over a recording's firings (dtrace -r FILE -n ...).
 *
 *	dt_query_open -> dt_setopt -> dt_compile_* -> dt_prog_exec -> dt_go
 *	        -> { dt_work }
 *
 * The probes are the recording's, with BEGIN, END, ERROR and ticks; no other
 * provider is asked.  The recorded program has a plan of its own, by which the
 * player reads the records; exec/replay runs the new one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "dt_product.h"
#include "libdtrace/dt_impl.h"

bool
dt_is_query(const struct dt_hdl *h)
{
	return h->replay.plan != NULL;
}

/* ---- probes -------------------------------------------------------------- */

static size_t
recorded_args(const struct dt_probe *p, struct dt_argdesc args[DT_NARGS_MAX])
{
	const struct record_probe *rp = p->data;
	size_t n = rp->nargs < DT_NARGS_MAX ? rp->nargs : DT_NARGS_MAX;

	for (size_t i = 0; i < n; i++)
		args[i] =
		    (struct dt_argdesc){ rp->args[i].native, rp->args[i].xlate,
			    rp->args[i].mapping, rp->args[i].is_userland };
	return n;
}

static const char *const recorded_attrs[] = {
	"Unstable/Unstable/Common",
	"Unstable/Unstable/Common",
	"Unstable/Unstable/Common",
	"Unstable/Unstable/Common",
	"Unstable/Unstable/Common",
};

static const struct dt_provider_ops recorded = {
	.name = "recording",
	.args = recorded_args,
	.privilege = DT_PRIV_USER,
	.attrs = recorded_attrs,
};

static bool
is_of_firings(const struct dif_clause *c)
{
	return c->default_action && c->actions.n != 0 &&
	    dif_action_firing(&c->actions.v[0]) >= 0;
}

/* By number of the probe: does a clause of firings have it?  Malloced. */
static bool *
find_fired(const struct dt_hdl *h)
{
	const struct record *r = h->replay.file;
	uint32_t nprobes = record_nprobes(r);
	bool *fired = mem_alloc(nprobes + 1);

	for (uint32_t epid = 1; epid <= record_nenablings(r); epid++) {
		const struct record_enabling *e = record_enabling(r, epid);

		if (e != NULL && e->probe < nprobes &&
		    e->clause < h->replay.dif->clauses.n &&
		    is_of_firings(&h->replay.dif->clauses.v[e->clause]))
			fired[e->probe] = true;
	}
	return fired;
}

/* dtrace's own probes and ticks fire anew. */
static bool
is_own(const struct record_probe *rp)
{
	return strcmp(rp->prov, "dtrace") == 0 ||
	    (strcmp(rp->prov, "profile") == 0 &&
		strncmp(rp->name, "tick-", 5) == 0);
}

static size_t
add_probes(struct dt_hdl *h)
{
	bool *fired = find_fired(h);
	size_t n = 0;

	for (uint32_t i = 0; i < record_nprobes(h->replay.file); i++) {
		const struct record_probe *rp = record_probe(h->replay.file, i);
		struct dt_probe p = { .ops = &recorded, .kind = DT_PROBE_USDT };

		if (rp == NULL || is_own(rp) || !fired[i])
			continue;
		p.prov = rp->prov;
		p.mod = rp->mod;
		p.func = rp->func;
		p.name = rp->name;
		p.data = (void *)(uintptr_t)rp;
		dt_registry_add_recorded(h->probes.registry, &p, rp->id);
		n++;
	}
	free(fired);
	return n;
}

/* ---- opening ------------------------------------------------------------- */

/* The recorded run's options made its layouts; the query has its own. */
static void
forget_options(struct dt_hdl *h)
{
	dt_options_fini(&h->opts);
	dt_options_init(&h->opts);
	h->compiled.has_dof = false;
}

/* A stack without a number of frames has all that are recorded. */
static void
take_frames(struct dt_hdl *h)
{
	uint32_t kernel = rp_frames(h->replay.plan, PLAN_STACK);
	uint32_t user = rp_frames(h->replay.plan, PLAN_USTACK);

	if (kernel != 0)
		h->opts.vals[DT_OPT_STACKFRAMES].num = kernel;
	if (user != 0)
		h->opts.vals[DT_OPT_USTACKFRAMES].num =
		    h->opts.vals[DT_OPT_JSTACKFRAMES].num = user;
}

int
dt_query_open(struct dt_hdl *h, const char *path)
{
	struct err err = { 0 };

	if (dt_replay_open(h, path) != 0)
		return -1;
	dt_need_plan(h);
	h->replay.plan = h->plan;
	h->plan = NULL;
	if (plan_add_program(
		h->replay.plan, h->replay.dif, &h->compiled.diags) != 0)
		return dt_fail(h, "the recorded program cannot be enabled");
	if (tape_play(
		h->replay.file, h->replay.plan, &h->replay.player, &err) != 0)
		return dt_fail_err(h, &err);
	forget_options(h);
	take_frames(h);
	dt_registry_set_can_arm(h->probes.registry, NULL);
	dt_registry_set_recorded(h->probes.registry);
	if (add_probes(h) == 0)
		return dt_fail(h,
		    "the recording has no firings: --record=FILE with a probe "
		    "description that has no body (-n 'syscall:::') records "
		    "them");
	return 0;
}

/* ---- the source ---------------------------------------------------------- */

static int
skip(uint32_t agg_id, const void *key, const void *val, void *arg)
{
	(void)agg_id;
	(void)key;
	(void)val;
	(void)arg;
	return 0;
}

static int
read_source(void *arg, dt_record_f *f, void *farg)
{
	struct dt_hdl *h = arg;
	struct tape_player *t = h->replay.player;
	uint32_t agg;

	switch (tape_player_next(t, &agg)) {
	case TAPE_WORK:
		return tape_player_ops(t)->drain(
			   tape_player_exec(t), false, f, farg) < 0 ?
		    -ECANCELED :
		    1;
	case TAPE_TURN:
		/* values of the recorded run, which nobody asks for */
		(void)tape_player_ops(t)->agg_turn(
		    tape_player_exec(t), agg, skip, NULL);
		return 1;
	case TAPE_DROPS:
	case TAPE_NOTICE:
	case TAPE_STOPPED:
		return 1;
	case TAPE_ERROR:
		dt_notice(h, "%s", tape_player_text(t));
		break;
	case TAPE_END:
		break;
	}
	return 0;
}

static uint64_t
wall_offset(void *arg)
{
	struct dt_hdl *h = arg;
	const struct consume_book *b = tape_player_book(h->replay.player);

	return b->wall_offset(b->arg);
}

static int
load(struct dt_hdl *h)
{
	const struct record_machine *m = record_machine(h->replay.file);
	struct dt_exec_opts opts = {
		.bufsize = (uint64_t)dt_opt(h, DT_OPT_BUFSIZE),
		.bufpolicy = (enum dt_bufpolicy)dt_opt(h, DT_OPT_BUFPOLICY),
		.dynvarsize = (uint64_t)dt_opt(h, DT_OPT_DYNVARSIZE),
		.nspec = (uint32_t)dt_opt(h, DT_OPT_NSPEC),
		.strsize = (uint32_t)dt_opt(h, DT_OPT_STRSIZE) + 1,
		.scratchsize = (uint64_t)dt_opt(h, DT_OPT_SCRATCHSIZE),
	};
	const struct rp_source src = { .pl = h->replay.plan,
		.read = read_source,
		.arg = h,
		.ncpus = m->ncpus,
		.start_ns = m->time_ns,
		.wall_offset = wall_offset,
		.target = m->target };
	struct err err = { 0 };

	h->ops = &dt_exec_replay;
	return rp_load(h->plan, &opts, &src, &h->exec, &err) != 0 ?
	    dt_fail_err(h, &err) :
	    0;
}

int
dt_query_go(struct dt_hdl *h)
{
	const struct record_machine *m = record_machine(h->replay.file);

	if (h->opts.vals[DT_OPT_RECORD].is_set)
		return dt_fail(
		    h, "option record: a replay makes no recording of its own");
	dt_need_plan(h);
	plan_finish(h->plan);
	if (load(h) != 0)
		return -1;
	/* of the recorded machine, and of the programs that ask */
	dt_set_run(h,
	    &(struct consume_run){ .product = DT_PRODUCT,
		.host = m->host,
		.kernel = m->release,
		.start_ns = m->time_ns,
		.wall_ns = m->wall_ns });
	dt_replay_tell_damage(h);
	return 0;
}

/* ---- work ---------------------------------------------------------------- */

static enum dt_work
finish(struct dt_hdl *h)
{
	struct consumer *c = h->output.consumer;
	int rc, drops = 0;

	h->ops->stop(h->exec);
	h->ops->end(h->exec);
	rc = consumer_finish(c, &h->end.status);
	if (rc >= 0)
		drops = consumer_report_drops(c);
	if (rc >= 0 && drops >= 0)
		drops = consumer_end(c, h->end.status);
	h->end.is_done = true;
	dt_replay_tell_damage(h);
	if (rc < 0 || drops < 0)
		return dt_cannot_consume(h, rc < 0 ? rc : drops);
	return DT_WORK_DONE;
}

enum dt_work
dt_query_work(struct dt_hdl *h, FILE *out)
{
	bounds_flag *before;
	int rc;

	if (h->end.is_done)
		return DT_WORK_DONE;
	dt_need_consumer(h, out);
	if (h->wait.is_interrupted)
		return finish(h);
	before = dt_watch(h);
	rc = consumer_work(h->output.consumer, &h->end.status);
	bounds_watch(before);
	if (rc < 0)
		return dt_cannot_consume(h, rc);
	return rc > 0 || rp_has_ended(h->exec) ? finish(h) : DT_WORK_OKAY;
}
