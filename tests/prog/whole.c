/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that a stop of the thread may end early, unlike any signal here:
 * each must do all of its work.  Prints the calls that do not, and at the end
 * how often a signal ended pause(), as it should.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#define SIZE (1 << 20)
#define TURNS 20
#define DATAGRAMS 20000

static char out[SIZE], in[SIZE];

/* Every byte depends on its position. */
static void
fill(void)
{
	for (size_t i = 0; i < SIZE; i++)
		out[i] = (char)(i * 7 ^ i >> 8);
}

static void
expect(const char *what, ssize_t n, size_t want)
{
	if (n != (ssize_t)want)
		printf("%s: %zd of %zu: %s\n", what, n, want,
		    n < 0 ? strerror(errno) : "cut short");
}

static void *
reader(void *arg)
{
	int fd = *(int *)arg;
	size_t at = 0;
	ssize_t n;

	while ((n = read(fd, in, 50000)) > 0) {
		for (ssize_t i = 0; i < n; i++, at = (at + 1) % SIZE) {
			if (in[i] != out[at]) {
				printf("byte %zu differs\n", at);
				exit(1);
			}
		}
	}
	expect("read", n, 0);
	return NULL;
}

static ssize_t
by_write(int fd)
{
	return write(fd, out, SIZE);
}

static ssize_t
by_send(int fd)
{
	return send(fd, out, SIZE, 0);
}

#define PARTS                                                                  \
	{                                                                      \
		{ out, 100000 }, { out + 100000, 0 },                          \
		{                                                              \
			out + 100000, SIZE - 100000                            \
		}                                                              \
	}

static ssize_t
by_writev(int fd)
{
	struct iovec v[] = PARTS;

	return writev(fd, v, 3);
}

static ssize_t
by_sendmsg(int fd)
{
	struct iovec v[] = PARTS;
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 3 };

	return sendmsg(fd, &m, 0);
}

static void
stream(const char *what, ssize_t (*f)(int fd), int fds[2])
{
	pthread_t t;

	pthread_create(&t, NULL, reader, &fds[0]);
	for (int i = 0; i < TURNS; i++)
		expect(what, f(fds[1]), SIZE);
	close(fds[1]);
	pthread_join(t, NULL);
	close(fds[0]);
}

static void
streams(void)
{
	int fds[2];

	if (pipe(fds) != 0)
		abort();
	stream("write", by_write, fds);
	if (pipe(fds) != 0)
		abort();
	stream("writev", by_writev, fds);
	socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
	stream("send", by_send, fds);
	socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
	stream("sendmsg", by_sendmsg, fds);
}

/* Two datagrams at a time: neither is truncated, nor received twice. */
static void
datagrams(void)
{
	struct timeval limit = { .tv_sec = 1 };
	int fds[2];

	socketpair(AF_UNIX, SOCK_DGRAM, 0, fds);
	setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	for (int i = 0; i < DATAGRAMS; i++) {
		send(fds[1], out, 100, 0);
		send(fds[1], out, 100, 0);
		expect("recv", recv(fds[0], in, SIZE, MSG_WAITALL), 100);
		expect("recv", recv(fds[0], in, SIZE, MSG_WAITALL), 100);
	}
	close(fds[0]);
	close(fds[1]);
}

static void
devices(void)
{
	int random = open("/dev/urandom", O_RDONLY), e = epoll_create1(0);
	struct epoll_event ev;

	for (int i = 0; i < TURNS; i++) {
		expect("/dev/urandom", read(random, in, SIZE), SIZE);
		expect("getrandom", getrandom(in, SIZE, 0), SIZE);
		expect("epoll_wait", epoll_wait(e, &ev, 1, 1), 0);
	}
}

static void
on_alarm(int sig)
{
	(void)sig;
}

static void
pauses(void)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct itimerval it = { { 0, 2000 }, { 0, 2000 } };
	int n = 0;

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
	for (int i = 0; i < TURNS; i++)
		n += pause() == -1 && errno == EINTR;
	printf("%d pauses\n", n);
}

int
main(void)
{
	fill();
	streams();
	datagrams();
	devices();
	pauses();
	return 0;
}
