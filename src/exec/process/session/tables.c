/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data for walks of stacks in processes (walk.c): unwind tables of files, and a
 * list of each process's mappings of these files.
 *
 * Tables are behind the code, which all processes map read-only: one for each
 * file, made when the file is first seen mapped in any process.  Each process
 * has its list in its own part.  dtrace makes the list when it enters the
 * process, and again when a walk has met an address that is not in it: that
 * walk was cut short, the next one is not.
 */
#include "exec/process/proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "sym/proc_maps.h"
#include "unwind/unwind.h"

#define LOOK_NS 20000000 /* between looks at mappings */

/* A file's table; dev and ino 0: the vdso's. */
struct pr_table_file {
	uint64_t dev, ino, size;
	uint64_t mtime; /* ns */
	uint64_t first, count;
};

struct pr_tables {
	VEC(struct pr_table_file) files;
	uint64_t used; /* rows */
	uint64_t looked_ns;
	uint64_t dropped;  /* tables that had no room */
	uint64_t unlisted; /* most mappings of a process that had no room */
};

/* ---- tables ------------------------------------------------------------- */

/* Put a table's rows behind the others; a table without room is a drop. */
static void
put_rows(struct pr_exec *x, struct pr_table_file *f, const struct unw_table *t)
{
	struct pr_tables *ts = x->tables;
	size_t size = t->rows.n * sizeof(*t->rows.v);
	uint64_t off = x->conf.rows + ts->used * sizeof(*t->rows.v);

	if (t->rows.n > x->conf.nrows - ts->used ||
	    code_file_put(&x->code, off, t->rows.v, size) != 0) {
		ts->dropped++;
		return;
	}
	f->first = ts->used;
	f->count = t->rows.n;
	ts->used += t->rows.n;
}

/* A file without a table, or with a bad one, is walked by frame pointers. */
static void
read_file(struct pr_exec *x, struct pr_table_file *f, int fd)
{
	struct unw_table t = { 0 };
	struct err err = { 0 };
	int rc = unw_file(fd, &t, &err);

	if (rc == 0)
		put_rows(x, f, &t);
	else if (rc != -EINVAL && x->opts.notice != NULL)
		x->opts.notice(x->opts.notice_arg, err_text(&err));
	err_clear(&err);
	unw_table_fini(&t);
}

/* The kernel maps the same vdso into every process, so read our own. */
static void
read_vdso(struct pr_exec *x, struct pr_table_file *f)
{
	struct unw_table t = { 0 };
	struct proc_maps pm;
	struct err err = { 0 };

	if (proc_maps_read(&pm, getpid(), &err) != 0) {
		err_clear(&err);
		return;
	}
	VEC_FOREACH(&pm.maps, map) {
		const void *image = (const void *)(uintptr_t)map->start;

		if (strcmp(map->path, "[vdso]") == 0 &&
		    unw_image(image, map->end - map->start, &t, &err) == 0)
			put_rows(x, f, &t);
	}
	err_clear(&err);
	unw_table_fini(&t);
	proc_maps_fini(&pm);
}

static struct pr_table_file *
find_file(struct pr_tables *ts, const struct pr_table_file *key)
{
	VEC_FOREACH(&ts->files, f) {
		if (f->dev == key->dev && f->ino == key->ino &&
		    f->size == key->size && f->mtime == key->mtime)
			return f;
	}
	return NULL;
}

/* The table of a mapped file, read if it is new. */
static struct pr_table_file
file_of_map(struct pr_exec *x, pid_t pid, const struct proc_map *map)
{
	struct pr_table_file key = { .dev = map->dev, .ino = map->ino }, *have;
	int fd = map->ino != 0 ? proc_map_open(pid, map) : -1;
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0) {
		key.size = (uint64_t)st.st_size;
		key.mtime = (uint64_t)st.st_mtim.tv_sec * 1000000000 +
		    (uint64_t)st.st_mtim.tv_nsec;
	}
	have = find_file(x->tables, &key);
	if (have != NULL) {
		key = *have;
	} else {
		if (fd >= 0)
			read_file(x, &key, fd);
		else if (map->ino == 0)
			read_vdso(x, &key);
		VEC_PUSH(&x->tables->files, key);
	}
	if (fd >= 0)
		close(fd);
	return key;
}

