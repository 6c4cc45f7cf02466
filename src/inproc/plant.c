/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changing the code of a stopped process, and changing it back.
 *
 * No thread may be between the instructions that a jump overwrites.  A thread
 * whose next instruction is one of them is moved to the copy of that
 * instruction.  A thread that will return to one of them, from a signal handler
 * say, has its address on the stack: then nothing is written, and the caller
 * lets the process run and tries again.
 *
 * Any word on a stack that looks like such an address counts as one.  A stack
 * is all that is mapped from the stack pointer on: return addresses and signal
 * frames are there.  The red zone below has only addresses of finished calls.
 *
 * Text pages are written by /proc/PID/mem, which lets a tracer write where the
 * process cannot, in its private copy of the page.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "inproc/enter_impl.h"

#define PAGE 4096
#define STACK_MAX (64ULL << 20)
#define STACK_PART (64 * 1024)

/* ---- stacks ------------------------------------------------------------- */

#define USER_CS 0x33 /* the kernel's __USER_CS */
#define CS_AFTER 2   /* words */
#define JUMP 5	     /* bytes */

/* A search for words on a stack. */
struct sought {
	bool (*is)(const void *arg, uint64_t value);
	const void *arg;
	bool in_context; /* count a word only where a context has it */
};

static bool
has_word(const uint64_t *words, size_t n, const struct sought *what)
{
	for (size_t i = 0; i < n; i++) {
		if (what->is(what->arg, words[i]) &&
		    (!what->in_context ||
			(i + CS_AFTER < n &&
			    (uint16_t)words[i + CS_AFTER] == USER_CS)))
			return true;
	}
	return false;
}

/* Read the span in parts that overlap by CS_AFTER words. */
static bool
span_has(
    struct ent_stop *s, uint64_t at, uint64_t end, const struct sought *what)
{
	uint64_t *part = mem_alloc(STACK_PART), len = 0;
	bool has = false;

	while (!has && at + len < end) {
		len = end - at < STACK_PART ? end - at : STACK_PART;
		if (!ent_read(s, at, part, len))
			break;
		has = has_word(part, len / 8, what);
		if (at + len < end)
			at += len - 8 * CS_AFTER;
	}
	free(part);
	return has;
}

static bool
stack_has(struct ent_stop *s, const struct proc_maps *pm,
    const struct ent_thread *t, const struct sought *what)
{
	uint64_t at = t->regs.rsp & ~(uint64_t)7;
	const struct proc_map *map = proc_maps_find(pm, at);

	return map != NULL &&
	    span_has(s, at,
		map->end - at > STACK_MAX ? at + STACK_MAX : map->end, what);
}

/* Go keeps the stacks of goroutines that do not run in the heap. */
static bool
heap_has(
    struct ent_stop *s, const struct proc_maps *pm, const struct sought *what)
{
	bool has = false;

	VEC_FOREACH(&pm->maps, map) {
		if (map->is_write && !map->is_exec && map->ino == 0)
			has = has || span_has(s, map->start, map->end, what);
	}
	return has;
}

static bool
any_stack_has(struct ent_stop *s, const struct sought *what)
{
	struct proc_maps pm;
	struct err err = { 0 };
	bool has = false;

	if (proc_maps_read(&pm, s->pid, &err) != 0) {
		err_clear(&err);
		return true;
	}
	VEC_FOREACH(&s->threads, t)
		has = has || stack_has(s, &pm, t, what);
	proc_maps_fini(&pm);
	return has;
}

/* ---- spans -------------------------------------------------------------- */

struct spans {
	const struct inproc_span *v;
	size_t n;
};

static bool
is_in_spans(const void *arg, uint64_t value)
{
	const struct spans *spans = arg;

	for (size_t i = 0; i < spans->n; i++) {
		if (value - spans->v[i].lo < spans->v[i].hi - spans->v[i].lo)
			return true;
	}
	return false;
}

