/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plan: decide what each enabling stores and where.
 *
 * Two passes, both in plan_finish(), when every clause and probe is known: the
 * keys of an aggregation get one layout over all clauses that use it, then each
 * clause's record is laid out (offset rounded to the datum's alignment, the
 * largest power of two up to 8 that divides its size; doc/reference/records.md
 * section 2).
 */
#include "plan/step.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#define COMM_SIZE 16 /* TASK_COMM_LEN */

uint32_t
plan_agg_val_size(uint16_t kind, uint64_t arg)
{
	uint32_t factor, low, high, nsteps, n = 2;
	uint64_t levels;

	switch (kind) {
	case DT_ACT_AVG:
		return 16;
	case DT_ACT_STDDEV:
		return 32;
	case DT_ACT_QUANTIZE:
		return 127 * 8;
	case DT_ACT_PERCENTILE:
		return PLAN_PERCENTILE_BUCKETS * 8;
	case DT_ACT_LQUANTIZE:
		levels = (arg >> 32) & 0xffff;
		return (uint32_t)(levels + 2) * 8;
	case DT_ACT_LLQUANTIZE:
		factor = (uint32_t)(arg >> 48) & 0xffff;
		low = (uint32_t)(arg >> 32) & 0xffff;
		high = (uint32_t)(arg >> 16) & 0xffff;
		nsteps = (uint32_t)arg & 0xffff;
		for (uint32_t m = low; m <= high; m++) {
			uint64_t span = 1;

			for (uint32_t i = 0; i <= m && span < nsteps; i++)
				span *= factor;
			if (span > nsteps)
				span = nsteps;
			n += (uint32_t)(span - span / factor);
		}
		return n * 8;
	default:
		return 8;
	}
}

struct plan *
plan_create(const struct plan_opts *opts)
{
	struct plan *pl = mem_alloc(sizeof(*pl));

	pl->strsize = opts->strsize;
	pl->stackframes = opts->stackframes;
	pl->ustackframes = opts->ustackframes;
	pl->jstackframes = opts->jstackframes;
	pl->jstackstrsize = opts->jstackstrsize;
	pl->maxframes = opts->maxframes;
	pl->printsize = opts->printsize;
	pl->pcapsize = opts->pcapsize;
	pl->strs = mem_alloc(sizeof(*pl->strs));
	strtab_init(pl->strs);
	pl->made = mem_alloc(sizeof(*pl->made));
	strtab_init(pl->made);
	return pl;
}

void
plan_destroy(struct plan *pl)
{
	if (pl == NULL)
		return;
	VEC_FOREACH(&pl->clauses, pc) {
		VEC_FREE(&pc->recs);
		VEC_FOREACH(&pc->steps, s)
			VEC_FREE(&s->keys);
		VEC_FREE(&pc->steps);
		VEC_FREE(&pc->probes);
	}
	VEC_FREE(&pl->clauses);
	VEC_FOREACH(&pl->aggs, pa)
		VEC_FREE(&pa->keys);
	VEC_FREE(&pl->aggs);
	VEC_FREE(&pl->late);
	strtab_fini(pl->strs);
	free(pl->strs);
	strtab_fini(pl->made);
	free(pl->made);
	free(pl);
}

int
plan_add_program(
    struct plan *pl, const struct dif_prog *prog, struct diags *diags)
{
	(void)diags;
	VEC_FOREACH(&prog->clauses, c) {
		struct plan_clause pc = {
			.clause = c, .prog = prog, .uses = dif_clause_uses(c)
		};

		VEC_PUSH(&pl->clauses, pc);
	}
	while (pl->aggs.n < prog->aggs.n) {
		struct plan_agg pa = { 0 };

		VEC_PUSH(&pl->aggs, pa);
	}
	VEC_FOREACH(&prog->aggs, agg)
		pl->aggs.v[agg->id - 1].agg = agg;
	return 0;
}

void
plan_clause_add_probe(struct plan_clause *pc, const struct dt_probe *p)
{
	VEC_PUSH(&pc->probes, p);
}

