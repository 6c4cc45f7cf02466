/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_FBT_IMPL_H
#define PROVIDER_FBT_IMPL_H

/* Parts of prov_fbt.c. */
#include "base/err.h"
#include "base/hash.h"
#include "base/kallsyms.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "provider/fbt.h"
#include "provider/provider.h"

#define VMLINUX "vmlinux"

struct fbt_line {
	uint32_t off, len;
	uint32_t next; /* the number + 1 of the next one with its hash */
};

struct fbt {
	struct dt_registry *r;
	struct arena arena;
	struct strbuf list;
	VEC(struct fbt_line) lines;   /* once a name is looked for */
	uint32_t *heads;	      /* by hash of the name: number + 1 */
	VEC(struct fbt_func *) funcs; /* functions that were wanted */
	struct strtab names, mods;
	VEC(struct fbt_func *) by_name; /* by id in names: the first one */
	size_t nplaced;			/* so many have their places */
	char *why;			/* why there are none */
	int error;			/* the errno of that, or 0 */
};

/* ---- fbt_list.c: the tracer's list --------------------------------------- */

/* The names that a search in the list wants. */
struct fbt_wanted {
	const char *func, *mod; /* patterns, or names */
	bool is_pattern;	/* is func one? */
	const char *prefix;	/* what its names begin with */
	size_t prefix_len;
};

/* For provider_ops: the provider's state. */
void *fbt_create(struct dt_registry *r);
void fbt_destroy(void *arg);

struct fbt_wanted fbt_wanted_by(const struct dif_pdesc *desc);

/* Make a copy of a line, "name" or "name [module]", the name; the module. */
const char *fbt_cut_line(char *line);

/* Index the list: libraries ask for many names, one by one. */
void fbt_index_list(struct fbt *f);

/* The first of the lines with the hash of a name, once there is an index. */
uint32_t *fbt_chain_of(struct fbt *f, const char *name, size_t len);

/* Call found() for each function that is wanted; is there any? */
bool fbt_search_list(struct fbt *f, const struct fbt_wanted *w,
    void (*found)(struct fbt_func *fn, void *arg), void *arg);

/* The name in line `no` of the list, malloced; NULL: it has fewer. */
char *fbt_listed_name(struct fbt *f, uint32_t no);

/* ---- fbt_places.c: functions of one name, and addresses ------------------ */

/* Count the functions of its name that its module has in the list. */
size_t fbt_count_lines(const struct fbt_func *fn);

/* 0, also if the kernel has no list or hides it; or -errno with *err. */
CHECKED int fbt_read_symbols(bool (*take)(const struct ksymbol *sym, void *arg),
    void *arg, struct err *err);

#endif
