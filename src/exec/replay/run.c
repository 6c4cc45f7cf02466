/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A firing: the clauses of its probe, in order.
 *
 *	predicate -> steps -> record		a fault ends the clause, and
 *						fires ERROR
 */
#include "exec/replay/impl.h"

#include <string.h>

#include "base/mem.h"

struct rp_run {
	struct rp *rp;
	const struct rp_probe *p;
	struct in_firing *f;
	uint32_t cpu, epid;
	/* of the step that runs */
	uint32_t action;
	bool has_fault;
	struct in_result res;
};

static bool
run(struct rp_run *r, uint32_t obj)
{
	in_run(r->rp->m, obj, &r->res);
	r->has_fault = r->res.is_fault;
	return !r->has_fault;
}

/* ---- data ---------------------------------------------------------------- */

static unsigned
name_index(uint32_t var)
{
	return var == DIF_VAR_PROBE ? RP_NNAMES - 1 : var - DIF_VAR_PROBEPROV;
}

static uint32_t
string_id(const struct rp_run *r, const struct dif_obj *dp)
{
	uint32_t ins = dp->text[0];

	if (dif_instr_op(ins) == DIF_OP_SETS)
		return strtab_find(
		    r->rp->pl->strs, dp->strtab + dif_instr_idx(ins));
	if (dif_instr_idx(ins) == DIF_VAR_HOST)
		return r->rp->host_id;
	return r->p->strids[name_index(dif_instr_idx(ins))];
}

static bool
fault_at(struct rp_run *r, uint64_t addr)
{
	r->has_fault = true;
	r->res = (struct in_result){ .is_fault = true,
		.fault = DIF_FLT_BADADDR,
		.offset = UINT32_MAX,
		.value = addr };
	return false;
}

/* memref(): where the bytes are, and how many. */
static bool
store_ref(struct rp_run *r, const struct plan_rec *rec, char *to)
{
	uint64_t ref[2], n = rec->size - PLAN_REFHDR;

	if (in_read(r->rp->m, ref, r->res.value, sizeof(ref)) != 0)
		return fault_at(r, r->res.value);
	memcpy(to, &ref[1], sizeof(ref[1]));
	n = ref[1] < n ? ref[1] : n;
	return in_read(r->rp->m, to + PLAN_REFHDR, ref[0], n) == 0 ?
	    true :
	    fault_at(r, ref[0]);
}

static bool
store_value(struct rp_run *r, const struct plan_rec *rec, bool is_ref, char *to)
{
	uint64_t value = r->res.value;
	int rc = 0;

	if (rec->store == PLAN_STR)
		rc = in_read_str(r->rp->m, to, value, rec->size);
	else if (is_ref)
		rc = in_read(r->rp->m, to, value, rec->size);
	else
		memcpy(to, &value, rec->size < 8 ? rec->size : 8);
	return rc == 0 ? true : fault_at(r, value);
}

/* The record is zeroed: 0 ends the frames. */
static void
store_frames(
    const struct rp_run *r, enum rp_stack_kind kind, uint32_t max, char *to)
{
	const struct rp_stack *st = r->rp->stacks;
	uint32_t n;

	if (st == NULL)
		return;
	n = st[kind].n < max ? st[kind].n : max;
	if (n != 0)
		memcpy(to, st[kind].pcs, 8 * (size_t)n);
}

/* Store the result of an object, or a constant.  It is no part of its caller,
 * so that names, which most keys are, do not pay for its calls. */
__attribute__((noinline)) static bool
store_computed(struct rp_run *r, const struct plan_rec *rec,
    const struct dif_obj *dp, uint32_t obj, char *to)
{
	r->res.value = rec->arg;
	if (obj != RP_NONE && !run(r, obj))
		return false;
	if (rec->store == PLAN_REF)
		return store_ref(r, rec, to);
	if (rec->store == PLAN_USYM) {
		memcpy(to, &r->f->vars[RT_VAR_PID], 8);
		memcpy(to + 8, &r->res.value, 8);
		return true;
	}
	return store_value(
	    r, rec, dp != NULL && (dp->rtype.flags & DIF_TF_BYREF) != 0, to);
}

