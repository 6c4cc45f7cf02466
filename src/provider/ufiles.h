/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_UFILES_H
#define PROVIDER_UFILES_H

/*
 * Files of programs that a registry's providers have opened, and their symbols.
 */
#include "provider/uprobe.h"
#include "sym/proc_maps.h"

struct dt_ufiles;

struct dt_ufiles *dt_ufiles_create(void);
void dt_ufiles_destroy(struct dt_ufiles *uf);

struct sym_cache *dt_ufiles_syms(struct dt_ufiles *uf);
/* The file behind a mapping, opened once.  NULL: it cannot be had. */
const struct dt_ufile *dt_ufiles_open(
    struct dt_ufiles *uf, pid_t pid, const struct proc_map *map);

#endif
