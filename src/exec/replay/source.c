/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Make firings of the plan from the records of a recording.
 *
 * A recording is hostile.  The player has compared each record with its layout
 * in the recorded plan; data are read where, and as long as, that layout says.
 */
#include "exec/replay/impl.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"

/* ---- what a record is ---------------------------------------------------- */

/* The place of a number in a firing; -1: no clause of the plan reads it. */
static int
place_of(const struct rp *rp, int datum)
{
	static const struct {
		uint8_t row;
		uint8_t is_kept; /* strings and threads may be found by it */
	} vars[] = {
		[DIF_FIRING_PID] = { RT_VAR_PID, 1 },
		[DIF_FIRING_TID] = { RT_VAR_TID, 1 },
		[DIF_FIRING_PPID] = { RT_VAR_PPID, 0 },
		[DIF_FIRING_UID] = { RT_VAR_UID, 0 },
		[DIF_FIRING_GID] = { RT_VAR_GID, 0 },
		[DIF_FIRING_ERRNO] = { RT_VAR_ERRNO, 0 },
	};
	uint32_t row;

	if (datum >= DIF_FIRING_ARG0 && datum < DIF_FIRING_ARG0 + RT_NARGS) {
		unsigned i = (unsigned)(datum - DIF_FIRING_ARG0);

		return (rp->wanted_args & 1U << i) == 0 ?
		    -1 :
		    (int)(offsetof(struct in_firing, args) + 8 * (size_t)i);
	}
	if (datum < 0 || (size_t)datum >= sizeof(vars) / sizeof(vars[0]) ||
	    datum == DIF_FIRING_EXECNAME)
		return -1;
	row = vars[datum].row;
	if (!(vars[datum].is_kept && rp->wants_thread) &&
	    (rp->wanted & UINT64_C(1) << row) == 0)
		return -1;
	return (int)(offsetof(struct in_firing, vars) + 8 * (size_t)row);
}

static void
add_move(const struct rp *rp, struct rp_shape *s, const struct plan_rec *rec,
    int datum)
{
	int to = place_of(rp, datum);
	bool is_id = datum == DIF_FIRING_UID || datum == DIF_FIRING_GID;

	if (to < 0 || rec->store != PLAN_BYTES ||
	    (rec->size != 4 && rec->size != 8))
		return;
	VEC_PUSH(&s->moves,
	    ((struct rp_move){ .width = rec->size == 8 ? RP_WORD :
		    is_id			       ? RP_UINT32 :
							 RP_INT32,
		.from = rec->offset,
		.to = (uint32_t)to }));
}

static void
make_shape(
    const struct rp *rp, struct rp_shape *s, const struct plan_clause *pc)
{
	s->pc = pc;
	VEC_FOREACH(&pc->recs, rec) {
		int datum = dif_action_firing(rec->src);

		if (datum == DIF_FIRING_EXECNAME && rec->size <= RP_COMM)
			s->comm = rec;
		else if (datum == DIF_FIRING_STACK && rec->store == PLAN_STACK)
			s->frames[RP_KERNEL] = rec;
		else if (datum == DIF_FIRING_USTACK &&
		    rec->store == PLAN_USTACK)
			s->frames[RP_USER] = rec;
		else
			add_move(rp, s, rec, datum);
	}
}

static const struct rp_shape *
shape_of(const struct rp *rp, const struct plan_clause *pc)
{
	const struct rp_reel *reel = &rp->reels[rp->reel];
	struct rp_shape *s = &reel->shapes[pc - reel->tape.pl->clauses.v];

	if (s->pc == NULL)
		make_shape(rp, s, pc);
	return s;
}

static struct rp_recorded
recognise(struct rp *rp, const struct plan *recorded, uint32_t epid)
{
	struct rp_recorded rr = { .kind = RP_OTHER };
	const struct dt_probe *p = NULL;
	struct strbuf name = { 0 };
	uint32_t i;
	int last;

	rr.pc = plan_by_epid(recorded, epid, &p);
	if (rr.pc == NULL || rr.pc->recs.n == 0)
		return rr;
	last = dif_action_firing(rr.pc->recs.v[rr.pc->recs.n - 1].src);
	dt_probe_format(p, &name);
	i = strtab_find(&rp->names, name.s);
	strbuf_fini(&name);
	if (last < 0 || i == 0)
		return rr;
	rr.probe = i - 1;
	rr.kind = rr.pc->clause->default_action ? RP_FIRING : RP_OTHER;
	if (rr.kind == RP_FIRING) {
		rr.shape = shape_of(rp, rr.pc);
		rr.slot =
		    (uint32_t)(rr.pc - recorded->clauses.v) % rp->max_waits;
	}
	if (rp->wants_strings && last >= DIF_FIRING_STR0 &&
	    last < DIF_FIRING_STR0 + RT_NARGS) {
		rr.kind = RP_STRING;
		rr.arg = (uint32_t)last - DIF_FIRING_STR0;
		rp->depth = rp->max_waits - 1;
	}
	return rr;
}

