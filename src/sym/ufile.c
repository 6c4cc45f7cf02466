/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that processes map.
 *
 * A file is opened when a symbol is needed, which can be long after the process
 * has ended.  It is then found by its path.  That fails if the path is of
 * another mount namespace, or the file was deleted: such files are opened when
 * their mapping is seen, and kept open until they are read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "sym/usyms_impl.h"

#define PINNED_MAX 256
#define VDSO "[vdso]"

/* Equal paths are the same string, so compare pointers. */
static bool
is_same(const struct ufile_id *a, const struct ufile_id *b)
{
	return a->dev == b->dev && a->ino == b->ino &&
	    a->generation == b->generation && a->path == b->path;
}

static uint32_t *
slot_of(const struct usyms *us, const struct ufile_id *id)
{
	size_t i = hash_bytes(id, sizeof(*id)) & (us->nfile_slots - 1);

	while (us->file_slots[i] != 0 &&
	    !is_same(&us->files.v[us->file_slots[i] - 1].id, id))
		i = (i + 1) & (us->nfile_slots - 1);
	return &us->file_slots[i];
}

static void
grow(struct usyms *us)
{
	free(us->file_slots);
	us->nfile_slots = us->nfile_slots != 0 ? 2 * us->nfile_slots : 256;
	us->file_slots = mem_alloc(us->nfile_slots * sizeof(uint32_t));
	for (uint32_t i = 0; i < us->files.n; i++)
		*slot_of(us, &us->files.v[i].id) = i + 1;
}

static struct proc_map
map_of(const struct ufile *f)
{
	return (struct proc_map){
		.dev = f->id.dev, .ino = f->id.ino, .path = f->id.path
	};
}

static void
pin(struct usyms *us, struct ufile *f, pid_t pid)
{
	struct proc_map map = map_of(f);
	struct stat st;

	if (f->id.ino == 0 || us->npinned >= PINNED_MAX ||
	    (stat(map.path, &st) == 0 && st.st_ino == f->id.ino))
		return;
	f->fd = proc_map_open(pid, &map);
	us->npinned += f->fd >= 0;
}

uint32_t
ufile_add(struct usyms *us, const struct ufile_id *id, pid_t pid)
{
	struct ufile f = { .id = *id, .fd = -1 };
	const char *slash;
	uint32_t *slot;

	f.id.path = strtab_str(&us->strs, strtab_intern(&us->strs, id->path));
	if (2 * (us->files.n + 1) > us->nfile_slots)
		grow(us);
	slot = slot_of(us, &f.id);
	if (*slot != 0)
		return *slot - 1;
	slash = strrchr(f.id.path, '/');
	f.name = slash != NULL ? slash + 1 : f.id.path;
	pin(us, &f, pid);
	VEC_PUSH(&us->files, f);
	*slot = (uint32_t)us->files.n;
	return *slot - 1;
}

/*
 * All processes of one kind have the same vdso: use ours for one that has
 * ended.
 */
static struct elf_syms *
vdso_syms(struct usyms *us, pid_t pid, const struct umap *map)
{
	struct proc_map pm = {
		.start = map->start, .end = map->end, .path = VDSO
	};
	struct err err = { 0 };
	struct elf_syms *es = proc_map_syms(us->sc, pid, &pm, &err);

	if (es == NULL) {
		pm.start = getauxval(AT_SYSINFO_EHDR);
		pm.end = pm.start + (map->end - map->start);
		es = proc_map_syms(us->sc, getpid(), &pm, &err);
	}
	err_clear(&err);
	return es;
}

static struct elf_syms *
read_file(struct usyms *us, struct ufile *f, pid_t pid, const struct umap *map)
{
	struct proc_map pm = map_of(f);
	struct err err = { 0 };
	struct elf_syms *es;

	if (f->fd < 0) {
		pm.start = map->start;
		pm.end = map->end;
		es = proc_map_syms(us->sc, pid, &pm, &err);
	} else {
		es = sym_cache_file(us->sc, f->fd, pm.path, "", &err);
		close(f->fd);
		f->fd = -1;
		us->npinned--;
	}
	if (es == NULL)
		usyms_note_error(us, -err.code);
	err_clear(&err);
	return es;
}

bool
ufile_is_vdso(const struct ufile *f)
{
	return strcmp(f->name, VDSO) == 0;
}

int
usyms_open(struct usyms *us, pid_t pid, const struct ucode *code)
{
	const struct ufile *f = &us->files.v[code->file];
	struct proc_map map = map_of(f);
	int fd;

	if (f->fd >= 0) {
		fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
		return fd >= 0 ? fd : -errno;
	}
	map.start = code->start;
	map.end = code->end;
	return proc_map_open(pid, &map);
}

struct elf_syms *
ufile_syms(struct usyms *us, pid_t pid, const struct umap *map)
{
	struct ufile *f = &us->files.v[map->file];

	if (ufile_is_vdso(f))
		return vdso_syms(us, pid, map);
	if (f->id.ino == 0 || f->is_read || f->failed == pid)
		return f->syms;
	f->syms = read_file(us, f, pid, map);
	/* not found by this process, but another may have it */
	f->is_read = f->syms != NULL;
	f->failed = pid;
	return f->syms;
}

void
ufiles_fini(struct usyms *us)
{
	VEC_FOREACH(&us->files, f) {
		if (f->fd >= 0)
			close(f->fd);
	}
	VEC_FREE(&us->files);
	free(us->file_slots);
}
