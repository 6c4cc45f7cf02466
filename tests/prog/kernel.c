/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work for the kernel, each of which it counts: kernel WHAT [N].  What is known
 * of it is done between two calls of getppid().
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096UL

static void
check(int good, const char *what)
{
	if (!good) {
		perror(what);
		exit(1);
	}
}

static void
mark(void)
{
	syscall(SYS_getppid);
}

/* Small pages of this process alone. */
static volatile char *
map_pages(unsigned long n)
{
	char *p = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(p != MAP_FAILED, "mmap");
	madvise(p, n * PAGE, MADV_NOHUGEPAGE);
	return p;
}

static void
write_pages(volatile char *p, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		p[i * PAGE] = 1;
}

static void
read_pages(const volatile char *p, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		(void)p[i * PAGE];
}

/* N pages are written to. */
static void
zeroed(unsigned long n)
{
	volatile char *p = map_pages(n);

	write_pages(map_pages(1), 1);
	mark();
	write_pages(p, n);
	mark();
}

/* N pages are read, and then written to. */
static void
copied(unsigned long n)
{
	volatile char *p = map_pages(n), *one = map_pages(1);

	read_pages(one, 1);
	write_pages(one, 1);
	mark();
	read_pages(p, n);
	write_pages(p, n);
	mark();
}

static bool
is_here(volatile char *page)
{
	unsigned char is_in;

	check(mincore((char *)(uintptr_t)page, PAGE, &is_in) == 0, "mincore");
	return is_in & 1;
}

/*
 * N pages go to swap space, and come back.  While they are written, and once
 * they are, they are still there to be found: only those that are found and
 * then need no writing are gone.
 */
static void
swapped(unsigned long n)
{
	volatile char *p = map_pages(n);
	struct timespec some = { 0, 100000000 };
	bool is_any_here = true;

	write_pages(p, n);
	mark();
	while (is_any_here) {
		is_any_here = false;
		madvise((char *)(uintptr_t)p, n * PAGE, MADV_PAGEOUT);
		nanosleep(&some, NULL);
		for (unsigned long i = 0; i < n; i++) {
			if (is_here(p + i * PAGE)) {
				read_pages(p + i * PAGE, 1);
				is_any_here = true;
			}
		}
	}
	read_pages(p, n);
	mark();
}

/* A page of a file that is not in memory. */
static void
faulted(unsigned long n)
{
	int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
	const volatile char *p;
	char page[PAGE] = { 1 };

	(void)n;
	check(fd >= 0 && write(fd, page, sizeof(page)) == sizeof(page) &&
		fsync(fd) == 0,
	    "file");
	p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	check(p != MAP_FAILED, "mmap");
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	mark();
	read_pages(p, 1);
	mark();
}

/* N messages are sent and received, N semaphores go up and down. */
static void
messages(unsigned long n)
{
	struct {
		long type;
		char text[8];
	} msg = { 1, "hello" };
	struct sembuf up = { .sem_op = 1 }, down = { .sem_op = -1 };
	struct timespec second = { 1, 0 };
	int q = msgget(IPC_PRIVATE, 0600), s = semget(IPC_PRIVATE, 1, 0600);

	check(q >= 0 && s >= 0, "msgget, semget");
	mark();
	for (unsigned long i = 0; i < n; i++) {
		msgsnd(q, &msg, sizeof(msg.text), 0);
		msgrcv(q, &msg, sizeof(msg.text), 0, 0);
		semop(s, &up, 1);
		syscall(SYS_semtimedop, s, &down, 1, &second);
	}
	mark();
	msgctl(q, IPC_RMID, NULL);
	semctl(s, 0, IPC_RMID);
}

/* The path of a file is walked N times. */
static void
names(unsigned long n)
{
	struct stat st;

	mark();
	for (unsigned long i = 0; i < n; i++)
		syscall(SYS_stat, "/", &st);
	mark();
}

/* Somebody without privileges may not have another process. */
static void
refused(unsigned long n)
{
	struct rlimit none = { 0, 0 };

	(void)n;
	check(setrlimit(RLIMIT_NPROC, &none) == 0 && setuid(12345) == 0,
	    "setuid");
	mark();
	check(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) < 0 && errno == EAGAIN,
	    "clone");
	mark();
}

static void
end_child(long pid)
{
	if (pid == 0)
		_exit(0);
	check(pid > 0 && waitpid((pid_t)pid, NULL, 0) == pid, "fork");
}

/* Processes by each call that makes them. */
static void
forked(unsigned long n)
{
	/* struct clone_args: the signal at its end is the fifth */
	unsigned long args[8] = { 0, 0, 0, 0, SIGCHLD };
	pid_t pid;

	(void)n;
	mark();
	end_child(syscall(SYS_fork));
	end_child(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
	end_child(syscall(SYS_clone3, args, sizeof(args)));
	pid = vfork();
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	mark();
}

/* ---- threads that are in each other's way ----------------------------------
 */

#define NIOVS 256

static int shared_fd;
static atomic_int is_busy;
static char block[1 << 19];

static void
run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	check(sched_setaffinity(0, sizeof(set), &set) == 0, "affinity");
}

static int
temporary_file(void)
{
	int fd = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);

	check(fd >= 0, "/dev/shm");
	return fd;
}

static pthread_t
start(void *(*f)(void *), long arg)
{
	pthread_t thread;

	check(pthread_create(&thread, NULL, f, (void *)arg) == 0, "thread");
	return thread;
}

