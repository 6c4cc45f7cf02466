/* SPDX-License-Identifier: BSD-2-Clause */
#include "sym/proc_maps.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/ownfailure.h"
#include "base/privilege.h"
#include "base/regular.h"
#include "base/str.h"
#include "base/vec.h"
#include "sym/sym_impl.h"

#define VDSO "[vdso]"
#define VDSO_MAX (64 * 1024)
#define DELETED " (deleted)"
#define MEMFD "/memfd:" /* memfd_create(2) */
#define PAGE_MASK ((uint64_t)4095)

/* ---- reading ------------------------------------------------------------- */

/* The kernel escapes newlines in names as \012, and no other characters. */
static void
unescape(char *s)
{
	char *to = s;

	while (*s != '\0') {
		if (strncmp(s, "\\012", 4) == 0) {
			*to++ = '\n';
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

bool
proc_path_cut_deleted(char *path)
{
	size_t len = strlen(path), n = sizeof(DELETED) - 1;

	if (len <= n || strcmp(path + len - n, DELETED) != 0)
		return false;
	path[len - n] = '\0';
	return true;
}

/* "start-end perms offset major:minor inode   path" (proc(5)) */
static bool
parse_line(struct proc_maps *pm, char *line, struct proc_map *map)
{
	unsigned long long start, end, off, ino;
	unsigned major, minor;
	char perms[5];
	int n = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end,
		perms, &off, &major, &minor, &ino, &n) != 7 ||
	    end <= start || strlen(perms) != 4)
		return false;
	*map = (struct proc_map){ .start = start,
		.end = end,
		.off = off,
		.dev = ino != 0 ? makedev(major, minor) : 0,
		.ino = ino,
		.is_read = perms[0] == 'r',
		.is_write = perms[1] == 'w',
		.is_exec = perms[2] == 'x',
		.is_shared = perms[3] == 's' };
	map->is_deleted = ino != 0 && proc_path_cut_deleted(line + n);
	unescape(line + n);
	map->path = arena_strdup(&pm->names, line + n);
	return true;
}

static bool
is_same_module(const struct proc_map *prev, const struct proc_map *map)
{
	return prev->dev == map->dev && prev->ino == map->ino &&
	    prev->off <= map->off && strcmp(prev->path, map->path) == 0;
}

static bool
has_module(const struct proc_map *map)
{
	return (map->ino != 0 && map->path[0] == '/') ||
	    strcmp(map->path, VDSO) == 0;
}

bool
proc_path_is_memory(const char *path)
{
	return strncmp(path, MEMFD, strlen(MEMFD)) == 0;
}

bool
proc_path_is_of_dtrace(const char *path)
{
	static const char start[] = MEMFD "dtrace";

	return strncmp(path, start, sizeof(start) - 1) == 0;
}

const char *
proc_module_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (proc_path_is_memory(path))
		return path + strlen(MEMFD);
	return slash != NULL ? slash + 1 : path;
}

static void
add_module(struct proc_maps *pm, const struct proc_map *first, size_t n)
{
	VEC_PUSH(&pm->modules,
	    (struct proc_module){ .maps = first,
		.nmaps = n,
		.path = first->path,
		.name = proc_module_name(first->path) });
}

static void
find_modules(struct proc_maps *pm)
{
	const struct proc_map *first = NULL, *last = NULL;

	VEC_FOREACH(&pm->maps, map) {
		if (!has_module(map))
			continue;
		if (first != NULL && !is_same_module(last, map)) {
			add_module(pm, first, (size_t)(last - first) + 1);
			first = NULL;
		}
		if (first == NULL)
			first = map;
		last = map;
	}
	if (first != NULL)
		add_module(pm, first, (size_t)(last - first) + 1);
}

void
proc_maps_parse(struct proc_maps *pm, char *text)
{
	char *next;

	for (char *line = text; line != NULL; line = next) {
		struct proc_map map;

		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		if (parse_line(pm, line, &map))
			VEC_PUSH(&pm->maps, map);
	}
	find_modules(pm);
}

