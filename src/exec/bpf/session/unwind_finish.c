/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finish stacks that the kernel's program could not walk.
 *
 * A walk may reach a file that no process had mapped when dtrace looked.  The
 * program has no table for it.  It leaves its registers and a copy of the stack
 * in rtm_unwfinish, and stores the copy's number with the frames found.  This
 * file continues with the same unwinder, using tables of what was mapped at
 * that time, which dtrace reads from the files.
 *
 *	record, key: [ id | pid | pc pc pc 0 0 ... ]
 *	              unwind_finish.c:       ... and these ^
 *
 * A copy is given back as soon as its walk is finished.  The frames are kept
 * until their record is handed over.  The frames of a key are kept until the
 * key is forgotten, since each snapshot reads it again.  The program fills a
 * copy before it writes the record or key, so a reader of these finds the copy.
 *
 * Without this file the stacks of short-lived programs end at their first new
 * file: doc/substrates.md, "Stacks that come before their table", has the
 * figures.
 */
#include "exec/bpf/bpf_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "exec/runtime/rt_unwind.h"
#include "sym/usyms.h"

/* The frames behind those that the program found. */
struct finished_frames {
	struct finished_frames *next; /* with the same hash */
	uint32_t id, n;
	uint64_t pcs[];
};
#define BUCKETS 4096

struct bx_unwind_finish {
	struct bx_unfinished *copies; /* [BX_NUNFINISHED], mapped */
	uint32_t longest;	      /* longest stored stack, frames */
	struct finished_frames *buckets[BUCKETS];
	struct rt_mstate *ms;
	char *record; /* the record to hand over, if changed */
};

/* ---- one walk ------------------------------------------------------------ */

struct finish_walk {
	struct bx_exec *x;
	const struct bx_unfinished *r;
	struct unw_file file; /* the file at which the program stopped */
	struct rt_conf conf;
	struct rt_range regs;
	struct rt_mapping map;
	struct rt_copy copy;
	struct rt_host host;
	struct rt_walk *w; /* the runtime's */
};

static void
walk_init(
    struct finish_walk *rw, struct bx_exec *x, const struct bx_unfinished *r)
{
	struct rt_mstate *ms = x->unwind_finish->ms;
	uint64_t n = r->nreturns;

	memset(rw, 0, sizeof(*rw));
	rw->x = x;
	rw->r = r;
	memcpy(&rw->file, r->file, sizeof(rw->file));
	rw->conf.memmask = UINT64_MAX;
	rw->regs = (struct rt_range){ .addr = (uintptr_t)r->regs,
		.size = sizeof(r->regs) };
	rw->copy = (struct rt_copy){ .returns = (const u64 *)r->returns,
		.nreturns = n <= BX_RETURNS ? (u32)n : 0 };
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t off = i * BX_STACK_COPY / 2;

		rw->copy.parts[i].addr = r->parts[i].at;
		if (r->parts[i].len <= BX_STACK_COPY - off)
			rw->copy.parts[i].size = r->parts[i].len;
		rw->copy.parts[i].bytes = r->stack + off;
	}
	rw->host = (struct rt_host){ .kernel = { &rw->regs, 1, 0 },
		.mappings = &rw->map,
		.nmappings = 1,
		.copy = &rw->copy };
	memset(ms, 0, sizeof(*ms));
	ms->conf = &rw->conf;
	ms->host = &rw->host;
	rw->w = RT_LOOP_VARS(struct rt_walk, ms);
	*rw->w = (struct rt_walk){ .slot = (uintptr_t)ms,
		.pc = r->pc,
		.sp = r->sp,
		.bp = r->bp,
		.at = r->at,
		.out_end = 8 * ((uint64_t)x->unwind_finish->longest + 1),
		.regs = r->has_regs ? rw->regs.addr : 0,
		.ret_above = RT_NONE,
		.tramp = r->tramp };
}

