/* SPDX-License-Identifier: BSD-2-Clause */
/* Loading a plan. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dif/uses.h"
#include "exec/drain.h"
#include "exec/replay/impl.h"

#define SCRATCH_MIN 65536

/* ---- clauses ------------------------------------------------------------- */

/* The plan's strings stay as they are while threads read them. */
static void
enter_string(struct rp *rp, const struct dif_obj *dp)
{
	uint32_t ins = dp->ntext != 0 ? dp->text[0] : 0;

	if (dif_instr_op(ins) == DIF_OP_SETS)
		strtab_intern(rp->pl->strs, dp->strtab + dif_instr_idx(ins));
}

static uint32_t
add_object(struct rp *rp, const struct dif_obj *dp)
{
	if (dp == NULL)
		return RP_NONE;
	enter_string(rp, dp);
	VEC_PUSH(&rp->objs, dp);
	return (uint32_t)rp->objs.n - 1;
}

static void
add_steps(struct rp *rp, struct rp_clause *c)
{
	VEC_FOREACH(&c->pc->steps, s) {
		struct rp_step rs = { .step = s,
			.value = add_object(rp, s->value),
			.incr = add_object(rp, s->incr) };

		VEC_FOREACH(&s->keys, k)
			VEC_PUSH(&rs.keys, add_object(rp, k->value));
		VEC_PUSH(&c->steps, rs);
	}
}

/* Does the datum's object run?  Names and stacks are stored without it. */
static bool
datum_runs(const struct plan_rec *rec, uint32_t obj)
{
	return obj != RP_NONE && rec->store != PLAN_STR_ID &&
	    rec->store != PLAN_STR_COMM && !PLAN_IS_STACK(rec->store);
}

static bool
step_runs(const struct rp_step *rs)
{
	const struct plan_step *s = rs->step;

	if (s->kind == DIF_STEP_STORE)
		return datum_runs(s->rec, rs->value);
	if (s->kind != DIF_STEP_AGG || rs->value != RP_NONE ||
	    rs->incr != RP_NONE)
		return true;
	for (size_t i = 0; i < rs->keys.n; i++) {
		if (datum_runs(&s->agg->keys.v[i], rs->keys.v[i]))
			return true;
	}
	return false;
}

static bool
clause_runs(const struct rp_clause *c)
{
	if (c->pred != RP_NONE)
		return true;
	VEC_FOREACH(&c->steps, s) {
		if (step_runs(s))
			return true;
	}
	return false;
}

static void
add_clauses(struct rp *rp)
{
	VEC_FOREACH(&rp->pl->clauses, pc) {
		struct rp_clause c = { .pc = pc,
			.pred = add_object(rp, pc->clause->pred),
			.has_exit = plan_clause_does(pc, DIF_STEP_EXIT) };

		add_steps(rp, &c);
		c.runs = clause_runs(&c);
		VEC_PUSH(&rp->clauses, c);
	}
}

/* ---- probes -------------------------------------------------------------- */

static void
note_own(struct rp *rp, const struct dt_probe *p, uint32_t i)
{
	if (p->kind == DT_PROBE_ERROR)
		rp->error = i;
	else if (p->period_ns != 0)
		VEC_PUSH(&rp->ticks, i);
	else if (strcmp(p->prov, "dtrace") == 0 &&
	    strcmp(p->name, "BEGIN") == 0)
		rp->begin = i;
	else if (strcmp(p->prov, "dtrace") == 0 && strcmp(p->name, "END") == 0)
		rp->end = i;
}

static struct rp_probe *
probe_of(struct rp *rp, const struct dt_probe *p)
{
	struct strbuf name = { 0 };
	struct rp_probe new = { .probe = p };
	uint32_t i;

	dt_probe_format(p, &name);
	i = strtab_intern(&rp->names, name.s) - 1;
	strbuf_fini(&name);
	if (i == rp->probes.n) {
		new.next_ns = rp->start_ns + p->period_ns;
		VEC_PUSH(&rp->probes, new);
		note_own(rp, p, i);
	}
	return &rp->probes.v[i];
}

static void
add_probes(struct rp *rp)
{
	for (size_t i = 0; i < rp->pl->clauses.n; i++) {
		const struct plan_clause *pc = &rp->pl->clauses.v[i];

		for (size_t k = 0; k < pc->probes.n; k++) {
			struct rp_probe *p = probe_of(rp, pc->probes.v[k]);

			p->runs |= rp->clauses.v[i].runs;
			VEC_PUSH(&p->enabled,
			    ((struct rp_enabled){ &rp->clauses.v[i],
				pc->epid_base + (uint32_t)k }));
		}
	}
}

