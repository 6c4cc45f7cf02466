/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts about the command itself.  Each function returns an exit status. */
#ifndef DTRACE_ABOUT_H
#define DTRACE_ABOUT_H

enum { EXIT_USAGE = 2 };

/* Wrong usage: print the usage to stderr. */
int about_usage(void);
int about_help(void);
/* Print "Sun D" and the version of D; other programs read the number. */
int about_language(void);
int about_version(void);
/* --explain TAG */
int about_explanation(const char *tag);

/* Flush the output, which is complete. */
int about_finish(void);
/*
 * The message of an error of writing.  A closed output is EBADF:
 * keep_standard_files() has put a file there that cannot be written.
 */
const char *about_write_error(int err);

#endif
