/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwind tables for the programs that walk user stacks (unwind.bpf.c).
 *
 *	rtm_unwfiles	a file's contents -> segment, first row, rows
 *	rtm_unwsegs	segments: arrays of rows, of different sizes
 *	rtm_unwmiss	mappings that programs met and found no table for
 *
 * dtrace reads every file that any process has mapped as code: a process that
 * starts later mostly maps the same ones.  It reads those of $target and its
 * own before tracing begins, and of the others, the most used first, as many as
 * the start-up time allows; the rest while it is idle.  When a stack leads into
 * a file that is not read yet, dtrace reads it at once.  That takes a wake-up
 * and some milliseconds; dtrace finishes the stacks that end there until then
 * (unwind_finish.c).
 *
 * A segment is filled from its start and then never changed, and its entry in
 * rtm_unwfiles is written last, so programs need no lock.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/proclist.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/runtime/rt_unwind.h"
#include "sym/proc_maps.h"
#include "sym/usyms.h"
#include "unwind/unwind.h"

#define NFILES 16384
#define NSEGS 64
#define NMISS 256
#define SEG_SPARE 65536	   /* spare rows of a new segment */
#define NTODO 256	   /* files to read, each with a descriptor */
#define START_NS 500000000 /* CPU time of the start-up */
#define SLICE_NS 5000000   /* CPU time of each later wake-up */
#define FOR_SURE 1000000   /* users: read before probes fire */

/* A file that some process has mapped as code. */
struct todo {
	struct unw_file file;
	int fd;		/* -1: not open */
	uint32_t users; /* processes */
};

/* A table that was read. */
struct pending {
	struct unw_file file;
	uint32_t first, count; /* in bx_unwind.rows */
	bool is_unread;	       /* the table is not available */
};

/* Rows that programs find in rtm_unwsegs, mapped. */
struct seg {
	struct unw_row *rows;
	uint32_t room, used;
};

struct bx_unwind {
	struct strtab known; /* device and inode: id - 1 in `todo` */
	VEC(struct todo) todo;
	size_t ndone;		  /* read ones, after sorting */
	VEC(struct unw_row) rows; /* read, not in a segment yet */
	VEC(struct pending) pending;
	VEC(struct seg) segs; /* the last one grows */
	uint64_t nrows;	      /* in all segments */
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
	fd = bpf_map_create(
	    BPF_MAP_TYPE_ARRAY_OF_MAPS, "dt_unwsegs", 4, 4, NSEGS, &o);
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
	if (strcmp(sym, "rtm_unwfinish") == 0)
		return bx_map_array(sizeof(struct bx_unfinished),
		    BX_NUNFINISHED, BPF_F_MMAPABLE, "dt_unwfinish");
	if (strcmp(sym, "rtm_unwmiss") == 0)
		return bpf_map_create(BPF_MAP_TYPE_HASH, "dt_unwmiss",
		    sizeof(struct unw_file), sizeof(struct bx_unwmiss), NMISS,
		    NULL);
	return -ENOENT;
}

/* Add a last segment, with room for `need` rows and for as many again as exist:
 * that keeps segments few. */
static int
add_seg(struct bx_exec *x, uint32_t need)
{
	struct bx_unwind *u = x->unwind;
	uint32_t room = need + SEG_SPARE + (uint32_t)u->nrows;
	size_t len = (size_t)room * sizeof(struct unw_row);
	uint32_t key = (uint32_t)u->segs.n;
	void *p = MAP_FAILED;
	int fd, rc = 0;

	if (key == NSEGS)
		return -ENOSPC;
	fd = create_seg(room);
	if (fd < 0)
		return fd;
	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED ||
	    bpf_map_update_elem(
		bx_map_find(x, "rtm_unwsegs"), &key, &fd, BPF_ANY) != 0)
		rc = -errno;
	close(fd); /* the outer map and the mapping keep it */
	if (rc != 0) {
		if (p != MAP_FAILED)
			munmap(p, len);
		return rc;
	}
	VEC_PUSH(&u->segs, (struct seg){ .rows = p, .room = room });
	return 0;
}

/* The segment with room for `n` rows, or NULL. */
static struct seg *
seg_for(struct bx_exec *x, uint32_t n)
{
	struct bx_unwind *u = x->unwind;
	struct seg *s = u->segs.n > 0 ? &u->segs.v[u->segs.n - 1] : NULL;

	if (s != NULL && n <= s->room - s->used)
		return s;
	return add_seg(x, n) == 0 ? &u->segs.v[u->segs.n - 1] : NULL;
}

