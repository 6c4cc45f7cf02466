/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * net OPERATION[:N]...: traffic of known size on the loopback device of a
 *network namespace of its own.  Nobody else's traffic is taken for it: its
 *ports follow from the process's number, 10000 + pid % 2500 * 20.
 *
 *	udp, udp6	N datagrams of 5, or 6, bytes, each received
 *	marked		N of each, with fields of the IP header set
 *	parts		N datagrams of 4000 bytes, with an MTU of 1500
 *	many-parts	N datagrams of 40000 bytes, as well
 *	cookie		N datagrams of 5 bytes, after a mark: their socket's
 *			cookie
 *	nobody		N datagrams of 5 bytes to a port without a socket
 *	lost		N such datagrams, lost by the device's queue
 *	tcp, tcp6	a connection; N times 5 bytes and 7 bytes back; closed
 *	refused		N connections to a port without a socket
 *	again		a connection that gets no answer for 1.5 seconds, in
 *which its first segment is sent twice
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "mark.h"

enum { SERVER, CLIENT, NOBODY };

static void
check(int good, const char *what)
{
	if (!good) {
		perror(what);
		exit(1);
	}
}

static in_port_t
port(int which)
{
	return htons((in_port_t)(10000 + getpid() % 2500 * 20 + which));
}

static socklen_t
address(struct sockaddr_storage *ss, int family, int which)
{
	memset(ss, 0, sizeof(*ss));
	if (family == AF_INET) {
		struct sockaddr_in *in = (struct sockaddr_in *)ss;

		in->sin_family = AF_INET;
		in->sin_port = port(which);
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		return sizeof(*in);
	}
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ss;
	in6->sin6_family = AF_INET6;
	in6->sin6_port = port(which);
	in6->sin6_addr = in6addr_loopback;
	return sizeof(*in6);
}

static int
bound(int family, int type, int which)
{
	struct sockaddr_storage ss;
	socklen_t len = address(&ss, family, which);
	int fd = socket(family, type, 0), on = 1;

	check(fd >= 0, "socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	check(bind(fd, (struct sockaddr *)&ss, len) == 0, "bind");
	return fd;
}

static int
to(int fd, int family, int which)
{
	struct sockaddr_storage ss;
	socklen_t len = address(&ss, family, which);

	return connect(fd, (struct sockaddr *)&ss, len);
}

static void
loopback(unsigned long request, int value)
{
	struct ifreq ifr = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (request == SIOCSIFMTU)
		ifr.ifr_mtu = value;
	else
		ifr.ifr_flags = (short)value;
	check(ioctl(fd, request, &ifr) == 0, "lo");
	close(fd);
}

/* ---- datagrams ----------------------------------------------------------- */

static void
send_all(int fd, size_t size, int n)
{
	static const char data[40000] = "hello!";

	for (int i = 0; i < n; i++)
		check(send(fd, data, size, 0) == (ssize_t)size, "send");
}

static void
datagrams(int family, size_t size, int n, void (*prepare)(int))
{
	int server = bound(family, SOCK_DGRAM, SERVER);
	int client = bound(family, SOCK_DGRAM, CLIENT);
	char data[40000];

	if (prepare != NULL)
		prepare(client);
	check(to(client, family, SERVER) == 0, "connect");
	for (int i = 0; i < n; i++) {
		send_all(client, size, 1);
		check(recv(server, data, sizeof(data), 0) == (ssize_t)size,
		    "recv");
	}
	close(client);
	close(server);
}

static void
mark4(int fd)
{
	int tos = 0x10, ttl = 33;

	setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos));
	setsockopt(fd, IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl));
}

static void
mark6(int fd)
{
	int tclass = 0x20, hops = 44;

	setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &tclass, sizeof(tclass));
	setsockopt(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &hops, sizeof(hops));
}

static void
may_fragment(int fd)
{
	int dont = IP_PMTUDISC_DONT;

	setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &dont, sizeof(dont));
}

/* Nobody answers, but ICMP, which the next send() would tell us. */
static void
unheard(int n)
{
	for (int i = 0; i < n; i++) {
		int fd = bound(AF_INET, SOCK_DGRAM, CLIENT);

		check(to(fd, AF_INET, NOBODY) == 0, "connect");
		send_all(fd, 5, 1);
		close(fd);
	}
}

