/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace, plockstat, ctfdump and ctfconvert with one row of one table changed:
 * tests/lint/mutation.py runs them to see which test notices.
 *
 * They are the product's own objects, linked once more.  The linker's --wrap
 * puts a function of this folder in front of each function that reads a table;
 * tables that other files can reach are changed in place.  The product has no
 * code for this.
 */
#include "mutant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct mutation mutation;

bool
mut_in(const char *table)
{
	return strcmp(mutation.table, table) == 0;
}

bool
mut_is(const char *table, const char *row)
{
	return mut_in(table) && strcmp(mutation.row, row) == 0;
}

void
mut_no_row(void)
{
	fprintf(stderr, "mutant: %s has no row '%s'\n", mutation.table,
	    mutation.row);
	_exit(MUT_NO_ROW);
}

void
mut_open(const void *row, size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *start = (char *)row - (size_t)row % page;

	len += (size_t)row % page;
	if (mprotect(start, len, PROT_READ | PROT_WRITE) != 0) {
		perror("mutant: mprotect");
		_exit(MUT_NO_ROW);
	}
}

static const char *
wanted(const char *name)
{
	const char *value = getenv(name);

	return value != NULL ? value : "";
}

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

int
__wrap_main(int argc, char **argv)
{
	mutation = (struct mutation){ wanted("MUTANT_TABLE"),
		wanted("MUTANT_ROW"), wanted("MUTANT_TO") };
	mut_lang_tables();
	mut_ctf_tables();
	mut_dof_tables();
	return __real_main(argc, argv);
}