/* The entry for a table in segment s; NULL: there was no room. */
static struct bx_unwtab
table_in(
    const struct bx_unwind *u, const struct seg *s, const struct pending *p)
{
	if (s == NULL || p->is_unread)
		return (struct bx_unwtab){ .seg = RT_SEG_UNREAD };
	return (struct bx_unwtab){ .seg = (uint32_t)(s - u->segs.v),
		.first = s->used + p->first,
		.count = p->count };
}

/* Pass the tables that were read to the kernel.  A table without room is
 * entered as unreadable, and counted. */
static void
flush(struct bx_exec *x)
{
	struct bx_unwind *u = x->unwind;
	uint32_t n = (uint32_t)u->rows.n;
	struct seg *s = seg_for(x, n);
	int fd = bx_map_find(x, "rtm_unwfiles");

	if (s != NULL && n > 0)
		memcpy(s->rows + s->used, u->rows.v, n * sizeof(*u->rows.v));
	VEC_FOREACH(&u->pending, p) {
		struct bx_unwtab tab = table_in(u, s, p);
		int rc = bpf_map_update_elem(fd, &p->file, &tab, BPF_ANY);

		if (rc != 0 || (s == NULL && !p->is_unread))
			__atomic_add_fetch(
			    &bx_pcpu(x, 0)->drops[DT_DROP_UNWIND], 1,
			    __ATOMIC_RELAXED);
	}
	if (s != NULL) {
		s->used += n;
		u->nrows += n;
	}
	VEC_FREE(&u->rows);
	VEC_FREE(&u->pending);
}

/* ---- reading files ------------------------------------------------------ */

/* Add a file's table.  A file without a table, or with a bad one, has no rows:
 * its frames are walked by frame pointers. */
static void
add_table(struct bx_unwind *u, const struct unw_file *file,
    const struct unw_table *t, bool is_unread)
{
	struct pending p = { .file = *file,
		.first = (uint32_t)u->rows.n,
		.count = (uint32_t)t->rows.n,
		.is_unread = is_unread };

	VEC_RESERVE(&u->rows, u->rows.n + t->rows.n);
	if (t->rows.n > 0)
		memcpy(u->rows.v + u->rows.n, t->rows.v,
		    t->rows.n * sizeof(*t->rows.v));
	u->rows.n += t->rows.n;
	VEC_PUSH(&u->pending, p);
}

static void
add_file(const struct bx_exec *x, const struct unw_file *file, int fd)
{
	int rc = fd < 0 ? -EINVAL : 0;
	struct unw_table t = { 0 };
	struct err err = { 0 };

	if (fd >= 0)
		rc = unw_file(fd, &t, &err);
	if (rc != 0)
		t.rows.n = 0;
	if (rc != 0 && rc != -EINVAL && x->opts.notice != NULL)
		x->opts.notice(x->opts.notice_arg, err_text(&err));
	err_clear(&err);
	add_table(x->unwind, file, &t, fd < 0);
	unw_table_fini(&t);
}

/* Add the vdso: the kernel maps the same code into every process. */
static void
add_vdso(struct bx_unwind *u, const struct proc_map *map)
{
	struct unw_file file = { 0 };
	struct unw_table t = { 0 };
	struct err err = { 0 };

	if (unw_image((const void *)(uintptr_t)map->start,
		(size_t)(map->end - map->start), &t, &err) != 0)
		t.rows.n = 0;
	err_clear(&err);
	add_table(u, &file, &t, false);
	unw_table_fini(&t);
}

/* The entry of a mapped file; a new entry has no descriptor. */
static struct todo *
todo_find(struct bx_unwind *u, const struct proc_map *map)
{
	struct todo t = { .fd = -1 };
	char *id = mem_printf("%llx %llx", (unsigned long long)map->dev,
	    (unsigned long long)map->ino);
	uint32_t i = strtab_intern(&u->known, id) - 1;

	free(id);
	if (i == u->todo.n)
		VEC_PUSH(&u->todo, t);
	return &u->todo.v[i];
}

/* A device's number inside of the kernel (linux/kdev_t.h). */
static uint64_t
kernel_dev(uint64_t dev)
{
	return (uint64_t)major(dev) << 20 | minor(dev);
}

static uint64_t
time_of(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * 1000000000 + (uint64_t)ts->tv_nsec;
}

