/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts about a process that dtrace finds out more easily than the process
 * itself, or that only dtrace can find out (thread_self.c).
 */
#include "exec/process/impl.h"
#include "base/procstatus.h"
#include "exec/runtime/rt_zone_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* proc(5): fields 48 and 49 of stat, behind a name that may hold anything. */
static void
find_args(pid_t pid, struct pr_self *self)
{
	char path[32], text[2048], *s;
	unsigned long long start, end;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	s = strrchr(text, ')');
	for (int field = 2; s != NULL && field < 48; field++)
		s = strchr(s + 1, ' ');
	if (s == NULL || sscanf(s, "%llu %llu", &start, &end) != 2 ||
	    end < start)
		return;
	self->arg_start = start;
	self->arg_end = end;
}

static void
find_root(pid_t pid, struct pr_self *self)
{
	char path[32];
	struct stat st;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	n = readlink(path, self->root, sizeof(self->root) - 1);
	if (n < 0 || stat(path, &st) != 0)
		return;
	self->root[n] = '\0';
	self->root_dev = st.st_dev;
	self->root_ino = st.st_ino;
}

static void
find_zone(pid_t pid, struct pr_self *self)
{
	char *group = proc_cgroup(pid);
	char *zone = rt_zone_of_path(group != NULL ? group : "/");

	snprintf(self->zone, sizeof(self->zone), "%s", zone);
	free(zone);
	free(group);
}

void
pr_describe(pid_t pid, struct pr_self *self)
{
	memset(self, 0, sizeof(*self));
	find_args(pid, self);
	find_root(pid, self);
	find_zone(pid, self);
}
