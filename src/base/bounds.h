/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_BOUNDS_H
#define BASE_BOUNDS_H

/*
 * End long work early: by a signal, or by a limit.
 *
 * A thread that works for a handle watches the handle's flag, which a signal
 * handler sets (dt_interrupt()).  The analysis of one foreign file also has a
 * meter, which limits the memory and the thread's CPU time that it may take.
 * Long loops poll both and return early.  Their caller sees that work is over,
 * undoes it, and returns -EINTR or the meter's message.  The results of such a
 * loop are well formed but incomplete, and are not kept.
 *
 * A thread that watches no flag is never stopped: ending the tracing needs
 * symbols too.
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* ---- signals ------------------------------------------------------------ */

typedef const volatile sig_atomic_t bounds_flag;

/*
 * Watch a flag (NULL: none) from now on.  Returns the previous one, which the
 * caller restores later.
 */
bounds_flag *bounds_watch(bounds_flag *flag);
/* Is the watched flag set? */
bool bounds_is_stopped(void);
#define BOUNDS_STOPPED "interrupted"

/* ---- analyses of files -------------------------------------------------- */

/*
 * Limits of every analysis of a foreign file: LIMIT(name, number, what is
 * counted).  Each is far above what compilers and linkers make, and keeps a
 * step of an analysis from costing more than the file's size is worth.  Costs
 * that grow with the file are counted by the meter instead.
 */
#define BOUNDS_LIMITS(LIMIT)                                                     \
	/* libelf takes 200 bytes for each; programs have 50 */                  \
	LIMIT(SECTIONS, 65536, "sections")                                       \
	/* libelf reads all names at once; programs have 500 bytes */            \
	LIMIT(SECTION_NAMES, 16 << 20, "bytes of sections' names")               \
	/* each is compared to every other; programs have ten */                 \
	LIMIT(CODE_SECTIONS, 1024, "sections of code")                           \
	/* each is searched for every address; linkers write four or five */     \
	LIMIT(SEGMENTS, 64, "segments to be loaded")                             \
	/* of one name: sorting compares names; C++ has had 10 KB */             \
	LIMIT(NAME, 16384, "bytes of a name")                                    \
	/* how many selected functions may share a byte of code, and how many  \
	 * records of an exception table a byte of it; linkers that fold       \
	 * functions give one of them many names */ \
	LIMIT(OVERLAP, 16, "functions that share their bytes")

enum bounds_limit {
#define LIMIT(name, number, what) LIMIT_##name = (number),
	BOUNDS_LIMITS(LIMIT)
#undef LIMIT
};

/*
 * Option analysismax: by default, bytes that the analysis of a file may take
 * beside the file's own; and nanoseconds of CPU time for that many bytes.
 */
#define BOUNDS_MAX ((uint64_t)200 << 20)
#define BOUNDS_NS 2000000000ULL

/* Set the option for this thread's analyses from now on. */
void bounds_set_max(uint64_t bytes);
uint64_t bounds_max(void);

struct bounds_meter {
	struct bounds_meter *outer; /* meter that goes on when this one ends */
	uint64_t left;		    /* bytes that may still be taken */
	uint64_t until_ns;	    /* limit of this thread's CPU time */
	const char *over;	    /* what was exceeded; NULL: nothing */
};

/* Begin an analysis; one within another is a part of it. */
void bounds_begin(struct bounds_meter *m);
/* End it. Returns NULL, or why it ended early (malloced). */
char *bounds_end(struct bounds_meter *m);
/*
 * The reason (malloced) for an analysis whose CPU time ran out in another
 * process.
 */
char *bounds_time_refusal(void);
uint64_t bounds_time_ns(void);
/* A refusal by the limit: "it has more than 64 segments to be loaded". */
char *bounds_refusal(enum bounds_limit limit);

/*
 * Count memory that the analysis takes; only bounds_give() gives it back.
 * False: that is too much, and the analysis is over.
 */
bool bounds_take(uint64_t bytes);
void bounds_give(uint64_t bytes);
/* Is work interrupted, or its meter exceeded? */
bool bounds_is_over(void);

/*
 * bounds_is_over() for loops of short steps: `n` counts the steps, and only
 * every BOUNDS_STEPS-th asks.
 */
#define BOUNDS_STEPS 4096
#define BOUNDS_POLL(n) (++(n) % BOUNDS_STEPS == 0 && bounds_is_over())

/* VEC_PUSH() in an analysis; it counts the vector's room. */
#define BOUNDS_PUSH(vec, ...)                                                  \
	do {                                                                   \
		if ((vec)->n < (vec)->cap ||                                   \
		    bounds_take(((vec)->cap != 0 ? (vec)->cap : 8) *           \
			sizeof(*(vec)->v)))                                    \
			VEC_PUSH((vec), __VA_ARGS__);                          \
	} while (0)

#endif