/* What the device's queue is given is lost. */
static void
black_hole(const char *verb)
{
	char command[64];

	snprintf(command, sizeof(command), "tc qdisc %s dev lo root %s", verb,
	    strcmp(verb, "add") == 0 ? "blackhole" : "");
	check(system(command) == 0, "tc");
}

/* ---- connections --------------------------------------------------------- */

static void
transfer(int from, int fd, size_t size)
{
	char data[16];

	send_all(from, size, 1);
	check(recv(fd, data, size, MSG_WAITALL) == (ssize_t)size, "recv");
}

static void
connection(int family, int n)
{
	int listener = bound(family, SOCK_STREAM, SERVER);
	int client = bound(family, SOCK_STREAM, CLIENT), server;
	char byte;

	check(listen(listener, 1) == 0, "listen");
	check(to(client, family, SERVER) == 0, "connect");
	server = accept(listener, NULL, NULL);
	check(server >= 0, "accept");
	for (int i = 0; i < n; i++) {
		transfer(client, server, 5);
		transfer(server, client, 7);
	}
	close(client);
	check(recv(server, &byte, 1, 0) == 0, "end");
	close(server);
	close(listener);
}

static void
refused(int n)
{
	for (int i = 0; i < n; i++) {
		int fd = bound(AF_INET, SOCK_STREAM, CLIENT);

		check(to(fd, AF_INET, NOBODY) != 0 && errno == ECONNREFUSED,
		    "connect");
		close(fd);
	}
}

static void
again(int n)
{
	struct timeval wait = { .tv_sec = 1, .tv_usec = 500000 };
	int fd = bound(AF_INET, SOCK_STREAM, CLIENT);

	black_hole("add");
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	check(n == 1 && to(fd, AF_INET, NOBODY) != 0 && errno == EINPROGRESS,
	    "connect");
	black_hole("del");
	close(fd);
}

static void
udp(int n)
{
	datagrams(AF_INET, 5, n, NULL);
}

static void
udp6(int n)
{
	datagrams(AF_INET6, 6, n, NULL);
}

static void
marked(int n)
{
	datagrams(AF_INET, 5, n, mark4);
	datagrams(AF_INET6, 6, n, mark6);
}

static void
parts(int n)
{
	loopback(SIOCSIFMTU, 1500);
	datagrams(AF_INET, 4000, n, may_fragment);
}

static void
many_parts(int n)
{
	loopback(SIOCSIFMTU, 1500);
	datagrams(AF_INET, 40000, n, may_fragment);
}

static void
mark_cookie(int fd)
{
	unsigned long cookie;
	socklen_t len = sizeof(cookie);

	check(getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len) == 0,
	    "SO_COOKIE");
	MARK1(cookie);
}

static void
cookie(int n)
{
	datagrams(AF_INET, 5, n, mark_cookie);
}

static void
lost(int n)
{
	black_hole("add");
	unheard(n);
	black_hole("del");
}

static void
tcp(int n)
{
	connection(AF_INET, n);
}

static void
tcp6(int n)
{
	connection(AF_INET6, n);
}

static const struct {
	const char *name;
	void (*run)(int n);
} operations[] = {
	{ "udp", udp },
	{ "udp6", udp6 },
	{ "marked", marked },
	{ "parts", parts },
	{ "many-parts", many_parts },
	{ "cookie", cookie },
	{ "nobody", unheard },
	{ "lost", lost },
	{ "tcp", tcp },
	{ "tcp6", tcp6 },
	{ "refused", refused },
	{ "again", again },
};

static void
operate(char *text)
{
	char *n = strchr(text, ':');

	if (n != NULL)
		*n++ = '\0';
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		if (strcmp(text, operations[i].name) == 0)
			operations[i].run(n == NULL ? 1 : atoi(n));
	}
}

int
main(int argc, char **argv)
{
	check(unshare(CLONE_NEWNET) == 0, "unshare");
	loopback(SIOCSIFFLAGS, IFF_UP);
	for (int i = 1; i < argc; i++)
		operate(argv[i]);
	return 0;
}
