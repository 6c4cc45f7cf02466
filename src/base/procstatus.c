/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/procstatus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The line "0::/a/b" of the unified hierarchy. */
static bool
line_is_in_cgroup(const char *line, const char *group)
{
	size_t n = strlen(group);

	return strncmp(line, "0::", 3) == 0 &&
	    strncmp(line + 3, group, n) == 0 &&
	    (n == 0 || line[3 + n] == '/' || line[3 + n] == '\n');
}

bool
proc_is_in_cgroup(pid_t pid, const char *group)
{
	char path[32], *line = NULL;
	bool is_in = false;
	size_t cap = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	f = fopen(path, "re");
	while (f != NULL && !is_in && getline(&line, &cap, f) > 0)
		is_in = line_is_in_cgroup(line, group);
	free(line);
	if (f != NULL)
		fclose(f);
	return is_in;
}
