// SPDX-License-Identifier: BSD-2-Clause
/*
 * Start a command many times, one after the other, and print how long each run
 * took from spawn to exit, and its peak resident memory.
 *
 *	spawn RUNS COMMAND [ARG ...]
 *
 * prints a line "wall_us maxrss_kb status" for each run.
 *
 * This is C and not part of the Python driver because Linux includes the memory
 * from before exec in ru_maxrss, and a child that was just spawned has its
 * parent's memory.  This program is smaller than any command it measures.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double
now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static int
run_once(const posix_spawn_file_actions_t *actions, char **argv)
{
	double start = now_us();
	struct rusage usage;
	int status, err;
	pid_t pid;

	err = posix_spawnp(&pid, argv[0], actions, NULL, argv, environ);
	if (err) {
		fprintf(stderr, "spawn: %s: %s\n", argv[0], strerror(err));
		return -1;
	}
	while (wait4(pid, &status, 0, &usage) < 0) {
		if (errno != EINTR)
			return -1;
	}
	printf("%.1f %ld %d\n", now_us() - start, usage.ru_maxrss, status);
	return 0;
}

int
main(int argc, char **argv)
{
	posix_spawn_file_actions_t actions;
	int err = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: spawn RUNS COMMAND [ARG ...]\n");
		return 2;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	for (int i = 0; i < atoi(argv[1]) && !err; i++)
		err = run_once(&actions, argv + 2);
	posix_spawn_file_actions_destroy(&actions);
	return err ? 1 : 0;
}