static const struct rp_recorded *
recorded(struct rp *rp, uint32_t epid)
{
	struct rp_reel *reel = &rp->reels[rp->reel];

	while (reel->recorded.n <= epid)
		VEC_PUSH(&reel->recorded, (struct rp_recorded){ 0 });
	if (reel->recorded.v[epid].kind == RP_UNSEEN)
		reel->recorded.v[epid] = recognise(rp, reel->tape.pl, epid);
	return &reel->recorded.v[epid];
}

/* ---- firing -------------------------------------------------------------- */

static void
set_place(struct rp *rp, struct in_firing *f, uint64_t time_ns, uint32_t cpu,
    const struct rp_reel *reel)
{
	const struct rp_tape *t = &reel->tape;

	f->vars[RT_VAR_HOST] = reel->host;
	rp->host_id = reel->host_id;
	f->vars[RT_VAR_TIMESTAMP] = f->vars[RT_VAR_MACHTIMESTAMP] = time_ns;
	if ((rp->wanted & UINT64_C(1) << RT_VAR_WALLTIMESTAMP) != 0)
		f->vars[RT_VAR_WALLTIMESTAMP] =
		    time_ns - t->shift_ns + t->wall_offset(t->arg);
	f->vars[RT_VAR_CPU] = cpu;
	f->vars[RT_VAR_EXECNAME] = (uint64_t)(uintptr_t)rp->comm;
	rp->now_ns = time_ns > rp->now_ns ? time_ns : rp->now_ns;
}

/* Arguments that were not recorded are replaced by the command's name. */
static void
set_args(struct rp *rp, struct in_firing *f, const char *args)
{
	const char *text = args != NULL ? args : rp->comm;
	size_t len =
	    args != NULL ? strnlen(args, RP_ARGS - 1) : strlen(rp->comm);

	memcpy(rp->args, text, len);
	rp->args[len] = '\0';
	f->vars[RT_VAR_EXECARGS] = (uint64_t)(uintptr_t)rp->args;
}

void
rp_fire_own(struct rp *rp, uint32_t probe, uint64_t time_ns)
{
	struct in_firing f = { 0 };

	memset(rp->comm, 0, sizeof(rp->comm));
	memset(rp->user, 0, sizeof(rp->user));
	rp->stacks = NULL;
	set_place(rp, &f, time_ns, 0, &rp->reels[rp->src.ntapes]);
	if (rp->wants_args)
		set_args(rp, &f, NULL);
	rp_fire(rp, probe, &f, 0);
}

/* Ticks between two firings; a machine is not idle for more of them, but the
 * times of a hostile recording may be far apart. */
#define TICKS_MAX 10000000

/* Skip the ticks that are due: they do not fire. */
static void
skip_ticks(struct rp *rp, uint64_t until)
{
	VEC_FOREACH(&rp->ticks, i) {
		struct rp_probe *p = &rp->probes.v[*i];

		if (p->next_ns <= until)
			p->next_ns = until + p->probe->period_ns;
	}
	if (!rp->has_skipped && rp->notice != NULL)
		rp->notice(rp->notice_arg,
		    "recorded firings have times far apart: tick probes fire "
		    "10 million times between two firings at most");
	rp->has_skipped = true;
}

/* Ticks that were due before the firing, in the order of their times. */
static void
fire_ticks(struct rp *rp, uint64_t until)
{
	for (uint32_t n = 0; rp->rc == 0 && !rp->is_exiting; n++) {
		struct rp_probe *first = NULL;

		VEC_FOREACH(&rp->ticks, i) {
			struct rp_probe *p = &rp->probes.v[*i];

			if (p->next_ns <= until &&
			    (first == NULL || p->next_ns < first->next_ns))
				first = p;
		}
		if (first == NULL || bounds_is_stopped())
			return;
		if (n == TICKS_MAX) {
			skip_ticks(rp, until);
			return;
		}
		rp_fire_own(
		    rp, (uint32_t)(first - rp->probes.v), first->next_ns);
		first->next_ns += first->probe->period_ns;
	}
}

