/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_USDT_FILES_H
#define PROVIDER_USDT_FILES_H

/*
 * The mapped files that have USDT probes: each file is read once for all
 * processes, and again when it has changed.
 */
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "provider/ufiles.h"
#include "usdt/notes.h"
#include "usdt/types.h"

/* A site, by its offset in the file. */
struct dt_usdt_place {
	uint64_t off, semaphore;
};

struct dt_usdt_file {
	uint64_t dev, ino;
	struct timespec mtime, ctime;
	uint64_t size;
	unsigned pass; /* when it was last looked at */
	bool is_gone;  /* and was not read before */
	struct usdt_notes notes;
	struct usdt_types types;
	VEC(struct dt_usdt_place) places; /* of notes; sorted */
	struct err err;			  /* in notes or DOF */
};

struct dt_registry;
struct dt_usdt;

/* The registry's files, made on first use. */
struct dt_usdt *dt_usdt_of(struct dt_registry *r);

/* Begin a new look at the system (is_listing: for a listing): files may have
 * changed since the last look. */
void dt_usdt_begin(struct dt_usdt *u, bool is_listing);
bool dt_usdt_is_listing(const struct dt_usdt *u);
/* The errno for which a file was not looked at since, or 0: dtrace had no
 * descriptor or no memory for it. */
int dt_usdt_error(const struct dt_usdt *u);
/* Memory that lives as long as `u`. */
struct arena *dt_usdt_arena(struct dt_usdt *u);
/* The file of a process's mapping.  NULL: it cannot be opened, or has no
 * probes. */
const struct dt_usdt_file *dt_usdt_file(
    struct dt_usdt *u, pid_t pid, const struct proc_map *map);
/* The offset of a site's semaphore in the file; 0: the site has none, or there
 * is no site at `off`. */
uint64_t dt_usdt_semaphore(const struct dt_usdt_file *f, uint64_t off);
/* The arguments of a site; es is NULL if the file's symbols are not known. */
const struct dt_uargs *dt_usdt_args(
    struct dt_usdt *u, const struct usdt_note *note, struct elf_syms *es);

#endif
