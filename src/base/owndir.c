/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/owndir.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

char *
owndir_path(const char *name, const char *installed)
{
	char exe[4096], *dir;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	exe[n > 0 ? n : 0] = '\0';
	if (strrchr(exe, '/') != NULL)
		*strrchr(exe, '/') = '\0';
	dir = mem_printf("%s/%s", exe, name);
	if (access(dir, R_OK) == 0)
		return dir;
	free(dir);
	return mem_strdup(installed);
}
