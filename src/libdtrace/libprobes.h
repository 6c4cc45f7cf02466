/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_LIBPROBES_H
#define LIBDTRACE_LIBPROBES_H

/*
 * The outline of a D library: the facts that determine the names of its probes,
 * so that they can be listed without compiling it.  The build makes it.
 *
 * A text of lines, each with a letter, a blank and a word:
 *
 *	u 12				uses library 12 of the directory
 *	p io				provider io; what follows is about it
 *	n wait-done			has this probe, if one of the clauses
 *	c wait-done			that fire it
 *	! rawtp:::sched_exit_tp		... needs no such probe (?: needs one)
 *	d fbt::finish_task_switch*:return	and is at a probe that there is
 */
#include "base/mem.h"

enum dt_outline {
	DT_OUTLINE_USES = 'u',
	DT_OUTLINE_PROVIDER = 'p',
	DT_OUTLINE_PROBE = 'n',
	DT_OUTLINE_RULE = 'c',
	DT_OUTLINE_IF = '?',
	DT_OUTLINE_UNLESS = '!',
	DT_OUTLINE_AT = 'd',
};

/*
 * Append the lines about providers.  Returns 0, or -1 for a library whose
 * probes depend on more than names: its provider exists once for each process,
 * exists() decides a part of a predicate, or it depends on something (#pragma D
 * depends_on).  Clauses that only set variables are assumed to work where the
 * clauses that need them work.
 */
int dt_outline_scan(const char *text, size_t len, struct strbuf *out);

#endif
