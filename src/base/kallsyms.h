/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_KALLSYMS_H
#define BASE_KALLSYMS_H

/*
 * The kernel's list of symbols, /proc/kallsyms: some 200,000 lines, which take
 * the kernel 50 ms or more to write.  So read it only when a symbol is needed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct ksymbol {
	uint64_t addr; /* 0 where the kernel hides addresses */
	char type;     /* type letter of nm(1): 'T', 't', 'D', ... */
	const char *name;
	const char *module; /* "vmlinux" for the kernel itself */
};

/* A data symbol that every kernel has; listed only with CONFIG_KALLSYMS_ALL. */
#define KALLSYMS_DATA "init_task"

/*
 * Call f for each symbol until it returns true.  False with errno: the list
 * cannot be read.
 */
bool kallsyms_each(bool (*f)(const struct ksymbol *sym, void *arg), void *arg);

/* The result of a search. */
enum ksym_state {
	KSYM_FOUND,
	KSYM_HIDDEN, /* address is hidden: kernel.kptr_restrict */
	KSYM_ABSENT,
	KSYM_NO_DATA,	 /* not listed, and no data is */
	KSYM_NO_MODULE,	 /* the module does not exist */
	KSYM_UNREADABLE, /* the list cannot be read */
};

/*
 * The list in memory, for several searches.  All 0 at first; the first search
 * reads it.
 */
struct kallsyms {
	struct strbuf text;
	int error; /* of KSYM_UNREADABLE: an errno */
};
void kallsyms_fini(struct kallsyms *k);

/*
 * Find the first symbol of that name, in that module unless it is NULL.  Sets
 * *addr, *type and *module (malloced) for KSYM_FOUND only.
 */
enum ksym_state kallsyms_find(struct kallsyms *k, const char *module,
    const char *name, uint64_t *addr, char *type, char **modulep);

static inline bool
ksym_is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

#endif
