/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/procstatus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

#define FIRST_PID_NS 0xeffffffcU /* its inode: include/linux/proc_ns.h */

bool
proc_status(pid_t pid, const char *name, char *buf, size_t len)
{
	char path[32], *line = NULL;
	size_t cap = 0, n = strlen(name);
	bool is_there = false;
	int err;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	/* the line of a user's groups may be long */
	while (!is_there && getline(&line, &cap, f) > 0)
		is_there = strncmp(line, name, n) == 0 && line[n] == ':';
	if (is_there) {
		const char *value = line + n + 1;

		value += strspn(value, " \t");
		snprintf(buf, len, "%.*s", (int)strcspn(value, "\n"), value);
	}
	err = feof(f) ? ENOENT : errno;
	free(line);
	fclose(f);
	errno = err;
	return is_there;
}

long
proc_status_number(pid_t pid, const char *name)
{
	char text[64];

	return proc_status(pid, name, text, sizeof(text)) ?
	    strtol(text, NULL, 10) :
	    -1;
}

bool
proc_is_first_pidns(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino == FIRST_PID_NS;
}

/* The line "0::/a/b" is that of the unified hierarchy. */
char *
proc_cgroup(pid_t pid)
{
	char path[32], *line = NULL, *group = NULL;
	size_t cap = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	f = fopen(path, "re");
	while (f != NULL && group == NULL && getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0::", 3) == 0)
			group = mem_strdup(line + 3);
	}
	free(line);
	if (f != NULL)
		fclose(f);
	return group;
}

bool
proc_is_in_cgroup(pid_t pid, const char *group)
{
	char *path = proc_cgroup(pid);
	size_t n = strlen(group);
	bool is_in = path != NULL && strncmp(path, group, n) == 0 &&
	    (n == 0 || path[n] == '/' || path[n] == '\0');

	free(path);
	return is_in;
}
