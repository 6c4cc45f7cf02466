/* SPDX-License-Identifier: BSD-2-Clause */
#include "provider/usdt_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/ownfailure.h"
#include "base/str.h"
#include "base/vec.h"
#include "provider/provider_impl.h"
#include "usdt/read.h"

struct dt_usdt {
	struct arena arena;
	unsigned pass; /* from 1 on: files that are new have 0 */
	bool is_listing;
	int error; /* see dt_usdt_error() */
	uint64_t ngone;
	VEC(struct dt_usdt_file *) files;
	struct strtab keys; /* of files: id i + 1 */
	VEC(struct dt_uargs *) args;
	struct strtab texts; /* of args: id i + 1 */
};

static void *
usdt_create(struct dt_registry *r)
{
	struct dt_usdt *u = mem_alloc(sizeof(*u));

	(void)r;
	u->pass = 1; /* the pid provider asks without dt_usdt_begin() */
	arena_init(&u->arena);
	strtab_init(&u->keys);
	strtab_init(&u->texts);
	return u;
}

static void
file_fini(struct dt_usdt_file *f)
{
	usdt_notes_fini(&f->notes);
	usdt_types_fini(&f->types);
	VEC_FREE(&f->places);
	err_clear(&f->err);
}

static void
usdt_destroy(void *what)
{
	struct dt_usdt *u = what;

	VEC_FOREACH(&u->files, f)
		file_fini(*f);
	VEC_FREE(&u->files);
	VEC_FOREACH(&u->args, a)
		free((*a)->why);
	VEC_FREE(&u->args);
	strtab_fini(&u->keys);
	strtab_fini(&u->texts);
	arena_fini(&u->arena);
	free(u);
}

struct dt_usdt *
dt_usdt_of(struct dt_registry *r)
{
	static const struct dt_keep keep = { usdt_create, usdt_destroy };

	return dt_registry_keep(r, &keep);
}

void
dt_usdt_begin(struct dt_usdt *u, bool is_listing)
{
	u->pass++;
	u->is_listing = is_listing;
	u->error = 0;
}

int
dt_usdt_error(const struct dt_usdt *u)
{
	return u->error;
}

uint64_t
dt_usdt_ngone(struct dt_registry *r)
{
	return dt_usdt_of(r)->ngone;
}

bool
dt_usdt_is_listing(const struct dt_usdt *u)
{
	return u->is_listing;
}

struct arena *
dt_usdt_arena(struct dt_usdt *u)
{
	return &u->arena;
}

/* ---- files --------------------------------------------------------------- */

static struct dt_usdt_file *
find_file(struct dt_usdt *u, const struct proc_map *map)
{
	char *key = mem_printf("%llx %llx", (unsigned long long)map->dev,
	    (unsigned long long)map->ino);
	uint32_t i = strtab_intern(&u->keys, key) - 1;
	struct dt_usdt_file *f;

	free(key);
	if (i < u->files.n)
		return u->files.v[i];
	f = ARENA_NEW(&u->arena, struct dt_usdt_file);
	f->dev = map->dev;
	f->ino = map->ino;
	VEC_PUSH(&u->files, f);
	return f;
}

static bool
is_same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool
is_unchanged(const struct dt_usdt_file *f, const struct stat *sb)
{
	return f->size == (uint64_t)sb->st_size &&
	    is_same_time(f->mtime, sb->st_mtim) &&
	    is_same_time(f->ctime, sb->st_ctim);
}

static int
compare_places(const void *a, const void *b)
{
	const struct dt_usdt_place *p = a, *q = b;

	if (p->off != q->off)
		return p->off < q->off ? -1 : 1;
	return (p->semaphore < q->semaphore) - (p->semaphore > q->semaphore);
}

/* Of two notes for one place the one with a semaphore comes first. */
static void
sort_places(struct dt_usdt_file *f)
{
	VEC_FOREACH(&f->notes.v, n)
		VEC_PUSH(&f->places,
		    ((struct dt_usdt_place){ n->offset, n->semaphore }));
	if (f->places.n != 0)
		qsort(f->places.v, f->places.n, sizeof(f->places.v[0]),
		    compare_places);
}

