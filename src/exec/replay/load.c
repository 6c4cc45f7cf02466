/* SPDX-License-Identifier: BSD-2-Clause */
/* Loading a plan, and the life of the substrate. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dif/uses.h"
#include "exec/drain.h"
#include "exec/replay/impl.h"

#define SCRATCH_MIN 65536

/* ---- what a recording cannot give ---------------------------------------- */

/* The words of messages: a function, and the option that records for it. */
static const struct rp_words {
	enum plan_store store;
	const char *stack, *option;
} words[RP_NSTACKS] = {
	[RP_KERNEL] = { PLAN_STACK, "stack()", "recordstack" },
	[RP_USER] = { PLAN_USTACK, "ustack()", "recordustack" },
};

uint32_t
rp_frames(const struct plan *recorded, enum plan_store store)
{
	uint32_t max = 0;

	VEC_FOREACH(&recorded->clauses, pc) {
		VEC_FOREACH(&pc->recs, rec) {
			if (rec->store == store &&
			    dif_action_firing(rec->src) >= 0 &&
			    (uint32_t)rec->arg > max)
				max = (uint32_t)rec->arg;
		}
	}
	return max;
}

static bool
has_variable(const struct rp *rp, uint32_t id)
{
	switch (id) {
	case DIF_VAR_CALLER:
		return rp->nframes[RP_KERNEL] >= 2;
	case DIF_VAR_UCALLER:
		return rp->nframes[RP_USER] >= 2;
	case DIF_VAR_ARGS:
	case DIF_VAR_TIMESTAMP:
	case DIF_VAR_MACHTIMESTAMP:
	case DIF_VAR_WALLTIMESTAMP:
	case DIF_VAR_EPID:
	case DIF_VAR_ID:
	case DIF_VAR_PROBEPROV:
	case DIF_VAR_PROBEMOD:
	case DIF_VAR_PROBEFUNC:
	case DIF_VAR_PROBENAME:
	case DIF_VAR_PROBE:
	case DIF_VAR_PID:
	case DIF_VAR_TID:
	case DIF_VAR_PPID:
	case DIF_VAR_UID:
	case DIF_VAR_GID:
	case DIF_VAR_EXECNAME:
	case DIF_VAR_ERRNO:
	case DIF_VAR_CPU:
	case DIF_VAR_HOST:
	case DIF_VAR_EXECARGS:
		return true;
	default:
		return id >= DIF_VAR_ARG0 && id <= DIF_VAR_ARG9;
	}
}

CHECKED static int
refuse_variable(uint32_t id, struct err *err)
{
	if (id == DIF_VAR_CALLER || id == DIF_VAR_UCALLER)
		return err_set(err, -ENOTSUP,
		    "%s is not in the recording: record with -x %s",
		    dif_var_name(id),
		    words[id == DIF_VAR_UCALLER ? RP_USER : RP_KERNEL].option);
	return err_set(err, -ENOTSUP,
	    "%s is not in the recording: a firing has pid, tid, ppid, uid, "
	    "gid, execname, cpu, errno, its arguments and times",
	    dif_var_name(id));
}

CHECKED static int
check_uses(const struct rp *rp, const struct dif_uses *u, struct err *err)
{
	uint64_t left;

	for (left = u->vars | u->arrays; left != 0; left &= left - 1) {
		uint32_t id = dif_var_of_row(DIF_ROW_OF(left));

		if (!has_variable(rp, id))
			return refuse_variable(id, err);
	}
	for (left = u->subrs; left != 0; left &= left - 1) {
		const struct dif_subrinfo *si =
		    dif_subr_find(dif_subr_of_row(DIF_ROW_OF(left)));

		/* of the strings that were recorded */
		if (si->id == DIF_SUBR_COPYINSTR || si->id == DIF_SUBR_COPYIN ||
		    si->id == DIF_SUBR_COPYINTO)
			continue;
		if ((si->flags &
			(DIF_SUBRF_DESTRUCTIVE | DIF_SUBRF_RUNNING |
			    DIF_SUBRF_KERNEL | DIF_SUBRF_LOCK)) != 0)
			return err_set(err, -ENOTSUP,
			    "%s() looks at the running system, or changes it: "
			    "a recording is over",
			    si->name);
	}
	return 0;
}

