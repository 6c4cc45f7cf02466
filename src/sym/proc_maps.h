/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYM_PROC_MAPS_H
#define SYM_PROC_MAPS_H

/*
 * The mappings of a process (/proc/PID/maps), and their files.
 *
 * Paths are those of the process's mount namespace, and may name another file
 * by now, or none.  So a file is opened through the mapping itself if the
 * kernel permits that, and otherwise by its path if the inode is the same.
 */
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "sym/sym_cache.h"

struct proc_map {
	uint64_t start, end, off;
	uint64_t dev, ino; /* 0, 0: no file */
	const char *path;  /* "" anonymous, "[vdso]", "/usr/bin/x" */
	bool is_read, is_write, is_exec, is_shared;
	bool is_deleted; /* its path is deleted */
};

/* The mappings made by loading a file once, the lowest first. */
struct proc_module {
	const struct proc_map *maps;
	size_t nmaps;		 /* other modules' may be between */
	const char *path, *name; /* name: the part after the last slash */
};

/*
 * A module's name: the part behind the last slash.  A file in memory has the
 * name that its owner chose, without "/memfd:", since a module's name cannot
 * contain a colon.
 */
const char *proc_module_name(const char *path);
/* Is it a file in memory, which is gone when its last process ends? */
bool proc_path_is_memory(const char *path);
/* Is it the memory that a dtrace has inside a process? */
bool proc_path_is_of_dtrace(const char *path);
/* Cut " (deleted)", which the kernel adds; was it there? */
bool proc_path_cut_deleted(char *path);

struct proc_maps {
	pid_t pid;
	VEC(struct proc_map) maps;	 /* sorted by address */
	VEC(struct proc_module) modules; /* files, and [vdso] */
	struct arena names;
};

/* Returns 0, or -errno with *err: "process 7 does not exist", ... */
CHECKED int proc_maps_read(struct proc_maps *pm, pid_t pid, struct err *err);
/* Why the kernel denies us access to a process (malloced). */
char *proc_why_denied(pid_t pid);
/* Parse the mappings from text, which is modified. */
void proc_maps_parse(struct proc_maps *pm, char *text);
void proc_maps_fini(struct proc_maps *pm);

/* The mapping at `addr`; NULL: none. */
const struct proc_map *proc_maps_find(
    const struct proc_maps *pm, uint64_t addr);
/* The module that a mapping belongs to, or NULL. */
const struct proc_module *proc_maps_module(
    const struct proc_maps *pm, const struct proc_map *map);

/* "/proc/PID/root", to be put before paths of that process (malloced). */
char *proc_root(pid_t pid);
/*
 * Open the mapped file for reading.  Returns a descriptor, or -errno: -ENOENT
 * if the file is not available (any more).
 */
CHECKED int proc_map_open(pid_t pid, const struct proc_map *map);
/* Set *err, after proc_map_open() has returned `code`.  Returns the code. */
int proc_map_refuse(const struct proc_map *map, int code, struct err *err);

/*
 * The symbols of the mapped file or the vdso; the cache owns them.  NULL: it
 * has none, cannot be read, or is gone; *err says which.
 */
CHECKED struct elf_syms *proc_map_syms(struct sym_cache *sc, pid_t pid,
    const struct proc_map *map, struct err *err);

/* The difference between addresses of the process and of the file. */
bool proc_map_bias(
    const struct proc_map *map, const struct elf_syms *es, uint64_t *bias);
/* Convert an address in a mapping to the file's. */
bool proc_map_vaddr(const struct proc_map *map, const struct elf_syms *es,
    uint64_t addr, uint64_t *vaddr);

#endif
