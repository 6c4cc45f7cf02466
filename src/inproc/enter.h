/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef INPROC_ENTER_H
#define INPROC_ENTER_H

/*
 * Entering a process: memory of ours is mapped in it, its code is changed and
 * changed back.  What is written where is decided elsewhere (inproc.h).
 *
 *	p = inproc_enter(pid, is_held, &share, &msg)	maps code and data
 *	inproc_describe_space(p, &space, &msg)		what is mapped there
 *	inproc_plan(...)				per module
 *	inproc_apply(p, &space, plans, n, &msg)		maps areas, patches
 *	...						probes fire, in there
 *	inproc_leave(p, &msg)				as it was before
 *
 * The process is stopped by ptrace for milliseconds in each of these, and is
 * nobody's tracee in between.  A guardian, a process of ours, undoes everything
 * when dtrace ends without inproc_leave().  Nothing is ever half done: who
 *stops the process is a child that dtrace's death does not end.
 *
 * Where the process is held, as a command is before it is let go, dtrace is its
 * tracer and does the same itself; if it dies the kernel kills the process,
 * which has not begun.
 *
 * Functions return 0 or -errno with *msg (malloced), and may be called by the
 * thread that created or grabbed the process only.
 */
#include <stdbool.h>
#include <sys/types.h>

#include "inproc/inproc.h"

/*
 * What is mapped in every process that a session enters, one behind the other:
 *
 *	code	readable, executable; one file for all processes
 *	own	readable, writable, the process's alone, and all zero: at first,
 *		and in its children (MADV_WIPEONFORK), but for its end
 *	data	readable, writable, shared with dtrace and all processes
 *
 * Lengths are whole pages, not 0; but that of own's end may be.
 */
struct inproc_share {
	int code_fd, data_fd;
	size_t code_len, own_len, data_len;
	size_t kept_len; /* bytes at the end of `own` that children keep */
	/* Trampolines of the program's own code are to reach `code` by a call
	 * of 32 bits; else those of libraries are. */
	bool is_near_program;
};

struct inproc_proc {
	pid_t pid;
	uint64_t code, own, data; /* where they are in the process */
	/* Where a thread's id is, from its %fs base on; -1: not known. */
	int64_t tid_off;
	uint64_t stop_ns; /* how long the last call stopped the process */
	struct inproc_entry *e;
};

/*
 * May the process be entered?  Looks only at it from outside: 0, or -errno
 * with the reason and, where there is one, the way out.
 */
int inproc_may_enter(pid_t pid, char **msg);

int inproc_enter(pid_t pid, bool is_held, const struct inproc_share *share,
    struct inproc_proc **pp, char **msg);
/* Write to the process's own part; it need not be stopped. */
int inproc_write_own(struct inproc_proc *p, uint64_t off, const void *buf,
    size_t len, char **msg);
/* It is not held any more: called before dtrace lets it go. */
void inproc_let_go(struct inproc_proc *p);

/*
 * A child of fork(), which has what its parent had been given at that time:
 * memory, jumps, plans.  From now on it is a process that was entered, and is
 * left like one.  The child need not be stopped.  -ESRCH: it has ended, or has
 * nothing of ours.
 */
int inproc_adopt(const struct inproc_proc *parent, pid_t pid,
    struct inproc_proc **pp, char **msg);

/*
 * A thread, which waits somewhere, is about to execute a program: from here on
 * a child of the guardian holds it, and will stop the program before its first
 * instruction.  *pp is the process, as it was entered, or NULL: then its memory
 * is another's (a child of vfork()), and it becomes one.
 *
 *	inproc_follow(), let the thread go on
 *	inproc_outcome_fd() is readable: inproc_outcome()
 *	EXECUTED: nothing that was known of the process holds any more.  It is
 *		stopped; inproc_enter_again(), inproc_apply(), ...
 *		and inproc_go_on(), whatever became of these
 */
enum inproc_outcome {
	INPROC_WAITING, /* nothing to be told yet */
	INPROC_EXECUTED,
	INPROC_FAILED, /* it has not: all is as it was, or it has ended */
};
int inproc_follow(pid_t pid, pid_t tid, const struct inproc_share *share,
    struct inproc_proc **pp, char **msg);
int inproc_outcome_fd(const struct inproc_proc *p);
enum inproc_outcome inproc_outcome(struct inproc_proc *p);
int inproc_enter_again(struct inproc_proc *p, char **msg);
void inproc_go_on(struct inproc_proc *p);

/*
 * Our part at an address of the process, or when it ended: memory,
 * or a jump that was written there, and then *w is that write.
 */
enum inproc_part {
	INPROC_NOTHING,
	INPROC_CODE, /* of probes, and their data */
	INPROC_TRAMPOLINE,
	INPROC_JUMP,
};
enum inproc_part inproc_part_at(const struct inproc_proc *p, uint64_t addr,
    const struct inproc_write **w);

/* Is all of the share's data still mapped there? */
bool inproc_has_data(const struct inproc_proc *p);
bool inproc_has_ended(const struct inproc_proc *p);
int inproc_pidfd(const struct inproc_proc *p); /* borrowed */
/* Has a process, whoever it is, the session's memory?  True: perhaps. */
bool inproc_has_share(pid_t pid, const struct inproc_share *share);

/* Note in an initialised space what the process has mapped, and where it may:
 * what its heap and stack grow to, and small numbers. */
struct proc_maps;
void inproc_describe_space(const struct inproc_proc *p,
    const struct proc_maps *pm, struct inproc_space *space);

/*
 * Map what areas the space has got since the last time, fill them, and write
 * the plans' bytes, of all plans or of none.  -ESTALE: code is not what the plan
 * takes it for.
 *
 * A thread that sleeps within a window, or will come back there, is given a
 * moment to leave; then this window waits, and the others are planted.
 */
int inproc_apply(struct inproc_proc *p, const struct inproc_space *space,
    struct inproc_plan *const *plans, size_t n, char **msg);
/*
 * The mapping at [lo, hi) was unmapped, and all that was written there is gone.
 * A plan for that place can be applied again when its file is mapped there
 * again; that costs no room.
 */
void inproc_forget(struct inproc_proc *p, uint64_t lo, uint64_t hi);

/*
 * inproc_apply() has failed: make the space what it was before the plans, with
 * what areas the process has got nevertheless.  -EEXIST: something else is where
 * an area should be, so another plan may do better.
 */
void inproc_take_back(struct inproc_proc *p, struct inproc_space *space,
    const struct inproc_space *before);

/* How many windows wait; does this one of an applied plan? */
size_t inproc_waiting(const struct inproc_proc *p);
bool inproc_waits(const struct inproc_proc *p, const struct inproc_plan *plan,
    uint32_t window);
/* May a thread have left since the last question?  It does not stop anybody. */
bool inproc_may_settle(struct inproc_proc *p);
/* Plant what waits and can be by now: inproc_waiting() tells what is left. */
int inproc_settle(struct inproc_proc *p, char **msg);

/* Undo all plans; memory stays mapped. */
int inproc_restore(struct inproc_proc *p, char **msg);

/*
 * Undo everything.  The process is still known, so that inproc_adopt() finds
 * what its children may have; inproc_leave() is for the end.
 */
int inproc_undo(struct inproc_proc *p, char **msg);

/*
 * Undo everything, and forget the process; it may have ended or executed
 * another program.  Where a thread is still in our code, the guardian waits
 * until it is not, and unmaps it then.
 */
int inproc_leave(struct inproc_proc *p, char **msg);

#endif