/* Find the code and the table of the frame's pc: 0, or why not. */
static enum plan_cut
find_code(struct finish_walk *rw)
{
	struct usyms *us = rw->x->opts.usyms;
	struct bx_unwhere where = { .pid = (pid_t)rw->r->pid,
		.time_ns = rw->r->time_ns,
		.file = rw->w->at == rw->r->at ? &rw->file : NULL };
	struct ucode code;

	if (rw->w->at - rw->map.start < rw->map.end - rw->map.start)
		return 0;
	if (us == NULL ||
	    !usyms_code(us, where.pid, rw->w->at, where.time_ns, &code))
		return PLAN_CUT_CODE;
	rw->map = (struct rt_mapping){
		.start = code.start, .end = code.end, .off = code.off
	};
	rw->w->map_len = 0;
	return bx_unwind_rows(rw->x, &where, &code, &rw->map) ? 0 :
								PLAN_CUT_FILE;
}

/* Walk on.  0: the stack ends; else the reason why the walk stopped. */
static enum plan_cut
walk_on(struct finish_walk *rw)
{
	enum plan_cut cut;
	bool is_end = false;

	while (!is_end) {
		cut = find_code(rw);
		if (cut != 0)
			return cut;
		is_end = rt_unw_step(rw->w->slot) != 0;
		if (rw->copy.lacks)
			return PLAN_CUT_COPY;
	}
	return rw->x->unwind_finish->ms->fault != 0 ? PLAN_CUT_CIRCLE : 0;
}

static struct finished_frames **
bucket_of(struct bx_unwind_finish *u, uint32_t id)
{
	return &u->buckets[id % BUCKETS];
}

static void
keep(struct bx_unwind_finish *u, uint32_t id, const uint64_t *pcs, uint32_t n)
{
	struct finished_frames **bucket = bucket_of(u, id);
	struct finished_frames *f = mem_alloc(sizeof(*f) + n * sizeof(*pcs));

	f->id = id;
	f->n = n;
	memcpy(f->pcs, pcs, n * sizeof(*pcs));
	f->next = *bucket;
	*bucket = f;
}

/* Walk and keep the frames.  The program has stored the first one. */
static void
finish(struct bx_exec *x, const struct bx_unfinished *r)
{
	struct bx_unwind_finish *u = x->unwind_finish;
	uint64_t *pcs = (uint64_t *)(void *)u->ms->mem;
	struct finish_walk rw;
	enum plan_cut cut;
	uint32_t n;

	walk_init(&rw, x, r);
	cut = walk_on(&rw);
	n = (uint32_t)(rw.w->out / 8);
	if (n == 0)
		n = 1;
	if (cut != 0)
		pcs[n++] = PLAN_CUT_PC(cut);
	keep(u, (uint32_t)r->id, pcs + 1, n - 1);
}

/* ---- copies -------------------------------------------------------------- */

static void
take(struct bx_exec *x, struct bx_unfinished *r)
{
	/* pairs with rt_ustack_unfinished(), which fills it first */
	if (__atomic_load_n(&r->state, __ATOMIC_ACQUIRE) != BX_UNFINISHED_FULL)
		return;
	finish(x, r);
	__atomic_store_n(&r->state, BX_UNFINISHED_FREE, __ATOMIC_RELEASE);
}

bool
bx_unwind_finish_any(const struct bx_exec *x)
{
	return x->unwind_finish != NULL &&
	    __atomic_load_n(&x->ctl->unfinished, __ATOMIC_ACQUIRE) != 0;
}

void
bx_unwind_finish_take(struct bx_exec *x)
{
	if (!bx_unwind_finish_any(x))
		return;
	for (uint32_t i = 0; i < BX_NUNFINISHED; i++)
		take(x, &x->unwind_finish->copies[i]);
}

/* ---- stacks -------------------------------------------------------------- */

/* Link that points to the frames kept under a number, or to NULL. */
static struct finished_frames **
find(struct bx_unwind_finish *u, uint32_t id)
{
	struct finished_frames **at = bucket_of(u, id);

	while (*at != NULL && (*at)->id != id)
		at = &(*at)->next;
	return at;
}

/* Append to the frames of a stack, as many as fit. */
static void
append(char *pcs, uint32_t max, const uint64_t *more, uint32_t n)
{
	uint32_t have = 0;
	uint64_t pc = 1;

	while (have < max && pc != 0) {
		memcpy(&pc, pcs + 8 * (size_t)have, sizeof(pc));
		have += pc != 0;
	}
	if (n > max - have)
		n = max - have;
	memcpy(pcs + 8 * (size_t)have, more, 8 * (size_t)n);
}

