/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A family of processes, each with known numbers of calls.  The arguments are
 * carried out from left to right:
 *
 *	N		calls family_work() N times
 *	lib N		calls getpgid() of libc N times
 *	fork M ... end	M children at once do what stands between; waits for all
 *	vfork ... end	a child of vfork() executes this program with that
 *	spawn ... end	the same with posix_spawn()
 *	orphan ... end	a grandchild does that after its parent has ended
 *	kill SIGNAL	sends itself a signal
 *	sleep MS
 *	await		reads a byte of standard input
 *	exec FILE ...	executes another program with the rest
 */
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
int family_work(int n);
static int run(char **words);

__attribute__((noipa)) int
family_work(int n)
{
	static volatile int sum;

	sum += n;
	return sum;
}

static void
fail(const char *what)
{
	perror(what);
	exit(1);
}

static char **
end_of(char **words)
{
	for (int depth = 1;; words++) {
		if (*words == NULL)
			fail("no end");
		if (strcmp(*words, "fork") == 0 ||
		    strcmp(*words, "vfork") == 0 ||
		    strcmp(*words, "spawn") == 0 ||
		    strcmp(*words, "orphan") == 0)
			depth++;
		if (strcmp(*words, "end") == 0 && --depth == 0)
			return words;
	}
}

/* The words before the end, for a new program; its name comes first. */
static char **
command(char **words, char **end)
{
	size_t n = (size_t)(end - words);
	char **argv = calloc(n + 2, sizeof(*argv));
	static char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (argv == NULL || len <= 0)
		fail("command");
	self[len] = '\0';
	argv[0] = self;
	memcpy(argv + 1, words, n * sizeof(*argv));
	return argv;
}

static void
wait_all(void)
{
	while (wait(NULL) > 0)
		;
}

static void
fork_all(int n, char **words)
{
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			fail("fork");
		if (pid == 0)
			_exit(run(words));
	}
	wait_all();
}

static void
vfork_one(char **words, char **end)
{
	char **argv = command(words, end);
	pid_t pid = vfork();

	if (pid < 0)
		fail("vfork");
	if (pid == 0) {
		execv(argv[0], argv);
		_exit(127);
	}
	free(argv);
	wait_all();
}

static void
spawn_one(char **words, char **end)
{
	char **argv = command(words, end);
	pid_t pid;

	if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0)
		fail("posix_spawn");
	free(argv);
	wait_all();
}

/* The pipe is closed when the grandchild has ended. */
static void
orphan_one(char **words)
{
	pid_t self = getpid();
	int ends[2];
	char c;

	if (pipe(ends) != 0)
		fail("pipe");
	if (fork() == 0) {
		pid_t parent = getpid();

		if (fork() != 0)
			_exit(getppid() != self);
		close(ends[0]);
		while (getppid() == parent)
			poll(NULL, 0, 1);
		_exit(run(words));
	}
	close(ends[1]);
	wait_all();
	if (read(ends[0], &c, 1) != 0)
		fail("read");
	close(ends[0]);
}

/* Carry out the words up to an `end`; returns the exit status. */
static int
run(char **words)
{
	for (; *words != NULL && strcmp(*words, "end") != 0; words++) {
		const char *word = *words;

		if (strcmp(word, "lib") == 0) {
			for (int i = atoi(*++words); i > 0; i--)
				getpgid(0);
		} else if (strcmp(word, "fork") == 0) {
			int n = atoi(*++words);

			fork_all(n, words + 1);
			words = end_of(words + 1);
		} else if (strcmp(word, "vfork") == 0) {
			vfork_one(words + 1, end_of(words + 1));
			words = end_of(words + 1);
		} else if (strcmp(word, "spawn") == 0) {
			spawn_one(words + 1, end_of(words + 1));
			words = end_of(words + 1);
		} else if (strcmp(word, "orphan") == 0) {
			orphan_one(words + 1);
			words = end_of(words + 1);
		} else if (strcmp(word, "kill") == 0) {
			raise(atoi(*++words));
		} else if (strcmp(word, "sleep") == 0) {
			poll(NULL, 0, atoi(*++words));
		} else if (strcmp(word, "await") == 0) {
			char c;

			if (read(STDIN_FILENO, &c, 1) != 1)
				fail("read");
		} else if (strcmp(word, "exec") == 0) {
			execv(words[1], words + 1);
			fail(words[1]);
		} else {
			for (int i = atoi(word); i > 0; i--)
				family_work(i);
		}
	}
	return 0;
}

int
main(int argc, char **argv)
{
	return argc > 1 ? run(argv + 1) : 2;
}
