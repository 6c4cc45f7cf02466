/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * children COUNT: the program calls fn_step(), and in between makes children
 * that call it, too: by fork(), by fork() and exec (this program, as `children
 * call`), by vfork() and posix_spawn().  children COUNT MS: then a child
 * outlives the program by MS milliseconds.
 *
 * children crowd COUNT: so many children at once; each makes CALLS calls of
 * getppid() once all have begun.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALLS 10

extern char **environ;

__attribute__((noipa)) static long
fn_step(const char *text, long n)
{
	__asm__ volatile("" : "+r"(text), "+r"(n));
	return n + 1;
}

static int
call(long n)
{
	long x = 0;

	for (long i = 0; i < n; i++)
		x = fn_step("in a child", x);
	return x == n ? 0 : 1;
}

static int
end_of(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

static int
by_fork(char *self)
{
	char *const argv[] = { self, (char[]){ "call" }, NULL };
	pid_t pid = fork();

	if (pid == 0)
		_exit(call(50));
	if (end_of(pid) != 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		execv(self, argv);
		_exit(1);
	}
	return end_of(pid);
}

static int
by_spawn(char *self)
{
	char *const argv[] = { self, (char[]){ "call" }, NULL };
	pid_t pid = vfork();

	if (pid == 0) {
		execv(self, argv);
		_exit(1);
	}
	if (end_of(pid) != 0 ||
	    posix_spawn(&pid, self, NULL, NULL, argv, environ) != 0)
		return 1;
	return end_of(pid);
}

/* A child that goes on whatever happens to the tracer meanwhile. */
static void
outlive(long ms)
{
	struct timespec nap = { .tv_nsec = 1000000 };

	if (fork() != 0)
		return;
	for (long i = 0; i < ms; i++) {
		if (call(100) != 0)
			abort();
		nanosleep(&nap, NULL);
	}
	if (write(1, "outlived\n", 9) != 9)
		abort();
	_exit(0);
}

static void
be_in_crowd(const int *all_there)
{
	char c;
	int wrong = 0;

	close(all_there[1]);
	wrong |= read(all_there[0], &c, 1) != 0;
	for (int i = 0; i < CALLS; i++)
		wrong |= getppid() == 0;
	_exit(wrong);
}

static int
crowd(long n)
{
	int all_there[2], wrong, status;

	wrong = pipe(all_there) != 0;
	for (long i = 0; i < n && !wrong; i++) {
		pid_t pid = fork();

		if (pid == 0)
			be_in_crowd(all_there);
		wrong |= pid < 0;
	}
	close(all_there[0]);
	close(all_there[1]);
	while (wait(&status) > 0)
		wrong |= status != 0;
	printf("wrong %d\n", wrong);
	return wrong;
}

int
main(int argc, char *argv[])
{
	int wrong = 0;

	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "call") == 0)
		return call(50);
	if (strcmp(argv[1], "crowd") == 0 && argc > 2)
		return crowd(atol(argv[2]));
	for (long i = 0; i < atol(argv[1]); i++)
		wrong |= call(10) | by_fork(argv[0]) | by_spawn(argv[0]);
	if (argc > 2)
		outlive(atol(argv[2]));
	printf("wrong %d\n", wrong);
	return wrong;
}
