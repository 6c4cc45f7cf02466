/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ends HOW THREADS TIMES: TIMES times, make a child with THREADS more threads,
 * which ends:
 *
 *	group	one thread calls exit_group(), while the others wait
 *	kill	by SIGKILL
 *	alone	each thread ends itself, all at the same time
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t all_here;
static int is_alone;

static void
end_thread(void)
{
	pthread_barrier_wait(&all_here);
	while (!is_alone)
		pause();
	syscall(SYS_exit, 0);
}

static void *
thread_main(void *arg)
{
	(void)arg;
	end_thread();
	return NULL;
}

static void
child(const char *how, unsigned threads)
{
	pthread_attr_t small;
	pthread_t t;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&all_here, NULL, threads + 1);
	is_alone = strcmp(how, "alone") == 0;
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&t, &small, thread_main, NULL) != 0)
			abort();
	if (is_alone)
		end_thread();
	pthread_barrier_wait(&all_here);
	if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGKILL);
	_exit(0);
}

int
main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	for (int i = atoi(argv[3]); i > 0; i--) {
		pid_t pid = fork();

		if (pid == 0)
			child(argv[1], (unsigned)atoi(argv[2]));
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 1;
	}
	return 0;
}