/* Does the recording have so many frames? */
CHECKED static int
check_address(const struct rp *rp, const struct plan_rec *rec, struct err *err)
{
	enum rp_stack_kind kind =
	    rec->store == PLAN_STACK ? RP_KERNEL : RP_USER;
	const struct rp_words *w = &words[kind];

	if (!rp->src.has_one_space &&
	    (PLAN_IS_STACK(rec->store) || rec->store == PLAN_SYM ||
		rec->store == PLAN_USYM))
		return err_set(err, -ENOTSUP,
		    "%s(): the recordings are of several machines, or starts "
		    "of one, and an address has another name in each: ask one "
		    "at a time",
		    dif_act(rec->action)->name);
	if (!PLAN_IS_STACK(rec->store) ||
	    (uint32_t)rec->arg <= rp->nframes[kind])
		return 0;
	if (rp->nframes[kind] == 0)
		return err_set(err, -ENOTSUP,
		    "%s is not in the recording: record with -x %s", w->stack,
		    w->option);
	return err_set(err, -ENOTSUP,
	    "%s of %u frames: the recording has %u of each stack: record with "
	    "-x %s=%u",
	    w->stack, (uint32_t)rec->arg, rp->nframes[kind], w->option,
	    (uint32_t)rec->arg);
}

CHECKED static int
check_addresses(
    const struct rp *rp, const struct plan_clause *pc, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < pc->recs.n && rc == 0; i++)
		rc = check_address(rp, &pc->recs.v[i], err);
	for (size_t i = 0; i < pc->steps.n && rc == 0; i++) {
		const struct plan_agg *pa = pc->steps.v[i].agg;

		for (size_t k = 0; pa != NULL && k < pa->keys.n && rc == 0; k++)
			rc = check_address(rp, &pa->keys.v[k], err);
	}
	return rc;
}

CHECKED static int
check_clause(const struct rp *rp, const struct plan_clause *pc, struct err *err)
{
	int rc = check_addresses(rp, pc, err);

	if (rc != 0)
		return rc;
	VEC_FOREACH(&pc->clause->actions, act) {
		if (DT_ACT_IS_DESTRUCTIVE(act->kind))
			return err_set(err, -ENOTSUP,
			    "%s() changes the system: a recording is over",
			    dif_act(act->kind)->name);
	}
	return check_uses(rp, &pc->uses, err);
}

CHECKED static int
check_probe(const struct dt_probe *p, struct err *err)
{
	struct strbuf name = { 0 };

	if (p->kind != DT_PROBE_CLOCK || p->period_ns == 0 ||
	    strncmp(p->name, "profile-", 8) != 0)
		return 0;
	dt_probe_format(p, &name);
	err_set(err, -ENOTSUP,
	    "%s interrupts CPUs, which a recording has not: tick probes fire "
	    "in the time of the recording",
	    name.s);
	strbuf_fini(&name);
	return -ENOTSUP;
}

CHECKED static int
check(const struct rp *rp, const struct dt_exec_opts *opts, struct err *err)
{
	const struct plan *pl = rp->pl;
	int rc = 0;

	if (opts->bufpolicy != DT_BUF_SWITCH)
		return err_set(
		    err, -ENOTSUP, "option bufpolicy: a replay has no buffers");
	for (size_t i = 0; i < pl->clauses.n && rc == 0; i++) {
		const struct plan_clause *pc = &pl->clauses.v[i];

		if (pc->probes.n == 0)
			continue;
		rc = check_clause(rp, pc, err);
		if (rc != 0)
			err_prefix(err, "clause %zu", i + 1);
		for (size_t k = 0; k < pc->probes.n && rc == 0; k++)
			rc = check_probe(pc->probes.v[k], err);
	}
	return rc;
}

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

/* ---- life ---------------------------------------------------------------- */

static void
reel_fini(struct rp_reel *reel)
{
	for (size_t i = 0; i < reel->nshapes; i++)
		VEC_FREE(&reel->shapes[i].moves);
	free(reel->shapes);
	VEC_FREE(&reel->recorded);
}