/* ---- lists -------------------------------------------------------------- */

static bool
has_table(const struct proc_map *map)
{
	return map->ino != 0 || strcmp(map->path, "[vdso]") == 0;
}

static void
list_maps(struct pr_exec *x, const struct proc_maps *pm, struct pr_list *l)
{
	uint64_t unlisted = 0;

	VEC_FOREACH(&pm->maps, map) {
		struct pr_map m = {
			.start = map->start, .end = map->end, .off = map->off
		};

		if (!map->is_exec)
			continue;
		if (l->n == PR_NMAPS) {
			unlisted++;
			continue;
		}
		if (has_table(map)) {
			struct pr_table_file f = file_of_map(x, pm->pid, map);

			m.first = f.first;
			m.count = f.count;
		}
		l->v[l->n++] = m;
	}
	if (unlisted > x->tables->unlisted)
		x->tables->unlisted = unlisted;
}

/* Write to a process's own part; p NULL: dtrace's own part. */
static bool
write_own(struct pr_exec *x, struct pr_proc *p, uint64_t off, const void *buf,
    size_t len)
{
	struct err err = { 0 };
	int rc;

	if (p == NULL) {
		memcpy(x->base + off, buf, len);
		return true;
	}
	rc = inproc_write_own(p->entered, off - x->conf.own, buf, len, &err);
	err_clear(&err);
	return rc == 0;
}

/* Write the mappings of a process to the list that it does not use. */
static void
replace_list(struct pr_exec *x, struct pr_proc *p, uint64_t *turn)
{
	struct pr_list *l = mem_alloc(sizeof(*l));
	uint64_t next = *turn + 1;
	uint64_t off = x->conf.maps + offsetof(struct pr_maps, lists) +
	    (next & 1) * sizeof(*l);
	struct proc_maps pm;
	struct err err = { 0 };

	if (proc_maps_read(&pm, p != NULL ? p->pid : getpid(), &err) == 0) {
		list_maps(x, &pm, l);
		proc_maps_fini(&pm);
		if (write_own(x, p, off, l,
			offsetof(struct pr_list, v) + l->n * sizeof(*l->v)) &&
		    write_own(x, p, x->conf.maps, &next, sizeof(next)))
			*turn = next;
	}
	err_clear(&err);
	free(l);
}

/* ------------------------------------------------------------------------- */

void
pr_tables_start(struct pr_exec *x)
{
	if (!x->walks)
		return;
	x->tables = mem_alloc(sizeof(*x->tables));
	replace_list(x, NULL, &x->own_turn);
}

void
pr_tables_note(struct pr_exec *x, struct pr_proc *p)
{
	replace_list(x, p, &p->maps_turn);
}

void
pr_tables_look(struct pr_exec *x)
{
	uint64_t *lost = &pr_head(x)->lost, now = now_ns();

	if (x->tables == NULL || __atomic_load_n(lost, __ATOMIC_ACQUIRE) == 0 ||
	    now - x->tables->looked_ns < LOOK_NS)
		return;
	x->tables->looked_ns = now;
	__atomic_store_n(lost, 0, __ATOMIC_RELEASE);
	replace_list(x, NULL, &x->own_turn);
	VEC_FOREACH(&x->plant.procs, p) {
		if ((*p)->entered != NULL)
			pr_tables_note(x, *p);
	}
}

uint64_t
pr_tables_drops(const struct pr_exec *x)
{
	return x->tables != NULL ? x->tables->dropped + x->tables->unlisted : 0;
}

void
pr_tables_free(struct pr_exec *x)
{
	if (x->tables == NULL)
		return;
	VEC_FREE(&x->tables->files);
	free(x->tables);
	x->tables = NULL;
}
