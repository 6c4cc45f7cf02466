/* SPDX-License-Identifier: BSD-2-Clause */
#include "provider/ufiles.h"

#include <stdlib.h>
#include <unistd.h>

struct dt_ufiles {
	struct arena arena;
	struct sym_cache *syms;
	VEC(struct dt_ufile *) files;
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
dt_ufiles_open(struct dt_ufiles *uf, pid_t pid, const struct proc_map *map)
{
	struct dt_ufile *f;
	int fd;

	VEC_FOREACH(&uf->files, fp) {
		if ((*fp)->dev == map->dev && (*fp)->ino == map->ino)
			return *fp;
	}
	fd = proc_map_open(pid, map);
	if (fd < 0)
		return NULL;
	f = ARENA_NEW(&uf->arena, struct dt_ufile);
	f->fd = fd;
	f->path = arena_strdup(&uf->arena, map->path);
	f->dev = map->dev;
	f->ino = map->ino;
	VEC_PUSH(&uf->files, f);
	return f;
}
