/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIF_ACTS_H
#define DIF_ACTS_H

/*
 * Actions: the columns of dif_acts.def.
 *
 * The table says of each action what it does when a clause runs, what its datum
 * in a record is, how the consumer shows that, and which object it takes.  A
 * switch over a column serves every action that the table has.
 */
#include <stdbool.h>
#include <stdint.h>

/* DTRACEACT_*. */
enum dt_act {
#define DT_ACT(val, NAME, ...) DT_ACT_##NAME = val,
#include "dif/dif_acts.def"
#undef DT_ACT
};

/* The step that an action is when its clause runs. */
enum dif_step {
	DIF_STEP_EVAL,	    /* run its object for the effects; see plan.h */
	DIF_STEP_STORE,	    /* put a datum into the record */
	DIF_STEP_AGG,	    /* update an aggregation */
	DIF_STEP_RAISE,	    /* send the signal that its object returns */
	DIF_STEP_STOP,	    /* stop the process */
	DIF_STEP_CHILL,	    /* wait as long as its object returns */
	DIF_STEP_SPECULATE, /* the record goes to a speculation */
	DIF_STEP_SPEC_END,  /* a speculation is committed or discarded */
	DIF_STEP_EXIT,	    /* store a status; tracing ends */
};

/* Does the step act at once, and leave no data? */
bool dif_step_is_mute(enum dif_step step);

/* The kinds of data, in D's terms. */
enum dif_datum {
	DIF_DATUM_VALUE, /* as the object's type says; none without an object */
	DIF_DATUM_STACK, /* a stack of the kernel */
	DIF_DATUM_USTACK, /* a stack of a program */
	DIF_DATUM_JSTACK, /* a program's, by jstackframes */
	DIF_DATUM_SYM,	  /* an address in the kernel, to be named */
	DIF_DATUM_USYM,	  /* an address in a program, to be named */
	DIF_DATUM_REF,	  /* the bytes that a memref() points to, up to arg */
	DIF_DATUM_PACKET, /* a packet, up to option pcapsize */
	DIF_DATUM_WORD,	  /* 8 bytes */
	DIF_DATUM_STATUS, /* 4 bytes */
};

/* How the consumer shows it. */
enum dif_shows {
	DIF_SHOWS_NOTHING,
	DIF_SHOWS_VALUE,
	DIF_SHOWS_FORMAT, /* with the other data of its statement */
	DIF_SHOWS_STACK,
	DIF_SHOWS_SYMBOL,
	DIF_SHOWS_MEMORY, /* as a dump */
	DIF_SHOWS_REF,	  /* as a dump, with the length */
	DIF_SHOWS_PACKET, /* written to a capture file */
	DIF_SHOWS_EFFECT, /* the consumer does something: enum dif_effect */
};

/* The thing that the consumer does; see effect.c. */
enum dif_effect {
	DIF_EFFECT_NONE,
	DIF_EFFECT_EXIT,    /* the datum becomes the exit status */
	DIF_EFFECT_PRINTA,  /* it prints aggregations */
	DIF_EFFECT_LIBACT,  /* it does clear(), setopt(), ... */
	DIF_EFFECT_SYSTEM,  /* it runs the formatted text as a command */
	DIF_EFFECT_FREOPEN, /* the output goes to the file of that name */
};

/* The object that an action takes. */
enum dif_takes {
	DIF_TAKES_ANYTHING, /* its statement is judged as a whole */
	DIF_TAKES_NOTHING,
	DIF_TAKES_OBJECT,
	DIF_TAKES_VALUE, /* an object that returns an integer or a pointer */
	DIF_TAKES_TUPLE, /* id, keys and increment stand before it */
};

#define DT_ACTF_RUNNING 1 /* see DIF_VARF_RUNNING */

struct dif_actinfo {
	uint16_t kind; /* enum dt_act */
	const char *name;
	uint32_t flags; /* DT_ACTF_* */
	enum dif_step step;
	enum dif_datum datum;
	enum dif_shows shows;
	enum dif_effect effect; /* not NONE: of DIF_SHOWS_EFFECT */
	enum dif_takes takes;
};

/* The row of an action.  For a number that is none, "?" which takes nothing,
 * stores an object's value and shows nothing. */
const struct dif_actinfo *dif_act(uint32_t kind);

#define DT_ACT_CLASS(kind) ((kind)&0xff00)
#define DT_ACT_IS_AGG(kind) (DT_ACT_CLASS(kind) == 0x0700)
#define DT_ACT_IS_DESTRUCTIVE(kind)                                            \
	(DT_ACT_CLASS(kind) == 0x0200 || DT_ACT_CLASS(kind) == 0x0500)
#define DT_ACT_IS_SPEC(kind) (DT_ACT_CLASS(kind) == 0x0600)

bool dif_act_is_stack(uint32_t kind);  /* a stack is its datum */
bool dif_act_is_ustack(uint32_t kind); /* a program's stack is */
bool dif_act_is_sym(uint32_t kind);    /* an address is */
bool dif_act_is_usym(uint32_t kind);   /* a program's address is */
/* Does an argument of printf() or a key keep its kind? */
bool dif_act_is_datum(uint32_t kind);
/* Does it take a format, with the other data of its statement? */
bool dif_act_has_format(uint32_t kind);

#endif