static bool
store(struct rp_run *r, const struct plan_rec *rec, const struct dif_obj *dp,
    uint32_t obj, char *base)
{
	char *to = base + rec->offset;
	uint32_t id;

	switch (rec->store) {
	case PLAN_STR_ID:
		id = string_id(r, dp);
		memcpy(to, &id, sizeof(id));
		return true;
	case PLAN_STR_COMM:
		memcpy(to, r->rp->comm, RP_COMM);
		return true;
	case PLAN_BYTES:
	case PLAN_STR:
	case PLAN_SYM:
	case PLAN_USYM:
	case PLAN_REF:
		break;
	case PLAN_STACK:
		store_frames(r, RP_KERNEL, (uint32_t)rec->arg, to);
		return true;
	case PLAN_USTACK:
		memcpy(to, &r->f->vars[RT_VAR_PID], 8);
		store_frames(r, RP_USER, (uint32_t)rec->arg, to + 8);
		return true;
	}
	return store_computed(r, rec, dp, obj, to);
}

/* ---- steps --------------------------------------------------------------- */

static bool
aggregate(struct rp_run *r, const struct rp_step *rs)
{
	const struct plan_step *s = rs->step;
	uint64_t value = 0, incr = 1;
	uint16_t cpu = (uint16_t)r->cpu;

	memset(r->rp->key, 0, s->agg->key_size);
	memcpy(r->rp->key, &cpu, sizeof(cpu));
	for (size_t i = 0; i < s->agg->keys.n; i++) {
		r->action = s->key_no + (uint32_t)i;
		if (!store(r, &s->agg->keys.v[i], s->keys.v[i].value,
			rs->keys.v[i], (char *)r->rp->key))
			return false;
	}
	r->action = s->incr_no;
	if (rs->incr != RP_NONE) {
		if (!run(r, rs->incr))
			return false;
		incr = r->res.value;
	}
	r->action = s->action_no;
	if (rs->value != RP_NONE) {
		if (!run(r, rs->value))
			return false;
		value = r->res.value;
	}
	rp_agg_update(r->rp, s, value, incr);
	return true;
}

/* The record carries the speculation's tag. */
static bool
speculation(struct rp_run *r, const struct rp_step *rs)
{
	const struct plan_step *s = rs->step;
	uint64_t tag;

	if (!run(r, rs->value))
		return false;
	tag = in_speculate(
	    r->rp->m, r->res.value, s->kind == DIF_STEP_SPEC_END, &r->res);
	r->has_fault = r->res.is_fault;
	if (r->has_fault)
		return false;
	memcpy((char *)r->rp->record + s->rec->offset, &tag, sizeof(tag));
	return tag != 0 || !s->ends_if_none;
}

/* False: the clause ends, by a fault or since it is over. */
static bool
one_step(struct rp_run *r, const struct rp_step *rs)
{
	const struct plan_step *s = rs->step;

	r->action = s->action_no;
	switch (s->kind) {
	case DIF_STEP_EVAL:
		return rs->value == RP_NONE || run(r, rs->value);
	case DIF_STEP_STORE:
		return store(
		    r, s->rec, s->value, rs->value, (char *)r->rp->record);
	case DIF_STEP_AGG:
		return aggregate(r, rs);
	case DIF_STEP_EXIT:
		if (!store(
			r, s->rec, s->value, rs->value, (char *)r->rp->record))
			return false;
		r->rp->is_exiting = true;
		return true;
	case DIF_STEP_SPECULATE:
	case DIF_STEP_SPEC_END:
		return speculation(r, rs);
	case DIF_STEP_RAISE: /* rp_load() refuses them */
	case DIF_STEP_STOP:
	case DIF_STEP_CHILL:
		break;
	}
	return true;
}