bool
plan_clause_is_live(const struct plan_clause *pc)
{
	return pc->probes.n != 0 || pc->may_grow;
}

static uint32_t
round_up(uint32_t n, uint32_t align)
{
	return (n + align - 1) & ~(align - 1);
}

static uint16_t
natural_align(uint32_t size)
{
	uint16_t align = 8;

	while (align > 1 && (size == 0 || size % align != 0))
		align /= 2;
	return align;
}

/* The built-in variable that an object does nothing but return; 0: none. */
static uint32_t
difo_is_builtin(const struct dif_obj *dp)
{
	if (dp->ntext != 2 || dif_instr_op(dp->text[0]) != DIF_OP_LDGS)
		return 0;
	return dif_instr_idx(dp->text[0]);
}

/* How a string is stored, looking only at the object that computes it. */
static enum plan_store
string_store(const struct dif_obj *dp)
{
	switch (difo_is_builtin(dp)) {
	case DIF_VAR_PROBEPROV:
	case DIF_VAR_PROBEMOD:
	case DIF_VAR_PROBEFUNC:
	case DIF_VAR_PROBENAME:
	case DIF_VAR_PROBE:
	case DIF_VAR_HOST:
		return PLAN_STR_ID;
	case DIF_VAR_EXECNAME:
	case DIF_VAR_THREADNAME:
		return PLAN_STR_COMM;
	default:
		break;
	}
	if (dp->ntext == 2 && dif_instr_op(dp->text[0]) == DIF_OP_SETS)
		return PLAN_STR_ID;
	return PLAN_STR;
}

static void
rec_set_store(
    const struct plan *pl, struct plan_rec *rec, enum plan_store store)
{
	rec->store = store;
	if (store == PLAN_STR)
		rec->size = pl->strsize;
	else if (store == PLAN_STR_ID)
		rec->size = 4;
	else if (store == PLAN_STR_COMM)
		rec->size = COMM_SIZE;
	rec->align = natural_align(rec->size);
}

static bool
is_print(const struct dif_action *act)
{
	return act->kind == DT_ACT_DIFEXPR && act->fmt != NULL;
}

/* The number of frames from the script or the option, limited by maxframes. */
static uint32_t
nframes(const struct plan *pl, struct plan_rec *rec, uint32_t option,
    enum plan_limit limit)
{
	uint32_t asked = (uint32_t)rec->arg, n = asked != 0 ? asked : option;

	rec->limit = asked != 0 ? PLAN_LIMIT_NONE : limit;
	if (pl->maxframes == 0 || n <= pl->maxframes)
		return n;
	rec->limit = PLAN_LIMIT_MAX;
	return pl->maxframes;
}

static void
rec_set_stack(const struct plan *pl, struct plan_rec *rec)
{
	rec->arg = nframes(pl, rec, pl->stackframes, PLAN_LIMIT_STACK);
	rec->size = (uint32_t)rec->arg * 8;
	rec->store = PLAN_STACK;
	rec->align = 8;
}

/*
 * A stack of n frames.  The published layout has their strings behind the pcs
 * (PLAN_USTACK).
 */
static void
rec_set_frames(struct plan_rec *rec, uint32_t n, uint64_t strings)
{
	rec->arg = n | strings << 32;
	rec->size = (1 + n) * 8 + (((uint32_t)strings + 7) & ~7U);
	rec->store = PLAN_USTACK;
	rec->align = 8;
}

static void
rec_set_ustack(const struct plan *pl, struct plan_rec *rec)
{
	uint64_t strings = rec->arg >> 32;

	rec_set_frames(rec,
	    nframes(pl, rec, pl->ustackframes, PLAN_LIMIT_USTACK), strings);
}

static void
rec_set_jstack(const struct plan *pl, struct plan_rec *rec)
{
	uint64_t strings = rec->arg >> 32;

	rec_set_frames(rec,
	    nframes(pl, rec, pl->jstackframes, PLAN_LIMIT_JSTACK),
	    strings != 0 ? strings : pl->jstackstrsize);
}

static void
rec_set_fixed(struct plan_rec *rec, enum plan_store store, uint32_t size)
{
	rec->store = store;
	rec->size = size;
	rec->align = size < 8 ? (uint16_t)size : 8;
}

