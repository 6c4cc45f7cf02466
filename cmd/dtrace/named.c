/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes by name, for the hint below a -p that names a program.
 */
#include "dtrace/named.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

#define MAX_LISTED 8

/* The first string of a file of /proc/PID; "" if it cannot be read. */
static void
read_first(const char *pid, const char *file, char buf[static PATH_MAX])
{
	char *path = mem_printf("/proc/%s/%s", pid, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, buf, PATH_MAX - 1) : -1;

	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
	free(path);
}

/* The kernel keeps 15 characters of a name; the command line has all of it. */
static bool
is_named(const char *pid, const char *name)
{
	char text[PATH_MAX];
	const char *slash;

	read_first(pid, "comm", text);
	if (strcmp(text, name) == 0)
		return true;
	read_first(pid, "cmdline", text);
	slash = strrchr(text, '/');
	return *text != '\0' &&
	    strcmp(slash != NULL ? slash + 1 : text, name) == 0;
}

char *
named_pids(const char *name)
{
	DIR *dir = *name != '\0' ? opendir("/proc") : NULL;
	struct strbuf pids = { 0 };
	struct dirent *d;
	size_t n = 0;

	while (dir != NULL && (d = readdir(dir)) != NULL) {
		if (d->d_name[0] < '1' || d->d_name[0] > '9' ||
		    atol(d->d_name) == getpid() || !is_named(d->d_name, name))
			continue;
		if (n++ < MAX_LISTED)
			strbuf_printf(
			    &pids, "%s%s", n > 1 ? ", " : "", d->d_name);
	}
	if (dir != NULL)
		closedir(dir);
	if (n == 0)
		return NULL;
	if (n > MAX_LISTED)
		strbuf_printf(&pids, " and %zu more", n - MAX_LISTED);
	return strbuf_steal(&pids);
}
