/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_OPTIONS_H
#define LIBDTRACE_OPTIONS_H

/*
 * Options of a handle: one table (options.def), and one function that sets
 * them, for the environment, -x and `#pragma D option`.  A later setting wins;
 * lists grow.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/* Rows of options.def, in its order; only names are stable. */
enum dt_opt {
#define DT_OPTION(NAME, name, num, cls, type, def, min, max, choices, why)     \
	DT_OPT_##NAME,
#include "libdtrace/options.def"
#undef DT_OPTION
	DT_OPT_MAX
};

enum dt_opt_class {
	DT_OPT_COMPILE, /* affects texts compiled later */
	DT_OPT_RUN,	/* until tracing starts */
	DT_OPT_DYNAMIC, /* at any time */
	DT_OPT_NONE,	/* at any time: it has no effect */
};
enum dt_opt_type {
	DT_OPT_SIZE,
	DT_OPT_RATE,
	DT_OPT_NUMBER,
	DT_OPT_DEPTH, /* a number, or no value: 0 */
	DT_OPT_FLAG,
	DT_OPT_ENUM,
	DT_OPT_STRING,
	DT_OPT_LIST
};

struct dt_optinfo {
	const char *name;
	int number; /* DTRACEOPT_*, or -1 */
	enum dt_opt_class class_;
	enum dt_opt_type type;
	const char *def; /* as the user would write it, or NULL */
	int64_t min, max;
	const char *choices; /* enum: "a|b|c"; the value is the index */
	const char *why_not; /* why it is refused or has no effect; NULL:
				 * it has an effect */
};
extern const struct dt_optinfo dt_optinfo[DT_OPT_MAX];

/* Choices of option substrate, in the order that options.def has. */
enum dt_substrate {
	DT_SUBSTRATE_AUTO,
	DT_SUBSTRATE_KERNEL,
	DT_SUBSTRATE_PROCESS,
	DT_SUBSTRATE_BOTH,
};

struct dt_options {
	struct dt_optval {
		bool is_set;	  /* by the user */
		bool has_value;	  /* set, or has a default */
		int64_t num;	  /* bytes, ns, number, 0/1, choice */
		VEC(char *) strs; /* STRING: one; LIST: in order */
	} vals[DT_OPT_MAX];
	/* Settings that were changed before use: for -v. */
	VEC(char *) notes;
};

void dt_options_init(struct dt_options *o);
void dt_options_fini(struct dt_options *o);

/*
 * Set an option by name; value NULL means none was given.  Returns 0, or
 * -EINVAL with *err, which says what is wrong and what is allowed,
 * but not where the setting came from.
 */
CHECKED int dt_options_set(struct dt_options *o, const char *name,
    const char *value, bool is_tracing, struct err *err);
/* Add a note (malloced) for -v, once. */
void dt_options_note(struct dt_options *o, char *text);
/* The row with the name, or DT_OPT_MAX. */
enum dt_opt dt_options_find(const char *name);

static inline int64_t
dt_options_num(const struct dt_options *o, enum dt_opt opt)
{
	return o->vals[opt].num;
}

static inline bool
dt_options_flag(const struct dt_options *o, enum dt_opt opt)
{
	return o->vals[opt].num != 0;
}

#endif
