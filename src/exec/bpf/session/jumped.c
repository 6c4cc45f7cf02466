/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Find the places where a dtrace has planted a jump into a process
 * (-x substrate=process).  The kernel does not look what it writes its
 * breakpoint over: it executes the file's instruction in a copy, and the thread
 * goes on behind that, in the middle of the jump, which ends the process.
 */
#include "exec/bpf/session/jumped.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "sym/proc_maps.h"

#define JUMP_LEN 5
#define BREAKPOINT 0xcc /* of a uprobe: it is in a copy of no jump */

/* A process; it has no jumps if mem_fd is -1. */
struct jumped_process {
	pid_t pid;
	int mem_fd;
	struct proc_maps maps;
};

struct bx_jumped {
	VEC(struct jumped_process *) processes;
	bool has_all;
};

struct bx_jumped *
bx_jumped_create(void)
{
	return mem_alloc(sizeof(struct bx_jumped));
}

void
bx_jumped_destroy(struct bx_jumped *j)
{
	VEC_FOREACH(&j->processes, pp) {
		if ((*pp)->mem_fd >= 0)
			close((*pp)->mem_fd);
		proc_maps_fini(&(*pp)->maps);
		free(*pp);
	}
	VEC_FREE(&j->processes);
	free(j);
}

static bool
has_dtrace(const struct proc_maps *maps)
{
	VEC_FOREACH(&maps->maps, map) {
		if (strncmp(map->path, "/memfd:dtrace", 13) == 0)
			return true;
	}
	return false;
}

static int
open_mem(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static const struct jumped_process *
look_at(struct bx_jumped *j, pid_t pid)
{
	struct jumped_process *p;
	struct err err = { 0 };

	VEC_FOREACH(&j->processes, pp) {
		if ((*pp)->pid == pid)
			return *pp;
	}
	p = mem_alloc(sizeof(*p));
	p->pid = pid;
	/* arming says why a process cannot be looked at */
	err_forget(proc_maps_read(&p->maps, pid, &err), &err);
	p->mem_fd = has_dtrace(&p->maps) ? open_mem(pid) : -1;
	VEC_PUSH(&j->processes, p);
	return p;
}

/* Is a byte around the place neither the file's nor a uprobe's? */
static bool
is_changed(const struct jumped_process *p, const struct proc_map *map, int fd,
    uint64_t off)
{
	uint64_t first =
	    off - map->off < JUMP_LEN ? map->off : off - JUMP_LEN + 1;
	uint8_t now[2 * JUMP_LEN], file[2 * JUMP_LEN];
	size_t n = (size_t)(off - first) + JUMP_LEN;
	uint64_t addr = map->start + (first - map->off);

	if (pread(p->mem_fd, now, n, (off_t)addr) != (ssize_t)n ||
	    pread(fd, file, n, (off_t)first) != (ssize_t)n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (now[i] != file[i] && now[i] != BREAKPOINT)
			return true;
	}
	return false;
}

static void
look_at_all(struct bx_jumped *j)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;

	while (dir != NULL && (d = readdir(dir)) != NULL) {
		pid_t pid = (pid_t)strtol(d->d_name, NULL, 10);

		if (pid > 0)
			(void)look_at(j, pid);
	}
	if (dir != NULL)
		closedir(dir);
	j->has_all = true;
}

static bool
is_jumped_in(
    const struct jumped_process *p, const struct dt_ufile *file, uint64_t off)
{
	if (p->mem_fd < 0)
		return false;
	VEC_FOREACH(&p->maps.maps, map) {
		if (map->is_exec && map->ino == file->ino && off >= map->off &&
		    off - map->off < map->end - map->start &&
		    is_changed(p, map, file->fd, off))
			return true;
	}
	return false;
}

bool
bx_is_jumped(
    struct bx_jumped *j, pid_t pid, const struct dt_ufile *file, uint64_t off)
{
	if (pid != 0)
		return is_jumped_in(look_at(j, pid), file, off);
	if (!j->has_all)
		look_at_all(j);
	VEC_FOREACH(&j->processes, pp) {
		if (is_jumped_in(*pp, file, off))
			return true;
	}
	return false;
}
