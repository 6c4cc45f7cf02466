// SPDX-License-Identifier: BSD-2-Clause
/*
 * toil WHAT [N [M]]: known work, which the scripts of tests/scripts report.  It
 * works in the current directory and leaves report.json there: its work, and
 * what the kernel has counted of it (/proc/self/io, getrusage(), and for
 * network, /proc/net/snmp in a network namespace of its own).
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, MAX = 1 << 20 };

static char buf[MAX] __attribute__((aligned(PAGE)));
static long done; /* the work's own count */
static long bytes;
static volatile sig_atomic_t handled;
static int in_net;

static long
must(long r, const char *what)
{
	if (r < 0) {
		perror(what);
		exit(99);
	}
	return r;
}

static int
scratch(const char *name, int flags)
{
	return (int)must(open(name, flags | O_CREAT, 0644), name);
}

/* -- files ------------------------------------------------------------- */

static void
opens(long n, long m)
{
	(void)m;
	close(scratch("here", O_RDWR));
	for (; done < n; done++)
		close((int)must(open("here", O_RDONLY), "open"));
}

static void
missing(long n, long m)
{
	(void)m;
	for (; done < n; done++)
		if (open("/nonexistent/file", O_RDONLY) >= 0)
			exit(98);
}

static void
reads(long n, long m)
{
	int fd = (int)must(open("/dev/zero", O_RDONLY), "/dev/zero");

	for (; done < n; done++)
		bytes += must(read(fd, buf, (size_t)m), "read");
	close(fd);
}

static void
writes(long n, long m)
{
	int fd = scratch("data", O_WRONLY | O_TRUNC);

	for (; done < n; done++)
		bytes += must(write(fd, buf, (size_t)m), "write");
	close(fd);
}

static void
preads(long n, long m)
{
	int fd = scratch("data", O_RDWR | O_TRUNC);

	must(pwrite(fd, buf, (size_t)(n * m), 0), "pwrite");
	for (; done < n; done++)
		bytes += must(pread(fd, buf, (size_t)m, done * m), "pread");
	close(fd);
}

/* Read a file of n bytes, m bytes at a time; the last read finds the end. */
static void
scan(long n, long m)
{
	int fd = scratch("data", O_RDWR | O_TRUNC);
	long r;

	must(pwrite(fd, buf, (size_t)n, 0), "pwrite");
	do {
		r = must(read(fd, buf, (size_t)m), "read");
		bytes += r;
		done++;
	} while (r > 0);
	close(fd);
}

static void
vectors(long n, long m)
{
	int fd = scratch("data", O_RDWR | O_TRUNC);

	for (; done < n; done++) {
		struct iovec v[2] = { { buf, (size_t)m }, { buf, (size_t)m } };

		bytes += must(writev(fd, v, 2), "writev");
	}
	close(fd);
}

static void
seeks(long n, long m)
{
	int fd = scratch("data", O_RDWR | O_TRUNC);

	for (; done < n; done++)
		must(lseek(fd, done * m, SEEK_SET), "lseek");
	close(fd);
}

static void
renames(long n, long m)
{
	char from[32], to[32];

	(void)m;
	for (; done < n; done++) {
		snprintf(from, sizeof from, "old%ld", done);
		snprintf(to, sizeof to, "new%ld", done);
		close(scratch(from, O_WRONLY));
		must(rename(from, to), "rename");
		must(unlink(to), "unlink");
	}
}

static void
folders(long n, long m)
{
	char name[32], sub[40];

	(void)m;
	for (; done < n; done++) {
		snprintf(name, sizeof name, "dir%ld", done);
		snprintf(sub, sizeof sub, "%s/link", name);
		must(mkdir(name, 0755), "mkdir");
		must(symlink("nowhere", sub), "symlink");
		must(readlink(sub, buf, sizeof buf), "readlink");
		must(unlink(sub), "unlink");
		must(rmdir(name), "rmdir");
	}
}

static void
stats(long n, long m)
{
	struct stat st;

	(void)m;
	close(scratch("here", O_RDWR));
	for (; done < n; done++) {
		must(stat("here", &st), "stat");
		must(access("here", R_OK), "access");
		must(chmod("here", done & 1 ? 0600 : 0644), "chmod");
	}
}