/* Store a value as the type of the action's object. */
static void
rec_set_value(const struct plan *pl, struct plan_rec *rec)
{
	const struct dif_action *act = rec->src;
	const struct dif_type *t = &act->difo->rtype;

	rec->size = t->size;
	rec_set_store(pl, rec,
	    t->kind == DIF_TYPE_STRING ? string_store(act->difo) : PLAN_BYTES);
	if (is_print(act) && rec->store == PLAN_BYTES &&
	    rec->size > pl->printsize)
		rec->size = pl->printsize;
}

/* The datum of one action; size 0: a datum without bytes. */
static struct plan_rec
rec_of_action(const struct plan *pl, const struct dif_action *act)
{
	struct plan_rec rec = { .action = act->kind,
		.arg = act->arg,
		.uarg = act->uarg,
		.group = act->group,
		.src = act,
		.align = 1 };

	switch (dif_act(act->kind)->datum) {
	case DIF_DATUM_STACK:
		rec_set_stack(pl, &rec);
		break;
	case DIF_DATUM_USTACK:
		rec_set_ustack(pl, &rec);
		break;
	case DIF_DATUM_JSTACK:
		rec_set_jstack(pl, &rec);
		break;
	case DIF_DATUM_SYM:
		rec_set_fixed(&rec, PLAN_SYM, 8);
		break;
	case DIF_DATUM_USYM:
		rec_set_fixed(&rec, PLAN_USYM, 16);
		break;
	case DIF_DATUM_REF:
		rec_set_fixed(&rec, PLAN_REF, PLAN_REFHDR + (uint32_t)act->arg);
		break;
	case DIF_DATUM_PACKET:
		rec_set_fixed(&rec, PLAN_REF, PLAN_REFHDR + pl->pcapsize);
		break;
	case DIF_DATUM_WORD:
		rec_set_fixed(&rec, PLAN_BYTES, 8);
		break;
	case DIF_DATUM_STATUS:
		rec_set_fixed(&rec, PLAN_BYTES, 4);
		break;
	case DIF_DATUM_VALUE:
		if (act->difo != NULL)
			rec_set_value(pl, &rec);
		break;
	}
	return rec;
}

/* Two uses of one key: a store that can hold both. */
static void
merge_key(
    const struct plan *pl, struct plan_rec *key, const struct plan_rec *use)
{
	if (key->store != use->store && key->store != PLAN_BYTES &&
	    !PLAN_IS_STACK(key->store) && key->store != PLAN_SYM &&
	    key->store != PLAN_USYM)
		rec_set_store(pl, key, PLAN_STR);
	else if (use->size > key->size) {
		key->size = use->size;
		key->arg = use->arg;
		key->align = use->align;
	}
}

static void
plan_agg_use(const struct plan *pl, struct plan_agg *pa,
    const struct dif_action *tuple, uint32_t nkeys)
{
	bool is_first = pa->keys.n == 0;

	for (uint32_t i = 0; i < nkeys; i++) {
		struct plan_rec rec = rec_of_action(pl, &tuple[i]);

		if (is_first)
			VEC_PUSH(&pa->keys, rec);
		else
			merge_key(pl, &pa->keys.v[i], &rec);
	}
}

/*
 * Each aggregation that the clause updates is known by an enabling of it,
 * unless by one of an earlier clause.
 */
static void
name_first_epids(const struct plan *pl, const struct plan_clause *pc)
{
	VEC_FOREACH(&pc->clause->actions, act) {
		struct plan_agg *pa;

		if (!DT_ACT_IS_AGG(act->kind))
			continue;
		pa = plan_agg_of(pl, act);
		if (pa->epid == 0 && pc->probes.n != 0)
			pa->epid = pc->epid_base;
	}
}

/* Collect the keys of every aggregation that a clause updates. */
static void
plan_clause_aggs(struct plan *pl, const struct plan_clause *pc)
{
	VEC_FOREACH(&pc->clause->actions, act) {
		if (DT_ACT_IS_AGG(act->kind))
			plan_agg_use(pl, plan_agg_of(pl, act), plan_keys(act),
			    plan_nkeys(act));
	}
}

