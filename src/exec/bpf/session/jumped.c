/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Find the places where a dtrace has planted a jump into a process
 * (-x substrate=process).  The kernel does not look what it writes its
 * breakpoint over: it executes the file's instruction in a copy, and the thread
 * goes on behind that, in the middle of the jump, which ends the process.
 */
#include "exec/bpf/session/jumped.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/ownfailure.h"
#include "base/vec.h"
#include "sym/proc_maps.h"
#include "x86/insn.h"

#define BREAKPOINT 0xcc /* of a uprobe: it is in a copy of no jump */

/* A process.  It has no jumps if there is no dtrace in it, or if it ended. */
struct jumped_process {
	pid_t pid;
	bool has_dtrace;
	int mem_fd; /* -1: it cannot be read */
	struct proc_maps maps;
};

struct bx_jumped {
	VEC(struct jumped_process *) processes;
	bool has_all;
	int error; /* an errno of dtrace's own */
};

struct bx_jumped *
bx_jumped_create(void)
{
	return mem_alloc(sizeof(struct bx_jumped));
}

static void
process_free(struct jumped_process *p)
{
	if (p->mem_fd >= 0)
		close(p->mem_fd);
	proc_maps_fini(&p->maps);
	free(p);
}

void
bx_jumped_destroy(struct bx_jumped *j)
{
	VEC_FOREACH(&j->processes, pp)
		process_free(*pp);
	VEC_FREE(&j->processes);
	free(j);
}

int
bx_jumped_error(const struct bx_jumped *j)
{
	return j->error;
}

static bool
has_dtrace(const struct proc_maps *maps)
{
	VEC_FOREACH(&maps->maps, map) {
		if (proc_path_is_of_dtrace(map->path))
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

static struct jumped_process *
look_at(struct bx_jumped *j, pid_t pid)
{
	struct jumped_process *p = mem_alloc(sizeof(*p));
	struct err err = { 0 };
	int rc;

	p->pid = pid;
	p->mem_fd = -1;
	/* arming says why a process cannot be looked at */
	rc = proc_maps_read(&p->maps, pid, &err);
	err_forget(rc, &err);
	if (is_own_failure(-rc))
		j->error = -rc;
	p->has_dtrace = rc == 0 && has_dtrace(&p->maps);
	if (!p->has_dtrace)
		return p;
	p->mem_fd = open_mem(pid);
	if (p->mem_fd < 0 && is_own_failure(errno))
		j->error = errno;
	else if (p->mem_fd < 0 && (errno == ENOENT || errno == ESRCH))
		p->has_dtrace = false;
	return p;
}

static const struct jumped_process *
process_of(struct bx_jumped *j, pid_t pid)
{
	VEC_FOREACH(&j->processes, pp) {
		if ((*pp)->pid == pid)
			return *pp;
	}
	VEC_PUSH(&j->processes, look_at(j, pid));
	return j->processes.v[j->processes.n - 1];
}

/*
 * Is a byte around the place neither the file's nor a uprobe's?  Where memory
 * cannot be compared it may be, unless the process has ended.
 */
static bool
is_changed(const struct jumped_process *p, const struct proc_map *map, int fd,
    uint64_t off)
{
	uint64_t first =
	    off - map->off < X86_JUMP_LEN ? map->off : off - X86_JUMP_LEN + 1;
	uint64_t addr = map->start + (first - map->off);
	uint8_t now[2 * X86_JUMP_LEN], file[2 * X86_JUMP_LEN];
	size_t n = (size_t)(off - first) + X86_JUMP_LEN;
	ssize_t nnow, nfile;

	if (n > map->end - addr)
		n = map->end - addr;
	nnow = pread(p->mem_fd, now, n, (off_t)addr);
	nfile = pread(fd, file, n, (off_t)first);
	if (nnow == 0 || (nnow < 0 && errno == ESRCH))
		return false;
	if (nnow != (ssize_t)n || nfile <= (ssize_t)(off - first))
		return true;
	for (ssize_t i = 0; i < nfile; i++) {
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

	if (dir == NULL) {
		j->error = errno;
		return;
	}
	while ((d = readdir(dir)) != NULL) {
		pid_t pid = (pid_t)strtol(d->d_name, NULL, 10);
		struct jumped_process *p;

		if (pid <= 0)
			continue;
		p = look_at(j, pid);
		if (p->has_dtrace)
			VEC_PUSH(&j->processes, p);
		else
			process_free(p);
	}
	closedir(dir);
	j->has_all = true;
}

static bool
is_jumped_in(
    const struct jumped_process *p, const struct dt_ufile *file, uint64_t off)
{
	if (!p->has_dtrace)
		return false;
	VEC_FOREACH(&p->maps.maps, map) {
		if (map->is_exec && map->ino == file->ino && off >= map->off &&
		    off - map->off < map->end - map->start &&
		    (p->mem_fd < 0 || is_changed(p, map, file->fd, off)))
			return true;
	}
	return false;
}

bool
bx_is_jumped(
    struct bx_jumped *j, pid_t pid, const struct dt_ufile *file, uint64_t off)
{
	if (pid != 0)
		return is_jumped_in(process_of(j, pid), file, off);
	if (!j->has_all && j->error == 0)
		look_at_all(j);
	VEC_FOREACH(&j->processes, pp) {
		if (is_jumped_in(*pp, file, off))
			return true;
	}
	return false;
}
