/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYM_PROC_MAPS_H
#define SYM_PROC_MAPS_H

/*
 * What a process has mapped (/proc/PID/maps), and the files behind it.
 *
 * Paths are those of the process's mount namespace, and may name another file
 * by now, or none.  So a file is opened by the mapping itself where the kernel
 * lets us, and otherwise believed to be the one only when its inode says so.
 */
#include <sys/types.h>

#include "base/mem.h"
#include "sym/sym_cache.h"

struct proc_map {
	uint64_t start, end, off;
	uint64_t dev, ino; /* 0, 0: no file */
	const char *path;  /* "" anonymous, "[vdso]", "/usr/bin/x" */
	bool is_read, is_write, is_exec, is_shared;
	bool is_deleted; /* the file that path named is gone */
};

/* Mappings of one loading of a file, the lowest first. */
struct proc_module {
	const struct proc_map *maps;
	size_t nmaps;		 /* between them may be others' */
	const char *path, *name; /* name: what is after the last slash */
};

struct proc_maps {
	pid_t pid;
	VEC(struct proc_map) maps;	 /* by address */
	VEC(struct proc_module) modules; /* of files, and [vdso] */
	struct arena names;
};

/* 0, or -errno with *msg (malloced): "process 7 does not exist", ... */
int proc_maps_read(struct proc_maps *pm, pid_t pid, char **msg);
/* Why the kernel does not let us look into a process (malloced). */
char *proc_why_denied(pid_t pid);
/* The same from text, which is changed. */
void proc_maps_parse(struct proc_maps *pm, char *text);
void proc_maps_fini(struct proc_maps *pm);

/* NULL: nothing is mapped there. */
const struct proc_map *proc_maps_find(
    const struct proc_maps *pm, uint64_t addr);
/* The module that a mapping is of: NULL: of none. */
const struct proc_module *proc_maps_module(
    const struct proc_maps *pm, const struct proc_map *map);

/* "/proc/PID/root": what stands before paths of that process. */
char *proc_root(pid_t pid);
/* Open the mapped file for reading; -1: it cannot be had (any more). */
int proc_map_open(pid_t pid, const struct proc_map *map);

/*
 * The symbols of what is mapped there, the vdso included; they belong to the
 * cache.  NULL: it has none, or cannot be read, or is gone; *msg (borrowed)
 * says which.
 */
struct elf_syms *proc_map_syms(struct sym_cache *sc, pid_t pid,
    const struct proc_map *map, const char **msg);

/* What to add to the file's addresses to get those of the process. */
bool proc_map_bias(
    const struct proc_map *map, const struct elf_syms *es, uint64_t *bias);
/* An address in a mapping -> the file's. */
bool proc_map_vaddr(const struct proc_map *map, const struct elf_syms *es,
    uint64_t addr, uint64_t *vaddr);

#endif
