/* SPDX-License-Identifier: BSD-2-Clause */
#include "provider/ufiles.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sym/elf_syms.h"
#include "x86/jumps.h"

#define TEXT_MAX (64 << 20)

/* A section of code, decoded. */
struct text {
	const struct dt_ufile *file;
	uint64_t vaddr;
	struct x86_jumps jumps;
};

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
	VEC(struct text) texts;
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
	VEC_FOREACH(&uf->texts, t)
		x86_jumps_fini(&t->jumps);
	VEC_FREE(&uf->texts);
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
dt_ufiles_open(struct dt_ufiles *uf, pid_t pid, const struct proc_map *map)
{
	const struct dt_ufile *known = dt_ufiles_known(uf, map);
	struct dt_ufile *f;
	int fd;

	if (known != NULL)
		return known;
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

/* ---- jumps of a file ---------------------------------------------------- */

static const struct elf_sect *
section_of(const struct elf_syms *es, uint64_t vaddr)
{
	for (size_t i = 0; i < elf_syms_nsects(es); i++) {
		const struct elf_sect *s = elf_syms_sect(es, i);

		if (s != NULL && s->is_exec && s->type == SHT_PROGBITS &&
		    vaddr - s->vaddr < s->size)
			return s;
	}
	return NULL;
}

/* Without jumps when it cannot be read. */
static const struct text *
read_text(struct dt_ufiles *uf, const struct dt_ufile *f,
    const struct elf_syms *es, const struct elf_sect *s)
{
	struct text t = { .file = f, .vaddr = s->vaddr };
	uint8_t *bytes = NULL;
	uint64_t off;

	if (s->size <= TEXT_MAX && elf_syms_offset(es, s->vaddr, &off)) {
		bytes = mem_alloc(s->size);
		if (pread(f->fd, bytes, s->size, (off_t)off) ==
		    (ssize_t)s->size)
			x86_jumps_find(
			    &(struct x86_code){ bytes, s->size,
				elf_syms_machine(es) == EM_386 },
			    &t.jumps);
	}
	free(bytes);
	VEC_PUSH(&uf->texts, t);
	return &uf->texts.v[uf->texts.n - 1];
}

uint64_t
dt_ufiles_jump_into(struct dt_ufiles *uf, const struct dt_ufile *f,
    const struct elf_syms *es, uint64_t from, uint64_t to)
{
	const struct elf_sect *s = section_of(es, from);
	const struct text *text = NULL;

	if (s == NULL)
		return to;
	VEC_FOREACH(&uf->texts, t) {
		if (t->file == f && t->vaddr == s->vaddr)
			text = t;
	}
	if (text == NULL)
		text = read_text(uf, f, es, s);
	return s->vaddr +
	    x86_jumps_first(&text->jumps, from - s->vaddr, to - s->vaddr);
}
