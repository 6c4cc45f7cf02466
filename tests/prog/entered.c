/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program for dtrace to enter.
 *
 *	entered calls THREADS CALLS	at each line, threads make calls
 *	entered hammer THREADS		threads make calls until the next line
 *	entered blocked			threads wait in system calls that
 *					should not end
 *	entered kept CALLS		calls; before the second line, an
 *					address within padded() is on the stack
 *	entered heir CALLS		the same; at the first line it makes a
 *					child without that address, which makes
 *					calls at the third line
 *	entered fork CALLS		calls, half of them in a child
 *	entered exec			executes itself, as `entered calls 1 1`
 *
 * It first prints the address of padded(), which begins with one-byte
 * instructions, so that a thread may be at any of them.  At every line of input
 * it does its task, and prints the result; it ends at the end of its input.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_long ncalls, nwrong, nsignals;
static atomic_bool is_over;

/* The result depends on the execution of each instruction. */
__attribute__((noinline, patchable_function_entry(8, 0))) static long
padded(long x)
{
	__asm__ volatile("" : "+r"(x));
	return 3 * x + 1;
}

static void
call(long x)
{
	if (padded(x) != 3 * x + 1)
		atomic_fetch_add(&nwrong, 1);
	atomic_fetch_add(&ncalls, 1);
}

static void
on_signal(int sig)
{
	(void)sig;
	atomic_fetch_add(&nsignals, 1);
	call(nsignals);
}

static void
wait_for_line(void)
{
	char line[16];

	if (fgets(line, sizeof(line), stdin) == NULL)
		exit(0);
}

/* ---- calls, hammer ------------------------------------------------------ */

static void *
make_calls(void *arg)
{
	for (long i = 0; i < (long)arg; i++)
		call(i);
	return NULL;
}

static void *
hammer(void *arg)
{
	for (long i = (long)arg; !is_over; i++)
		call(i);
	return NULL;
}

static void
run_threads(long n, void *(*f)(void *), long arg, int until_line)
{
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	is_over = 0;
	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], &attr, f, (void *)arg);
	if (until_line) {
		puts("running");
		wait_for_line();
	}
	is_over = 1;
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void
tell(void)
{
	printf("calls %ld wrong %ld\n", atomic_load(&ncalls),
	    atomic_load(&nwrong));
}

/* Signals arrive all the time, so their frames are on stacks. */
static void
start_timer(void)
{
	struct itimerval every = { { 0, 500 }, { 0, 500 } };
	struct sigaction act = { .sa_handler = on_signal,
		.sa_flags = SA_RESTART };

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

/* ---- blocked ------------------------------------------------------------ */

static int never[2]; /* no process writes to this pipe */

static int
wait_epoll(void)
{
	int fd = epoll_create1(0);
	struct epoll_event ev;

	return epoll_wait(fd, &ev, 1, 600000);
}

static int
wait_poll(void)
{
	struct pollfd fd = { .fd = never[0], .events = POLLIN };

	return poll(&fd, 1, 600000);
}

static int
wait_read(void)
{
	char c;

	return (int)read(never[0], &c, 1);
}

static int
wait_sleep(void)
{
	struct timespec ts = { .tv_sec = 600 };

	return nanosleep(&ts, NULL);
}

static int
wait_suspended(void)
{
	sigset_t none;

	sigemptyset(&none);
	return sigsuspend(&none);
}

static int
wait_signal(void)
{
	struct timespec ts = { .tv_sec = 600 };
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	return sigtimedwait(&one, NULL, &ts);
}

/* Calls of sockets with a timeout return EINTR when the thread is stopped. */
static void
have_timeout(int fd)
{
	struct timeval tv = { .tv_sec = 600 };

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) != 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)) != 0)
		exit(1);
}

static int
socket_of_pair(void)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		exit(1);
	have_timeout(pair[0]);
	return pair[0];
}

static int
full_socket(void)
{
	int fd = socket_of_pair();
	char c[4096] = { 0 };

	while (send(fd, c, sizeof(c), MSG_DONTWAIT) > 0)
		;
	return fd;
}

static int
wait_receive(void)
{
	char c;

	return (int)recv(socket_of_pair(), &c, 1, 0);
}

static int
wait_readv(void)
{
	char c;
	struct iovec v = { &c, 1 };

	return (int)readv(socket_of_pair(), &v, 1);
}

static int
wait_send(void)
{
	return (int)send(full_socket(), "", 1, 0);
}

static int
wait_write(void)
{
	return (int)write(full_socket(), "", 1);
}

static int
wait_writev(void)
{
	struct iovec v = { (char[1]){ 0 }, 1 };

	return (int)writev(full_socket(), &v, 1);
}