static void
lists(long n, long m)
{
	(void)m;
	for (; done < n; done++) {
		DIR *d = opendir(".");

		while (d != NULL && readdir(d) != NULL)
			;
		closedir(d);
	}
}

static void
flocks(long n, long m)
{
	int fd = scratch("lock", O_RDWR);

	(void)m;
	for (; done < n; done++) {
		must(flock(fd, LOCK_EX), "flock");
		must(flock(fd, LOCK_UN), "flock");
	}
	close(fd);
}

/* Cause n errors of each of four kinds. */
static void
errors(long n, long m)
{
	(void)m;
	for (; done < n; done++) {
		if (read(-1, buf, 1) >= 0 ||
		    open("/nonexistent", O_RDONLY) >= 0 ||
		    mkdir("/", 0755) == 0 || kill(1, 1000) == 0)
			exit(98);
	}
}

/* -- disks ------------------------------------------------------------- */

static void
syncs(long n, long m)
{
	int fd = scratch("synced", O_WRONLY | O_TRUNC);

	for (; done < n; done++) {
		bytes += must(write(fd, buf, (size_t)m), "write");
		must(fsync(fd), "fsync");
	}
	close(fd);
}

/* n blocks of m bytes are written past the cache, then read. */
static void
direct(long n, long m)
{
	int fd = scratch("direct", O_RDWR | O_TRUNC | O_DIRECT);

	for (; done < n; done++)
		bytes += must(pwrite(fd, buf, (size_t)m, done * m), "pwrite");
	must(fsync(fd), "fsync");
	for (done = 0; done < n; done++)
		must(pread(fd, buf, (size_t)m, done * m), "pread");
	close(fd);
}

/* n pages of a file that are not in the cache are read through a mapping. */
static void
major(long n, long m)
{
	int fd = scratch("mapped", O_RDWR | O_TRUNC);
	volatile char *p;

	(void)m;
	for (long i = 0; i < n; i++)
		must(write(fd, buf, PAGE), "write");
	must(fsync(fd), "fsync");
	must(-posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), "fadvise");
	p = mmap(NULL, (size_t)(n * PAGE), PROT_READ, MAP_SHARED, fd, 0);
	madvise((void *)p, (size_t)(n * PAGE), MADV_RANDOM);
	for (; done < n; done++)
		bytes += p[done * PAGE];
	close(fd);
}

/* -- processes --------------------------------------------------------- */

static int
reap(pid_t pid)
{
	int status;

	must(waitpid(pid, &status, 0), "waitpid");
	return status;
}

static void
forks(long n, long m)
{
	for (; done < n; done++) {
		pid_t pid = (pid_t)must(fork(), "fork");

		if (pid == 0)
			_exit(m ? (int)(done % m) : 0);
		reap(pid);
	}
}

static const char *self;

static void
execs(long n, long m)
{
	for (; done < n; done++) {
		pid_t pid = (pid_t)must(fork(), "fork");

		if (pid == 0) {
			char code[24];

			snprintf(code, sizeof code, "%ld", m ? done % m : 0);
			execl(self, self, "quiet", code, (char *)NULL);
			_exit(97);
		}
		reap(pid);
	}
}

static void
badexecs(long n, long m)
{
	(void)m;
	for (; done < n; done++)
		execl("/nonexistent/program", "program", (char *)NULL);
}

static void
handler(int sig)
{
	(void)sig;
	handled++;
}

static void
signals(long n, long m)
{
	(void)m;
	signal(SIGUSR1, handler);
	for (; done < n; done++)
		must(kill(getpid(), SIGUSR1), "kill");
	if (handled != n)
		exit(98);
}

static void
ignored(long n, long m)
{
	(void)m;
	signal(SIGUSR2, SIG_IGN);
	for (; done < n; done++)
		must(kill(getpid(), SIGUSR2), "kill");
}

/* Children wait, and a signal ends each. */
static void
kills(long n, long m)
{
	for (; done < n; done++) {
		pid_t pid = (pid_t)must(fork(), "fork");

		if (pid == 0)
			for (;;)
				pause();
		must(kill(pid, (int)m), "kill");
		reap(pid);
	}
}

