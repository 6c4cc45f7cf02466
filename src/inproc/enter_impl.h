/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef INPROC_ENTER_IMPL_H
#define INPROC_ENTER_IMPL_H

#include <sys/user.h>

#include "base/clock.h"
#include "base/codefile.h"
#include "base/err.h"
#include "base/vec.h"
#include "inproc/enter.h"
#include "sym/proc_maps.h"

/* ---- threads.c: a process, stopped -------------------------------------- */

struct ent_thread {
	pid_t tid;
	bool is_stopped, is_gone;
	bool was_held;	/* dtrace had stopped it before: it stays stopped */
	bool has_moved; /* regs are to be written back */
	struct user_regs_struct regs;
};

/* The tracer that already holds the process's only thread; it stays held. */
enum ent_holder { ENT_BY_NOBODY, ENT_BY_DTRACE, ENT_BY_WORKER };

/*
 * A stopped process.  All its threads are in stops where the kernel handles
 * signals, so an interrupted system call is restarted as if nothing had
 * happened.
 */
struct ent_stop {
	pid_t pid;
	int mem_fd; /* /proc/PID/mem */
	enum ent_holder by;
	VEC(struct ent_thread) threads;
	struct ent_remote
	    *remote; /* one that has begun and not ended, or NULL */
	uint64_t begin_ns;
};

CHECKED int ent_stop_all(
    struct ent_stop *s, pid_t pid, enum ent_holder by, struct err *err);
/* Returns how long the process was stopped. */
uint64_t ent_release_all(struct ent_stop *s);
/* Before a child that enters processes ends in the middle of its work: the
 * process that is stopped, if one is, goes on where it was. */
void ent_let_go(void);

/*
 * Wait for a stop where signals are handled.  False: the thread has ended, or
 * did not stop in time although it had a CPU.
 */
bool ent_await_stop(
    const struct ent_stop *s, struct ent_thread *t, uint64_t deadline_ns);
/* Is the thread running, or ready to run? */
bool ent_wants_cpu(pid_t tid);
/* Wait until a thread has stopped, but not for long. */
void ent_nap(const struct ent_stop *s);
bool ent_read(const struct ent_stop *s, uint64_t addr, void *buf, size_t len);
bool ent_write(
    const struct ent_stop *s, uint64_t addr, const void *buf, size_t len);
/*
 * ent_was_cut_short(): did our stop make a system call return early that would
 * not have?  Then ent_repeat(), behind the call's instruction, makes the thread
 * repeat it.
 */
bool ent_was_cut_short(pid_t tid, const struct user_regs_struct *r);
void ent_repeat(struct user_regs_struct *r);

/* ---- remote.c: system calls in a stopped process ------------------------ */

struct ent_remote {
	struct ent_stop *s;
	struct ent_thread *t; /* the thread that makes the calls */
	uint64_t insn;	      /* address of a syscall instruction */
	uint64_t mask;	      /* the signal mask as it was */
	uint64_t scratch;     /* a page to pass structures in */
	uint64_t room;	      /* address of a loop of calls; 0: none */
	bool is_dead, has_sigstop, has_sigtrap;
};

CHECKED int ent_remote_begin(struct ent_remote *r, struct ent_stop *s,
    const struct proc_maps *pm, struct err *err);
void ent_remote_end(struct ent_remote *r);
/* The call's result: -errno if it failed, -ESRCH if the thread has ended. */
int64_t ent_remote_call(struct ent_remote *r, long nr, const uint64_t args[6]);
#define ENT_REMOTE(r, nr, ...)                                                 \
	ent_remote_call((r), (nr), (const uint64_t[6]){ __VA_ARGS__ })
/* Make several calls, one after the other, even if some fail. */
struct ent_call {
	int64_t rc; /* the call's number; then its result */
	uint64_t args[6];
};
#define ENT_CALL(nr, ...) ((struct ent_call){ (nr), { __VA_ARGS__ } })
void ent_remote_calls(struct ent_remote *r, struct ent_call *v, size_t n);
#define ENT_FDS_MAX 4
/*
 * Give the process copies of our descriptors; there[] receives their numbers in
 * the process.
 */
int ent_remote_give_fds(
    struct ent_remote *r, const int *fds, size_t n, int there[ENT_FDS_MAX]);

