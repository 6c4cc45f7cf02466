/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef INPROC_ENTER_H
#define INPROC_ENTER_H

/*
 * Entering a process: we map memory in it, change its code and change it back.
 * inproc.h plans which bytes are written where.
 *
 *	p = inproc_enter(pid, is_held, &share, &msg)	maps code and data
 *	inproc_describe_space(p, &space, &msg)		notes its mappings
 *	inproc_plan(...)				per module
 *	inproc_apply(p, &space, plans, n, &msg)		maps areas, patches
 *	...						probes fire, in there
 *	inproc_leave(p, &msg)				undoes all of it
 *
 * Each of these stops the process by ptrace for milliseconds; between them no
 * one traces it.  A guardian, a process of ours, undoes everything when dtrace
 * ends without inproc_leave().  No work is left half done: the process that
 * stops the target is a child of the guardian, and outlives dtrace.
 *
 * A command is held before it is let go.  dtrace is then its tracer and does
 * the work itself; if dtrace dies, the kernel kills the command, which has not
 * begun.
 *
 * Functions return 0 or -errno with *err.  Only the thread that
 * created or grabbed the process may call them.
 */
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "inproc/inproc.h"

/*
 * Memory mapped in every process that a session enters, one part after another:
 *
 *	code	readable, executable; one file for all processes
 *	own	readable, writable, private to the process.  All zero at first,
 *		and in its children (MADV_WIPEONFORK) but for kept_len bytes
 *	data	readable, writable, shared with dtrace and all processes
 *	vars	likewise, and with the kernel; children do not have it
 *		(MADV_DONTFORK)
 *
 * Lengths are whole pages and not 0; kept_len and vars_len may be 0.
 */
struct inproc_share {
	int code_fd, data_fd;
	size_t code_len, own_len, data_len;
	int vars_fd; /* of a BPF map, if vars_len is not 0 */
	size_t vars_len;
	size_t kept_len; /* bytes at the end of `own` that children keep */
	/* True: place `code` where a call of 32 bits from trampolines of the
	 * program reaches it; false: from trampolines of the libraries. */
	bool is_near_program;
};

struct inproc_proc {
	pid_t pid;
	uint64_t code, own, data, vars; /* their addresses in the process */
	/* Offset from %fs base to the thread's id; -1: not known. */
	int64_t tid_off;
	uint64_t stop_ns; /* how long the last call stopped the process */
	struct inproc_entry *e;
};

/*
 * May the process be entered?  Only looks at it from outside.  Returns 0, or
 * -errno with *err: the reason and, if there is one, the remedy.
 */
CHECKED int inproc_may_enter(pid_t pid, struct err *err);

CHECKED int inproc_enter(pid_t pid, bool is_held,
    const struct inproc_share *share, struct inproc_proc **pp, struct err *err);
/* Write to the process's `own` part; the process need not be stopped. */
CHECKED int inproc_write_own(struct inproc_proc *p, uint64_t off,
    const void *buf, size_t len, struct err *err);
/* Called before dtrace lets the process go: it is held no longer. */
void inproc_let_go(struct inproc_proc *p);

/*
 * Adopt a child of fork(), which has what its parent had been given at that
 * time: memory, jumps, plans.  From now on it is an entered process, and is
 * left like one.  The child need not be stopped.  -ESRCH: it has ended, or has
 * nothing of ours.
 */
CHECKED int inproc_adopt(const struct inproc_proc *parent, pid_t pid,
    struct inproc_proc **pp, struct err *err);

/*
 * Follow a waiting thread that is about to execute a program: from here on a
 * child of the guardian holds it, and stops the program before its first
 * instruction.  *pp is the entered process, or NULL if the thread's memory is
 * another process's (a child of vfork()): then *pp becomes a new entry.
 *
 *	inproc_follow(), let the thread go on
 *	inproc_outcome_fd() is readable: inproc_outcome()
 *	EXECUTED: nothing that was known of the process is true any more.  It is
 *		stopped: inproc_enter_again(), inproc_apply(), ...
 *		and inproc_go_on(), even if these failed
 */