static volatile uintptr_t nowhere = 8;

static void
crashes(long n, long m)
{
	struct rlimit none = { 0, 0 };

	(void)m;
	setrlimit(RLIMIT_CORE, &none);
	for (; done < n; done++) {
		pid_t pid = (pid_t)must(fork(), "fork");

		if (pid == 0) {
			*(volatile int *)nowhere = 1;
			_exit(0);
		}
		reap(pid);
	}
}

static void *
thread(void *arg)
{
	return arg;
}

static void
threads(long n, long m)
{
	(void)m;
	for (; done < n; done++) {
		pthread_t t;

		must(-pthread_create(&t, NULL, thread, NULL), "pthread_create");
		pthread_join(t, NULL);
	}
}

/* -- time -------------------------------------------------------------- */

static void
sleeps(long n, long m)
{
	struct timespec t = { m / 1000, m % 1000 * 1000000 };

	for (; done < n; done++)
		nanosleep(&t, NULL);
}

static void
yields(long n, long m)
{
	(void)m;
	for (; done < n; done++)
		sched_yield();
}

static void
nices(long n, long m)
{
	(void)m;
	for (; done < n; done++)
		must(setpriority(PRIO_PROCESS, 0, 10 + (int)(done & 1)),
		    "setpriority");
}

/* Run until n ms of CPU time are used. */
static void
burn(long n, long m)
{
	struct timespec t;

	(void)m;
	do {
		for (volatile int i = 0; i < 10000; i++)
			;
		done++;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < n);
}

