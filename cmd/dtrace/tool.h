/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACE_TOOL_H
#define DTRACE_TOOL_H

/*
 * dtrace run: D scripts for every day, by name.  A tool is a file NAME.d of the
 * directory of tools; its first comment is its manual, whose first line is
 * "NAME [ARGUMENTS]: what it shows".
 */

#include <stddef.h>

#define TOOL_NONE (-1)
/*
 * If the arguments are "dtrace run NAME ...", make them "dtrace -s PATH ...",
 * in place.  Returns TOOL_NONE for dtrace to go on, and *path (malloced) must
 * live as long as argv; or the exit status, if the work is done.
 */
int tool_take(int argc, char *argv[], char **path);

/*
 * Has the tool of this path the arguments that its first line requires, those
 * without brackets?  Returns TOOL_NONE, or the exit status of wrong usage.
 */
int tool_check_args(const char *path, size_t nargs);

/* The path of a tool (malloced); NULL after a message: there is none. */
char *tool_find(const char *name);
/*
 * Does the tool have more operands than its first line names?  Returns
 * TOOL_NONE, or the exit status of wrong usage.
 */
int tool_check_excess(const char *path, char *const *operands, size_t n);

/*
 * Print the hint about the programs that have the tool's probes: the paragraph
 * of its comment that begins with "Needs ".  Nothing if there is none.
 */
void tool_hint_needs(const char *path);

/*
 * The tool of --flame=KIND: its path (malloced), and in *operand the argument
 * that it takes, or NULL.  NULL: there is none, and a message was printed.
 */
char *tool_flame(char *kind, char **operand);

#endif
