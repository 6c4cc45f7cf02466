/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef INPROC_ENTER_IMPL_H
#define INPROC_ENTER_IMPL_H

#include <sys/user.h>

#include "base/clock.h"
#include "base/codefile.h"
#include "inproc/enter.h"
#include "sym/proc_maps.h"

/* ---- threads.c: a process, stopped -------------------------------------- */

struct ent_thread {
	pid_t tid;
	bool is_stopped, is_gone;
	bool was_held;	/* by dtrace, before we came: it stays so */
	bool has_moved; /* regs are to be written back */
	struct user_regs_struct regs;
};

/* Who holds the process's only thread already: it stays held. */
enum ent_holder { ENT_BY_NOBODY, ENT_BY_DTRACE, ENT_BY_WORKER };

/* All threads are in stops where the kernel handles signals, so that whatever
 * system call is interrupted is restarted as if nothing had been. */
struct ent_stop {
	pid_t pid;
	int mem_fd; /* /proc/PID/mem */
	enum ent_holder by;
	VEC(struct ent_thread) threads;
	struct ent_remote *remote; /* one that has begun and not ended, or NULL */
	uint64_t begin_ns;
};

int ent_stop_all(
    struct ent_stop *s, pid_t pid, enum ent_holder by, char **msg);
/* Returns for how long it was stopped. */
uint64_t ent_release_all(struct ent_stop *s);
/* Before a child that enters processes ends in the middle of its work: the
 * process that is stopped, if one is, goes on where it was. */
void ent_let_go(void);

/* Wait for a stop where signals are handled.  False: the thread has ended, or
 * has not come to one within the time, though it had a CPU. */
bool ent_await_stop(
    const struct ent_stop *s, struct ent_thread *t, uint64_t deadline_ns);
/* It runs, or would if it had a CPU. */
bool ent_wants_cpu(pid_t tid);
/* Until some thread has stopped, or not for long. */
void ent_nap(const struct ent_stop *s);
bool ent_read(const struct ent_stop *s, uint64_t addr, void *buf, size_t len);
bool ent_write(
    const struct ent_stop *s, uint64_t addr, const void *buf, size_t len);
/* Has our stop made a system call return that should not have?  Behind the
 * instruction that makes it, ent_repeat() does it again. */
bool ent_was_cut_short(pid_t tid, const struct user_regs_struct *r);
void ent_repeat(struct user_regs_struct *r);

/* ---- remote.c: system calls in a stopped process ------------------------ */

struct ent_remote {
	struct ent_stop *s;
	struct ent_thread *t; /* which makes them */
	uint64_t insn;	      /* of a syscall instruction */
	uint64_t mask;	      /* of signals, as it was */
	uint64_t scratch;     /* a page to pass structures in */
	uint64_t room;	      /* where a loop of calls is; 0: nowhere */
	bool is_dead, has_sigstop, has_sigtrap;
};

int ent_remote_begin(struct ent_remote *r, struct ent_stop *s,
    const struct proc_maps *pm, char **msg);
void ent_remote_end(struct ent_remote *r);
/* The call's result: -errno if it failed, -ESRCH if the thread has ended. */
int64_t ent_remote_call(struct ent_remote *r, long nr, const uint64_t args[6]);
#define ENT_REMOTE(r, nr, ...)                                                 \
	ent_remote_call((r), (nr), (const uint64_t[6]){ __VA_ARGS__ })
/* Several calls, one after the other: all are made. */
struct ent_call {
	int64_t rc; /* the call's number; then its result */
	uint64_t args[6];
};
#define ENT_CALL(nr, ...) ((struct ent_call){ (nr), { __VA_ARGS__ } })
void ent_remote_calls(struct ent_remote *r, struct ent_call *v, size_t n);
#define ENT_FDS_MAX 4
/* Give the process copies of our descriptors; there[] is what they are there.
 */
int ent_remote_give_fds(
    struct ent_remote *r, const int *fds, size_t n, int there[ENT_FDS_MAX]);

/* ---- permit.c ----------------------------------------------------------- */

/* As inproc_may_enter(), of one that we trace. */
int ent_may_enter_traced(pid_t pid, char **msg);
/* What only the process itself can be asked. */
int ent_permit_inside(struct ent_remote *r, char **msg);
/* Has the thread a seccomp filter that we do not know? -EPERM with *msg. */
int ent_permit_calls(pid_t pid, char **msg);

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