static struct unw_file
file_id(uint64_t ino, uint64_t dev, const struct stat *st)
{
	return (struct unw_file){ .ino = ino,
		.dev = kernel_dev(dev),
		.size = (uint64_t)st->st_size,
		.mtime = time_of(&st->st_mtim) };
}

/* Note a mapping, once for each process that has it.  The file may be
 * deleted. */
static void
note_map(
    struct bx_unwind *u, pid_t pid, const struct proc_map *map, uint32_t users)
{
	struct todo *t;
	struct stat st;

	if (!map->is_exec || map->ino == 0)
		return;
	t = todo_find(u, map);
	t->users += users;
	if (t->fd >= 0 || (u->todo.n > NTODO && users < FOR_SURE))
		return;
	t->fd = proc_map_open(pid, map);
	if (t->fd < 0 || fstat(t->fd, &st) != 0)
		return;
	t->file = file_id(map->ino, map->dev, &st);
}

static void
note_process(struct bx_unwind *u, pid_t pid, uint32_t users)
{
	struct proc_maps pm;
	struct err err = { 0 };

	if (proc_maps_read(&pm, pid, &err) != 0) { /* the process has ended */
		err_clear(&err);
		return;
	}
	VEC_FOREACH(&pm.maps, map) {
		note_map(u, pid, map, users);
		if (pid == getpid() && strcmp(map->path, "[vdso]") == 0)
			add_vdso(u, map);
	}
	proc_maps_fini(&pm);
}

/* Our own process and the target come first: these do without the list, too. */
static void
note_processes(struct bx_unwind *u, pid_t target)
{
	struct proc_list list;
	pid_t pid;

	note_process(u, getpid(), FOR_SURE);
	if (target > 0 && target != getpid())
		note_process(u, target, FOR_SURE);
	proc_list_open(&list, 0);
	while ((pid = proc_list_next(&list)) != 0) {
		if (pid != getpid() && pid != target)
			note_process(u, pid, 1);
	}
	proc_list_close(&list);
}

/* Files with most users come first; of equal ones, the smaller. */
static int
todo_cmp(const void *pa, const void *pb)
{
	const struct todo *a = pa, *b = pb;

	if (a->users != b->users)
		return a->users > b->users ? -1 : 1;
	return a->file.size < b->file.size ? -1 : a->file.size > b->file.size;
}

/* CPU time, so that a busy machine reads as much before probes fire. */
static uint64_t
cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return time_of(&ts);
}

/* Read files for `ns`; those marked FOR_SURE always. */
static void
read_files(struct bx_exec *x, uint64_t ns)
{
	struct bx_unwind *u = x->unwind;
	uint64_t until = cpu_ns() + ns;

	while (u->ndone < u->todo.n) {
		struct todo *t = &u->todo.v[u->ndone];

		if (t->users < FOR_SURE && cpu_ns() >= until)
			break;
		u->ndone++;
		if (t->fd < 0)
			continue;
		add_file(x, &t->file, t->fd);
		close(t->fd);
		t->fd = -1;
	}
	flush(x);
}

void
bx_unwind_start(struct bx_exec *x)
{
	struct bx_unwind *u;

	if (bx_map_find(x, "rtm_unwfiles") < 0)
		return;
	u = x->unwind = mem_alloc(sizeof(*u));
	strtab_init(&u->known);
	note_processes(u, (pid_t)x->opts.target);
	qsort(u->todo.v, u->todo.n, sizeof(*u->todo.v), todo_cmp);
	read_files(x, START_NS);
}

/* Find the rows of a file; false: it has no table. */
static bool
find_rows(
    const struct bx_exec *x, const struct unw_file *file, struct rt_mapping *m)
{
	const struct bx_unwind *u = x->unwind;
	struct bx_unwtab tab;

	if (bpf_map_lookup_elem(bx_map_find(x, "rtm_unwfiles"), file, &tab) !=
		0 ||
	    tab.seg >= u->segs.n)
		return false;
	m->rows = u->segs.v[tab.seg].rows + tab.first;
	m->nrows = tab.count;
	return true;
}

static bool
file_rows(struct bx_exec *x, const struct unw_file *file, int fd,
    struct rt_mapping *m)
{
	if (find_rows(x, file, m))
		return true;
	add_file(x, file, fd);
	flush(x);
	return find_rows(x, file, m);
}

/*
 * Is the file the same as at that time?  A file that was only deleted since
 * then is.  The program may have seen another inode number, as file systems can
 * be stacked.
 */