static void
hand_over(struct rp *rp, const struct dt_record *rec)
{
	int rc = rp->f(rec, rp->farg);

	rp->rc = rp->rc != 0 ? rp->rc : rc;
}

static void
commit(struct rp_run *r, uint32_t size)
{
	uint64_t t = r->f->vars[RT_VAR_TIMESTAMP];
	uint32_t head[3] = { r->epid, (uint32_t)(t >> 32), (uint32_t)t };
	const struct dt_record rec = { .epid = r->epid,
		.cpu = r->cpu,
		.time_ns = t,
		.data = (const char *)r->rp->record,
		.size = size };

	memcpy(r->rp->record, head, sizeof(head));
	hand_over(r->rp, &rec);
}

/* ---- faults -------------------------------------------------------------- */

static void
report_fault(struct rp_run *r)
{
	struct rp *rp = r->rp;
	struct dt_record rec = { .cpu = r->cpu,
		.time_ns = r->f->vars[RT_VAR_TIMESTAMP],
		.err = { r->epid, r->action, r->res.fault,
		    (int32_t)r->res.offset, r->res.value } };
	struct in_firing f = *r->f;

	if (rp->in_error) {
		rp->drops[DT_DROP_DBLERROR]++;
		return;
	}
	hand_over(rp, &rec);
	if (rp->error == RP_NONE)
		return;
	memset(f.args, 0, sizeof(f.args));
	f.args[1] = r->epid;
	f.args[2] = r->action;
	f.args[3] = (uint64_t)rec.err.offset;
	f.args[4] = r->res.fault;
	f.args[5] = r->res.value;
	rp->in_error = true;
	rp_fire(rp, rp->error, &f, r->cpu);
	rp->in_error = false;
	in_fire(rp->m, r->f); /* the firing goes on */
}

/* ---- the clause ---------------------------------------------------------- */

static void
run_clause(struct rp_run *r, const struct rp_clause *c)
{
	bool is_whole = true;

	in_clause(r->rp->m, r->epid);
	r->action = 0;
	r->has_fault = false;
	if (c->pred != RP_NONE && (!run(r, c->pred) || r->res.value == 0)) {
		if (r->has_fault)
			report_fault(r);
		return;
	}
	if (c->pc->size != 0)
		memset(r->rp->record, 0, c->pc->size);
	VEC_FOREACH(&c->steps, s) {
		is_whole = one_step(r, s);
		if (!is_whole)
			break;
	}
	if (r->has_fault)
		report_fault(r);
	else if (is_whole && c->pc->size != 0)
		commit(r, c->pc->size);
}

/* The firing as the machine sees it. */
static void
begin(struct rp *rp, const struct rp_probe *p, struct in_firing *f)
{
	for (uint32_t i = 0; i < 4; i++)
		f->vars[RT_VAR_PROBEPROV + i] = p->names[i];
	f->vars[RT_VAR_PROBE] = p->names[RP_NNAMES - 1];
	f->vars[RT_VAR_ID] = p->probe->id;
	for (uint32_t i = 0; i < RT_NARGS; i++)
		f->vars[RT_VAR_ARG0 + i] = f->args[i];
	in_fire(rp->m, f);
}

void
rp_fire(struct rp *rp, uint32_t probe, struct in_firing *f, uint32_t cpu)
{
	const struct rp_probe *p = &rp->probes.v[probe];
	struct rp_run r = { .rp = rp, .p = p, .f = f, .cpu = cpu };

	if (p->runs)
		begin(rp, p, f);
	for (size_t i = 0; i < p->enabled.n && rp->rc == 0; i++) {
		r.epid = p->enabled.v[i].epid;
		run_clause(&r, p->enabled.v[i].clause);
		if (rp->is_exiting && p->enabled.v[i].clause->has_exit)
			break;
	}
}