/* For procfs, where a file's size is known only after reading. */
static int
read_whole(const char *path, struct strbuf *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, strbuf_room(text, 65536), 65536)) > 0)
		text->len += (size_t)n;
	rc = n < 0 ? -errno : 0;
	close(fd);
	strbuf_addc(text, '\0');
	return rc;
}

char *
proc_why_denied(pid_t pid)
{
	char path[32], owner[32] = "";
	char *why, *msg;
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &st) == 0 && st.st_uid != geteuid())
		snprintf(owner, sizeof(owner), "belongs to uid %u", st.st_uid);
	if (dt_privilege_has(DT_PRIV_PROC))
		return mem_printf(
		    "process %d is protected by the kernel, against "
		    "CAP_SYS_PTRACE, too: it is of another user namespace, or "
		    "a security module guards it",
		    (int)pid);
	why = dt_privilege_refusal(DT_PRIV_PROC, "tracing it");
	msg = mem_printf("process %d %s: %s", (int)pid,
	    *owner != '\0' ? owner :
			     "is protected by the kernel (its file changes ids "
			     "or cannot be read, or it asked for it by "
			     "PR_SET_DUMPABLE)",
	    why);
	free(why);
	return msg;
}

int
proc_maps_read(struct proc_maps *pm, pid_t pid, struct err *err)
{
	struct strbuf text = { 0 };
	char path[32];
	int rc;

	memset(pm, 0, sizeof(*pm));
	pm->pid = pid;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	rc = read_whole(path, &text);
	if (rc == 0)
		proc_maps_parse(pm, text.s);
	else if (rc == -ENOENT || rc == -ESRCH)
		err_set(err, rc, "process %d does not exist", (int)pid);
	else if (rc == -EACCES || rc == -EPERM)
		err_take(err, rc, proc_why_denied(pid));
	else
		err_set(err, rc, "%s cannot be read: %s", path, strerror(-rc));
	strbuf_fini(&text);
	return rc;
}

void
proc_maps_fini(struct proc_maps *pm)
{
	VEC_FREE(&pm->maps);
	VEC_FREE(&pm->modules);
	arena_fini(&pm->names);
}