static void
fire_wait(struct rp *rp, struct rp_wait *w)
{
	fire_ticks(rp, w->time_ns);
	if (rp->rc != 0 || rp->is_exiting)
		return;
	memcpy(rp->comm, w->comm, sizeof(rp->comm));
	for (uint32_t i = 0; rp->depth != 0 && i < RT_NARGS; i++)
		rp->user[i] = (struct rt_range){ .addr = w->texts[i].addr,
			.size = w->texts[i].len,
			.bias = (uint64_t)(uintptr_t)w->texts[i].text -
			    w->texts[i].addr };
	rp->stacks = w->stacks;
	set_place(rp, &w->f, w->time_ns, w->cpu, &rp->reels[w->tape]);
	if (rp->wants_args)
		set_args(rp, &w->f, w->args);
	rp_fire(rp, w->probe, &w->f, w->cpu);
}

static void
fire_first(struct rp *rp)
{
	struct rp_wait *w = &rp->waits[rp->first_wait];

	rp->first_wait = (rp->first_wait + 1) % rp->max_waits;
	rp->nwaits--;
	fire_wait(rp, w);
}

void
rp_flush(struct rp *rp)
{
	while (rp->nwaits != 0 && rp->rc == 0 && !rp->is_exiting)
		fire_first(rp);
}

/* ---- reading ------------------------------------------------------------- */

static uint64_t
number(const struct plan_rec *rec, const char *data)
{
	int32_t word;
	uint64_t value = 0;

	if (rec->size == 4) {
		memcpy(&word, data + rec->offset, 4);
		return (uint64_t)(int64_t)word;
	}
	memcpy(&value, data + rec->offset, rec->size < 8 ? rec->size : 8);
	return value;
}

static void
take_frames(const struct rp *rp, struct rp_wait *w, enum rp_stack_kind kind,
    const struct plan_rec *rec, const char *pcs)
{
	struct rp_stack *st = &w->stacks[kind];
	uint32_t max = (uint32_t)rec->arg;

	if (st->pcs == NULL)
		st->pcs = mem_alloc(8 * (size_t)rp->max_frames[kind]);
	memcpy(st->pcs, pcs, 8 * (size_t)max);
	while (st->n < max && st->pcs[st->n] != 0)
		st->n++;
}

/* caller and ucaller. */
static uint64_t
caller(const struct rp_wait *w, enum rp_stack_kind kind)
{
	return w->stacks[kind].n >= 2 ? w->stacks[kind].pcs[1] : 0;
}

static void
take_numbers(struct in_firing *f, const struct rp_shape *s, const char *data)
{
	VEC_FOREACH(&s->moves, m) {
		uint64_t *to = (uint64_t *)(void *)((char *)f + m->to);
		uint32_t word;

		if (m->width == RP_WORD) {
			memcpy(to, data + m->from, 8);
			continue;
		}
		memcpy(&word, data + m->from, 4);
		*to = m->width == RP_UINT32 ? word :
					      (uint64_t)(int64_t)(int32_t)word;
	}
}

static void
take_stacks(const struct rp *rp, struct rp_wait *w, const struct rp_shape *s,
    const char *data)
{
	const struct plan_rec *kernel = s->frames[RP_KERNEL];
	const struct plan_rec *user = s->frames[RP_USER];

	w->stacks[RP_KERNEL].n = w->stacks[RP_USER].n = 0;
	if (kernel != NULL)
		take_frames(rp, w, RP_KERNEL, kernel, data + kernel->offset);
	if (user != NULL)
		take_frames(rp, w, RP_USER, user, data + user->offset + 8);
	w->f.vars[RT_VAR_CALLER] = caller(w, RP_KERNEL);
	w->f.vars[RT_VAR_UCALLER] = caller(w, RP_USER);
}

/*
 * All firings of a shape set the same numbers.  Numbers that a shape does not
 * set are 0.
 */