/* Connect to a listener that accepts no connection, and whose queue is full. */
static int
wait_connect(void)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(sun);
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd;

	if (bind(listener, (struct sockaddr *)&sun, sizeof(sa_family_t)) != 0 ||
	    getsockname(listener, (struct sockaddr *)&sun, &len) != 0 ||
	    listen(listener, 0) != 0)
		exit(1);
	do {
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		have_timeout(fd);
	} while (connect(fd, (struct sockaddr *)&sun, len) == 0);
	return -1;
}

static int
wait_semaphore(void)
{
	struct sembuf op = { 0, -1, 0 };

	/* the semaphore disappears with its namespace, when this thread ends */
	if (unshare(CLONE_NEWIPC) != 0)
		return pause();
	return semop(semget(IPC_PRIVATE, 1, 0600), &op, 1);
}

static int
wait_lock(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&m);
	return pthread_mutex_lock(&m);
}

static const struct waiting {
	const char *name;
	int (*f)(void);
} waitings[] = {
	{ "epoll_wait", wait_epoll },
	{ "poll", wait_poll },
	{ "read", wait_read },
	{ "nanosleep", wait_sleep },
	{ "sigsuspend", wait_suspended },
	{ "sigtimedwait", wait_signal },
	{ "semop", wait_semaphore },
	{ "pause", pause },
	{ "futex", wait_lock },
	{ "recv with a timeout", wait_receive },
	{ "readv with a timeout", wait_readv },
	{ "send with a timeout", wait_send },
	{ "write with a timeout", wait_write },
	{ "writev with a timeout", wait_writev },
	{ "connect with a timeout", wait_connect },
};

static void *
block(void *arg)
{
	const struct waiting *w = arg;
	int rc = w->f();

	printf("%s returned %d: %s\n", w->name, rc, strerror(errno));
	return NULL;
}

static void
blocked(void)
{
	pthread_t t;

	if (pipe(never) != 0)
		exit(1);
	for (size_t i = 0; i < sizeof(waitings) / sizeof(waitings[0]); i++)
		pthread_create(&t, NULL, block, (void *)&waitings[i]);
}

/* ---- kept --------------------------------------------------------------- */

static pid_t heir;
static int heirs[2]; /* a pipe to the child */

static void
be_heir(long n)
{
	char c;

	close(heirs[1]);
	while (read(heirs[0], &c, 1) > 0)
		;
	make_calls((void *)n);
	_exit(nwrong != 0);
}

static void
end_heir(void)
{
	int status = 0;

	close(heirs[1]);
	waitpid(heir, &status, 0);
	if (status != 0)
		atomic_fetch_add(&nwrong, 1);
}

/* Keep an address in padded() on the stack: it looks as if the code returned
 * there, though it does not. */
static void
keep(long n, int has_heir)
{
	volatile uintptr_t word = 1;

	word += (uintptr_t)padded;
	puts("kept");
	wait_for_line();
	if (has_heir) {
		if (pipe(heirs) != 0)
			exit(1);
		heir = fork();
		if (heir == 0) {
			word = 0;
			be_heir(n);
		}
		printf("heir %d\n", (int)heir);
		wait_for_line();
	}
	make_calls((void *)n);
	tell();
	word = 0;
	(void)word;
}

/* ---- fork --------------------------------------------------------------- */

static void
calls_and_child(long n)
{
	pid_t pid;

	make_calls((void *)n);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		make_calls((void *)n);
		_exit(nwrong != 0);
	}
	waitpid(pid, NULL, 0);
}

/* ------------------------------------------------------------------------- */

static void
work(char **argv)
{
	if (strcmp(argv[1], "kept") == 0)
		make_calls((void *)atol(argv[2]));
	else if (strcmp(argv[1], "heir") == 0)
		end_heir();
	else if (strcmp(argv[1], "calls") == 0)
		run_threads(atol(argv[2]), make_calls, atol(argv[3]), 0);
	else if (strcmp(argv[1], "hammer") == 0)
		run_threads(atol(argv[2]), hammer, 0, 1);
	else if (strcmp(argv[1], "fork") == 0)
		calls_and_child(atol(argv[2]));
	else if (strcmp(argv[1], "exec") == 0)
		execl("/proc/self/exe", argv[0], "calls", "1", "1", NULL);
}

int
main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "blocked") == 0)
		blocked();
	else if (strcmp(argv[1], "hammer") == 0)
		start_timer();
	printf("padded %p\n", (void *)padded);
	if (strcmp(argv[1], "kept") == 0)
		keep(atol(argv[2]), 0);
	else if (strcmp(argv[1], "heir") == 0)
		keep(atol(argv[2]), 1);
	for (;;) {
		wait_for_line();
		work(argv);
		tell();
	}
}