/* What inproc_share.code_fd is called (memfd_create(2)) */
#define ENT_CODE_NAME "memfd:dtrace-code"

/* Pages for trampolines, and where in their file they are. */
struct ent_area {
	uint64_t at, len, off;
};

/* Whether a window of the ledger is to be planted. */
enum ent_due {
	ENT_PLANTED, /* or it belongs to writes that were never planted */
	ENT_WAITS,   /* a thread was there */
	ENT_ANEW,    /* its file was unmapped, and is mapped again */
};

/*
 * What has been done to a process.  Shared by dtrace, the guardian and the
 * children that do it, and written ahead: what is in it may be in the process.
 * At any time one of them changes it.
 */
struct ent_ledger {
	uint64_t base, len; /* code, data, wipe page; len 0: none */
	uint64_t code_ino;  /* what is mapped at base */
	uint64_t nareas, nmapped, nwrites, nplanted, nmoves, ngroups;
	uint64_t ncounters, ncounted; /* counted: those that are one more */
	uint64_t first_due; /* of the writes: none before it is to be planted */
	uint64_t epoch;	    /* from 1 on: numbers of groups mean others now */
	/* Windows that wait until threads have left them, and who these are;
	 * more than there is room for: not all, or not known. */
	uint64_t nwindows, nwaiting, nstayers;
	uint64_t step; /* how large the tables behind all this are: ledger.c */
	pid_t stayers[ENT_STAYERS_MAX];
	bool may_wait; /* the work at hand may let windows wait */
	int64_t tid_off;
	uint64_t stop_ns;
	bool is_held; /* dtrace is the tracer */
	bool is_followed; /* follow.c: a worker is, behind an exec */
	pid_t follow_tid; /* ... which this thread makes */
	bool is_stale; /* code that was left as it is may lead to our memory */
	bool is_go;   /* stacks are anywhere, and threads have words of ours */
	bool has_cleared; /* ... which are zero */
	int rc;
	char msg[1024];
	struct ent_area areas[ENT_AREAS_MAX];
	uint64_t groups[ENT_GROUPS_MAX]; /* writes of each plan, by number */
	bool is_gone[ENT_GROUPS_MAX];	 /* ... whose file was unmapped */
	/* words of the process that count tracers (inproc_plan.counters) */
	struct ent_counter {
		uint64_t at, group;
	} counters[ENT_COUNTERS_MAX];
	uint8_t waits[ENT_WINDOWS_MAX]; /* enum ent_due */
	/* then: struct inproc_write[], struct inproc_move[]; windows: the
	 * ledger's */
};

/* ---- ledger.c ----------------------------------------------------------- */

#define ENT_PAGE 4096
/* Moves of a step, and where they are behind the writes. */
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
/* 0 or -errno. */
int ent_ledger_create(struct inproc_entry *e);
void ent_ledger_destroy(struct inproc_entry *e);
/* Room for so many in all, if there may be so many; e->ledger may move. */
int ent_ledger_grow(struct inproc_entry *e, uint64_t nwrites, uint64_t nmoves);
/* Map what another process has made it grow to; e->ledger may move. */
int ent_ledger_see(struct inproc_entry *e);

/* What precedes the ledger's tables. */
#define ENT_HEAD_SIZE offsetof(struct ent_ledger, areas)

/* The file of areas.  Children of fork() have mapped what their parents had, so
 * a family has one; nobody gets a part that another has. */
#define CODE_FIRST (1ULL << 20) /* mapped for writing at first */
#define CODE_MAX (1ULL << 30)
struct ent_code {
	struct code_file file;
	uint64_t len;
	unsigned refs;
};

struct inproc_entry {
	struct inproc_proc p; /* what the caller sees */
	pid_t pid;
	int pidfd;
	struct inproc_share share;
	struct ent_ledger *ledger; /* mapped, MAP_SHARED, ... */
	size_t ledger_len;	   /* ... so many bytes of it, here */
	struct ent_code *code;
	pid_t guardian;
	int guardian_fd;
	/* A child that nothing was done to itself has no guardian: that of the
	 * process which it has everything of finds it. */
	struct inproc_entry *ward_of; /* or NULL */
	VEC(struct inproc_entry *) wards;
	uint64_t switches; /* of who stays in windows: inproc_may_settle() */
	void *undone; /* the ledger's head, before inproc_undo(); or NULL */
	enum inproc_outcome outcome; /* that the guardian has told */
};

