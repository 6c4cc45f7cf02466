/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descendants of entered processes: children of fork(), and programs that an
 * entered process executes.
 */
#include "inproc/enter.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "inproc/enter_impl.h"

/* Copy the used part of the ledger; the rest would be pages of zeroes. */
static int
copy_ledger(struct inproc_entry *e, const struct inproc_entry *parent)
{
	const struct ent_ledger *from = parent->ledger;
	const struct ent_ledger *head =
	    parent->undone != NULL ? parent->undone : from;
	int rc = ent_ledger_grow(e, head->nwrites, head->nmoves);
	struct ent_ledger *to = e->ledger;
	uint64_t step = to->step;

	if (rc != 0)
		return rc;
	memcpy(to, head, ENT_HEAD_SIZE);
	to->step = step;
	memcpy(to->areas, from->areas, to->nareas * sizeof(*to->areas));
	memcpy(to->groups, from->groups, to->ngroups * sizeof(*to->groups));
	memcpy(to->is_gone, from->is_gone, to->ngroups * sizeof(*to->is_gone));
	memcpy(to->counters, from->counters,
	    to->ncounters * sizeof(*to->counters));
	memcpy(ent_writes(to), ent_writes(from),
	    to->nwrites * sizeof(struct inproc_write));
	memcpy(ent_moves(to), ent_moves(from),
	    to->nmoves * sizeof(struct inproc_move));
	memcpy(to->waits, from->waits, to->nwindows * sizeof(*to->waits));
	to->is_held = to->is_followed = false;
	return 0;
}

/* The parent may have been given more after the fork: forget that. */
CHECKED static int
keep_what_is(struct inproc_entry *e, struct err *err)
{
	uint64_t ngroups = e->ledger->ngroups;
	struct proc_maps pm;
	int is, rc = proc_maps_read(&pm, e->pid, err);

	if (rc != 0)
		return rc;
	is = ent_is_mapped(e, &pm);
	e->ledger->nmapped = ent_count_areas(e, &pm);
	proc_maps_fini(&pm);
	if (is)
		ent_forget_missing(e->ledger, e->pid);
	/* all seems missing if the process ended meanwhile */
	if (is && e->ledger->ngroups != ngroups)
		is = ent_is_there(e, err);
	if (is == 0)
		return err_set(err, -ESRCH,
		    "process %d has no memory of dtrace's", (int)e->pid);
	return is < 0 ? is : 0;
}

int
ent_adopt(struct inproc_entry *parent, pid_t pid, struct inproc_entry **ep,
    struct err *err)
{
	struct ent_code *code = parent->code;
	struct inproc_entry *e;
	int rc;

	code->refs++;
	e = ent_entry_create(pid, &parent->share, code);
	rc = ent_entry_open(e, false, err);
	if (rc != 0)
		goto undo;
	rc = copy_ledger(e, parent);
	rc = rc != 0 ? ent_fail(-rc, err, "memory for probes in a process") :
		       keep_what_is(e, err);
	if (rc != 0)
		goto undo;
	ent_tell_caller(e);
	*ep = e;
	return 0;
undo:
	if (e->ledger != NULL)
		e->ledger->len = 0;
	ent_entry_close(e);
	return rc;
}

int
inproc_adopt(const struct inproc_proc *parent, pid_t pid,
    struct inproc_proc **pp, struct err *err)
{
	struct inproc_entry *e;
	int rc = ent_adopt(parent->e, pid, &e, err);

	if (rc != 0)
		return rc;
	ent_rely_on(e, parent->e);
	*pp = &e->p;
	return 0;
}

/*
 * An entry for a process that is about to execute a program; nothing else is
 * known of it yet.
 */
CHECKED static int
begin_follow(pid_t pid, const struct inproc_share *share,
    struct inproc_entry **ep, struct err *err)
{
	struct inproc_entry *e =
	    ent_entry_create(pid, share, ent_code_create());
	int rc = ent_entry_open(e, false, err);

	if (rc == 0)
		rc = ent_guardian_start(e, err);
	if (rc != 0)
		goto undo;
	*ep = e;
	return 0;
undo:
	ent_entry_close(e);
	return rc;
}

int
inproc_follow(pid_t pid, pid_t tid, const struct inproc_share *share,
    struct inproc_proc **pp, struct err *err)
{
	struct inproc_entry *e = *pp != NULL ? (*pp)->e : NULL;
	int rc = e == NULL ? begin_follow(pid, share, &e, err) : 0;

	if (rc != 0)
		return rc;
	rc = ent_need_guardian(e, err);
	if (rc != 0)
		return rc;
	ent_release_wards(e);
	e->ledger->follow_tid = tid;
	e->outcome = INPROC_WAITING;
	rc = ent_guardian_ask(e, ENT_FOLLOW, err);
	if (rc == 0)
		*pp = &e->p;
	else if (*pp == NULL)
		ent_entry_close(e);
	return rc;
}

int
inproc_outcome_fd(const struct inproc_proc *p)
{
	return p->e->guardian_fd;
}

enum inproc_outcome
inproc_outcome(struct inproc_proc *p)
{
	ent_guardian_hear(p->e);
	return p->e->outcome;
}

int
inproc_enter_again(struct inproc_proc *p, struct err *err)
{
	int rc = ent_may_enter_traced(p->pid, err);

	if (rc != 0)
		return rc;
	rc = ent_ask(p->e, ENT_ENTER, err);
	if (rc != 0)
		return rc;
	ent_tell_caller(p->e);
	return 0;
}

void
inproc_go_on(struct inproc_proc *p)
{
	struct err err = { 0 };

	err_forget(ent_guardian_ask(p->e, ENT_GO_ON, &err), &err);
}