/* One call that keeps a file's locks for a while. */
static void *
write_long(void *arg)
{
	struct iovec v[NIOVS];

	run_on((int)(intptr_t)arg);
	for (int i = 0; i < NIOVS; i++)
		v[i] = (struct iovec){ block, sizeof(block) };
	is_busy = 1;
	check(writev(shared_fd, v, NIOVS) > 0, "writev");
	is_busy = 2;
	return NULL;
}

/* Keeps a CPU until there is nothing to wait for. */
static void *
spin(void *arg)
{
	run_on((int)(intptr_t)arg);
	if (is_busy == 0)
		is_busy = 1;
	while (is_busy == 1)
		;
	return NULL;
}

/*
 * Who spins for a lock goes on as long as its owner runs, unless somebody else
 * wants the CPU.
 */
static void
beside_long_write(void (*f)(void))
{
	struct timespec some = { 0, 3000000 };
	pthread_t writer, other;

	shared_fd = temporary_file();
	run_on(0);
	writer = start(write_long, 1);
	while (is_busy == 0)
		;
	other = start(spin, 0);
	nanosleep(&some, NULL);
	check(is_busy == 1, "the write was too short");
	mark();
	f();
	mark();
	pthread_join(writer, NULL);
	pthread_join(other, NULL);
}

/* The file's position has a mutex. */
static void
seek(void)
{
	lseek(shared_fd, 0, SEEK_CUR);
}

/* Its inode has a lock for readers and writers. */
static void
write_beside(void)
{
	check(pwrite(shared_fd, "x", 1, 0) == 1, "pwrite");
}

static void
mutex(unsigned long n)
{
	(void)n;
	beside_long_write(seek);
}

static void
rwlock(unsigned long n)
{
	(void)n;
	beside_long_write(write_beside);
}

static void *
be_traced(void *arg)
{
	(void)arg;
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	return NULL;
}

/* Its other thread's end is not noticed by who traces that: exec waits for it,
 * and has a mutex that ptrace wants. */
static void
execute_slowly(void)
{
	pthread_t thread = start(be_traced, 0);
	struct timespec some = { 0, 50000000 };

	(void)thread;
	nanosleep(&some, NULL);
	execlp("true", "true", NULL);
	_exit(127);
}

static void
notice_ends(int sig)
{
	(void)sig;
	waitpid(-1, NULL, __WALL);
}

/* A signal ends the wait for a mutex. */
static void
interrupted(unsigned long n)
{
	struct sigaction sa = { .sa_handler = notice_ends };
	struct itimerval soon = { .it_value.tv_usec = 100000 };
	struct timespec some = { 0, 200000000 };
	pid_t pid = fork();

	(void)n;
	if (pid == 0)
		execute_slowly();
	nanosleep(&some, NULL);
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	mark();
	ptrace(PTRACE_ATTACH, pid, NULL, NULL);
	mark();
	kill(pid, SIGKILL);
}

/* Another CPU is told N times to look at memory. */
static void
barriers(unsigned long n)
{
	pthread_t thread;

	syscall(
	    SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	run_on(0);
	thread = start(spin, 1);
	while (is_busy == 0)
		;
	mark();
	for (unsigned long i = 0; i < n; i++)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	mark();
	is_busy = 2;
	pthread_join(thread, NULL);
}

/* Two threads at one spinlock, that of an eventfd's waiters, at one rwlock_t,
 * that of the list of all processes, and at a mutex, that of a file's position.
 */
static void *
hammer(void *arg)
{
	int events = *(int *)arg;
	uint64_t one = 1;

	while (is_busy != 2) {
		check(
		    write(events, &one, sizeof(one)) == sizeof(one), "eventfd");
		setpgid(0, 0);
		lseek(shared_fd, 0, SEEK_CUR);
	}
	return NULL;
}

/* For N milliseconds. */
static void
hammered(unsigned long n)
{
	struct timespec ts = { (time_t)(n / 1000), (long)(n % 1000) * 1000000 };
	int events = eventfd(0, 0);
	pthread_t threads[2];

	shared_fd = temporary_file();
	for (int i = 0; i < 2; i++)
		threads[i] = start(hammer, (long)&events);
	nanosleep(&ts, NULL);
	is_busy = 2;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* Locks that nobody else wants are taken. */
static void
locks(unsigned long n)
{
	volatile char *p = map_pages(2);
	int fd = temporary_file(),
	    dir = open("/dev/shm", O_RDONLY | O_DIRECTORY);
	char entries[1024];

	(void)n;
	check(dup(fd) >= 0 && dir >= 0, "dup");
	write_pages(p, 2);
	mark();
	lseek(fd, 0, SEEK_CUR);
	check(pwrite(fd, "x", 1, 0) == 1, "pwrite");
	syscall(SYS_getdents64, dir, entries, sizeof(entries));
	munmap((void *)(uintptr_t)p, 2 * PAGE);
	mark();
}

static const struct {
	const char *name;
	void (*f)(unsigned long n);
} works[] = {
	{ "barriers", barriers },
	{ "copied", copied },
	{ "faulted", faulted },
	{ "forked", forked },
	{ "hammered", hammered },
	{ "interrupted", interrupted },
	{ "locks", locks },
	{ "messages", messages },
	{ "mutex", mutex },
	{ "names", names },
	{ "refused", refused },
	{ "rwlock", rwlock },
	{ "swapped", swapped },
	{ "zeroed", zeroed },
};

int
main(int argc, char *argv[])
{
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		if (argc >= 2 && strcmp(argv[1], works[i].name) == 0) {
			works[i].f(argc > 2 ? strtoul(argv[2], NULL, 10) : 1);
			return 0;
		}
	}
	fprintf(stderr, "usage: kernel WHAT [N]\n");
	return 2;
}
