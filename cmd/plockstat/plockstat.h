/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PLOCKSTAT_H
#define PLOCKSTAT_H

/* The parts of plockstat(1). */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"
#include "base/vec.h"
#include "dtrace.h"

enum { CONTENTION = 1, HOLD = 2 };
#define PLOCKSTAT_NTABLES 11
#define PLOCKSTAT_DEPTH_MAX 100 /* of -s */

struct plockstat_opts {
	unsigned events;  /* CONTENTION, HOLD; 0: not given */
	unsigned nrows;	  /* of each table; 0: all */
	unsigned depth;	  /* -s; 0: only the caller */
	unsigned seconds; /* 0: to the end */
	pid_t pid;
	bool is_verbose, shows_program;
	VEC(struct plockstat_setting { /* an option of -x */
		const char *name, *value;
	})
	settings;
	char *const *command;
};

/* ---- program.c: the D program -------------------------------------------- */

#define PLOCKSTAT_INNER 2 /* most frames of the lock functions themselves */

/*
 * The aggregation `name` has the times from a probe that sets `since` to
 * `probe`, if `when` holds; `name`_dist has their distribution.
 */
struct plockstat_table {
	unsigned event;
	const char *heading, *name, *probe, *when, *since;
};
extern const struct plockstat_table plockstat_tables[PLOCKSTAT_NTABLES];

void plockstat_program(const struct plockstat_opts *o, struct strbuf *d);

/* ---- result.c: rows of the aggregations ---------------------------------- */

struct plockstat_row {
	uint64_t lock;
	pid_t pid;
	VEC(uint64_t) stack;
	uint64_t count, ns;
	int64_t buckets[DTRACE_QUANTIZE_NBUCKETS];
};

struct plockstat_result {
	dtrace_hdl_t *dtp;
	const struct plockstat_opts *opts;
	VEC(struct plockstat_row *) rows[PLOCKSTAT_NTABLES];
};

/* For dtrace_aggregate_walk(); arg is the result. */
int plockstat_take_row(const dtrace_aggdata_t *data, void *arg);
void plockstat_name(const struct plockstat_result *res, pid_t pid,
    uint64_t addr, char *buf, int size);
void plockstat_result_fini(struct plockstat_result *res);

/* ---- table.c: their output ----------------------------------------------- */

void plockstat_print_table(struct plockstat_result *res, size_t table);

#endif
