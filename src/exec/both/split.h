/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_BOTH_SPLIT_H
#define EXEC_BOTH_SPLIT_H

/*
 * The split of a plan: which of its clauses run in processes, and which in the
 * kernel.
 *
 * Clauses that are tied to each other run in one part, so that the answer does
 * not depend on the split.  Ties are what clauses have in common: a probe, a
 * place in a program, a variable, speculations.  If one of such clauses needs
 * the kernel, all run there.
 */
#include "base/diag.h"
#include "base/err.h"
#include "base/idmap.h"
#include "exec/shared.h"
#include "plan/plan.h"

enum both_where {
	BOTH_NOWHERE, /* the clause never fires */
	BOTH_KERNEL,
	BOTH_PROCESS,
	BOTH_EACH, /* ERROR's: in both, for the faults of each */
};

struct both_choice {
	enum both_where where;
	char *why; /* of BOTH_KERNEL; malloced */
};

struct both_split {
	const struct plan *pl;
	const struct diags *diags;   /* for the places in `why` */
	struct both_choice *choices; /* by clause */
	bool has_process, has_kernel;
	struct exec_shared shared; /* variables of clauses in both parts */
	const char *self_why;	   /* why not thread-local ones; or NULL */
};

/* The split asks the substrate of processes about clauses and processes. */
struct both_asks {
	char *(*refuses)(
	    const struct plan_clause *pc, const struct dt_probe *p);
	int (*may_enter)(pid_t pid, struct err *err);
	/* has each of its threads the same id in the kernel? */
	bool (*has_same_ids)(pid_t pid);
};

/* After plan_finish(). */
void both_split_init(struct both_split *s, const struct plan *pl,
    const struct diags *diags, const struct both_asks *asks);
/* All clauses run in the kernel after all; takes `why`. */
void both_split_undo(struct both_split *s, char *why);
void both_split_fini(struct both_split *s);
/* "line 3, pid12:a.out:main:entry: runs in the process" (malloced); NULL: the
 * clause never fires. */
char *both_split_text(const struct both_split *s, size_t clause);
/* "in memory of both parts: x, y" (malloced); NULL: no variables are. */
char *both_split_shared_text(const struct both_split *s);

/* ---- ties.c ---------------------------------------------------------- */

enum both_tie_kind {
	BOTH_TIE_PROBE,
	BOTH_TIE_PLACE,
	BOTH_TIE_GROWTH,
	BOTH_TIE_VARIABLE,
	BOTH_TIE_SPECULATION,
	BOTH_TIE_CALLS,
};

/* One thing that a clause has.  Clauses that have the same are tied. */
struct both_tie {
	enum both_tie_kind kind;
	uint32_t clause;
	uint64_t key[3];
	bool is_soft;	  /* VARIABLE: both parts can reach it */
	uint64_t func;	  /* PLACE: the function's first byte; 0: not known */
	const char *name; /* of the variable; borrowed */
};

struct both_ties {
	VEC(struct both_tie) v; /* equal ones are neighbours */
	bool self_is_soft;	/* so may ties by thread-local variables be */
};

/* Find the ties of all clauses whose `is_tied` is true. */
void both_ties_find(
    struct both_ties *ties, const struct plan *pl, const bool *is_tied);
void both_ties_fini(struct both_ties *ties);
/* The number behind the last tie that is equal to the `first`. */
size_t both_ties_end(const struct both_ties *ties, size_t first);
/* Do those from `first` to `end` leave their clauses in different parts? */
bool both_ties_are_soft(const struct both_ties *ties, size_t first, size_t end);
/* May probes of the clause come while tracing?  Also of one that is aside. */
bool both_grows(const struct plan_clause *pc);
/* calls.c: does dtrace's code make system calls in the process at each firing?
 * Do probes of the clause see such calls? */
bool both_makes_calls(const struct plan_clause *pc);
bool both_sees_calls(const struct plan_clause *pc);
/* Has the clause variables or speculations that other clauses may have? */
bool both_has_state(const struct plan_clause *pc);

/* once.c: do probes of processes that the clause has fire once in each? */
bool both_fires_once(const struct plan_clause *pc);

/* ---- addresses.c ----------------------------------------------------- */

/* The clause-local variables of a plan that may have addresses of memory that
 * is not dtrace's own. */
struct both_addresses {
	struct idmap others; /* by id */
};

void both_addresses_init(struct both_addresses *a, const struct plan *pl);
void both_addresses_fini(struct both_addresses *a);
/* May the clause read memory that is not dtrace's own, without naming it as the
 * process's? */
bool both_reads_other_memory(
    const struct both_addresses *a, const struct plan_clause *pc);

#endif
