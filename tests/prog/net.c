/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * net OPERATION[:N]...: traffic of known size on the loopback device of a
 * network namespace of its own.  Traffic of other processes is not mistaken for
 * it, as its ports follow from the process's id: 10000 + pid % 2500 * 20; or
 * the first one is $NET_PORT.
 *
 *	udp, udp6	N datagrams of 5, or 6, bytes, each received
 *	marked		N of each, with fields of the IP header set
 *	parts		N datagrams of 4000 bytes, with an MTU of 1500
 *	many-parts	N datagrams of 40000 bytes, with the same MTU
 *	cookie		N datagrams of 5 bytes, after a mark with their
 *			socket's cookie
 *	nobody		N datagrams of 5 bytes to a port without a socket
 *	lost		N such datagrams, lost by the device's queue
 *	tcp, tcp6	a connection; N times 5 bytes and 7 bytes back; closed
 *	joined		a connection; N times 5 bytes while its reader is
 *			blocked and has locked the socket
 *	reused		N + 1 connections with the same ports; the server, which
 *			closes first, waits in TIME_WAIT
 *	known		a connection whose sender reports TCP_INFO (tell()),
 *			after a loss; one with a gap (gap())
 *	refused		N connections to a port without a socket
 *	again		a connection without an answer for 2.5 seconds, in
 *			which its first segment is sent twice
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/tcp.h>
#include <linux/userfaultfd.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
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
	const char *first = getenv("NET_PORT");
	long base = first != NULL ? strtol(first, NULL, 10) :
				    10000 + getpid() % 2500 * 20;

	return htons((in_port_t)(base + which));
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

/* Set the network namespace's net.ipv4.NAME to 0. */
static void
switch_off(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/%s", name);
	int fd = open(path, O_WRONLY);
	check(fd >= 0 && write(fd, "0", 1) == 1, name);
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

/* Only ICMP answers, and only the next send() would report it. */
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

/* Let the device's queue lose all packets ("add"), or no longer ("del"). */
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
await_end(int fd)
{
	char byte;

	check(recv(fd, &byte, 1, 0) == 0, "end");
}

static void
connection(int family, int n)
{
	int listener = bound(family, SOCK_STREAM, SERVER);
	int client = bound(family, SOCK_STREAM, CLIENT), server;

	check(listen(listener, 1) == 0, "listen");
	check(to(client, family, SERVER) == 0, "connect");
	server = accept(listener, NULL, NULL);
	check(server >= 0, "accept");
	for (int i = 0; i < n; i++) {
		transfer(client, server, 5);
		transfer(server, client, 7);
	}
	close(client);
	await_end(server);
	close(server);
	close(listener);
}

/* ---- a blocked reader ---------------------------------------------------- */

/* A thread that reads a byte into a missing page, and waits for the page. */
struct reader {
	int fd;
	int faults;
	void *page;
	size_t page_size;
	pthread_t thread;
};

static void *
read_byte(void *arg)
{
	struct reader *r = arg;

	check(recv(r->fd, r->page, 1, 0) == 1, "recv");
	return NULL;
}

/* Hold the lock of the socket, which has a byte to read, until release(). */
static void
hold(struct reader *r, int fd)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffd_msg msg;

	r->fd = fd;
	r->page_size = (size_t)sysconf(_SC_PAGESIZE);
	r->page = mmap(NULL, r->page_size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(r->page != MAP_FAILED, "mmap");
	r->faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	check(r->faults >= 0 && ioctl(r->faults, UFFDIO_API, &api) == 0,
	    "userfaultfd");
	struct uffdio_register range = {
		.range = { (uintptr_t)r->page, r->page_size },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	check(ioctl(r->faults, UFFDIO_REGISTER, &range) == 0, "register");
	check(pthread_create(&r->thread, NULL, read_byte, r) == 0, "thread");
	check(read(r->faults, &msg, sizeof(msg)) == sizeof(msg), "fault");
}

static void
release(struct reader *r)
{
	struct uffdio_zeropage zero = {
		.range = { (uintptr_t)r->page, r->page_size },
	};

	check(ioctl(r->faults, UFFDIO_ZEROPAGE, &zero) == 0, "zeropage");
	pthread_join(r->thread, NULL);
	close(r->faults);
	munmap(r->page, r->page_size);
}

/* ---- connections of which more facts are known --------------------------- */

struct ends {
	int listener, server, client;
};

/* The ports may still belong to the old connection: try until they do not. */
static void
connect_again(int fd)
{
	while (to(fd, AF_INET, SERVER) != 0) {
		check(errno == EADDRNOTAVAIL, "connect");
		usleep(1000);
	}
}

/* Make a connection in which every send() is one segment. */
static struct ends
established(void)
{
	struct ends e = { bound(AF_INET, SOCK_STREAM, SERVER), -1,
		bound(AF_INET, SOCK_STREAM, CLIENT) };
	int size = 1500000, on = 1;

	check(listen(e.listener, 1) == 0, "listen");
	check(setsockopt(e.client, SOL_SOCKET, SO_RCVBUFFORCE, &size,
		  sizeof(size)) == 0,
	    "SO_RCVBUFFORCE");
	check(
	    setsockopt(e.listener, IPPROTO_TCP, TCP_CONGESTION, "reno", 4) == 0,
	    "reno");
	connect_again(e.client);
	e.server = accept(e.listener, NULL, NULL);
	check(e.server >= 0, "accept");
	setsockopt(e.client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(e.server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return e;
}

static void
take(int fd, size_t size)
{
	char data[1024];

	check(recv(fd, data, size, MSG_WAITALL) == (ssize_t)size, "recv");
}

static void
closed(struct ends e)
{
	close(e.server);
	await_end(e.client);
	close(e.client);
	close(e.listener);
}

/* The kernel only joins segments with the same options. */
static void
joined(int n)
{
	struct ends e;
	struct reader r;

	switch_off("tcp_timestamps");
	e = established();
	send_all(e.client, 1, 1);
	hold(&r, e.server);
	send_all(e.client, 5, n);
	release(&r);
	take(e.server, 5 * (size_t)n);
	closed(e);
}

static void
reused(int n)
{
	int listener = bound(AF_INET, SOCK_STREAM, SERVER);

	check(listen(listener, 1) == 0, "listen");
	for (int i = 0; i <= n; i++) {
		int client = bound(AF_INET, SOCK_STREAM, CLIENT), server;

		connect_again(client);
		server = accept(listener, NULL, NULL);
		check(server >= 0, "accept");
		close(server);
		await_end(client);
		close(client);
	}
	close(listener);
}

static struct tcp_info
info(int fd)
{
	struct tcp_info i = { 0 };
	socklen_t len = sizeof(i);

	check(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &i, &len) == 0, "TCP_INFO");
	return i;
}

static void
await_acknowledged(int fd)
{
	while (info(fd).tcpi_unacked != 0)
		usleep(1000);
}

static void
await_again(int fd, unsigned before)
{
	while (info(fd).tcpi_total_retrans <= before)
		usleep(1000);
}

/* Send bytes, which are lost and sent again. */
static void
loss(struct ends e)
{
	unsigned before = info(e.server).tcpi_total_retrans;

	black_hole("add");
	send_all(e.server, 5, 1);
	await_again(e.server, before);
	black_hole("del");
	take(e.client, 5);
	await_acknowledged(e.server);
}

/* Marks 1 and 2 hold facts that stay true until the 7 bytes are sent. */
static void
tell(struct ends e)
{
	struct tcp_info i = info(e.server);

	MARK(1, i.tcpi_snd_wnd, i.tcpi_snd_wscale << 4 | i.tcpi_rcv_wscale,
	    i.tcpi_snd_cwnd * i.tcpi_snd_mss,
	    (long)i.tcpi_snd_ssthresh * i.tcpi_snd_mss);
	MARK(2, i.tcpi_rto / 1000, i.tcpi_rtt, i.tcpi_rttvar, i.tcpi_snd_mss);
	transfer(e.server, e.client, 7);
	await_acknowledged(e.server);
}

/* Drop segments whose data begins with `c`; 0: drop none. */
static void
refuse(int fd, char c)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 12),
		BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 2),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x3c),
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_X, 0, 0, 2),
		BPF_STMT(BPF_LD | BPF_B | BPF_IND, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned char)c, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(*code), code };

	check(setsockopt(fd, SOL_SOCKET,
		  c == 0 ? SO_DETACH_FILTER : SO_ATTACH_FILTER, &prog,
		  sizeof(prog)) == 0,
	    "filter");
}