enum inproc_outcome {
	INPROC_WAITING, /* no outcome yet */
	INPROC_EXECUTED,
	INPROC_FAILED, /* no exec: the process is unchanged, or it has ended */
};
CHECKED int inproc_follow(pid_t pid, pid_t tid,
    const struct inproc_share *share, struct inproc_proc **pp, struct err *err);
int inproc_outcome_fd(const struct inproc_proc *p);
enum inproc_outcome inproc_outcome(struct inproc_proc *p);
CHECKED int inproc_enter_again(struct inproc_proc *p, struct err *err);
void inproc_go_on(struct inproc_proc *p);

/*
 * The part of ours at an address of the process (or there when it ended).
 * INPROC_JUMP: a write of a plan; *w is that write.
 */
enum inproc_part {
	INPROC_NOTHING,
	INPROC_CODE, /* of probes, and their data */
	INPROC_TRAMPOLINE,
	INPROC_JUMP,
};
enum inproc_part inproc_part_at(
    const struct inproc_proc *p, uint64_t addr, const struct inproc_write **w);

/* The bytes of all parts. */
static inline size_t
inproc_share_len(const struct inproc_share *sh)
{
	return sh->code_len + sh->own_len + sh->data_len + sh->vars_len;
}

/* Are all of the share's `data` and `vars` still mapped in the process? */
bool inproc_has_data(const struct inproc_proc *p);
bool inproc_has_ended(const struct inproc_proc *p);
int inproc_pidfd(const struct inproc_proc *p); /* borrowed */
/*
 * Does any process `pid`, entered or not, have the session's memory?  True also
 * if that cannot be found out.
 */
bool inproc_has_share(pid_t pid, const struct inproc_share *share);

/*
 * Note in an initialised space which addresses the process has mapped, and
 * which it may map: heap and stack grow there.  Small numbers are excluded too.
 */
struct proc_maps;
void inproc_describe_space(const struct inproc_proc *p,
    const struct proc_maps *pm, struct inproc_space *space);

/*
 * Map the areas that were added to the space since the last call, fill them,
 * and write the bytes of all plans or of none.  -ESTALE: the process's code
 * differs from what the plan expects.
 *
 * A thread that sleeps within a window, or will return there, gets a moment to
 * leave.  After that the window waits, and the others are planted.
 */
CHECKED int inproc_apply(struct inproc_proc *p,
    const struct inproc_space *space, struct inproc_plan *const *plans,
    size_t n, struct err *err);
/*
 * The mapping at [lo, hi) was unmapped, and with it all that was written there.
 * A plan for that place can be applied again, at no cost in room, when its
 * file is mapped there again.
 */
void inproc_forget(struct inproc_proc *p, uint64_t lo, uint64_t hi);

/*
 * Called after inproc_apply() failed: make the space what it was before the
 * plans, plus the areas that were mapped nevertheless.  -EEXIST of
 * inproc_apply(): an area's place is taken, so another plan may succeed.
 */
void inproc_take_back(struct inproc_proc *p, struct inproc_space *space,
    const struct inproc_space *before);

/*
 * The number of windows that wait; and whether this one of an applied plan
 * does.
 */
size_t inproc_waiting(const struct inproc_proc *p);
bool inproc_waits(const struct inproc_proc *p, const struct inproc_plan *plan,
    uint32_t window);
/* May a thread have left a window since the last call? Stops no thread. */
bool inproc_may_settle(struct inproc_proc *p);
/*
 * Plant waiting windows where this is possible now; inproc_waiting() tells how
 * many are left.
 */
CHECKED int inproc_settle(struct inproc_proc *p, struct err *err);

/* Undo all plans; memory stays mapped. */
CHECKED int inproc_restore(struct inproc_proc *p, struct err *err);

/*
 * Undo everything.  The process stays known, so that inproc_adopt() can find
 * what its children have; inproc_leave() comes at the end.
 */
CHECKED int inproc_undo(struct inproc_proc *p, struct err *err);

/*
 * Undo everything and forget the process, which may have ended or executed
 * another program.  If a thread is still in our code, the guardian unmaps the
 * code once the thread has left.
 */
CHECKED int inproc_leave(struct inproc_proc *p, struct err *err);

#endif
