/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * forks CHILDREN: each child forks a grandchild, which runs this program again
 * as "forks 0"; each process that runs "forks 0" makes one mark.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"

static void
grandchild(char *self)
{
	char zero[] = "0";
	char *argv[] = { self, zero, NULL };

	execv("/proc/self/exe", argv);
	_exit(127);
}

static void
child(char *self)
{
	pid_t pid = fork();

	if (pid == 0)
		grandchild(self);
	_exit(waitpid(pid, NULL, 0) == pid ? 0 : 1);
}

int
main(int argc, char **argv)
{
	int n = argc == 2 ? atoi(argv[1]) : 0;

	if (n == 0)
		MARK1(1);
	for (int i = 0; i < n; i++)
		if (fork() == 0)
			child(argv[0]);
	while (wait(NULL) > 0)
		continue;
	return 0;
}