/* A token goes forth and back n times between two processes. */
static void
pingpong(long n, long m)
{
	int there[2], back[2];
	pid_t pid;

	(void)m;
	must(pipe(there), "pipe");
	must(pipe(back), "pipe");
	pid = (pid_t)must(fork(), "fork");
	if (pid == 0) {
		for (long i = 0; i < n; i++) {
			must(read(there[0], buf, 1), "read");
			must(write(back[1], buf, 1), "write");
		}
		_exit(0);
	}
	for (; done < n; done++) {
		must(write(there[1], buf, 1), "write");
		must(read(back[0], buf, 1), "read");
	}
	reap(pid);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rounds;

static void *
contender(void *arg)
{
	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		__atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
		usleep(100);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

/* n rounds of each of m threads, at most 8; each gets its number. */
static void
together(void *(*work)(void *), long n, long m)
{
	pthread_t t[8];

	rounds = n;
	for (long i = 0; i < m && i < 8; i++)
		must(-pthread_create(&t[i], NULL, work, (void *)(intptr_t)i),
		    "pthread_create");
	for (long i = 0; i < m && i < 8; i++)
		pthread_join(t[i], NULL);
}

static void
mutex(long n, long m)
{
	together(contender, n, m);
}

/* A thread that makes and removes files of one directory. */
static void *
maker(void *arg)
{
	char name[32];

	snprintf(name, sizeof name, "made%ld", (long)(intptr_t)arg);
	for (long i = 0; i < rounds; i++) {
		close(scratch(name, O_WRONLY));
		unlink(name);
		__atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void
makers(long n, long m)
{
	together(maker, n, m);
}

/* -- memory ------------------------------------------------------------ */

static char *
anonymous(long n)
{
	char *p = mmap(NULL, (size_t)(n * PAGE), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(98);
	madvise(p, (size_t)(n * PAGE), MADV_NOHUGEPAGE);
	return p;
}

static void
faults(long n, long m)
{
	volatile char *p = anonymous(n);

	(void)m;
	for (; done < n; done++)
		p[done * PAGE] = 1;
}

/* A child writes to n pages that it shares with its parent. */
static void
cow(long n, long m)
{
	volatile char *p = anonymous(n);
	pid_t pid;

	(void)m;
	for (; done < n; done++)
		p[done * PAGE] = 1;
	pid = (pid_t)must(fork(), "fork");
	if (pid == 0) {
		for (long i = 0; i < n; i++)
			p[i * PAGE] = 2;
		_exit(0);
	}
	reap(pid);
}

static void
maps(long n, long m)
{
	int fd = (int)must(open("/dev/zero", O_RDONLY), "/dev/zero");

	for (; done < n; done++) {
		void *p = mmap(NULL, (size_t)m, PROT_READ, MAP_PRIVATE, fd, 0);

		munmap(p, (size_t)m);
	}
	close(fd);
}

/* -- network ----------------------------------------------------------- */

static void
own_net(void)
{
	struct ifreq r = { .ifr_name = "lo" };
	int fd;

	must(unshare(CLONE_NEWNET), "unshare");
	fd = (int)must(socket(AF_INET, SOCK_DGRAM, 0), "socket");
	must(ioctl(fd, SIOCGIFFLAGS, &r), "lo");
	r.ifr_flags |= IFF_UP;
	must(ioctl(fd, SIOCSIFFLAGS, &r), "lo");
	close(fd);
	in_net = 1;
}

static struct sockaddr_in
local(int port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static void
must_all(ssize_t (*call)(int, void *, size_t), int fd, long m)
{
	while (m > 0)
		m -= must(call(fd, buf, (size_t)m), "socket");
}

static ssize_t
put(int fd, void *p, size_t n)
{
	return write(fd, p, n);
}

/* n connections to port 8642; each sends m bytes and gets them back. */
static void
tcp(long n, long m)
{
	struct sockaddr_in a = local(8642);
	int on = 1, l;
	pid_t pid;

	own_net();
	l = (int)must(socket(AF_INET, SOCK_STREAM, 0), "socket");
	setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	must(bind(l, (struct sockaddr *)&a, sizeof a), "bind");
	must(listen(l, 16), "listen");
	pid = (pid_t)must(fork(), "fork");
	if (pid == 0) {
		for (long i = 0; i < n; i++) {
			int c = (int)must(accept(l, NULL, NULL), "accept");

			must_all(read, c, m);
			must_all(put, c, m);
			close(c);
		}
		_exit(0);
	}
	for (; done < n; done++) {
		int c = (int)must(socket(AF_INET, SOCK_STREAM, 0), "socket");

		must(connect(c, (struct sockaddr *)&a, sizeof a), "connect");
		must_all(put, c, m);
		must_all(read, c, m);
		bytes += m;
		while (read(c, buf, 1) > 0)
			;
		close(c);
	}
	reap(pid);
	close(l);
}

/* Connections to a port without a listener. */
static void
refused(long n, long m)
{
	struct sockaddr_in a = local(8643);

	(void)m;
	own_net();
	for (; done < n; done++) {
		int c = (int)must(socket(AF_INET, SOCK_STREAM, 0), "socket");

		if (connect(c, (struct sockaddr *)&a, sizeof a) == 0)
			exit(98);
		close(c);
	}
}

/* n datagrams of m bytes to port 8644. */
static void
udp(long n, long m)
{
	struct sockaddr_in a = local(8644);
	int to, from;

	own_net();
	to = (int)must(socket(AF_INET, SOCK_DGRAM, 0), "socket");
	from = (int)must(socket(AF_INET, SOCK_DGRAM, 0), "socket");
	must(bind(to, (struct sockaddr *)&a, sizeof a), "bind");
	for (; done < n; done++) {
		must(sendto(from, buf, (size_t)m, 0, (struct sockaddr *)&a,
			 sizeof a),
		    "sendto");
		bytes += must(recv(to, buf, sizeof buf, 0), "recv");
	}
	close(to);
	close(from);
}

/* -- the report -------------------------------------------------------- */

struct io {
	long rchar, wchar, syscr, syscw, rbytes, wbytes;
	long length;
};

static struct io
io_now(void)
{
	char text[512];
	struct io io = { 0 };
	int fd = open("/proc/self/io", O_RDONLY);
	ssize_t n = read(fd, text, sizeof text - 1);

	close(fd);
	if (n <= 0)
		return io;
	text[n] = '\0';
	sscanf(text,
	    "rchar: %ld wchar: %ld syscr: %ld syscw: %ld read_bytes: %ld "
	    "write_bytes: %ld",
	    &io.rchar, &io.wchar, &io.syscr, &io.syscw, &io.rbytes, &io.wbytes);
	io.length = n;
	return io;
}

static size_t
usage(char *to, size_t room, const char *name, int who)
{
	struct rusage r;

	getrusage(who, &r);
	return (size_t)snprintf(to, room,
	    ", \"%s\": {\"minflt\": %ld, \"majflt\": %ld, "
	    "\"nvcsw\": %ld, \"nivcsw\": %ld, \"inblock\": %ld, \"oublock\": %ld, "
	    "\"cpu_us\": %ld}",
	    name, r.ru_minflt, r.ru_majflt, r.ru_nvcsw, r.ru_nivcsw,
	    r.ru_inblock, r.ru_oublock,
	    (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000L +
		r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

/* Copy "Tcp: names" and "Tcp: numbers" as they are: the runner reads them. */
static size_t
snmp(char *to, size_t room)
{
	static char text[8192];
	int fd = open("/proc/self/net/snmp", O_RDONLY);
	ssize_t n = read(fd, text, sizeof text - 1);
	size_t len = (size_t)snprintf(to, room, ", \"snmp\": \"");

	close(fd);
	for (ssize_t i = 0; i < n && len + 3 < room; i++) {
		if (text[i] == '\n') {
			to[len++] = '\\';
			to[len++] = 'n';
		} else {
			to[len++] = text[i];
		}
	}
	to[len++] = '"';
	return len;
}

/* The kernel's counts include the report itself: one read, one write. */
static void
report(const char *what, struct io before)
{
	static char text[16384];
	struct io io = io_now();
	size_t len = (size_t)snprintf(text, sizeof text,
	    "{\"what\": \"%s\", \"pid\": %d, \"done\": %ld, \"bytes\": %ld, "
	    "\"rchar\": %ld, \"syscr\": %ld, \"wchar\": %ld, \"syscw\": %ld, "
	    "\"read_bytes\": %ld, \"write_bytes\": %ld",
	    what, getpid(), done, bytes, io.rchar - before.rchar + io.length,
	    io.syscr - before.syscr + 1, io.wchar - before.wchar,
	    io.syscw - before.syscw + 1, io.rbytes - before.rbytes,
	    io.wbytes - before.wbytes);
	int fd;

	len += usage(text + len, sizeof text - len, "self", RUSAGE_SELF);
	len +=
	    usage(text + len, sizeof text - len, "children", RUSAGE_CHILDREN);
	if (in_net)
		len += snmp(text + len, sizeof text - len);
	text[len++] = '}';
	fd = scratch("report.json", O_WRONLY | O_TRUNC);
	must(write(fd, text, len), "report.json");
	close(fd);
}

static const struct {
	const char *name;
	void (*work)(long n, long m);
} works[] = {
	{ "opens", opens },
	{ "missing", missing },
	{ "reads", reads },
	{ "writes", writes },
	{ "preads", preads },
	{ "scan", scan },
	{ "vectors", vectors },
	{ "seeks", seeks },
	{ "renames", renames },
	{ "folders", folders },
	{ "stats", stats },
	{ "lists", lists },
	{ "flocks", flocks },
	{ "errors", errors },
	{ "syncs", syncs },
	{ "direct", direct },
	{ "major", major },
	{ "forks", forks },
	{ "execs", execs },
	{ "badexecs", badexecs },
	{ "signals", signals },
	{ "ignored", ignored },
	{ "kills", kills },
	{ "crashes", crashes },
	{ "threads", threads },
	{ "sleeps", sleeps },
	{ "yields", yields },
	{ "nices", nices },
	{ "burn", burn },
	{ "pingpong", pingpong },
	{ "mutex", mutex },
	{ "makers", makers },
	{ "faults", faults },
	{ "cow", cow },
	{ "maps", maps },
	{ "tcp", tcp },
	{ "refused", refused },
	{ "udp", udp },
};

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 0;
	long m = argc > 3 ? atol(argv[3]) : 0;

	self = argv[0];
	if (strcmp(what, "quiet") == 0)
		return (int)n;
	for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
		if (strcmp(what, works[i].name) == 0) {
			struct io before = io_now();

			works[i].work(n, m);
			report(what, before);
			return 0;
		}
	}
	fprintf(stderr, "usage: toil WHAT [N [M]]\n");
	return 2;
}
