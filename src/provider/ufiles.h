/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_UFILES_H
#define PROVIDER_UFILES_H

/*
 * Files of programs that a registry's providers have opened, and their symbols.
 */
#include "provider/usites.h"
#include "sym/proc_maps.h"

struct dt_ufiles;

struct dt_ufiles *dt_ufiles_create(void);
void dt_ufiles_destroy(struct dt_ufiles *uf);

struct sym_cache *dt_ufiles_syms(struct dt_ufiles *uf);
/* The file behind a mapping, if it is open.  NULL: it is not. */
const struct dt_ufile *dt_ufiles_known(
    const struct dt_ufiles *uf, const struct proc_map *map);
/*
 * The file behind a mapping, opened once, whatever name and device the mapping
 * has for it.  NULL with *err: it cannot be opened.
 */
CHECKED const struct dt_ufile *dt_ufiles_open(struct dt_ufiles *uf, pid_t pid,
    const struct proc_map *map, struct err *err);

/*
 * The numbers of functions and probes that a description of functions (`what`)
 * has found in a file for a process.  A library that is loaded again has no
 * others, so the provider does not search it again.
 */
struct dt_ufound {
	size_t nfuncs, nprobes;
};
/* NULL: the provider has not searched for this yet. */
const struct dt_ufound *dt_ufiles_found(const struct dt_ufiles *uf,
    const struct dt_ufile *f, pid_t pid, const char *what);
void dt_ufiles_note_found(struct dt_ufiles *uf, const struct dt_ufile *f,
    pid_t pid, const char *what, struct dt_ufound n);

#endif
