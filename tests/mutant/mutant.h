/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MUTANT_MUTANT_H
#define MUTANT_MUTANT_H

/*
 * The row to change: $MUTANT_TABLE, $MUTANT_ROW (its name, as
 * tests/lint/mutation.py finds it in the .def file) and $MUTANT_TO, if another
 * row takes its place.
 */
#include <stdbool.h>
#include <stddef.h>

struct mutation {
	const char *table, *row, *to;
};
extern struct mutation mutation;

/* Is the row in this table? */
bool mut_in(const char *table);
/* Is it this row of this table? */
bool mut_is(const char *table, const char *row);

/* Report that there is no such row, and exit with MUT_NO_ROW. */
#define MUT_NO_ROW 99
void mut_no_row(void) __attribute__((noreturn));

/* Make a row of a constant table writable. */
void mut_open(const void *row, size_t len);

/* Change the tables that can be changed in place, before main(). */
void mut_lang_tables(void);
void mut_ctf_tables(void);
void mut_dof_tables(void);

#endif
