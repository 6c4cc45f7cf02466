/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes by name, for -p.
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

/* The file that the process runs; "" if it may not be told. */
static void
read_exe(const char *pid, char buf[static PATH_MAX])
{
	static const char deleted[] = " (deleted)";
	char *path = mem_printf("/proc/%s/exe", pid);
	ssize_t n = readlink(path, buf, PATH_MAX - 1);
	size_t len = n > 0 ? (size_t)n : 0, tail = sizeof(deleted) - 1;

	buf[len] = '\0';
	if (len > tail && strcmp(buf + len - tail, deleted) == 0)
		buf[len - tail] = '\0';
	free(path);
}

static bool
is_last_part(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return strcmp(slash != NULL ? slash + 1 : path, name) == 0;
}

/* The kernel keeps 15 characters of a name; the others have all of it. */
static bool
is_named(const char *pid, const char *name)
{
	char text[PATH_MAX];

	read_first(pid, "comm", text);
	if (strcmp(text, name) == 0)
		return true;
	read_first(pid, "cmdline", text);
	if (is_last_part(text, name))
		return true;
	read_exe(pid, text);
	return is_last_part(text, name);
}

void
named_find(const char *name, struct named_pids *found)
{
	DIR *dir = *name != '\0' ? opendir("/proc") : NULL;
	struct dirent *d;

	while (dir != NULL && (d = readdir(dir)) != NULL) {
		if (d->d_name[0] >= '1' && d->d_name[0] <= '9' &&
		    atol(d->d_name) != getpid() && is_named(d->d_name, name))
			VEC_PUSH(&found->pids, (pid_t)atol(d->d_name));
	}
	if (dir != NULL)
		closedir(dir);
}