/* ---- map.c -------------------------------------------------------------- */

int ent_map_share(struct inproc_entry *e, struct ent_stop *s, char **msg);
/* A number of /proc/PID/stat (proc(5)), or 0: where the program's code begins,
 * and its heap, even if it has not yet. */
#define ENT_STAT_CODE 26
#define ENT_STAT_HEAP 47
uint64_t ent_stat_field(pid_t pid, int n);
/* Map the areas that are not yet. */
int ent_map_areas(struct inproc_entry *e, struct ent_stop *s, char **msg);
/* Unmap all.  -EBUSY: a thread needs it. */
int ent_unmap(struct inproc_entry *e, struct ent_stop *s, char **msg);
/* Is this the session's code? */
bool ent_is_share(const struct proc_map *map, const struct inproc_share *share);
/* Of the ledger's areas, how many are there? */
uint64_t ent_count_areas(
    const struct inproc_entry *e, const struct proc_maps *pm);
/* Is our memory mapped there?  Not after an exec. */
bool ent_is_mapped(const struct inproc_entry *e, const struct proc_maps *pm);

/* ---- locked.c ----------------------------------------------------------- */

/* Before memory is mapped, and when it has been; `how` is the former's value,
 * for processes that lock what they map. */
int ent_locks_put_off(struct ent_remote *r);
void ent_locks_restore(
    struct ent_remote *r, int how, const struct ent_ledger *l);

/* ---- plant.c ------------------------------------------------------------ */

/*
 * Write the ledger's writes that are not planted yet.  -EAGAIN: none, since a
 * thread stays in a window; if windows may wait, all but those that some thread
 * stays in.
 */
int ent_plant(struct ent_ledger *l, struct ent_stop *s, char **msg);
/* Undo all.  -ESTALE: some code is not ours any more, the rest is undone. */
int ent_unplant(struct ent_ledger *l, struct ent_stop *s, char **msg);
/* Forget plans, from the last on, that the process does not have; it need not
 * be stopped. */
void ent_forget_missing(struct ent_ledger *l, pid_t pid);
/* Does a thread run in the spans, or come back to them? */
bool ent_refers(struct ent_stop *s, const struct inproc_span *spans, size_t n);

/* ---- work: enter.c ------------------------------------------------------ */

/* What is done to a process: each stops it once. */
enum ent_work {
	ENT_ENTER, /* map the share */
	ENT_APPLY, /* map areas, plant */
	ENT_SETTLE, /* plant what waits, where it can be */
	ENT_RESTORE,
	ENT_LEAVE, /* restore, unmap */
	ENT_FOLLOW, /* stop behind an exec: what comes then is done there */
	ENT_GO_ON,
};
int ent_work(struct inproc_entry *e, enum ent_work what, char **msg);
/* Have it done by the guardian's child, or here if the process is held. */
int ent_ask(struct inproc_entry *e, enum ent_work what, char **msg);

/* A child of the entry's process, which has what that has; it has no guardian. */
int ent_adopt(struct inproc_entry *parent, pid_t pid, struct inproc_entry **ep,
    char **msg);

/* ---- guardian.c --------------------------------------------------------- */

#define ENT_GUARDIAN_NAME "dtrace-guardian" /* 15 characters: comm's limit */

/* What it tells dtrace, a byte each. */
#define ENT_DONE 'd'
#define ENT_EXECUTED 'e'
#define ENT_FAILED 'f'

int ent_guardian_start(struct inproc_entry *e, char **msg);
/* Let the guardian do it. */
int ent_guardian_ask(struct inproc_entry *e, enum ent_work what, char **msg);
/* Nothing is left to guard, or it will see to the rest alone. */
void ent_guardian_end(struct inproc_entry *e);
/* What it has told of an exec. */
void ent_guardian_hear(struct inproc_entry *e);

/* ---- follow.c ----------------------------------------------------------- */

/* Follow the ledger's thread; `fd` leads to dtrace.  If that wants anything else
 * meanwhile, the process ends; a guardian's child takes its place. */
void ent_follow(struct inproc_entry *e, int fd, bool is_guardian);
/* One piece of work; the ledger says how it went. */
void ent_do(struct inproc_entry *e, enum ent_work what);
/* ... says this; msg may be NULL. */
void ent_note_result(struct ent_ledger *l, int rc, const char *msg);

#endif
