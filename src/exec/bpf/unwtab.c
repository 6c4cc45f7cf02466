/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwind tables for the programs that walk user stacks (unwind.bpf.c).
 *
 *	rtm_unwfiles	a file's contents -> segment, first row, rows
 *	rtm_unwsegs	segments: arrays of rows, of different sizes
 *	rtm_unwmiss	what a program met and did not find
 *
 * Before tracing begins, every file that any process has mapped as code is
 * read: a process that starts later mostly maps the same ones.  Other files are
 * read when a stack first leads into them; until then their frames are found by
 * frame pointers.  That takes dtrace a wake-up and some milliseconds.
 *
 * A segment is filled from its start and then never changed, so programs need no
 * lock: the entry in rtm_unwfiles comes last.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sym/proc_maps.h"
#include "unwind/unwind.h"

#define NFILES 16384
#define NSEGS 64
#define NMISS 256
#define SEG_SPARE 65536		/* rows that a segment has room for besides */

struct bx_unwind {
	struct strtab known;		/* device and inode: read already */
	VEC(struct unw_row) rows;	/* read, and not in a segment yet */
	VEC(struct pending {
		struct unw_file file;
		uint32_t first, count;	/* in `rows` */
	}) pending;
	struct unw_row *seg;		/* the last segment, mapped */
	uint32_t nsegs, used, room;	/* of it, rows */
};

/* ---- maps --------------------------------------------------------------- */

static int
create_seg(uint32_t n)
{
	return bx_map_array(sizeof(struct unw_row), n,
	    BPF_F_MMAPABLE | BPF_F_INNER_MAP, "dt_unwseg");
}

static int
create_segs(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, o);
	int inner = create_seg(1), fd;

	if (inner < 0)
		return inner;
	o.inner_map_fd = (uint32_t)inner;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "dt_unwsegs", 4, 4,
	    NSEGS, &o);
	close(inner);
	return fd;
}

int
bx_unwind_map(const char *sym)
{
	LIBBPF_OPTS(bpf_map_create_opts, lazy, .map_flags = BPF_F_NO_PREALLOC);

	if (strcmp(sym, "rtm_unwsegs") == 0)
		return create_segs();
	if (strcmp(sym, "rtm_unwfiles") == 0)
		return bpf_map_create(BPF_MAP_TYPE_HASH, "dt_unwfiles",
		    sizeof(struct unw_file), sizeof(struct bx_unwtab), NFILES,
		    &lazy);
	if (strcmp(sym, "rtm_unwmiss") == 0)
		return bpf_map_create(BPF_MAP_TYPE_HASH, "dt_unwmiss",
		    sizeof(struct unw_file), sizeof(struct bx_unwmiss), NMISS,
		    NULL);
	return -ENOENT;
}

/* A new last segment, with room for `need` rows at least. */
static int
add_seg(struct dt_exec *x, uint32_t need)
{
	struct bx_unwind *u = x->unwind;
	size_t len = ((size_t)need + SEG_SPARE) * sizeof(*u->seg);
	void *p = MAP_FAILED;
	int fd, rc = 0;

	if (u->nsegs == NSEGS)
		return -ENOSPC;
	fd = create_seg(need + SEG_SPARE);
	if (fd < 0)
		return fd;
	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED || bpf_map_update_elem(bx_map_find(x, "rtm_unwsegs"),
	    &u->nsegs, &fd, BPF_ANY) != 0)
		rc = -errno;
	close(fd);	/* the outer map and our mapping keep it */
	if (rc != 0) {
		if (p != MAP_FAILED)
			munmap(p, len);
		return rc;
	}
	if (u->seg != NULL)
		munmap(u->seg, (size_t)u->room * sizeof(*u->seg));
	u->seg = p;
	u->room = need + SEG_SPARE;
	u->used = 0;
	u->nsegs++;
	return 0;
}

/* What was read goes to the kernel. Without room for it, frame pointers must do. */
static void
flush(struct dt_exec *x)
{
	struct bx_unwind *u = x->unwind;
	uint32_t n = (uint32_t)u->rows.n;
	bool fits = n <= u->room - u->used || add_seg(x, n) == 0;
	int fd = bx_map_find(x, "rtm_unwfiles");

	if (fits && n > 0)
		memcpy(u->seg + u->used, u->rows.v, n * sizeof(*u->rows.v));
	VEC_FOREACH(&u->pending, p) {
		struct bx_unwtab tab = { .seg = u->nsegs - 1,
			.first = u->used + p->first,
			.count = fits ? p->count : 0 };

		bpf_map_update_elem(fd, &p->file, &tab, BPF_ANY);
	}
	if (fits)
		u->used += n;
	VEC_FREE(&u->rows);
	VEC_FREE(&u->pending);
}

/* ---- reading files ------------------------------------------------------ */

/* A file that has no table, or a bad one, has no rows: frame pointers. */
static void
add_table(struct bx_unwind *u, const struct unw_file *file,
    const struct unw_table *t)
{
	struct pending p = { .file = *file,
		.first = (uint32_t)u->rows.n,
		.count = (uint32_t)t->rows.n };

	VEC_RESERVE(&u->rows, u->rows.n + t->rows.n);
	if (t->rows.n > 0)
		memcpy(u->rows.v + u->rows.n, t->rows.v,
		    t->rows.n * sizeof(*t->rows.v));
	u->rows.n += t->rows.n;
	VEC_PUSH(&u->pending, p);
}