/*
 * BEGIN, END and ticks have the host of the recording, if it is the only one,
 * else none.
 */
static const char *
host_of(const struct rp *rp, uint32_t reel)
{
	if (reel < rp->src.ntapes)
		return rp->reels[reel].tape.host;
	return rp->src.ntapes == 1 ? rp->reels[0].tape.host : "";
}

/* Names of probes and hosts, for programs and for records. */
static void
name_probes(struct rp *rp)
{
	struct strbuf text = { 0 }, all = { 0 };

	strbuf_addc(&text, '\0');
	VEC_FOREACH(&rp->probes, p) {
		const struct dt_probe *dp = p->probe;

		strbuf_reset(&all);
		dt_probe_format(dp, &all);
		const char *names[RP_NNAMES] = { dp->prov, dp->mod, dp->func,
			dp->name, all.s };

		for (uint32_t i = 0; i < RP_NNAMES; i++) {
			p->names[i] = text.len;
			p->strids[i] = strtab_intern(rp->pl->strs, names[i]);
			strbuf_add(&text, names[i], strlen(names[i]) + 1);
		}
	}
	for (uint32_t i = 0; i <= rp->src.ntapes; i++) {
		const char *host = host_of(rp, i);

		rp->reels[i].host = text.len;
		rp->reels[i].host_id = strtab_intern(rp->pl->strs, host);
		strbuf_add(&text, host, strlen(host) + 1);
	}
	rp->kernel[0].size = text.len;
	rp->text = strbuf_steal(&text);
	rp->kernel[0].addr = (uint64_t)(uintptr_t)rp->text;
	rp->kernel[1].addr = (uint64_t)(uintptr_t)rp->comm;
	rp->kernel[1].size = sizeof(rp->comm);
	rp->kernel[2].addr = (uint64_t)(uintptr_t)rp->args;
	rp->kernel[2].size = sizeof(rp->args);
	VEC_FOREACH(&rp->probes, p) {
		for (uint32_t i = 0; i < RP_NNAMES; i++)
			p->names[i] += (uint64_t)(uintptr_t)rp->text;
	}
	for (uint32_t i = 0; i <= rp->src.ntapes; i++)
		rp->reels[i].host += (uint64_t)(uintptr_t)rp->text;
	strbuf_fini(&all);
}

/* ---- the replay ---------------------------------------------------------- */

CHECKED static int
make_machine(struct rp *rp, const struct dt_exec_opts *opts, struct err *err)
{
	uint64_t scratch = opts->scratchsize != 0 ?
	    opts->scratchsize :
	    16 * (uint64_t)opts->strsize + SCRATCH_MIN;
	struct in_opts in = { .strsize = opts->strsize,
		.scratchsize =
		    (uint32_t)(scratch < 1 << 20 ? scratch : 1 << 20),
		.dynvarsize = opts->dynvarsize,
		.nspec = opts->nspec,
		.kernel = { .v = rp->kernel, .n = 3 },
		.user = { .v = rp->user, .n = RT_NARGS } };

	rp->m = in_machine_create(&in, rp->objs.v, (uint32_t)rp->objs.n, err);
	return rp->m != NULL ? 0 : -EINVAL;
}

/* Add one recording to the facts that hold for all of them. */
static void
sum_up(struct rp *rp, const struct rp_tape *t, bool is_first)
{
	if (is_first || t->start_ns < rp->start_ns)
		rp->start_ns = t->start_ns;
	if (t->ncpus > rp->x.ncpus)
		rp->x.ncpus = t->ncpus;
	if (t->pl->strsize > rp->max_string)
		rp->max_string = t->pl->strsize;
	for (uint32_t k = 0; k < RP_NSTACKS; k++) {
		uint32_t n = rp_frames(t->pl, rp_words[k].store);

		if (is_first || n < rp->nframes[k])
			rp->nframes[k] = n;
		if (n > rp->max_frames[k])
			rp->max_frames[k] = n;
	}
	/* firings wait for strings, even before the first string was read */
	VEC_FOREACH(&t->pl->clauses, pc) {
		if (rp->wants_strings && dif_clause_is_aside(pc->clause))
			rp->depth = rp->max_waits - 1;
	}
}

