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
