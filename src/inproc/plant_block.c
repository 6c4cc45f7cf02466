/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows in use: those that cannot be planted now are blocked.
 *
 * No thread may be between the instructions that a jump overwrites.  A thread
 * whose next instruction is one of them is moved to the copy of that
 * instruction.  A thread that will return to one of them, from a signal handler
 * say, has its address on the stack: then the window is blocked.  So is a
 * window whose code has changed, or whose jump relies on that of a blocked one.
 */
#include "inproc/plant_impl.h"

#include "base/err.h"
#include "base/vec.h"
#include "x86/insn.h"

bool
ent_is_due(const struct ent_ledger *l, const struct inproc_write *w)
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
block(struct ent_planting *p, uint32_t window)
{
	p->nblocked += !p->is_blocked[window];
	p->is_blocked[window] = true;
}

/* Block the windows that a stack's word leads to; the search goes on. */
static bool
block_at(const void *arg, uint64_t value)
{
	struct ent_planting *const *p = arg;
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
block_thread(struct ent_planting *p, const struct proc_maps *pm,
    const struct ent_thread *t)
{
	const struct ent_sought word = { block_at, &p, false };
	uint64_t before = p->nblocked;

	for (const struct inproc_move *m = first_move(p->l, t->regs.rip);
	     m != NULL; m = next_move(p->l, m)) {
		if (destination(t, m) == 0)
			block(p, m->window);
	}
	ent_stack_has(p->s, pm, t, &word);
	if (p->nblocked > before)
		note_stayer(p->l, t->tid);
}

/* The thread of a stack in the heap is not known. */
static void
block_heap(struct ent_planting *p, const struct proc_maps *pm)
{
	const struct ent_sought word = { block_at, &p, false };
	uint64_t before = p->nblocked;

	ent_heap_has(p->s, pm, &word);
	if (p->nblocked > before)
		p->l->nstayers += ENT_STAYERS_MAX;
}

/* Block waiting windows whose code was unmapped or changed meanwhile. */
static void
block_changed(struct ent_planting *p)
{
	const struct inproc_write *w = ent_writes(p->l),
				  *end = ent_writes(p->l) + p->l->nplanted;

	for (; p->l->nwaiting != 0 && w < end; w++) {
		if (p->l->waits[w->window] == ENT_WAITS &&
		    ent_find_changed(p->s, w, w + 1) != NULL)
			block(p, w->window);
	}
}

/* A child may lack what its parent got after the fork. */
static bool
will_be_there(const struct ent_planting *p, const struct inproc_write *w)
{
	return ent_is_due(p->l, w) ? !p->is_blocked[w->window] :
				     ent_is_in_memory(p->s, w);
}

/*
 * A jump that shares bytes with another window's jump needs that to be written.
 * Writes are sorted, and that one is behind it.
 */
static void
block_reliant(struct ent_planting *p, const struct inproc_write *w,
    const struct inproc_write *end)
{
	for (const struct inproc_write *n = w + 1;
	     ent_is_due(p->l, w) && n < end && n->at - w->at < X86_JUMP_LEN;
	     n++) {
		if (!will_be_there(p, n))
			block(p, w->window);
	}
}

static void
block_all_reliant(struct ent_planting *p)
{
	const struct inproc_write *end = ent_writes(p->l) + p->l->nwrites;

	for (uint64_t i = p->l->ngroups; i-- > 0;) {
		const struct inproc_write *w = end;

		for (uint64_t n = p->l->groups[i]; n > 0; n--)
			block_reliant(p, --w, end);
		end = w;
	}
}

CHECKED int
ent_find_blocked(struct ent_planting *p, struct err *err)
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
move_thread(const struct ent_planting *p, struct ent_thread *t)
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

void
ent_move_threads(const struct ent_planting *p)
{
	VEC_FOREACH(&p->s->threads, t)
		move_thread(p, t);
}
