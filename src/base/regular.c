/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/regular.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opening a device or a pipe does things; so look before. */
int
regular_open(const char *path)
{
	int at = open(path, O_PATH | O_CLOEXEC), fd = -1;
	struct stat st;
	char self[32];

	if (at < 0)
		return -1;
	if (fstat(at, &st) == 0 && S_ISREG(st.st_mode)) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", at);
		fd = open(self, O_RDONLY | O_CLOEXEC);
	}
	close(at);
	return fd;
}
