/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of the C library that make other system calls than they once did
 * (src/libdtrace/legacy.def).
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void
use_files(void)
{
	int ends[2], fd = open("/dev/null", O_RDONLY);
	DIR *dir = opendir("/");
	struct stat st;

	if (fd < 0 || dir == NULL || readdir(dir) == NULL || pipe(ends) != 0 ||
	    stat("/", &st) != 0 || lstat("/", &st) != 0)
		exit(1);
	closedir(dir);
}

static void
use_process(void)
{
	struct rlimit limit;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid ||
	    getrlimit(RLIMIT_CORE, &limit) != 0 ||
	    setrlimit(RLIMIT_CORE, &limit) != 0)
		exit(1);
}

static void
use_time(void)
{
	struct timespec ns = { .tv_nsec = 1 };
	struct timeval us = { .tv_usec = 1 };

	if (nanosleep(&ns, NULL) != 0 || select(0, NULL, NULL, NULL, &us) != 0)
		exit(1);
}

int
main(void)
{
	use_files();
	use_process();
	use_time();
	return 0;
}
