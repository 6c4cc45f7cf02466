/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int
open_regular(int at)
{
	struct stat st;
	char self[32];
	int fd;

	if (fstat(at, &st) != 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", at);
	fd = open(self, O_RDONLY | O_CLOEXEC);
	return fd >= 0 ? fd : -errno;
}

/* Opening a device or a pipe can have effects, so check the type first. */
static int
look_and_open(const char *path, int flags)
{
	int at = open(path, O_PATH | O_CLOEXEC | flags), fd;

	if (at < 0)
		return -errno;
	fd = open_regular(at);
	close(at);
	return fd;
}

int
regular_open(const char *path)
{
	return look_and_open(path, 0);
}

int
regular_open_itself(const char *path)
{
	return look_and_open(path, O_NOFOLLOW);
}
