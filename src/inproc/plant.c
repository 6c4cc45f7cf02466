/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changing the code of a stopped process, and changing it back.
 *
 * A window that a thread is in, or will return to, is not planted
 * (plant_block.c).  It waits; or nothing is written, and the caller lets the
 * process run and tries again.  Code that others have changed is left alone.
 */
#include "inproc/plant_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

/* Before any write: the first that is due and finds other bytes in place. */
static const struct inproc_write *
find_changed_due(const struct ent_ledger *l, struct ent_stop *s)
{
	const struct inproc_write *w = ent_writes(l) + l->first_due,
				  *changed = NULL,
				  *old = ent_writes(l) + l->nplanted, *from;

	while (changed == NULL && w < old) {
		for (from = w; w < old && l->waits[w->window] == ENT_ANEW;)
			w++;
		changed = ent_find_changed(s, from, w);
		w += w == from;
	}
	return changed != NULL ?
	    changed :
	    ent_find_changed(s, old, ent_writes(l) + l->nwrites);
}

static bool
is_plantable(const struct ent_planting *p, const struct inproc_write *w)
{
	return ent_is_due(p->l, w) && !p->is_blocked[w->window];
}

static bool
is_any(const struct ent_planting *p, const struct inproc_write *w)
{
	(void)p;
	(void)w;
	return true;
}

/* ---- counters ----------------------------------------------------------- */

static bool
add_to(struct ent_stop *s, uint64_t at, int by)
{
	uint16_t n;

	if (!ent_read(s, at, &n, sizeof(n)))
		return false;
	/* 0: the file was mapped anew, and the counter does not count us */
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

/* ---- planting ----------------------------------------------------------- */

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
note_planted(struct ent_planting *p)
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
plant(struct ent_planting *p, struct err *err)
{
	struct ent_ledger *l = p->l;
	const struct inproc_write *end = ent_writes(l) + l->nwrites,
				  *first = ent_writes(l) + l->first_due;

	ent_move_threads(p);
	if (ent_put(p, first, end, is_plantable, true) && count_all(l, p->s)) {
		note_planted(p);
		return 0;
	}
	ent_put(p, first, end, is_plantable, false);
	return err_set(err, -EIO, "code of process %d cannot be changed: %s",
	    (int)p->s->pid, strerror(errno));
}

CHECKED static int
plant_free(struct ent_planting *p, struct err *err)
{
	int rc = ent_find_blocked(p, err);

	if (rc == 0 && p->nblocked != 0 && !p->l->may_wait)
		rc = err_set(err, -EAGAIN,
		    "a thread of process %d stays where probes are to be; try again",
		    (int)p->s->pid);
	return rc == 0 ? plant(p, err) : rc;
}

int
ent_plant(struct ent_ledger *l, struct ent_stop *s, struct err *err)
{
	struct ent_planting p = { .l = l, .s = s };
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

/* ---- restoring ---------------------------------------------------------- */

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
		if (w->at / ENT_PAGE == page)
			continue;
		if (ent_read(s, w->at, &byte, sizeof(byte)))
			return false;
		page = w->at / ENT_PAGE;
	}
	return n != 0;
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
		if (ent_is_in_memory(s, w))
			return true;
	}
	return false;
}

/* Undo the groups of unmapped files, or those of the others. */
static int
unplant_groups(const struct ent_planting *p, bool unmapped)
{
	struct ent_ledger *l = p->l;
	const struct inproc_write *w = ent_writes(l);
	int rc = 0;

	for (uint64_t i = 0; i < l->ngroups; w += l->groups[i++]) {
		uint64_t n = l->groups[i];

		if (l->is_gone[i] != unmapped ||
		    (unmapped ? !has_jumps(p->s, w, n) : is_gone(p->s, w, n)))
			continue;
		if (ent_is_ours(p->s, w, n) &&
		    ent_put(p, w, w + n, is_any, false))
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
	const struct ent_planting p = { .l = l, .s = s };
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
