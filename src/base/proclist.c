/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/proclist.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void
proc_list_open(struct proc_list *l, pid_t pid)
{
	char path[40];

	if (pid == 0)
		snprintf(path, sizeof(path), "/proc");
	else
		snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	l->dir = opendir(path);
	l->error = l->dir == NULL ? errno : 0;
}

pid_t
proc_list_next(struct proc_list *l)
{
	struct dirent *de;

	if (l->dir == NULL || l->error != 0)
		return 0;
	while (errno = 0, (de = readdir(l->dir)) != NULL) {
		if (isdigit((unsigned char)de->d_name[0]))
			return (pid_t)atoi(de->d_name);
	}
	l->error = errno;
	return 0;
}

int
proc_list_close(struct proc_list *l)
{
	if (l->dir != NULL)
		closedir(l->dir);
	l->dir = NULL;
	return -l->error;
}