uint64_t
dt_usdt_semaphore(const struct dt_usdt_file *f, uint64_t off)
{
	size_t low = 0, high = f->places.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->places.v[mid].off < off)
			low = mid + 1;
		else
			high = mid;
	}
	return low < f->places.n && f->places.v[low].off == off ?
	    f->places.v[low].semaphore :
	    0;
}

/* A file that is no ELF file, which is mapped as code all the same, is none of
 * ours; only damaged notes are worth a word. */
static void
read_file(
    struct dt_usdt *u, struct dt_usdt_file *f, int fd, const struct stat *sb)
{
	int rc;

	file_fini(f);
	memset(&f->notes, 0, sizeof(f->notes));
	memset(&f->types, 0, sizeof(f->types));
	f->size = (uint64_t)sb->st_size;
	f->mtime = sb->st_mtim;
	f->ctime = sb->st_ctim;
	rc = usdt_read(fd, &f->notes, &f->types, &f->err);
	if (is_own_failure(-rc)) {
		u->error = -rc;
		f->size = 0; /* read it again the next time */
	}
	sort_places(f);
}

/* A file that was never read is gone; those of dtrace have no probes. */
static void
note_gone(struct dt_usdt *u, struct dt_usdt_file *f, const struct proc_map *map)
{
	if (f->is_gone || f->size != 0 || !proc_path_is_memory(map->path) ||
	    proc_path_is_of_dtrace(map->path))
		return;
	f->is_gone = true;
	u->ngone++;
}

static void
look_at(struct dt_usdt *u, struct dt_usdt_file *f, pid_t pid,
    const struct proc_map *map)
{
	int fd = proc_map_open(pid, map);
	struct stat sb;

	if (fd == -ENOENT)
		note_gone(u, f, map);
	if (fd < 0) {
		u->error = fd != -ENOENT ? -fd : u->error;
		return;
	}
	if (fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode) && !is_unchanged(f, &sb))
		read_file(u, f, fd, &sb);
	close(fd);
}

const struct dt_usdt_file *
dt_usdt_file(struct dt_usdt *u, pid_t pid, const struct proc_map *map)
{
	struct dt_usdt_file *f;

	if (map->ino == 0)
		return NULL;
	f = find_file(u, map);
	if (f->pass != u->pass)
		look_at(u, f, pid, map);
	f->pass = u->pass;
	return f->notes.v.n != 0 ? f : NULL;
}

/* ---- arguments ----------------------------------------------------------- */

static bool
find_symbol(void *arg, const char *name, uint64_t *addr)
{
	struct elf_syms *es = arg;
	const struct elf_sym *sym =
	    es != NULL ? elf_syms_by_name(es, name) : NULL;

	if (sym == NULL)
		return false;
	*addr = sym->value;
	return true;
}

/* Operands with symbols are of one site in one file. */
static uint32_t
number_of(struct dt_usdt *u, const struct usdt_args *args)
{
	struct strbuf sb = { 0 };
	uint32_t n;

	for (size_t i = 0; i < args->n; i++) {
		const struct usdt_arg *a = &args->v[i];

		strbuf_printf(&sb, "%lld %u %u %u %u %d%d%d %d;",
		    (long long)a->disp, a->base, a->index, a->shift,
		    a->bits + 128 * a->skip, a->is_signed, a->is_memory,
		    a->is_refused, args->sizes[i]);
	}
	n = strtab_intern(&u->texts, sb.len != 0 ? sb.s : "");
	strbuf_fini(&sb);
	return n - 1;
}

const struct dt_uargs *
dt_usdt_args(
    struct dt_usdt *u, const struct usdt_note *note, struct elf_syms *es)
{
	const struct usdt_syms syms = { find_symbol, es };
	struct dt_uargs *a;
	struct usdt_args args;
	char *why = usdt_args_parse(note->args, note->addr, &syms, &args);
	uint32_t n = number_of(u, &args);

	if (n < u->args.n) {
		free(why);
		return u->args.v[n];
	}
	a = ARENA_NEW(&u->arena, struct dt_uargs);
	*a = (struct dt_uargs){ n, args, why };
	VEC_PUSH(&u->args, a);
	return a;
}