static void
plan_agg_layout(struct plan_agg *pa)
{
	uint32_t off = PLAN_KEYHDR;

	VEC_FOREACH(&pa->keys, key) {
		off = round_up(off, key->align);
		key->offset = off;
		off += key->size;
	}
	pa->key_size = round_up(off, 8);
	pa->val_size = plan_agg_val_size(pa->agg->kind, pa->agg->arg);
}

static void
plan_clause_layout(const struct plan *pl, struct plan_clause *pc)
{
	uint32_t off = PLAN_RECHDR;
	bool records = pc->clause->default_action;

	VEC_FOREACH(&pc->clause->actions, act) {
		struct plan_rec rec;

		if (!plan_is_recorded(act))
			continue;
		records = true;
		rec = rec_of_action(pl, act);
		off = round_up(off, rec.align);
		rec.offset = off;
		off += rec.size;
		VEC_PUSH(&pc->recs, rec);
	}
	pc->size = records ? round_up(off, 8) : 0;
}

void
plan_finish(struct plan *pl)
{
	VEC_FOREACH(&pl->clauses, pc)
		plan_clause_aggs(pl, pc);
	VEC_FOREACH(&pl->aggs, pa)
		plan_agg_layout(pa);
	VEC_FOREACH(&pl->clauses, pc) {
		plan_clause_layout(pl, pc);
		pc->epid_base = pl->nepids + 1;
		pl->nepids += (uint32_t)pc->probes.n;
		name_first_epids(pl, pc);
		plan_make_steps(pl, pc);
	}
	pl->late_base = pl->nepids + 1;
}

uint32_t
plan_add_late(struct plan *pl, uint32_t clause, const struct dt_probe *p)
{
	assert(clause < pl->clauses.n && pl->late_base != 0);
	VEC_PUSH(&pl->late, (struct plan_late){ clause, p });
	return ++pl->nepids;
}

static const struct plan_clause *
late_by_epid(
    const struct plan *pl, uint32_t epid, const struct dt_probe **probe)
{
	const struct plan_late *late;

	if (epid - pl->late_base >= pl->late.n)
		return NULL;
	late = &pl->late.v[epid - pl->late_base];
	if (late->clause == PLAN_ELSEWHERE)
		return NULL;
	if (probe != NULL)
		*probe = late->probe;
	return &pl->clauses.v[late->clause];
}

const struct plan_clause *
plan_by_epid(
    const struct plan *pl, uint32_t epid, const struct dt_probe **probe)
{
	size_t lo = 0, hi = pl->clauses.n;

	if (pl->late_base != 0 && epid >= pl->late_base)
		return late_by_epid(pl, epid, probe);
	/* The last clause whose base is not above epid has it, if any has. */
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (pl->clauses.v[mid].epid_base <= epid)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo > 0; lo--) {
		const struct plan_clause *pc = &pl->clauses.v[lo - 1];

		if (epid >= pc->epid_base &&
		    epid - pc->epid_base < pc->probes.n) {
			if (probe != NULL)
				*probe = pc->probes.v[epid - pc->epid_base];
			return pc;
		}
		if (pc->probes.n != 0)
			break;
	}
	return NULL;
}

const char *
plan_limit_name(enum plan_limit limit)
{
	static const char *const names[PLAN_NLIMITS] = {
		[PLAN_LIMIT_STACK] = "stackframes",
		[PLAN_LIMIT_USTACK] = "ustackframes",
		[PLAN_LIMIT_JSTACK] = "jstackframes",
		[PLAN_LIMIT_MAX] = "maxframes",
	};

	return names[limit];
}

const char *
plan_cut_name(uint64_t pc)
{
	static const char *const names[] = {
		[PLAN_CUT_ROOM] = "too-many-at-once",
		[PLAN_CUT_FILE] = "file-is-gone",
		[PLAN_CUT_COPY] = "stack-is-deeper",
		[PLAN_CUT_CODE] = "not-in-code",
		[PLAN_CUT_CIRCLE] = "bad-stack",
	};

	return -pc < sizeof(names) / sizeof(names[0]) ? names[-pc] : NULL;
}