/* ---- permit.c ----------------------------------------------------------- */

/* inproc_may_enter() for a process that we trace. */
CHECKED int ent_may_enter_traced(pid_t pid, struct err *err);
/* Checks that only the process itself can answer. */
CHECKED int ent_permit_inside(struct ent_remote *r, struct err *err);
/* -EPERM with *err if the thread has a seccomp filter that we do not know. */
CHECKED int ent_permit_calls(pid_t pid, struct err *err);

/* ---- the ledger --------------------------------------------------------- */

#define ENT_AREAS_MAX 8192
#define ENT_STEPS 9
#define ENT_WRITES_AT(step) (1024ULL << (step))
#define ENT_MOVES_AT(step) (4096ULL << (step))
#define ENT_WRITES_MAX ENT_WRITES_AT(ENT_STEPS)
#define ENT_GROUPS_MAX 4096
#define ENT_WINDOWS_MAX ENT_WRITES_MAX
#define ENT_STAYERS_MAX 16
#define ENT_MOVES_MAX ENT_MOVES_AT(ENT_STEPS)
#define ENT_COUNTERS_MAX 16384

/* The name of inproc_share.code_fd (memfd_create(2)) */
#define ENT_CODE_NAME "memfd:dtrace-code"

/* Pages for trampolines, and where in their file they are. */
struct ent_area {
	uint64_t at, len, off;
};

/* The state of a window of the ledger. */
enum ent_due {
	ENT_PLANTED, /* planted, or its writes never were */
	ENT_WAITS,   /* waits: a thread was in it */
	ENT_ANEW,    /* its file was unmapped and is mapped again */
};

/*
 * All that has been done to a process.  Shared by dtrace, the guardian and its
 * children.  It is written ahead: a change in it may be in the process.  Only
 * one of them changes it at a time.
 */
struct ent_ledger {
	uint64_t base, len; /* code, data, wipe page; len 0: none */
	uint64_t code_ino;  /* inode of the file that is mapped at base */
	uint64_t nareas, nmapped, nwrites, nplanted, nmoves, ngroups;
	uint64_t ncounters, ncounted; /* the first ncounted are counted */
	uint64_t first_due;	      /* index of the first write to plant */
	uint64_t epoch; /* from 1 on; a new epoch renumbers the groups */
	/* Windows that wait until threads have left them, and these threads
	 * (stayers). nstayers above the table's size: not all are in it, or
	 * they are not known. */
	uint64_t nwindows, nwaiting, nstayers;
	uint64_t step; /* size step of the tables behind this: ledger.c */
	pid_t stayers[ENT_STAYERS_MAX];
	bool may_wait; /* this work may let windows wait */
	int64_t tid_off;
	uint64_t stop_ns;
	bool is_held;	  /* dtrace is the tracer */
	bool is_followed; /* follow.c: a worker is the tracer, behind an exec */
	pid_t follow_tid; /* the thread that makes the exec */
	bool is_stale;	  /* changed code, left alone, may lead to our memory */
	bool is_go;	  /* Go: stacks are anywhere, threads have our words */
	bool has_cleared; /* Go: these words have been cleared */
	int rc;
	char msg[1024];
	struct ent_area areas[ENT_AREAS_MAX];
	uint64_t groups[ENT_GROUPS_MAX]; /* writes of each plan, by number */
	bool is_gone[ENT_GROUPS_MAX];	 /* the group's file was unmapped */
	/* words of the process that count tracers (inproc_plan.counters) */
	struct ent_counter {
		uint64_t at, group;
	} counters[ENT_COUNTERS_MAX];
	uint8_t waits[ENT_WINDOWS_MAX]; /* enum ent_due */
	/* next: struct inproc_write[], then inproc_move[], whose windows are
	 * numbered as in the ledger */
};

/* ---- ledger.c ----------------------------------------------------------- */

#define ENT_PAGE 4096
/* Bytes of the moves of a step, and their offset behind the writes. */
#define ENT_MOVES_BYTES(step) (ENT_MOVES_AT(step) * sizeof(struct inproc_move))
_Static_assert(
    sizeof(struct inproc_write) * ENT_WRITES_AT(0) <= ENT_MOVES_BYTES(0),
    "writes end there");

static inline struct inproc_write *
ent_writes(const struct ent_ledger *l)
{
	return (struct inproc_write *)(l + 1);
}

