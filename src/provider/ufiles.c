/* SPDX-License-Identifier: BSD-2-Clause */
#include "provider/ufiles.h"

#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "sym/sym_cache.h"

/* The result of a description in a file for a process. */
struct found {
	const struct dt_ufile *file;
	pid_t pid;
	const char *what;
	struct dt_ufound n;
};

/* An opened file, as mappings and as stat(2) identify it. */
struct ufiles_file {
	struct dt_ufile file;
	struct stat st;
	bool is_overlay; /* in an overlay file system */
	/* mappings' devices and inodes for it: the first is `file`'s */
	VEC(struct ufiles_key { uint64_t dev, ino; })
	keys;
};

struct dt_ufiles {
	struct arena arena;
	struct sym_cache *syms;
	VEC(struct ufiles_file *) files;
	VEC(struct found) founds;
};

struct dt_ufiles *
dt_ufiles_create(void)
{
	struct dt_ufiles *uf = mem_alloc(sizeof(*uf));

	arena_init(&uf->arena);
	uf->syms = sym_cache_create();
	return uf;
}

void
dt_ufiles_destroy(struct dt_ufiles *uf)
{
	if (uf == NULL)
		return;
	VEC_FOREACH(&uf->files, f) {
		close((*f)->file.fd);
		VEC_FREE(&(*f)->keys);
	}
	VEC_FREE(&uf->files);
	VEC_FREE(&uf->founds);
	sym_cache_destroy(uf->syms);
	arena_fini(&uf->arena);
	free(uf);
}

struct sym_cache *
dt_ufiles_syms(struct dt_ufiles *uf)
{
	return uf->syms;
}

static bool
has_key(const struct ufiles_file *f, const struct proc_map *map)
{
	VEC_FOREACH(&f->keys, k) {
		if (k->dev == map->dev && k->ino == map->ino)
			return true;
	}
	return false;
}

static struct ufiles_file *
find_key(const struct dt_ufiles *uf, const struct proc_map *map)
{
	VEC_FOREACH(&uf->files, fp) {
		if (has_key(*fp, map))
			return *fp;
	}
	return NULL;
}

const struct dt_ufile *
dt_ufiles_known(const struct dt_ufiles *uf, const struct proc_map *map)
{
	const struct ufiles_file *f = find_key(uf, map);

	return f != NULL ? &f->file : NULL;
}

static bool
is_same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/*
 * The kernel plants probes in the file below an overlay.  Containers of one
 * image have an overlay each, with devices of their own, but share that file:
 * a probe in both would fire twice.  Only the change time tells that they are
 * one file, since no program can set it.
 */
static bool
is_one_below(const struct ufiles_file *a, const struct ufiles_file *b)
{
	return (a->is_overlay || b->is_overlay) &&
	    a->st.st_ino == b->st.st_ino && a->st.st_size == b->st.st_size &&
	    is_same_time(a->st.st_mtim, b->st.st_mtim) &&
	    is_same_time(a->st.st_ctim, b->st.st_ctim);
}

static bool
is_one(const struct ufiles_file *a, const struct ufiles_file *b)
{
	return (a->st.st_dev == b->st.st_dev && a->st.st_ino == b->st.st_ino) ||
	    is_one_below(a, b);
}

static void
note_name(struct dt_ufiles *uf, struct ufiles_file *f, const char *path)
{
	struct dt_uname *name;

	for (const struct dt_uname *n = f->file.names; n != NULL; n = n->next) {
		if (strcmp(n->path, path) == 0)
			return;
	}
	name = ARENA_NEW(&uf->arena, struct dt_uname);
	name->path = arena_strdup(&uf->arena, path);
	name->next = f->file.names;
	f->file.names = name;
}

/* Add the file of a descriptor, which becomes its own; or find the same file.
 */
static struct ufiles_file *
take_file(struct dt_ufiles *uf, int fd, const struct proc_map *map)
{
	struct ufiles_file *f = ARENA_NEW(&uf->arena, struct ufiles_file);
	struct statfs fs;

	f->is_overlay =
	    fstatfs(fd, &fs) == 0 && fs.f_type == OVERLAYFS_SUPER_MAGIC;
	if (fstat(fd, &f->st) == 0) {
		VEC_FOREACH(&uf->files, fp) {
			if (is_one(*fp, f)) {
				close(fd);
				return *fp;
			}
		}
	}
	f->file.fd = fd;
	f->file.path = arena_strdup(&uf->arena, map->path);
	f->file.dev = map->dev;
	f->file.ino = map->ino;
	VEC_PUSH(&uf->files, f);
	return f;
}

const struct dt_ufile *
dt_ufiles_open(struct dt_ufiles *uf, pid_t pid, const struct proc_map *map,
    struct err *err)
{
	struct ufiles_file *f = find_key(uf, map);

	if (f == NULL) {
		int fd = proc_map_open(pid, map);

		if (fd < 0) {
			proc_map_refuse(map, fd, err);
			return NULL;
		}
		f = take_file(uf, fd, map);
		VEC_PUSH(&f->keys, ((struct ufiles_key){ map->dev, map->ino }));
	}
	note_name(uf, f, map->path);
	return &f->file;
}

/* ---- what has been looked for -------------------------------------------- */

const struct dt_ufound *
dt_ufiles_found(const struct dt_ufiles *uf, const struct dt_ufile *f, pid_t pid,
    const char *what)
{
	VEC_FOREACH(&uf->founds, found) {
		if (found->file == f && found->pid == pid &&
		    strcmp(found->what, what) == 0)
			return &found->n;
	}
	return NULL;
}

void
dt_ufiles_note_found(struct dt_ufiles *uf, const struct dt_ufile *f, pid_t pid,
    const char *what, struct dt_ufound n)
{
	VEC_PUSH(&uf->founds,
	    ((struct found){ f, pid, arena_strdup(&uf->arena, what), n }));
}