static bool
has_uaddrs(const struct plan_rec *rec)
{
	return rec->store == PLAN_USTACK || rec->store == PLAN_USYM;
}

bool
plan_has_uprobes(const struct plan *pl)
{
	VEC_FOREACH(&pl->clauses, pc) {
		VEC_FOREACH(&pc->probes, p) {
			if ((*p)->up != NULL && !pc->in_process)
				return true;
		}
	}
	VEC_FOREACH(&pl->late, late) {
		if (late->probe->up != NULL &&
		    !pl->clauses.v[late->clause].in_process)
			return true;
	}
	return false;
}

bool
plan_is_in_process(const struct plan *pl)
{
	VEC_FOREACH(&pl->clauses, pc) {
		if (plan_clause_is_live(pc) && !pc->in_process)
			return false;
	}
	return true;
}

bool
plan_has_uaddrs(const struct plan *pl)
{
	VEC_FOREACH(&pl->clauses, pc) {
		VEC_FOREACH(&pc->recs, rec) {
			if (has_uaddrs(rec))
				return true;
		}
	}
	VEC_FOREACH(&pl->aggs, pa) {
		VEC_FOREACH(&pa->keys, key) {
			if (has_uaddrs(key))
				return true;
		}
	}
	return false;
}

static const char *
str_of_id(const struct plan *pl, uint32_t id)
{
	char name[16];
	const char *s;

	if ((id & PLAN_STR_PID) != 0) {
		snprintf(name, sizeof(name), "pid%u", id & ~PLAN_STR_PID);
		id = strtab_intern(pl->made, name);
		return strtab_str(pl->made, id);
	}
	s = strtab_str(pl->strs, id);
	return s != NULL ? s : "";
}

const char *
plan_str(const struct plan *pl, const struct plan_rec *rec, const void *data,
    uint32_t *len)
{
	const char *s = data;
	uint32_t id;

	if (rec->store == PLAN_STR_ID) {
		memcpy(&id, data, sizeof(id));
		s = str_of_id(pl, id);
		*len = (uint32_t)strnlen(s, pl->strsize);
		return s;
	}
	*len = (uint32_t)strnlen(s, rec->size);
	return s;
}

static void
rec_dump(const struct plan_rec *rec, struct strbuf *out)
{
	static const char *const stores[] = { "bytes", "string", "string id",
		"execname", "stack", "user stack", "symbol", "user symbol",
		"reference" };

	strbuf_printf(out, "      action 0x%03x offset %3u size %4u  %s",
	    rec->action, rec->offset, rec->size, stores[rec->store]);
	if (rec->store == PLAN_USTACK && PLAN_STRINGS(rec) != 0)
		strbuf_printf(out, ", %u for strings", PLAN_STRINGS(rec));
	strbuf_addc(out, '\n');
}

void
plan_dump(const struct plan *pl, struct strbuf *out)
{
	strbuf_printf(out,
	    "plan: %zu clauses, %u enablings, %zu aggregations\n",
	    pl->clauses.n, pl->nepids, pl->aggs.n);
	VEC_FOREACH(&pl->clauses, pc) {
		strbuf_printf(out, "  clause %zu: record %u bytes",
		    (size_t)(pc - pl->clauses.v) + 1, pc->size);
		if (pc->probes.n != 0)
			strbuf_printf(out, ", EPID %u to %u", pc->epid_base,
			    pc->epid_base + (uint32_t)pc->probes.n - 1);
		strbuf_addc(out, '\n');
		VEC_FOREACH(&pc->recs, rec)
			rec_dump(rec, out);
	}
	VEC_FOREACH(&pl->aggs, pa) {
		strbuf_printf(out,
		    "  aggregation %u @%s: key %u, value %u bytes\n",
		    pa->agg->id, pa->agg->name, pa->key_size, pa->val_size);
		VEC_FOREACH(&pa->keys, key)
			rec_dump(key, out);
	}
}