static inline struct inproc_move *
ent_moves(const struct ent_ledger *l)
{
	return (struct inproc_move *)(void *)((char *)(l + 1) +
	    ENT_MOVES_BYTES(l->step));
}

struct inproc_entry;
/* Returns 0 or -errno. */
int ent_ledger_create(struct inproc_entry *e);
void ent_ledger_destroy(struct inproc_entry *e);
/*
 * Make room for this many writes and moves in all, if the maximum permits;
 * e->ledger may move.
 */
int ent_ledger_grow(struct inproc_entry *e, uint64_t nwrites, uint64_t nmoves);
/* Map what another process has grown the ledger to; e->ledger may move. */
int ent_ledger_see(struct inproc_entry *e);

/* Bytes before the ledger's tables. */
#define ENT_HEAD_SIZE offsetof(struct ent_ledger, areas)

/*
 * The file of areas.  A child of fork() has mapped what its parent had, so a
 * family shares one file; no two areas share a part of it.
 */
#define CODE_FIRST (1ULL << 20) /* mapped for writing at first */
#define CODE_MAX (1ULL << 30)
struct ent_code {
	struct code_file file;
	uint64_t len;
	unsigned refs;
};

struct inproc_entry {
	struct inproc_proc p; /* the part that the caller sees */
	pid_t pid;
	int pidfd;
	struct inproc_share share;
	struct ent_ledger *ledger; /* mapped, MAP_SHARED */
	size_t ledger_len;	   /* bytes of it that are mapped here */
	struct ent_code *code;
	pid_t guardian;
	int guardian_fd;
	/* A child process that no work was done to has no guardian of its
	 * own: it is a ward of the entry that it copied, whose guardian
	 * restores it. */
	struct inproc_entry *ward_of; /* or NULL */
	VEC(struct inproc_entry *) wards;
	uint64_t switches; /* of threads in windows: inproc_may_settle() */
	void *undone;	   /* the ledger's head before inproc_undo(), or NULL */
	enum inproc_outcome outcome; /* as the guardian told it */
};

/* ---- map.c -------------------------------------------------------------- */

CHECKED int ent_map_share(
    struct inproc_entry *e, struct ent_stop *s, struct err *err);
/* Map the ledger's areas that are not mapped yet. */
CHECKED int ent_map_areas(
    struct inproc_entry *e, struct ent_stop *s, struct err *err);
/* Unmap all. -EBUSY: a thread still needs it. */
CHECKED int ent_unmap(
    struct inproc_entry *e, struct ent_stop *s, struct err *err);
/* Is this the session's code? */
bool ent_is_share(const struct proc_map *map, const struct inproc_share *share);
/* The number of the ledger's areas that are mapped. */
uint64_t ent_count_areas(
    const struct inproc_entry *e, const struct proc_maps *pm);
/* Is our memory mapped there? It is not after an exec. */
bool ent_is_mapped(const struct inproc_entry *e, const struct proc_maps *pm);

/* ---- locked.c ----------------------------------------------------------- */

/*
 * Call ent_locks_put_off() before mapping memory and ent_locks_restore() after,
 * with the former's result as `how`: for processes that lock all they map.
 */
int ent_locks_put_off(struct ent_remote *r);
void ent_locks_restore(
    struct ent_remote *r, int how, const struct ent_ledger *l);

/* ---- plant.c ------------------------------------------------------------ */

/*
 * Plant the ledger's due writes.  -EAGAIN: a thread stays in a window, and
 * nothing was written; if windows may wait, all are written but the windows
 * that a thread stays in.
 */
CHECKED int ent_plant(
    struct ent_ledger *l, struct ent_stop *s, struct err *err);
/* Undo all writes. -ESTALE: others changed some code; the rest is undone. */
CHECKED int ent_unplant(
    struct ent_ledger *l, struct ent_stop *s, struct err *err);
/*
 * Forget the plans, from the last one on, that the process does not have.  The
 * process need not be stopped.
 */
void ent_forget_missing(struct ent_ledger *l, pid_t pid);
/* stacks.c: is a thread in the spans, or will one return to them? */
bool ent_refers(struct ent_stop *s, const struct inproc_span *spans, size_t n);

/* ---- work.c ------------------------------------------------------------- */

