/* SPDX-License-Identifier: BSD-2-Clause */
#include "provider/ufiles.h"

#include <stdlib.h>
#include <string.h>
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

struct dt_ufiles {
	struct arena arena;
	struct sym_cache *syms;
	VEC(struct dt_ufile *) files;
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
	VEC_FOREACH(&uf->files, f)
		close((*f)->fd);
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

const struct dt_ufile *
dt_ufiles_known(const struct dt_ufiles *uf, const struct proc_map *map)
{
	VEC_FOREACH(&uf->files, fp) {
		if ((*fp)->dev == map->dev && (*fp)->ino == map->ino)
			return *fp;
	}
	return NULL;
}

const struct dt_ufile *
dt_ufiles_open(struct dt_ufiles *uf, pid_t pid, const struct proc_map *map,
    struct err *err)
{
	const struct dt_ufile *known = dt_ufiles_known(uf, map);
	struct dt_ufile *f;
	int fd;

	if (known != NULL)
		return known;
	fd = proc_map_open(pid, map);
	if (fd < 0) {
		proc_map_refuse(map, fd, err);
		return NULL;
	}
	f = ARENA_NEW(&uf->arena, struct dt_ufile);
	f->fd = fd;
	f->path = arena_strdup(&uf->arena, map->path);
	f->dev = map->dev;
	f->ino = map->ino;
	VEC_PUSH(&uf->files, f);
	return f;
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