static void
add_file(struct bx_unwind *u, const struct unw_file *file, int fd)
{
	struct unw_table t = { 0 };
	char *msg = NULL;

	if (fd >= 0 && unw_file(fd, &t, &msg) != 0)
		t.rows.n = 0;
	free(msg);
	add_table(u, file, &t);
	unw_table_fini(&t);
}

/* The kernel puts the same code into every process. */
static void
add_vdso(struct bx_unwind *u, const struct proc_map *map)
{
	struct unw_file file = { 0 };
	struct unw_table t = { 0 };
	char *msg = NULL;

	if (unw_image((const void *)(uintptr_t)map->start,
	    (size_t)(map->end - map->start), &t, &msg) != 0)
		t.rows.n = 0;
	free(msg);
	add_table(u, &file, &t);
	unw_table_fini(&t);
}

static bool
is_new(struct bx_unwind *u, const struct proc_map *map)
{
	char *id = mem_printf("%llx %llx", (unsigned long long)map->dev,
	    (unsigned long long)map->ino);
	bool known = strtab_find(&u->known, id) != 0;

	if (!known)
		strtab_intern(&u->known, id);
	free(id);
	return !known;
}

/* A device's number inside of the kernel (linux/kdev_t.h). */
static uint64_t
kernel_dev(uint64_t dev)
{
	return (uint64_t)major(dev) << 20 | minor(dev);
}

static void
read_map(struct bx_unwind *u, pid_t pid, const struct proc_map *map)
{
	struct unw_file file = { .ino = map->ino, .dev = kernel_dev(map->dev) };
	struct stat st;
	int fd;

	if (!map->is_exec || map->ino == 0 || !is_new(u, map))
		return;
	fd = proc_map_open(pid, map);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0) {
		file.size = (uint64_t)st.st_size;
		file.mtime = (uint64_t)st.st_mtime;
		add_file(u, &file, fd);
	}
	close(fd);
}

static void
read_process(struct bx_unwind *u, pid_t pid)
{
	struct proc_maps pm;
	char *msg = NULL;

	if (proc_maps_read(&pm, pid, &msg) != 0) {	/* it has gone */
		free(msg);
		return;
	}
	VEC_FOREACH(&pm.maps, map) {
		read_map(u, pid, map);
		if (pid == getpid() && strcmp(map->path, "[vdso]") == 0)
			add_vdso(u, map);
	}
	proc_maps_fini(&pm);
}

static void
read_processes(struct bx_unwind *u)
{
	DIR *dir = opendir("/proc");
	struct dirent *de;

	if (dir == NULL)
		return;
	while ((de = readdir(dir)) != NULL) {
		if (isdigit((unsigned char)de->d_name[0]))
			read_process(u, (pid_t)atoi(de->d_name));
	}
	closedir(dir);
}

void
bx_unwind_start(struct dt_exec *x)
{
	if (bx_map_find(x, "rtm_unwfiles") < 0)
		return;
	x->unwind = mem_alloc(sizeof(*x->unwind));
	strtab_init(&x->unwind->known);
	read_processes(x->unwind);
	flush(x);
}

/* ---- misses ------------------------------------------------------------- */

/* The file that a program met as `file`, which may be gone by now: then its
 * next process will miss it again. */
static void
read_missed(struct bx_unwind *u, const struct unw_file *file,
    const struct bx_unwmiss *miss)
{
	struct proc_maps pm;
	const struct proc_map *map;
	char *msg = NULL;

	if (proc_maps_read(&pm, (pid_t)miss->pid, &msg) != 0) {
		free(msg);
		return;
	}
	map = proc_maps_find(&pm, miss->start);
	if (map != NULL && map->is_exec) {
		int fd = proc_map_open((pid_t)miss->pid, map);

		add_file(u, file, fd);
		if (fd >= 0)
			close(fd);
	}
	proc_maps_fini(&pm);
}

/* Read what programs missed. */
void
bx_unwind_refill(struct dt_exec *x)
{
	struct unw_file file;
	struct bx_unwmiss miss;
	int fd;

	if (x->unwind == NULL)
		return;
	fd = bx_map_find(x, "rtm_unwmiss");
	while (bpf_map_get_next_key(fd, NULL, &file) == 0) {
		if (bpf_map_lookup_elem(fd, &file, &miss) == 0)
			read_missed(x->unwind, &file, &miss);
		flush(x);
		bpf_map_delete_elem(fd, &file);
	}
}

void
bx_unwind_stop(struct dt_exec *x)
{
	struct bx_unwind *u = x->unwind;

	if (u == NULL)
		return;
	if (u->seg != NULL)
		munmap(u->seg, (size_t)u->room * sizeof(*u->seg));
	strtab_fini(&u->known);
	VEC_FREE(&u->rows);
	VEC_FREE(&u->pending);
	free(u);
	x->unwind = NULL;
}