/* Kinds of work on a process; each stops it once. */
enum ent_work {
	ENT_ENTER,  /* map the share */
	ENT_APPLY,  /* map areas, plant */
	ENT_SETTLE, /* plant waiting windows where possible */
	ENT_RESTORE,
	ENT_LEAVE,  /* restore, unmap */
	ENT_FOLLOW, /* stop behind an exec, then serve dtrace's requests */
	ENT_GO_ON,
};
CHECKED int ent_work(
    struct inproc_entry *e, enum ent_work what, struct err *err);
bool ent_has_ended(const struct inproc_entry *e);
/*
 * 1: the process has our memory.  0: it has ended, or has executed a program,
 * perhaps as another user; nothing of ours is left then.  Negative: that cannot
 * be found out, *err says why.
 */
CHECKED int ent_is_there(const struct inproc_entry *e, struct err *err);

/* ---- ward.c ------------------------------------------------------------- */

/* Make the entry a ward of `on`, or of the entry whose ward `on` is. */
void ent_rely_on(struct inproc_entry *e, struct inproc_entry *on);
void ent_rely_on_nobody(struct inproc_entry *e);
/* Start a guardian for the entry, unless it has one. */
CHECKED int ent_need_guardian(struct inproc_entry *e, struct err *err);
/*
 * Give the wards guardians of their own: the state that this entry's guardian
 * knows will soon differ from theirs.
 */
void ent_release_wards(struct inproc_entry *e);
/* Let the guardian's child do the work; do it here if the process is held. */
CHECKED int ent_ask(
    struct inproc_entry *e, enum ent_work what, struct err *err);

/* ---- enter.c ------------------------------------------------------------ */

struct ent_code *ent_code_create(void);
/* Takes ownership of `code`. */
struct inproc_entry *ent_entry_create(
    pid_t pid, const struct inproc_share *share, struct ent_code *code);
/* Make the entry's ledger and file of code, and open its process. */
CHECKED int ent_entry_open(
    struct inproc_entry *e, bool is_held, struct err *err);
void ent_entry_close(struct inproc_entry *e);
/* Set the addresses that the caller sees to those of the ledger. */
void ent_tell_caller(struct inproc_entry *e);
/* Set the error: `what`, and the text of errno `code`. */
CHECKED int ent_fail(int code, struct err *err, const char *what);

/* ---- adopt.c ------------------------------------------------------------ */

/*
 * An entry for a child of the entry's process, with a copy of its state; it has
 * no guardian of its own.
 */
CHECKED int ent_adopt(struct inproc_entry *parent, pid_t pid,
    struct inproc_entry **ep, struct err *err);

/* ---- busy.c ------------------------------------------------------------- */

/*
 * A field of /proc/PID/stat (proc(5)), or 0: where the program's code begins,
 * and where its heap does (even before there is one).
 */
#define ENT_STAT_CODE 26
#define ENT_STAT_HEAP 47
uint64_t ent_stat_field(pid_t pid, int n);

/* ---- guardian.c --------------------------------------------------------- */

#define ENT_GUARDIAN_NAME "dtrace-guardian" /* 15 characters: comm's limit */

/* Messages from the guardian to dtrace, a byte each. */
#define ENT_DONE 'd'
#define ENT_EXECUTED 'e'
#define ENT_FAILED 'f'

CHECKED int ent_guardian_start(struct inproc_entry *e, struct err *err);
/* Let the guardian do the work. */
CHECKED int ent_guardian_ask(
    struct inproc_entry *e, enum ent_work what, struct err *err);
/* Nothing is left to guard, or the guardian will finish alone. */
void ent_guardian_end(struct inproc_entry *e);
/* Read what the guardian told of an exec. */
void ent_guardian_hear(struct inproc_entry *e);

/* ---- follow.c ----------------------------------------------------------- */

/*
 * Follow the ledger's thread; `fd` leads to dtrace.  On any other request from
 * dtrace the calling process ends, and a child of the guardian takes its place.
 */
void ent_follow(struct inproc_entry *e, int fd, bool is_guardian);
/* Do one piece of work and note the result in the ledger. */
void ent_do(struct inproc_entry *e, enum ent_work what);
/* Note a result in the ledger.  Allocates nothing. */
void ent_note_result(struct ent_ledger *l, int rc, const char *text);

#endif