/*
 * Only the middle one of three segments, of 5, 6 and 8 bytes, arrives.  It is
 * acknowledged after all were sent, unless the first one has been sent again by
 * then.  Mark 3 says that it was acknowledged.  Two retransmissions follow in
 * that state, since one may fire no probe: a timer sends it, which may
 * interrupt a thread of process 1.  The kernel of the test machines runs no BPF
 * program while that is current.
 */
static int
gap(void)
{
	struct ends e = established();
	struct reader r;
	struct tcp_info i = info(e.server);
	unsigned before = i.tcpi_total_retrans;
	int good;

	send_all(e.server, 1, 1);
	await_acknowledged(e.server);
	refuse(e.client, 'l');
	hold(&r, e.client);
	check(send(e.server, "lost!", 5, 0) == 5, "send");
	check(send(e.server, "sacked", 6, 0) == 6, "send");
	check(send(e.server, "lost too", 8, 0) == 8, "send");
	release(&r);
	while (i.tcpi_sacked == 0 && i.tcpi_total_retrans < before + 3) {
		usleep(1000);
		i = info(e.server);
	}
	good = i.tcpi_sacked == 1 && i.tcpi_unacked == 3;
	if (good) {
		MARK1(3);
		await_again(e.server, info(e.server).tcpi_total_retrans + 1);
	}
	refuse(e.client, 0);
	take(e.client, 19);
	closed(e);
	return good;
}

/* A pause does not reduce the congestion window. */
static void
known(int n)
{
	switch_off("tcp_slow_start_after_idle");
	for (int i = 0; i < n; i++) {
		struct ends e = established();

		loss(e);
		tell(e);
		closed(e);
		while (!gap())
			;
	}
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
	struct timeval wait = { .tv_sec = 2, .tv_usec = 500000 };
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
	{ "joined", joined },
	{ "reused", reused },
	{ "known", known },
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
