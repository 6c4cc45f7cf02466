/* SPDX-License-Identifier: BSD-2-Clause */
/* Operands that stand for something else: scripts, clauses, split commands. */
#ifndef DTRACE_OPERANDS_H
#define DTRACE_OPERANDS_H

#include <stdbool.h>

#include "base/vec.h"

/*
 * A command of -c whose arguments were not quoted: in "-c ls -l /tmp" -l is
 * dtrace's option, and /tmp an operand.
 */
struct split_command {
	const char *command; /* NULL: none is known; borrowed, as all words */
	VEC(const char *) options; /* that follow it directly */
	bool is_last;		   /* nothing else follows */
	char *text;		   /* malloced: "ls -l /tmp", or NULL */
	const char *operand;	   /* the command's first operand, or NULL */
};
/* `rest` are the words after the command, up to NULL. */
void split_command_note(
    struct split_command *sc, const char *command, char *const *rest);
/* Print the hint if `operands`, up to NULL, have the command's. */
bool split_command_hint(const struct split_command *sc, char *const *operands);
/* Print it if only options follow the command, and nothing else. */
bool split_command_hint_alone(const struct split_command *sc);
/* Print it if a refused option, a letter or a word, follows the command. */
bool split_command_refused(
    const struct split_command *sc, int letter, const char *word);
/* Print it, below a note, if an -l without argument follows the command. */
void split_command_note_list(const struct split_command *sc);
void split_command_fini(struct split_command *sc);

/*
 * Can the operand be run as with -s?  A program of ELF cannot, nor a script of
 * another interpreter; nor what seems
 * to be an argument of the command, as in "-c cat /etc/passwd", unless it is
 * *.d.
 */
bool operand_is_script(const struct split_command *sc, const char *operand);
/*
 * No program was given: hint at what the operands, up to NULL, could be.  There
 * is at least one.
 */
void operand_hint(char *const *operands);

#endif