static void
take_tapes(struct rp *rp, const struct rp_source *src)
{
	rp->src = *src;
	rp->src.tapes = NULL;
	rp->reels = mem_alloc((src->ntapes + 1) * sizeof(*rp->reels));
	rp->max_waits = RP_NWAITS * src->ntapes;
	rp->waits = mem_alloc(rp->max_waits * sizeof(*rp->waits));
	for (uint32_t i = 0; i < src->ntapes; i++) {
		rp->reels[i].tape = src->tapes[i];
		rp->reels[i].nshapes = src->tapes[i].pl->clauses.n;
		rp->reels[i].shapes = mem_alloc(
		    (rp->reels[i].nshapes + 1) * sizeof(*rp->reels[i].shapes));
		sum_up(rp, &src->tapes[i], i == 0);
	}
	/* BEGIN, END and ticks have the clock of the first recording */
	rp->reels[src->ntapes].tape = src->tapes[0];
}

static void
sum_up_uses(struct rp *rp)
{
	struct dif_uses all = { 0 };

	VEC_FOREACH(&rp->pl->clauses, pc)
		dif_uses_add(&all, &pc->uses);
	rp->wanted = all.vars | all.arrays;
	rp->wants_args = dif_uses_var(&all, DIF_VAR_EXECARGS);
	rp->wants_strings = dif_uses_subr(&all, DIF_SUBR_COPYIN) ||
	    dif_uses_subr(&all, DIF_SUBR_COPYINSTR) ||
	    dif_uses_subr(&all, DIF_SUBR_COPYINTO);
	for (uint32_t op = DIF_OP_ULDSB; op <= DIF_OP_ULDX; op++)
		rp->wants_strings |= dif_uses_op(&all, (uint8_t)op);
	/* strings are found by the argument that points to them */
	for (uint32_t i = 0; i < RT_NARGS; i++)
		rp->wanted_args |= (uint32_t)(rp->wants_strings ||
				       dif_uses_var(&all, DIF_VAR_ARG0 + i))
		    << i;
	/* a process names addresses, and has the arguments */
	rp->wants_thread = rp->wants_strings || rp->wants_args ||
	    dif_uses_tls(&all) || plan_has_uaddrs(rp->pl);
}

int
rp_load_one(struct plan *pl, const struct dt_exec_opts *opts,
    const struct rp_source *src, struct rp **outp, struct err *err)
{
	struct rp *rp = mem_alloc(sizeof(*rp));
	int rc;

	rp->x = (struct dt_exec){ .ops = &dt_exec_replay,
		.bufsize = opts->bufsize };
	rp->pl = pl;
	rp->notice = opts->notice;
	rp->notice_arg = opts->notice_arg;
	rp->begin = rp->end = rp->error = RP_NONE;
	sum_up_uses(rp);
	take_tapes(rp, src);
	rp->now_ns = rp->start_ns;
	strtab_init(&rp->names);
	rc = rp_check(rp, opts, err);
	if (rc != 0) {
		rp_destroy(&rp->x);
		return rc;
	}
	add_clauses(rp);
	add_probes(rp);
	name_probes(rp);
	rp_aggs_init(rp);
	rp->record = mem_alloc(exec_record_max(pl) + 16);
	rc = make_machine(rp, opts, err);
	if (rc != 0) {
		rp_destroy(&rp->x);
		return rc;
	}
	*outp = rp;
	return 0;
}

static void tell(const struct dt_exec_opts *opts, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void
tell(const struct dt_exec_opts *opts, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	if (opts->tell == NULL)
		return;
	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	opts->tell(opts->notice_arg, sb.s);
	strbuf_fini(&sb);
}

static void
add_crew(struct rp *rp, const struct dt_exec_opts *opts)
{
	char *why = rp_refuses_parts(rp);

	if (why == NULL)
		rp->crew = rp_crew_create(rp, opts);
	if (rp->crew != NULL)
		tell(opts, "replay: %u thread%s the recording",
		    rp_crew_size(rp->crew),
		    rp_crew_size(rp->crew) == 1 ? " reads" : "s read");
	else
		tell(opts, "replay: one thread reads the recording: %s",
		    why != NULL ? why : "there is no memory for more");
	free(why);
}

int
rp_load(struct plan *pl, const struct dt_exec_opts *opts,
    const struct rp_source *src, struct dt_exec **outp, struct err *err)
{
	struct rp *rp;
	int rc = rp_load_one(pl, opts, src, &rp, err);

	if (rc != 0)
		return rc;
	add_crew(rp, opts);
	*outp = &rp->x;
	return 0;
}
