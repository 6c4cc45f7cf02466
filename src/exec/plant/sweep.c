/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * At the end: children of entered processes that dtrace has not met have our
 * memory and our jumps, too.
 */
#include "exec/plant/plant.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/proclist.h"
#include "base/procstatus.h"
#include "base/vec.h"

#define NS 1000000000ULL

#define UNKNOWN_START (UINT64_MAX / 2)

/*
 * A process without a program (a kernel thread, a zombie), one that has ended
 * and one whose memory dtrace may not read have no memory of ours that could be
 * found.  The kernel answers this sooner than it writes stat.
 */
static bool
has_program(int proc, pid_t pid)
{
	char path[32], target[1];

	snprintf(path, sizeof(path), "%d/exe", (int)pid);
	return readlinkat(proc, path, target, sizeof(target)) >= 0 ||
	    (!proc_is_gone(errno) && errno != EACCES);
}

/* proc(5): field 22 of stat, in ticks since boot.  0: the process has ended;
 * UNKNOWN_START: unreadable, so the process may be new. */
static uint64_t
started_at(int proc, pid_t pid)
{
	char path[32], text[1024], *s;
	uint64_t at = 0;
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "%d/stat", (int)pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		n = read(fd, text, sizeof(text) - 1);
	if (n < 0)
		at = proc_is_gone(errno) ? 0 : UNKNOWN_START;
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return at;
	text[n] = '\0';
	s = strrchr(text, ')');
	for (int field = 2; s != NULL && field < 22; field++)
		s = strchr(s + 1, ' ');
	if (s != NULL)
		at = strtoull(s, NULL, 10);
	return at;
}

/* Finds our memory by the parent of the process. */
static void
restore(struct pr_plant *pl, pid_t pid)
{
	struct inproc_proc *entered;
	struct err err = { 0 };

	for (size_t i = 0; i < pl->procs.n; i++) {
		const struct pr_proc *p = pl->procs.v[i];

		err_clear(&err);
		if (p->entered == NULL ||
		    inproc_adopt(p->entered, pid, &entered, &err) != 0)
			continue;
		err_forget(inproc_leave(entered, &err), &err);
		break;
	}
	err_clear(&err);
}

static bool
is_ours(const struct pr_plant *pl, pid_t pid)
{
	VEC_FOREACH(&pl->procs, p) {
		if ((*p)->pid == pid && (*p)->entered != NULL &&
		    !inproc_has_ended((*p)->entered))
			return true;
	}
	return false;
}

/* Is it a process that began when dtrace did or later, and has our memory? */
static bool
is_late_child(
    int proc, pid_t pid, const struct inproc_share *share, uint64_t begin_tick)
{
	return has_program(proc, pid) &&
	    started_at(proc, pid) + 1 >= begin_tick &&
	    inproc_has_share(pid, share);
}

int
pr_sweep(struct pr_plant *pl)
{
	const struct inproc_share share = pl->ops->share(pl);
	uint64_t tick = NS / (uint64_t)sysconf(_SC_CLK_TCK);
	pid_t self = getpid();
	struct proc_list list;
	pid_t pid;

	proc_list_open(&list, 0);
	while ((pid = proc_list_next(&list)) != 0) {
		if (pid != self && !is_ours(pl, pid) &&
		    is_late_child(
			dirfd(list.dir), pid, &share, pl->begin_ns / tick))
			restore(pl, pid);
	}
	return proc_list_close(&list);
}