static void
take_data(const struct rp *rp, struct rp_wait *w, const struct rp_shape *s,
    const char *data)
{
	if (w->shape != s) {
		memset(&w->f, 0, sizeof(w->f));
		memset(w->comm, 0, sizeof(w->comm));
		w->shape = s;
	}
	take_numbers(&w->f, s, data);
	if (s->comm != NULL)
		memcpy(w->comm, data + s->comm->offset, s->comm->size);
	take_stacks(rp, w, s, data);
}

/* A number for the thread, among those of all machines; a pid has 22 bits. */
static uint64_t
thread_of(const struct rp_wait *w)
{
	return (uint64_t)w->tape << 54 ^ w->f.vars[RT_VAR_PID] << 32 ^
	    (w->f.vars[RT_VAR_TID] & UINT32_MAX);
}

static const char *
args_of(const struct rp *rp, const struct rp_wait *w)
{
	const struct rp_tape *t = &rp->reels[w->tape].tape;

	return t->find_args(t->arg, w->f.vars[RT_VAR_PID]);
}

static void
fill_wait(struct rp *rp, struct rp_wait *w, const struct rp_recorded *rr,
    const struct dt_record *rec)
{
	w->probe = rr->probe;
	w->cpu = rec->cpu;
	w->tape = rp->reel;
	w->time_ns = rec->time_ns + rp->reels[rp->reel].tape.shift_ns;
	take_data(rp, w, rr->shape, rec->data);
	w->f.thread = thread_of(w);
	w->args = rp->wants_args ? args_of(rp, w) : NULL;
}

/* Firings that do not wait have a slot for each shape, which stays in the
 * CPU's cache. */
static void
take_firing(
    struct rp *rp, const struct rp_recorded *rr, const struct dt_record *rec)
{
	struct rp_wait *w;

	if (rp->depth == 0) {
		fill_wait(rp, &rp->waits[rr->slot], rr, rec);
		fire_wait(rp, &rp->waits[rr->slot]);
		return;
	}
	w = &rp->waits[(rp->first_wait + rp->nwaits) % rp->max_waits];
	for (uint32_t i = 0; i < RT_NARGS; i++)
		w->texts[i].len = 0;
	fill_wait(rp, w, rr, rec);
	rp->nwaits++;
	if (rp->nwaits > rp->depth)
		fire_first(rp);
}

/* The string belongs to the CPU's last firing, if it is of the same thread. */
static void
take_string(
    struct rp *rp, const struct rp_recorded *rr, const struct dt_record *rec)
{
	const struct plan_rec *tid = &rr->pc->recs.v[0];
	const struct plan_rec *str = &rr->pc->recs.v[rr->pc->recs.n - 1];
	const struct rp_tape *t = &rp->reels[rp->reel].tape;
	struct rp_text *text;

	for (uint32_t i = rp->nwaits; i > 0; i--) {
		struct rp_wait *w =
		    &rp->waits[(rp->first_wait + i - 1) % rp->max_waits];

		if (w->cpu != rec->cpu || w->tape != rp->reel)
			continue;
		if (w->probe != rr->probe ||
		    w->f.vars[RT_VAR_TID] != number(tid, rec->data))
			return;
		text = &w->texts[rr->arg];
		if (text->text == NULL)
			text->text = mem_alloc(rp->max_string);
		if (str->store != PLAN_STR || str->size > t->pl->strsize)
			return;
		memcpy(text->text, rec->data + str->offset, str->size);
		text->addr = w->f.args[rr->arg];
		text->len = (uint32_t)strnlen(text->text, str->size - 1) + 1;
		text->text[text->len - 1] = '\0';
		return;
	}
}

int
rp_take(const struct dt_record *rec, void *arg)
{
	struct rp *rp = arg;
	const struct rp_tape *t = &rp->reels[rp->reel].tape;
	const struct rp_recorded *rr;

	if (rec->epid == 0 || rp->is_exiting || rp->rc != 0)
		return rp->rc;
	/* only a hostile file has such an id or time */
	if (rec->epid > t->pl->nepids || t->shift_ns > INT64_MAX ||
	    rec->time_ns > INT64_MAX - t->shift_ns)
		return 0;
	rr = recorded(rp, rec->epid);
	if (rr->kind <= RP_OTHER || rec->size < rr->pc->size)
		return 0;
	if (rr->kind == RP_FIRING)
		take_firing(rp, rr, rec);
	else
		take_string(rp, rr, rec);
	return rp->rc;
}
