/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals, jumps out of handlers, threads, computed jumps. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t handled;
static sigjmp_buf env;

static void
handle(int sig)
{
	handled++;
	if (sig == SIGSEGV)
		siglongjmp(env, 1);
}

static void *
count(void *arg)
{
	long n = 0;

	for (long i = 0; i < 100000; i++)
		n += i % (long)arg;
	return (void *)n;
}

static int
interpret(const char *code)
{
	static void *const ops[] = { &&add, &&twice, &&end };
	int v = 1;

	goto *ops[*code++ - '0'];
add:
	v++;
	goto *ops[*code++ - '0'];
twice:
	v *= 2;
	goto *ops[*code++ - '0'];
end:
	return v;
}

static int
choose(int n)
{
	switch (n) {
	case 0:
		return 5;
	case 1:
		return 17;
	case 2:
		return getpid() > 0;
	case 3:
		return (int)strlen("four");
	case 4:
		return abs(-9);
	case 5:
		return 1000 / (n + 1);
	case 6:
		return n << 3;
	default:
		return -1;
	}
}

static int
compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int
main(void)
{
	pthread_t t[4];
	int v[1000], sum = 0, status;
	long total = 0;

	signal(SIGUSR1, handle);
	signal(SIGSEGV, handle);
	for (int i = 0; i < 100; i++)
		raise(SIGUSR1);
	for (int i = 0; i < 20; i++) {
		if (sigsetjmp(env, 1) == 0)
			*(volatile int *)8 = 1;
	}
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, count, (void *)(i + 3));
	for (int i = 0; i < 4; i++) {
		void *n;

		pthread_join(t[i], &n);
		total += (long)n;
	}
	for (int i = 0; i < 1000; i++)
		v[i] = (i * 7919) % 1000;
	qsort(v, 1000, sizeof(v[0]), compare);
	for (int i = 0; i < 1000; i++)
		sum += choose(i % 9) + v[i] * i % 7;
	if (fork() == 0)
		_exit(42);
	wait(&status);
	printf("%d %ld %d %d %d\n", (int)handled, total, sum,
	    interpret("0110012"), WEXITSTATUS(status));
	return 4;
}