bool
ent_refers(struct ent_stop *s, const struct inproc_span *v, size_t n)
{
	struct spans spans = { v, n };
	struct sought what = { is_in_spans, &spans, true };

	VEC_FOREACH(&s->threads, t) {
		if (is_in_spans(&spans, t->regs.rip))
			return true;
	}
	return any_stack_has(s, &what);
}

/* ---- windows ------------------------------------------------------------ */

/* The writes to plant now, and the windows that cannot be planted. */
struct planting {
	struct ent_ledger *l;
	struct ent_stop *s;
	bool *is_blocked; /* one for each window */
	uint64_t nblocked;
};

static bool
is_due(const struct ent_ledger *l, const struct inproc_write *w)
{
	return (uint64_t)(w - ent_writes(l)) >= l->nplanted ||
	    l->waits[w->window] != ENT_PLANTED;
}

/* The first move from `addr`, or NULL. */
static const struct inproc_move *
first_move(const struct ent_ledger *l, uint64_t addr)
{
	const struct inproc_move *v = ent_moves(l);
	size_t lo = 0, hi = l->nmoves;

	if (hi == 0 || addr < v[0].from || addr > v[hi - 1].from)
		return NULL;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (v[mid].from < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->nmoves && v[lo].from == addr ? &v[lo] : NULL;
}

/*
 * The next move from the same place, or NULL: one window may end where another
 * begins.
 */
static const struct inproc_move *
next_move(const struct ent_ledger *l, const struct inproc_move *m)
{
	const struct inproc_move *n = m + 1;

	return n < ent_moves(l) + l->nmoves && n->from == m->from ? n : NULL;
}

static void
block(struct planting *p, uint32_t window)
{
	p->nblocked += !p->is_blocked[window];
	p->is_blocked[window] = true;
}

/* Block the windows that a stack's word leads to; the search goes on. */
static bool
block_at(const void *arg, uint64_t value)
{
	struct planting *const *p = arg;
	const struct ent_ledger *l = (*p)->l;

	for (const struct inproc_move *m = first_move(l, value); m != NULL;
	     m = next_move(l, m)) {
		if (m->to != 0 && !m->is_first)
			block(*p, m->window);
	}
	return false;
}

/*
 * Will the kernel set the thread back to repeat its system call?  The numbers
 * are those of include/linux/errno.h.
 */
static bool
may_restart(const struct ent_thread *t)
{
	int64_t rc = (int64_t)t->regs.rax;

	return (int64_t)t->regs.orig_rax >= 0 && rc <= -512 && rc >= -516;
}

/* The place to which a thread at a move's beginning goes; 0: it must stay. */
static uint64_t
destination(const struct ent_thread *t, const struct inproc_move *m)
{
	if (may_restart(t) && m->again != 0)
		return m->again;
	if (m->is_first || m->to == 0)
		return m->from;
	return may_restart(t) ? 0 : m->to;
}

/* Note a thread that stays in a window: it is there until it has run. */
static void
note_stayer(struct ent_ledger *l, pid_t tid)
{
	if (l->nstayers < ENT_STAYERS_MAX)
		l->stayers[l->nstayers] = tid;
	l->nstayers++;
}

static void
block_thread(
    struct planting *p, const struct proc_maps *pm, const struct ent_thread *t)
{
	const struct sought word = { block_at, &p, false };
	uint64_t before = p->nblocked;

	for (const struct inproc_move *m = first_move(p->l, t->regs.rip);
	     m != NULL; m = next_move(p->l, m)) {
		if (destination(t, m) == 0)
			block(p, m->window);
	}
	stack_has(p->s, pm, t, &word);
	if (p->nblocked > before)
		note_stayer(p->l, t->tid);
}

/* The thread of a stack in the heap is not known. */
static void
block_heap(struct planting *p, const struct proc_maps *pm)
{
	const struct sought word = { block_at, &p, false };
	uint64_t before = p->nblocked;

	heap_has(p->s, pm, &word);
	if (p->nblocked > before)
		p->l->nstayers += ENT_STAYERS_MAX;
}

/* ---- bytes -------------------------------------------------------------- */

/* Writes on one page, which is read and written once. */
struct chunk {
	const struct inproc_write *v;
	size_t n;
	uint64_t at, len;
	uint8_t bytes[2 * PAGE];
};

/* The next chunk of [w, end). */
static void
take_chunk(struct chunk *c, const struct inproc_write *w,
    const struct inproc_write *end)
{
	c->v = w;
	c->n = 0;
	c->at = w->at;
	for (; w < end && w->at >= c->at && w->at - c->at < PAGE; w++) {
		c->len = w->at + w->len - c->at;
		c->n++;
	}
}

static bool
has_bytes(
    const struct chunk *c, const struct inproc_write *w, const uint8_t *bytes)
{
	return memcmp(c->bytes + (w->at - c->at), bytes, w->len) == 0;
}

/* The first write whose place differs from the bytes that the plan expects. */
static const struct inproc_write *
find_changed(struct ent_stop *s, const struct inproc_write *w,
    const struct inproc_write *end)
{
	struct chunk c;

	for (; w < end; w += c.n) {
		take_chunk(&c, w, end);
		if (!ent_read(s, c.at, c.bytes, c.len))
			return w;
		for (size_t i = 0; i < c.n; i++) {
			if (!has_bytes(&c, &w[i], w[i].old))
				return &w[i];
		}
	}
	return NULL;
}

/* The first due write whose place differs; no write was made yet. */
static const struct inproc_write *
find_changed_due(const struct ent_ledger *l, struct ent_stop *s)
{
	const struct inproc_write *w = ent_writes(l) + l->first_due,
				  *changed = NULL,
				  *old = ent_writes(l) + l->nplanted, *from;

	while (changed == NULL && w < old) {
		for (from = w; w < old && l->waits[w->window] == ENT_ANEW;)
			w++;
		changed = find_changed(s, from, w);
		w += w == from;
	}
	return changed != NULL ?
	    changed :
	    find_changed(s, old, ent_writes(l) + l->nwrites);
}

/* Block waiting windows whose code was unmapped or changed meanwhile. */
static void
block_changed(struct planting *p)
{
	const struct inproc_write *w = ent_writes(p->l),
				  *end = ent_writes(p->l) + p->l->nplanted;

	for (; p->l->nwaiting != 0 && w < end; w++) {
		if (p->l->waits[w->window] == ENT_WAITS &&
		    find_changed(p->s, w, w + 1) != NULL)
			block(p, w->window);
	}
}

/* Is this write to be made? */
typedef bool ent_wanted_f(
    const struct planting *p, const struct inproc_write *w);

static bool
is_plantable(const struct planting *p, const struct inproc_write *w)
{
	return is_due(p->l, w) && !p->is_blocked[w->window];
}

static bool
is_any(const struct planting *p, const struct inproc_write *w)
{
	(void)p;
	(void)w;
	return true;
}

/*
 * Write the new bytes (or the old ones) of the wanted writes; false: it failed.
 */
static bool
put(const struct planting *p, const struct inproc_write *w,
    const struct inproc_write *end, ent_wanted_f *is_wanted, bool is_new)
{
	struct chunk c;

	for (; w < end; w += c.n) {
		c.n = 1;
		if (!is_wanted(p, w))
			continue;
		take_chunk(&c, w, end);
		if (!ent_read(p->s, c.at, c.bytes, c.len))
			return false;
		for (size_t i = 0; i < c.n; i++) {
			if (is_wanted(p, &w[i]))
				memcpy(c.bytes + (w[i].at - c.at),
				    is_new ? w[i].new : w[i].old, w[i].len);
		}
		if (!ent_write(p->s, c.at, c.bytes, c.len))
			return false;
	}
	return true;
}

/* ---- windows in use ----------------------------------------------------- */

static bool
is_in_memory(struct ent_stop *s, const struct inproc_write *w)
{
	uint8_t now[INPROC_WRITE_MAX];

	return ent_read(s, w->at, now, w->len) &&
	    memcmp(now, w->new, w->len) == 0;
}

/* A child may lack what its parent got after the fork. */
static bool
will_be_there(const struct planting *p, const struct inproc_write *w)
{
	return is_due(p->l, w) ? !p->is_blocked[w->window] :
				 is_in_memory(p->s, w);
}

/*
 * A jump that shares bytes with another window's jump needs that to be written.
 * Writes are sorted, and that one is behind it.
 */
static void
block_reliant(struct planting *p, const struct inproc_write *w,
    const struct inproc_write *end)
{
	for (const struct inproc_write *n = w + 1;
	     is_due(p->l, w) && n < end && n->at - w->at < JUMP; n++) {
		if (!will_be_there(p, n))
			block(p, w->window);
	}
}

static void
block_all_reliant(struct planting *p)
{
	const struct inproc_write *end = ent_writes(p->l) + p->l->nwrites;

	for (uint64_t i = p->l->ngroups; i-- > 0;) {
		const struct inproc_write *w = end;

		for (uint64_t n = p->l->groups[i]; n > 0; n--)
			block_reliant(p, --w, end);
		end = w;
	}
}

CHECKED static int
find_blocked(struct planting *p, struct err *err)
{
	struct proc_maps pm;

	int rc = proc_maps_read(&pm, p->s->pid, err);

	p->l->nstayers = 0;
	if (rc != 0)
		return rc;
	VEC_FOREACH(&p->s->threads, t)
		block_thread(p, &pm, t);
	if (p->l->is_go)
		block_heap(p, &pm);
	proc_maps_fini(&pm);
	block_changed(p);
	if (p->nblocked != 0 || p->l->nwaiting != 0)
		block_all_reliant(p);
	return 0;
}

static void
move_thread(const struct planting *p, struct ent_thread *t)
{
	for (const struct inproc_move *m = first_move(p->l, t->regs.rip);
	     m != NULL; m = next_move(p->l, m)) {
		uint64_t to = destination(t, m);

		if (p->is_blocked[m->window] || to == m->from)
			continue;
		t->regs.rip = to;
		t->has_moved = true;
		return;
	}
}

static void
move_threads(const struct planting *p)
{
	VEC_FOREACH(&p->s->threads, t)
		move_thread(p, t);
}

/* ---- counters ----------------------------------------------------------- */

static bool
add_to(struct ent_stop *s, uint64_t at, int by)
{
	uint16_t n;

	if (!ent_read(s, at, &n, sizeof(n)))
		return false;
	/* 0: the file was mapped anew, so we are not counted */
	if (by < 0 && n == 0)
		return true;
	n = (uint16_t)(n + by);
	return ent_write(s, at, &n, sizeof(n));
}

static void
uncount(struct ent_ledger *l, struct ent_stop *s, uint64_t group)
{
	for (uint64_t i = 0; i < l->ncounted; i++) {
		if (l->counters[i].group == group)
			add_to(s, l->counters[i].at, -1);
	}
}

/* Increment all counters that are not yet, or none. */
static bool
count_all(struct ent_ledger *l, struct ent_stop *s)
{
	uint64_t before = l->ncounted;

	while (l->ncounted < l->ncounters &&
	    add_to(s, l->counters[l->ncounted].at, 1))
		l->ncounted++;
	if (l->ncounted == l->ncounters)
		return true;
	while (l->ncounted > before)
		add_to(s, l->counters[--l->ncounted].at, -1);
	return false;
}

/* ------------------------------------------------------------------------- */

CHECKED static int
refuse_stale(
    const struct ent_stop *s, const struct inproc_write *w, struct err *err)
{
	return err_set(err, -ESTALE,
	    "code of process %d at 0x%" PRIx64
	    " is not what its file has: another dtrace, a debugger or another tracer has changed it; end that first, or use -x substrate=kernel",
	    (int)s->pid, w->at);
}

/*
 * Is another session's share mapped there?  Ours is at a known place.
 * Negative: the mappings cannot be read.
 */
CHECKED static int
has_other_session(
    const struct ent_ledger *l, const struct ent_stop *s, struct err *err)
{
	struct proc_maps pm;
	bool has = false;
	int rc = proc_maps_read(&pm, s->pid, err);

	if (rc != 0)
		return rc;
	VEC_FOREACH(&pm.maps, map) {
		has |= strstr(map->path, ENT_CODE_NAME) != NULL &&
		    map->start - l->base >= l->len;
	}
	proc_maps_fini(&pm);
	return has;
}

/* Only one session at a time may use Go threads' words (gostack.c). */
CHECKED static int
take_words(struct ent_ledger *l, struct ent_stop *s, struct err *err)
{
	int rc = l->is_go && !l->has_cleared ? has_other_session(l, s, err) : 0;

	if (rc <= 0)
		return rc;
	return err_set(err, -EBUSY,
	    "process %d is a program of Go that another dtrace traces: end that first",
	    (int)s->pid);
}

/* Words left by another session lead to memory that is gone. */
static void
clear_words(struct ent_ledger *l, struct ent_stop *s)
{
	static const uint64_t zeroes[3];

	if (!l->is_go || l->has_cleared)
		return;
	VEC_FOREACH(&s->threads, t) {
		if (t->regs.fs_base != 0)
			ent_write(s, t->regs.fs_base + INPROC_GO_WORDS, zeroes,
			    sizeof(zeroes));
	}
	l->has_cleared = true;
}

static void
note_planted(struct planting *p)
{
	struct ent_ledger *l = p->l;

	for (uint64_t i = 0; i < l->nwindows; i++)
		l->waits[i] = l->waits[i] != ENT_PLANTED && p->is_blocked[i] ?
		    ENT_WAITS :
		    ENT_PLANTED;
	for (uint64_t i = l->nplanted; i < l->nwrites; i++) {
		uint32_t window = ent_writes(l)[i].window;

		l->waits[window] =
		    p->is_blocked[window] ? ENT_WAITS : ENT_PLANTED;
	}
	l->nwaiting = 0;
	for (uint64_t i = 0; i < l->nwindows; i++)
		l->nwaiting += l->waits[i] == ENT_WAITS;
	l->nplanted = l->nwrites;
}

CHECKED static int
plant(struct planting *p, struct err *err)
{
	struct ent_ledger *l = p->l;
	const struct inproc_write *end = ent_writes(l) + l->nwrites,
				  *first = ent_writes(l) + l->first_due;

	move_threads(p);
	if (put(p, first, end, is_plantable, true) && count_all(l, p->s)) {
		note_planted(p);
		return 0;
	}
	put(p, first, end, is_plantable, false);
	return err_set(err, -EIO, "code of process %d cannot be changed: %s",
	    (int)p->s->pid, strerror(errno));
}

CHECKED static int
plant_free(struct planting *p, struct err *err)
{
	int rc = find_blocked(p, err);

	if (rc == 0 && p->nblocked != 0 && !p->l->may_wait)
		rc = err_set(err, -EAGAIN,
		    "a thread of process %d stays where probes are to be; try again",
		    (int)p->s->pid);
	return rc == 0 ? plant(p, err) : rc;
}

int
ent_plant(struct ent_ledger *l, struct ent_stop *s, struct err *err)
{
	struct planting p = { .l = l, .s = s };
	const struct inproc_write *changed;
	int rc = take_words(l, s, err);

	if (rc != 0)
		return rc;
	changed = find_changed_due(l, s);
	if (changed != NULL)
		return refuse_stale(s, changed, err);
	clear_words(l, s);
	p.is_blocked = mem_alloc(l->nwindows + 1);
	rc = plant_free(&p, err);
	free(p.is_blocked);
	return rc;
}

/*
 * Has the process unmapped all of a group's code?  Then there is nothing to
 * restore.
 */
static bool
is_gone(struct ent_stop *s, const struct inproc_write *w, size_t n)
{
	uint64_t page = ~0ULL;
	uint8_t byte;

	for (const struct inproc_write *end = w + n; w < end; w++) {
		if (w->at / PAGE == page)
			continue;
		if (ent_read(s, w->at, &byte, sizeof(byte)))
			return false;
		page = w->at / PAGE;
	}
	return n != 0;
}

/* Is the code as we wrote it? */
static bool
is_ours(struct ent_stop *s, const struct inproc_write *w, size_t n)
{
	struct chunk c;

	for (const struct inproc_write *end = w + n; w < end; w += c.n) {
		take_chunk(&c, w, end);
		if (!ent_read(s, c.at, c.bytes, c.len))
			return false;
		for (size_t i = 0; i < c.n; i++) {
			if (!has_bytes(&c, &w[i], w[i].new) &&
			    !has_bytes(&c, &w[i], w[i].old))
				return false;
		}
	}
	return true;
}

static bool
is_written(pid_t pid, const struct inproc_write *w)
{
	uint8_t now[INPROC_WRITE_MAX];
	struct iovec here = { now, w->len };
	struct iovec there = { (void *)(uintptr_t)w->at, w->len };

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == w->len &&
	    memcmp(now, w->new, w->len) == 0;
}

/*
 * Does the process have any of these writes?  One alone may be missing: its
 * window waited when the process was forked.  If all wait, none is there.
 */
static bool
is_there(const struct ent_ledger *l, pid_t pid, const struct inproc_write *w,
    size_t n)
{
	bool are_waiting = true;

	for (const struct inproc_write *end = w + n; w < end; w++) {
		if (l->waits[w->window] != ENT_PLANTED)
			continue;
		if (is_written(pid, w))
			return true;
		are_waiting = false;
	}
	return are_waiting;
}

void
ent_forget_missing(struct ent_ledger *l, pid_t pid)
{
	uint64_t n = 0;

	while (l->ngroups > 0) {
		uint64_t len = l->groups[l->ngroups - 1];

		if (len == 0 ||
		    is_there(l, pid, &ent_writes(l)[l->nwrites - len], len))
			break;
		l->nwrites -= len;
		l->epoch++;
		l->ngroups--;
	}
	l->nplanted = l->nwrites;
	for (uint64_t i = 0; i < l->ncounters; i++) {
		if (l->counters[i].group < l->ngroups)
			l->counters[n++] = l->counters[i];
	}
	l->ncounters = l->ncounted = n;
}

/*
 * Is any of the jumps in the process?  The ledger may say that the file was
 * unmapped although the jump is there: the file was mapped twice, the process
 * has moved its code to anonymous memory, or a child has kept it.
 */
static bool
has_jumps(struct ent_stop *s, const struct inproc_write *w, size_t n)
{
	for (const struct inproc_write *end = w + n; w < end; w++) {
		if (is_in_memory(s, w))
			return true;
	}
	return false;
}

/* Undo the groups of unmapped files, or those of the others. */
static int
unplant_groups(const struct planting *p, bool unmapped)
{
	struct ent_ledger *l = p->l;
	const struct inproc_write *w = ent_writes(l);
	int rc = 0;

	for (uint64_t i = 0; i < l->ngroups; w += l->groups[i++]) {
		uint64_t n = l->groups[i];

		if (l->is_gone[i] != unmapped ||
		    (unmapped ? !has_jumps(p->s, w, n) : is_gone(p->s, w, n)))
			continue;
		if (is_ours(p->s, w, n) && put(p, w, w + n, is_any, false))
			uncount(l, p->s, i);
		else
			rc = -ESTALE;
	}
	return rc;
}

/*
 * Undo groups of unmapped files last: other groups may have had the same jumps
 * at their place, which are restored by then.
 */
int
ent_unplant(struct ent_ledger *l, struct ent_stop *s, struct err *err)
{
	const struct planting p = { .l = l, .s = s };
	int rc = unplant_groups(&p, false), rest = unplant_groups(&p, true);

	if (rc == 0)
		rc = rest;
	l->epoch++;
	l->nwrites = l->nplanted = l->ngroups = l->nmoves = l->first_due = 0;
	l->nwindows = l->nwaiting = 0;
	l->ncounters = l->ncounted = 0;
	l->is_stale |= rc != 0;
	if (rc != 0)
		err_set(err, rc,
		    "code of process %d that had probes was changed or unmapped by others, and is left as it is",
		    (int)s->pid);
	return rc;
}
