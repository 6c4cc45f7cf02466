/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_BOUNDS_H
#define BASE_BOUNDS_H

/*
 * Early ends of long pieces of work: by a signal, or by a limit.
 *
 * A thread that works for a handle watches the handle's flag, which a signal
 * handler sets (dt_interrupt()).  The analysis of one foreign file has a meter
 * as well: it holds what the analysis may take of memory and of the thread's
 * CPU time.  Long loops poll both and leave; whoever called them sees that work
 * is over, undoes it, and returns -EINTR or the meter's message.  What such a
 * loop leaves behind is well formed but not complete, and is not kept.
 *
 * A thread that watches nothing is never stopped: tracing that is being ended
 * needs symbols too.
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- signals ------------------------------------------------------------ */

typedef const volatile sig_atomic_t bounds_flag;

/* Watch a flag (NULL: none) from now on.  Returns the one watched before, for
 * the caller to put back. */
bounds_flag *bounds_watch(bounds_flag *flag);
/* Is the flag set that this thread watches? */
bool bounds_is_stopped(void);
#define BOUNDS_STOPPED "interrupted"

/* ---- analyses of files -------------------------------------------------- */

/*
 * Limits of every analysis of a foreign file: LIMIT(name, number, what there
 * are more of).  Each is far above what compilers and linkers make, and keeps
 * one step of an analysis from costing more than the file's size is worth. What
 * grows with the file is not here: it is counted by the meter.
 */
#define BOUNDS_LIMITS(LIMIT)                                                   \
	/* each costs libelf 200 bytes before we see one; programs have 50 */  \
	LIMIT(SECTIONS, 65536, "sections")                                     \
	/* whose names libelf reads at once; programs have 500 bytes */        \
	LIMIT(SECTION_NAMES, 16 << 20, "bytes of sections' names")             \
	/* each is compared to each other; programs have ten */                \
	LIMIT(CODE_SECTIONS, 1024, "sections of code")                         \
	/* each is searched for every address; linkers write four or five */   \
	LIMIT(SEGMENTS, 64, "segments to be loaded")                           \
	/* of one name: sorting compares them; C++ has had 10 KB */            \
	LIMIT(NAME, 16384, "bytes of a name")                                  \
	/* how often a byte of code may be in functions that are selected,     \
	 * and of an exception table in those that are read; linkers that fold \
	 * functions give one of them many names */                            \
	LIMIT(OVERLAP, 16, "functions that share their bytes")

enum bounds_limit {
#define LIMIT(name, number, what) LIMIT_##name = (number),
	BOUNDS_LIMITS(LIMIT)
#undef LIMIT
};

/* Option analysismax: bytes that the analysis of a file may take beside the
 * file's own, by default; and nanoseconds of CPU time for as many. */
#define BOUNDS_MAX ((uint64_t)200 << 20)
#define BOUNDS_NS 2000000000ULL

/* The option, for this thread's analyses from now on. */
void bounds_set_max(uint64_t bytes);
uint64_t bounds_max(void);

struct bounds_meter {
	struct bounds_meter *outer; /* that goes on measuring for us */
	uint64_t left;		    /* bytes */
	uint64_t until_ns;	    /* of this thread's CPU time */
	const char *over; /* what there is too much of; NULL: nothing */
};

/* An analysis begins; one within another is a part of it. */
void bounds_begin(struct bounds_meter *m);
/* It ends: NULL, or why it did so early (malloced). */
char *bounds_end(struct bounds_meter *m);
/* Why an analysis ends that somebody else has measured (malloced). */
char *bounds_time_refusal(void);
uint64_t bounds_time_ns(void);
/* Of a refusal by the limit: "it has more than 64 segments to be loaded". */
char *bounds_refusal(enum bounds_limit limit);

/* It takes memory, which is never given back but by bounds_give(): false, and
 * it is over, if that is too much. */
bool bounds_take(uint64_t bytes);
void bounds_give(uint64_t bytes);
/* Is work stopped, or more than its meter permits? */
bool bounds_is_over(void);

/* For loops of short steps: `n` counts them, and some are looked at. */
#define BOUNDS_STEPS 4096
#define BOUNDS_POLL(n) (++(n) % BOUNDS_STEPS == 0 && bounds_is_over())

/* VEC_PUSH() in an analysis: what it takes is the room. */
#define BOUNDS_PUSH(vec, ...)                                                  \
	do {                                                                   \
		if ((vec)->n < (vec)->cap ||                                   \
		    bounds_take(((vec)->cap != 0 ? (vec)->cap : 8) *           \
			sizeof(*(vec)->v)))                                    \
			VEC_PUSH((vec), __VA_ARGS__);                          \
	} while (0)

#endif