/* The number of the copy of a stored stack; 0: it has none. */
static uint32_t
id_of(const struct plan_rec *rec, const char *data)
{
	uint32_t id = 0;

	if (rec->store == PLAN_USTACK)
		memcpy(&id, data + 4, sizeof(id));
	return id;
}

void
bx_unwind_finish_put(struct bx_exec *x, const struct plan_rec *rec, char *data)
{
	static const uint64_t no_room = PLAN_CUT_PC(PLAN_CUT_ROOM);
	uint32_t id = id_of(rec, data), max = (uint32_t)rec->arg;
	const struct finished_frames *f;

	if (id == 0)
		return;
	memset(data + 4, 0, sizeof(id));
	f = *find(x->unwind_finish, id);
	if (f == NULL && id != BX_UNFINISHED_NONE) {
		bx_unwind_finish_take(x);
		f = *find(x->unwind_finish, id);
	}
	if (f != NULL)
		append(data + 8, max, f->pcs, f->n);
	else
		append(data + 8, max, &no_room, 1);
}

void
bx_unwind_finish_forget(
    struct bx_exec *x, const struct plan_rec *rec, const char *data)
{
	uint32_t id = id_of(rec, data);
	struct finished_frames **at, *f;

	if (x->unwind_finish == NULL || id == 0)
		return;
	at = find(x->unwind_finish, id);
	f = *at;
	if (f == NULL)
		return;
	*at = f->next;
	free(f);
}

const struct dt_record *
bx_unwind_finish_record(
    struct bx_exec *x, const struct dt_record *rec, struct dt_record *copy)
{
	const struct plan_clause *pc =
	    rec->epid != 0 ? plan_by_epid(x->pl, rec->epid, NULL) : NULL;

	if (pc == NULL)
		return rec;
	memcpy(x->unwind_finish->record, rec->data, rec->size);
	VEC_FOREACH(&pc->recs, r) {
		bx_unwind_finish_put(
		    x, r, x->unwind_finish->record + r->offset);
		bx_unwind_finish_forget(x, r, rec->data + r->offset);
	}
	*copy = *rec;
	copy->data = x->unwind_finish->record;
	return copy;
}

/* ---- life ---------------------------------------------------------------- */

static uint32_t
longest_stack(const struct plan *pl)
{
	uint32_t longest = 0;

	VEC_FOREACH(&pl->clauses, pc) {
		VEC_FOREACH(&pc->recs, rec) {
			if (rec->store == PLAN_USTACK &&
			    (uint32_t)rec->arg > longest)
				longest = (uint32_t)rec->arg;
		}
	}
	VEC_FOREACH(&pl->aggs, pa) {
		VEC_FOREACH(&pa->keys, key) {
			if (key->store == PLAN_USTACK &&
			    (uint32_t)key->arg > longest)
				longest = (uint32_t)key->arg;
		}
	}
	return longest;
}

int
bx_unwind_finish_start(struct bx_exec *x, struct err *err)
{
	int fd = bx_map_find(x, "rtm_unwfinish");
	struct bx_unwind_finish *u;
	void *p;

	if (fd < 0)
		return 0;
	p = mmap(NULL, sizeof(struct bx_unfinished) * BX_NUNFINISHED,
	    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		int rc = -errno;

		return err_set(err, rc, "cannot map the copies of stacks: %s",
		    strerror(-rc));
	}
	u = x->unwind_finish = mem_alloc(sizeof(*u));
	u->copies = p;
	u->longest = longest_stack(x->pl);
	u->ms = mem_alloc(sizeof(*u->ms) + 8 * ((size_t)u->longest + 2));
	u->record = mem_alloc(exec_record_max(x->pl));
	return 0;
}

void
bx_unwind_finish_stop(struct bx_exec *x)
{
	struct bx_unwind_finish *u = x->unwind_finish;

	if (u == NULL)
		return;
	munmap(u->copies, sizeof(struct bx_unfinished) * BX_NUNFINISHED);
	for (uint32_t i = 0; i < BUCKETS; i++) {
		for (struct finished_frames *f = u->buckets[i], *next;
		     f != NULL; f = next) {
			next = f->next;
			free(f);
		}
	}
	free(u->ms);
	free(u->record);
	free(u);
	x->unwind_finish = NULL;
}