static void
rp_destroy(struct dt_exec *x)
{
	struct rp *rp = (struct rp *)x;

	rp_crew_destroy(rp->crew);
	if (rp->m != NULL)
		in_machine_destroy(rp->m);
	rp_aggs_fini(rp);
	VEC_FOREACH(&rp->clauses, c) {
		VEC_FOREACH(&c->steps, s)
			VEC_FREE(&s->keys);
		VEC_FREE(&c->steps);
	}
	VEC_FREE(&rp->clauses);
	VEC_FOREACH(&rp->probes, p)
		VEC_FREE(&p->enabled);
	VEC_FREE(&rp->probes);
	VEC_FREE(&rp->ticks);
	for (uint32_t i = 0; i <= rp->src.ntapes; i++)
		reel_fini(&rp->reels[i]);
	free(rp->reels);
	VEC_FREE(&rp->objs);
	strtab_fini(&rp->names);
	for (uint32_t i = 0; i < rp->max_waits; i++) {
		for (uint32_t k = 0; k < RT_NARGS; k++)
			free(rp->waits[i].texts[k].text);
		for (uint32_t k = 0; k < RP_NSTACKS; k++)
			free(rp->waits[i].stacks[k].pcs);
	}
	free(rp->waits);
	free(rp->text);
	free(rp->record);
	free(rp);
}

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
		uint32_t n = rp_frames(t->pl, words[k].store);

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
	rc = check(rp, opts, err);
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

bool
rp_has_ended(const struct dt_exec *x)
{
	const struct rp *rp = (const struct rp *)x;

	return rp->is_read || rp->is_exiting;
}

/* ---- at work ------------------------------------------------------------- */

static int
rp_go(struct dt_exec *x, struct err *err)
{
	(void)x;
	(void)err;
	return 0; /* the first drain() fires BEGIN */
}

static int
rp_stop(struct dt_exec *x)
{
	((struct rp *)x)->is_read = true;
	return 0;
}

static int
rp_end(struct dt_exec *x)
{
	((struct rp *)x)->must_end = true;
	return 0;
}

static void
fire_end(struct rp *rp)
{
	bool was_exiting = rp->is_exiting;

	if (!rp->must_end || rp->has_ended)
		return;
	rp->has_ended = true;
	rp->is_exiting = false;
	if (rp->end != RP_NONE)
		rp_fire_own(rp, rp->end, rp->now_ns);
	rp->is_exiting |= was_exiting;
}

static void
read_more(struct rp *rp)
{
	int rc;

	if (rp->is_read || rp->is_exiting || rp->rc != 0)
		return;
	rc = rp->crew != NULL ?
	    rp_crew_read(rp->crew) :
	    rp->src.read(rp->src.arg, &rp->reel, rp_take, rp);
	if (rc != 0 && rc != 1 && rp->rc == 0)
		rp->rc = rc;
	if (rc != 0)
		return;
	rp_flush(rp);
	rp->is_read = true;
}

static int
rp_drain(struct dt_exec *x, bool merged, dt_record_f *f, void *arg)
{
	struct rp *rp = (struct rp *)x;

	(void)merged;
	rp->f = f;
	rp->farg = arg;
	rp->rc = 0;
	if (!rp->has_begun) {
		rp->has_begun = true;
		if (rp->begin != RP_NONE)
			rp_fire_own(rp, rp->begin, rp->start_ns);
	}
	read_more(rp);
	fire_end(rp);
	return rp->rc;
}

static uint64_t
rp_drops(struct dt_exec *x, enum dt_drop kind, uint32_t cpu)
{
	const struct rp *rp = (const struct rp *)x;

	if (cpu != 0)
		return 0;
	return kind == DT_DROP_DYNAMIC ? in_drops(rp->m) : rp->drops[kind];
}

static uint64_t
rp_lost(struct dt_exec *x, enum dt_drop kind, uint32_t cpu)
{
	(void)x;
	(void)kind;
	(void)cpu;
	return 0;
}

static uint64_t
rp_most(const struct dt_exec *x, enum dt_drop kind)
{
	(void)x;
	(void)kind;
	return 0;
}

static bool
rp_exiting(struct dt_exec *x)
{
	return ((struct rp *)x)->is_exiting;
}

/* Of the ops, a replay has those that a consumer calls, and the session's
 * (libdtrace/query.c); rp_load() loads. */
const struct dt_exec_ops dt_exec_replay = {
	.name = "recording",
	.go = rp_go,
	.stop = rp_stop,
	.end = rp_end,
	.drain = rp_drain,
	.agg_walk = rp_agg_walk,
	.agg_turn = rp_agg_turn,
	.agg_fill = rp_agg_fill,
	.drops = rp_drops,
	.lost = rp_lost,
	.most = rp_most,
	.exiting = rp_exiting,
	.destroy = rp_destroy,
};
