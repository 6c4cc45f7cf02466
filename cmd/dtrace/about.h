/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts about the command itself.  Each function returns an exit status. */
#ifndef DTRACE_ABOUT_H
#define DTRACE_ABOUT_H

enum { EXIT_USAGE = 2 };

/* Wrong usage: print the usage to stderr. */
int usage(void);
int print_help(void);
/* Print "Sun D" and the version of D; other programs read the number. */
int print_language(void);
int print_version(void);
/* --explain TAG */
int print_explanation(const char *tag);

/* Flush the output, which is complete. */
int finish_printing(void);
/*
 * The message of an error of writing.  A closed output is EBADF:
 * keep_standard_files() has put a file there that cannot be written.
 */
const char *write_error(int err);

#endif