static bool
is_as_then(const struct bx_exec *x, const struct stat *st,
    const struct bx_unwhere *where)
{
	uint64_t then = where->time_ns + x->ctl->wall_off;
	uint64_t written = time_of(&st->st_mtim);
	const struct unw_file *seen = where->file;

	if (seen != NULL &&
	    (seen->size != (uint64_t)st->st_size || seen->mtime != written))
		return false;
	return written <= then &&
	    (time_of(&st->st_ctim) <= then || st->st_nlink == 0);
}

bool
bx_unwind_rows(struct bx_exec *x, const struct bx_unwhere *where,
    const struct ucode *code, struct rt_mapping *m)
{
	struct unw_file file = { 0 };
	struct stat st;
	bool ok;
	int fd;

	if (code->is_vdso)
		return find_rows(x, &file, m);
	if (code->ino == 0) /* no file, no table: frame pointers */
		return true;
	fd = usyms_open(x->opts.usyms, where->pid, code);
	if (fd < 0)
		return false;
	ok = fstat(fd, &st) == 0;
	if (ok) {
		file = file_id(code->ino, code->dev, &st);
		ok = is_as_then(x, &st, where) && file_rows(x, &file, fd, m);
	}
	close(fd);
	return ok;
}

/* ---- misses ------------------------------------------------------------- */

/* Does the process still run a program?  Its link resolves only then. */
static bool
has_program(pid_t pid)
{
	char path[32], c;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return readlink(path, &c, 1) > 0;
}

/*
 * Is the current mapping the one that the program met?  The process may have
 * executed another program at the same address.  With stacked file systems, the
 * inode number may differ here; then the contents decide.
 */
static bool
is_met(const struct unw_file *file, const struct proc_map *map, int fd)
{
	struct stat st;

	return map->ino == file->ino ||
	    (fstat(fd, &st) == 0 && (uint64_t)st.st_size == file->size &&
		time_of(&st.st_mtim) == file->mtime);
}

/* Read the file that a program met as `file`.  If it is gone by now, the next
 * process with it misses it again. */
static void
read_missed(const struct bx_exec *x, const struct unw_file *file,
    const struct bx_unwmiss *miss)
{
	struct proc_maps pm;
	const struct proc_map *map;
	struct err err = { 0 };

	if (proc_maps_read(&pm, (pid_t)miss->pid, &err) != 0) {
		err_clear(&err);
		return;
	}
	map = proc_maps_find(&pm, miss->start);
	if (map != NULL && map->is_exec) {
		int fd = proc_map_open((pid_t)miss->pid, map);

		if (fd >= 0 ? is_met(file, map, fd) :
			      has_program((pid_t)miss->pid))
			add_file(x, file, fd);
		if (fd >= 0)
			close(fd);
	}
	proc_maps_fini(&pm);
}

/* Read what programs missed. */
static void
read_misses(struct bx_exec *x)
{
	struct unw_file file;
	struct bx_unwmiss miss;
	int fd;

	fd = bx_map_find(x, "rtm_unwmiss");
	while (bpf_map_get_next_key(fd, NULL, &file) == 0) {
		if (bpf_map_lookup_elem(fd, &file, &miss) == 0)
			read_missed(x, &file, &miss);
		flush(x);
		bpf_map_delete_elem(fd, &file);
	}
}

bool
bx_unwind_has_work(const struct bx_exec *x)
{
	return x->unwind != NULL && x->unwind->ndone < x->unwind->todo.n;
}

void
bx_unwind_work(struct bx_exec *x)
{
	if (x->unwind == NULL)
		return;
	read_misses(x);
	bx_unwind_finish_take(x);
	if (bx_unwind_has_work(x))
		read_files(x, SLICE_NS);
}

void
bx_unwind_stop(struct bx_exec *x)
{
	struct bx_unwind *u = x->unwind;

	if (u == NULL)
		return;
	VEC_FOREACH(&u->segs, s)
		munmap(s->rows, (size_t)s->room * sizeof(*s->rows));
	VEC_FREE(&u->segs);
	strtab_fini(&u->known);
	VEC_FOREACH(&u->todo, t) {
		if (t->fd >= 0)
			close(t->fd);
	}
	VEC_FREE(&u->todo);
	VEC_FREE(&u->rows);
	VEC_FREE(&u->pending);
	free(u);
	x->unwind = NULL;
}