const struct proc_map *
proc_maps_find(const struct proc_maps *pm, uint64_t addr)
{
	size_t lo = 0, hi = pm->maps.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (pm->maps.v[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < pm->maps.n && pm->maps.v[lo].start <= addr ?
	    &pm->maps.v[lo] :
	    NULL;
}

const struct proc_module *
proc_maps_module(const struct proc_maps *pm, const struct proc_map *map)
{
	VEC_FOREACH(&pm->modules, m) {
		if (map >= m->maps && map < m->maps + m->nmaps)
			return m;
	}
	return NULL;
}

/* ---- files --------------------------------------------------------------- */

char *
proc_root(pid_t pid)
{
	return mem_printf("/proc/%d/root", (int)pid);
}

/*
 * File systems with subvolumes show different devices in maps and in stat(2),
 * so compare the inode only.
 */
static bool
is_mapped_file(int fd, const struct proc_map *map)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_ino == map->ino;
}

/* Takes ownership of `path`.  *err: the errno, if dtrace has no descriptor. */
static int
try_open(char *path, const struct proc_map *map, int *err)
{
	int fd = regular_open(path);

	free(path);
	if (is_own_failure(-fd))
		*err = -fd;
	if (fd >= 0 && !is_mapped_file(fd, map)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/*
 * Search the files that the process holds open: only this opens a file in
 * memory without CAP_CHECKPOINT_RESTORE.
 */
static int
open_held(pid_t pid, const struct proc_map *map, int *err)
{
	char *path = mem_printf("/proc/%d/fd", (int)pid);
	DIR *dir = opendir(path);
	struct dirent *de;
	int fd = -1;

	free(path);
	while (dir != NULL && fd < 0 && (errno = 0, de = readdir(dir)) != NULL)
		fd =
		    try_open(mem_printf("/proc/%d/fd/%s", (int)pid, de->d_name),
			map, err);
	if (fd < 0 && is_own_failure(errno))
		*err = errno;
	if (dir != NULL)
		closedir(dir);
	return fd;
}

int
proc_map_open(pid_t pid, const struct proc_map *map)
{
	int fd, err = ENOENT;

	if (map->ino == 0)
		return -ENOENT;
	fd = try_open(
	    mem_printf("/proc/%d/map_files/%llx-%llx", (int)pid,
		(unsigned long long)map->start, (unsigned long long)map->end),
	    map, &err);
	if (fd < 0)
		fd =
		    try_open(mem_printf("/proc/%d/root%s", (int)pid, map->path),
			map, &err);
	if (fd < 0)
		fd = try_open(mem_strdup(map->path), map, &err);
	/* a deleted program, without CAP_CHECKPOINT_RESTORE */
	if (fd < 0)
		fd = try_open(mem_printf("/proc/%d/exe", (int)pid), map, &err);
	if (fd < 0 && map->is_deleted)
		fd = open_held(pid, map, &err);
	return fd >= 0 ? fd : -err;
}

int
proc_map_refuse(const struct proc_map *map, int code, struct err *err)
{
	if (is_own_failure(-code))
		return err_set(err, code,
		    "the file that is mapped cannot be opened: %s",
		    strerror(-code));
	return err_set(err, code, "%s",
	    map->ino == 0 ?
		"it is not mapped from a file" :
		"the file that is mapped is gone, or cannot be opened");
}

/*
 * Read the vdso from the process's memory.  All processes of the same kind have
 * the same, so use our own for one that has ended.
 */
static struct elf_syms *
vdso_syms(struct sym_cache *sc, pid_t pid, const struct proc_map *map)
{
	size_t len = map->end - map->start;
	struct elf_syms *es = NULL;
	void *img;
	char path[32];
	int fd;

	if (len > VDSO_MAX)
		return NULL;
	img = mem_alloc(len);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && pread(fd, img, len, (off_t)map->start) == (ssize_t)len)
		es = sym_cache_image(sc, img, len);
	if (fd >= 0)
		close(fd);
	free(img);
	return es;
}

struct elf_syms *
proc_map_syms(struct sym_cache *sc, pid_t pid, const struct proc_map *map,
    struct err *err)
{
	bool is_vdso = strcmp(map->path, VDSO) == 0;
	int fd = is_vdso ? -ENOENT : proc_map_open(pid, map);
	struct elf_syms *es;
	char *root;

	if (fd < 0) {
		es = is_vdso ? vdso_syms(sc, pid, map) :
			       sym_cache_known(sc, map->dev, map->ino);
		if (es == NULL)
			proc_map_refuse(map, fd, err);
		return es;
	}
	root = proc_root(pid);
	es = sym_cache_file(sc, fd, map->path, root, err);
	free(root);
	close(fd);
	return es;
}

/* ---- addresses ----------------------------------------------------------- */

bool
proc_map_bias(
    const struct proc_map *map, const struct elf_syms *es, uint64_t *bias)
{
	for (size_t i = 0; i < elf_syms_nsegs(es); i++) {
		const struct elf_seg *s = elf_syms_seg(es, i);

		if (s->is_exec == map->is_exec &&
		    map->off >= (s->off & ~PAGE_MASK) &&
		    (map->off < s->off || map->off - s->off < s->filesz)) {
			*bias = map->start - (map->off - s->off + s->vaddr);
			return true;
		}
	}
	return false;
}

bool
proc_map_vaddr(const struct proc_map *map, const struct elf_syms *es,
    uint64_t addr, uint64_t *vaddr)
{
	/* The kernel maps the vdso as a whole, not by its headers. */
	return elf_syms_vaddr(
	    es, addr - map->start + map->off, map->is_exec, vaddr);
}
