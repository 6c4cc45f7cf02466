/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_KALLSYMS_H
#define BASE_KALLSYMS_H

/*
 * The kernel's list of symbols, /proc/kallsyms: some 200,000 lines, which take
 * the kernel 50 ms or more to write, so ask only for what needs it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

struct ksymbol {
	uint64_t addr;		/* 0 where the kernel hides addresses */
	char type;		/* as nm(1) has it: 'T', 't', 'D', ... */
	const char *name;
	const char *module;	/* "vmlinux" for the kernel itself */
};

/* Data of every kernel, which is listed only with CONFIG_KALLSYMS_ALL. */
#define KALLSYMS_DATA "init_task"

/* Call f for each symbol, until it returns true.  False: the list cannot be read
 * (errno). */
bool kallsyms_each(bool (*f)(const struct ksymbol *sym, void *arg), void *arg);

/* What a symbol is known to be. */
enum ksym_state {
	KSYM_FOUND,
	KSYM_HIDDEN,		/* its address: kernel.kptr_restrict */
	KSYM_ABSENT,
	KSYM_NO_DATA,		/* absent, and so is all data */
	KSYM_NO_MODULE,		/* there is no such module */
	KSYM_UNREADABLE,	/* the list itself */
};

/* The list in memory, for those who look for several: all 0 before it is
 * read, which the first look-up does. */
struct kallsyms {
	struct strbuf text;
};
void kallsyms_fini(struct kallsyms *k);

/*
 * The first symbol of that name, in that module unless it is NULL.  Only what
 * KSYM_FOUND finds sets *addr, *type and *module (malloced).
 */
enum ksym_state kallsyms_find(struct kallsyms *k, const char *module,
    const char *name, uint64_t *addr, char *type, char **modulep);

static inline bool
ksym_is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

#endif
