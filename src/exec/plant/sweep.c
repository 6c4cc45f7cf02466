/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * At the end: children of entered processes that dtrace has not met have our
 * memory and our jumps, too.
 */
#include "exec/plant/plant.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/procstatus.h"
#include "base/vec.h"

#define NS 1000000000ULL

#define UNKNOWN_START (UINT64_MAX / 2)

/* proc(5): field 22 of stat, in ticks since boot.  0: the process has ended;
 * UNKNOWN_START: unreadable, so the process may be new. */
static uint64_t
started_at(pid_t pid)
{
	char path[32], text[1024], *s;
	uint64_t at = 0;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return proc_is_gone(errno) ? 0 : UNKNOWN_START;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
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

void
pr_sweep(struct pr_plant *pl)
{
	const struct inproc_share share = pl->ops->share(pl);
	uint64_t tick = NS / (uint64_t)sysconf(_SC_CLK_TCK);
	DIR *dir = opendir("/proc");
	struct dirent *d;

	while (dir != NULL && (d = readdir(dir)) != NULL) {
		pid_t pid = (pid_t)atoi(d->d_name);

		if (isdigit((unsigned char)d->d_name[0]) && pid != getpid() &&
		    !is_ours(pl, pid) &&
		    started_at(pid) + 1 >= pl->begin_ns / tick &&
		    inproc_has_share(pid, &share))
			restore(pl, pid);
	}
	if (dir != NULL)
		closedir(dir);
}
