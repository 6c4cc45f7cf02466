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
 *	p io				provider io; the next lines describe it
 *	n wait-done			the provider declares this probe
 *	c wait-done			a rule fires it; the next lines describe
 *					the rule, which works if
 *	! rawtp:::sched_exit_tp		... this probe does not exist (?: exists)
 *	d fbt::finish_task_switch*:return	... and one of its origins exists
 *
 * A probe exists if one of its rules works.
 */
#include "base/str.h"

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
 * exists() decides a part of a predicate, or it has a provider and depends on
 * something (#pragma D depends_on).  A rule that only sets variables is assumed
 * to work if the rules that read these variables do.
 */
int dt_outline_scan(const char *text, size_t len, struct strbuf *out);

#endif
