/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel WHAT [N]: work of known amount in the kernel, which counts it.  The
 * known part is done between two calls of getppid().
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

static void
run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	check(sched_setaffinity(0, sizeof(set), &set) == 0, "affinity");
}

/* Small pages that no other process shares. */
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

static long
minor_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

/* N pages are written. */
static void
zeroed(unsigned long n)
{
	volatile char *p = map_pages(n);

	write_pages(map_pages(1), 1);
	mark();
	write_pages(p, n);
	mark();
}

/* N pages are read and then written; the kernel counts a fault for each. */
static void
copied(unsigned long n)
{
	volatile char *p = map_pages(n), *one = map_pages(1);
	long before;

	minor_faults();
	read_pages(one, 1);
	write_pages(one, 1);
	mark();
	before = minor_faults();
	read_pages(p, n);
	write_pages(p, n);
	check(minor_faults() - before == (long)(2 * n), "faults");
	mark();
}

#define LARGE (512 * PAGE)

/* Is the memory in large pages?  /proc says it for the first of them. */
static bool
is_first_large(volatile char *p, unsigned long n)
{
	char line[256];
	unsigned long kb = 0;
	bool is_in = false;
	FILE *f = fopen("/proc/self/smaps", "r");

	check(f != NULL, "smaps");
	write_pages(p, n * 512);
	while (fgets(line, sizeof(line), f) != NULL) {
		char *end;
		unsigned long from = strtoul(line, &end, 16);

		if (*end == '-')
			is_in = from <= (uintptr_t)p &&
			    (uintptr_t)p < strtoul(end + 1, NULL, 16);
		if (is_in)
			sscanf(line, "AnonHugePages: %lu", &kb);
	}
	fclose(f);
	return kb * 1024 == n * LARGE;
}

/* Memory for N large pages is written; first it is checked that there are
 * any. */
static void
large(unsigned long n)
{
	size_t size = (n + 1) * LARGE;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(p != MAP_FAILED, "mmap");
	p += -(uintptr_t)p % LARGE;
	check(madvise(p, n * LARGE, MADV_HUGEPAGE) == 0, "madvise");
	for (int tries = 0; !is_first_large(p, n) && tries < 20; tries++)
		madvise(p, n * LARGE, MADV_DONTNEED);
	madvise(p, n * LARGE, MADV_DONTNEED);
	mark();
	write_pages(p, n * 512);
	mark();
}

static sigjmp_buf fault;

static void
leave_fault(int sig)
{
	(void)sig;
	siglongjmp(fault, 1);
}

/*
 * Writes to present, read-only pages: N that a child shares, which are copied;
 * N of a file; and one that may not be written.
 */
static void
shared(unsigned long n)
{
	struct sigaction sa = { .sa_handler = leave_fault };
	int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600), end[2];
	volatile char *p = map_pages(n), *file;
	char c;

	check(
	    fd >= 0 && pipe(end) == 0 && ftruncate(fd, (off_t)(n * PAGE)) == 0,
	    "file");
	file = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	check(file != MAP_FAILED, "mmap");
	write_pages(p, n);
	write_pages(file, n);
	check(msync((void *)(uintptr_t)file, n * PAGE, MS_SYNC) == 0, "msync");
	read_pages(file, n);
	sigaction(SIGSEGV, &sa, NULL);
	if (fork() == 0) {
		close(end[1]);
		_exit(read(end[0], &c, 1) != 0);
	}
	/* beforehand, so that the stack's page is copied */
	write_pages(map_pages(1), 1);
	mark();
	write_pages(p, n);
	write_pages(file, n);
	mark();
	close(end[1]);
	wait(NULL);
	mprotect((void *)(uintptr_t)p, PAGE, PROT_READ);
	/* once beforehand, for the stack's pages again */
	if (sigsetjmp(fault, 1) == 0)
		raise(SIGSEGV);
	if (sigsetjmp(fault, 1) == 0) {
		mark();
		*p = 2;
	}
	mark();
}

static bool
is_here(volatile char *page)
{
	unsigned char is_in;

	check(mincore((char *)(uintptr_t)page, PAGE, &is_in) == 0, "mincore");
	return is_in & 1;
}

/* N pages stay in memory while the process is stopped. */
static void
held(unsigned long n)
{
	volatile char *p = map_pages(n);

	write_pages(p, n);
	check(mlock((void *)(uintptr_t)p, n * PAGE) == 0, "mlock");
	raise(SIGSTOP);
}

/*
 * N pages go to swap space, and come back.  A page that is being written stays
 * in memory, and is there for some time after.  Only a page that the kernel
 * then finds unchanged is gone.
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

/* A page of a file that is not in memory is read. */
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

/* Paths of each kind: two walks for a rename, one for each other. */
static void
paths(unsigned long n)
{
	(void)n;
	mark();
	check(mkdir("made", 0700) == 0, "mkdir");
	close(open("made/file", O_WRONLY | O_CREAT, 0600));
	close(open("made/file", O_RDONLY));
	rename("made/file", "made/renamed");
	unlink("made/renamed");
	rmdir("made");
	mark();
}

/* Calls that change a thread's priority, and calls that leave it as it is. */
static void
priorities(unsigned long n)
{
	struct sched_param ten = { 10 }, twenty = { 20 }, none = { 0 };

	(void)n;
	setpriority(PRIO_PROCESS, 0, 0);
	mark();
	setpriority(PRIO_PROCESS, 0, 5);
	setpriority(PRIO_PROCESS, 0, 5);
	check(sched_setscheduler(0, SCHED_FIFO, &ten) == 0, "setscheduler");
	setpriority(PRIO_PROCESS, 0, 7);
	sched_setparam(0, &twenty);
	sched_setparam(0, &twenty);
	sched_setparam(0, &none);
	sched_setscheduler(0, SCHED_OTHER, &none);
	mark();
}

/* A mark in each scheduling class, and then one bound to a CPU. */
static void
classes(unsigned long n)
{
	const int policies[] = { SCHED_OTHER, SCHED_BATCH, SCHED_IDLE,
		SCHED_FIFO, SCHED_RR };
	cpu_set_t all;

	(void)n;
	memset(&all, 0xff, sizeof(all));
	check(sched_setaffinity(0, sizeof(all), &all) == 0, "affinity");
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		struct sched_param param = { policies[i] == SCHED_FIFO ||
			policies[i] == SCHED_RR };

		check(sched_setscheduler(0, policies[i], &param) == 0,
		    "setscheduler");
		mark();
	}
	run_on(0);
	mark();
}

/* The directory, of one block, is listed N times on one CPU. */
static void
listed(unsigned long n)
{
	int fd = open(".", O_RDONLY | O_DIRECTORY);
	char entries[PAGE];

	run_on(0);
	syscall(SYS_getdents64, fd, entries, sizeof(entries));
	mark();
	for (; n > 0; n--) {
		lseek(fd, 0, SEEK_SET);
		syscall(SYS_getdents64, fd, entries, sizeof(entries));
	}
	mark();
}

/* A user without privileges, at the limit, may not make another process. */
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

/* Processes are made by each call that can make them. */
static void
forked(unsigned long n)
{
	/* struct clone_args: the fifth word is the signal at the child's end */
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

/* ---- threads that wait for each other ------------------------------------ */

static int shared_fd, event_fd;
static atomic_int is_busy;

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

/* Keep a CPU busy until is_busy says otherwise. */
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

/* Read the n-th field behind the name in a thread's stat. */
static void
read_stat(const char *thread, int n, char word[32])
{
	char path[64], text[1024], *p;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/stat", thread);
	fd = open(path, O_RDONLY);
	check(fd >= 0 && (got = read(fd, text, sizeof(text) - 1)) > 0, "stat");
	close(fd);
	text[got] = '\0';
	p = strrchr(text, ')') + 2;
	while (--n > 0)
		p = strchr(p, ' ') + 1;
	p[strcspn(p, " ")] = '\0';
	snprintf(word, 32, "%s", p);
}

static pthread_mutex_t inheriting;

static void *
want(void *arg)
{
	struct sched_param ten = { 10 };

	(void)arg;
	check(sched_setscheduler(0, SCHED_FIFO, &ten) == 0, "setscheduler");
	pthread_mutex_lock(&inheriting);
	pthread_mutex_unlock(&inheriting);
	return NULL;
}

/* A mutex's owner inherits the priority of a waiting thread. */
static void
inherited(unsigned long n)
{
	pthread_mutexattr_t attr;
	struct timespec some = { 0, 1000000 };
	char priority[32], self[16];
	pthread_t thread;

	(void)n;
	snprintf(self, sizeof(self), "%d", getpid());
	setpriority(PRIO_PROCESS, 0, 0);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&inheriting, &attr);
	pthread_mutex_lock(&inheriting);
	thread = start(want, 0);
	do {
		nanosleep(&some, NULL);
		read_stat(self, 16, priority);
	} while (atoi(priority) >= 0);
	pthread_mutex_unlock(&inheriting);
	pthread_join(thread, NULL);
}

static char thread_ids[2][16];

static void
await_state(const char *thread, char state)
{
	struct timespec some = { 0, 1000000 };
	char word[32] = "";

	while (word[0] != state) {
		nanosleep(&some, NULL);
		if (thread[0] != '\0')
			read_stat(thread, 1, word);
	}
}

/* ---- the owner of a lock waits for a missing page */

static int faults;
static struct uffdio_zeropage missing;

/* A page that is missing until let_go() fills it. */
static volatile char *
map_missing(void)
{
	volatile char *p = map_pages(1);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register area = { .range = { (uintptr_t)p, PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING };

	missing.range = area.range;
	faults = (int)syscall(SYS_userfaultfd, 0);
	check(faults >= 0 && ioctl(faults, UFFDIO_API, &api) == 0 &&
		ioctl(faults, UFFDIO_REGISTER, &area) == 0,
	    "userfaultfd");
	return p;
}

/* Start a thread that runs f until it needs the missing page. */
static pthread_t
start_and_miss(void *(*f)(void *))
{
	volatile char *p = map_missing();
	pthread_t thread = start(f, (long)(uintptr_t)p);
	struct uffd_msg msg;

	check(read(faults, &msg, sizeof(msg)) == sizeof(msg), "read");
	return thread;
}

/* Fill the page once the process waits for the lock. */
static void *
let_go(void *arg)
{
	(void)arg;
	await_state(thread_ids[0], 'D');
	check(ioctl(faults, UFFDIO_ZEROPAGE, &missing) == 0, "zeropage");
	return NULL;
}

static pthread_t
start_to_let_go(void)
{
	snprintf(thread_ids[0], sizeof(thread_ids[0]), "%d", getpid());
	return start(let_go, 0);
}

static void *
write_from(void *memory)
{
	check(write(shared_fd, memory, 1) == 1, "write");
	return NULL;
}

static void
beside_write(void (*f)(void))
{
	pthread_t threads[2];

	shared_fd = temporary_file();
	threads[0] = start_and_miss(write_from);
	threads[1] = start_to_let_go();
	mark();
	f();
	mark();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* The file's position is protected by a mutex. */
static void
seek(void)
{
	lseek(shared_fd, 0, SEEK_CUR);
}

static void
mutex(unsigned long n)
{
	(void)n;
	beside_write(seek);
}

/* The file's inode has a readers/writer lock. */
static void
write_there(void)
{
	check(pwrite(shared_fd, "x", 1, 0) == 1, "pwrite");
}

static void
rwlock(unsigned long n)
{
	(void)n;
	beside_write(write_there);
}

static void *
list_into(void *memory)
{
	int fd = open("/dev/shm", O_RDONLY | O_DIRECTORY);

	syscall(SYS_getdents64, fd, memory, PAGE);
	close(fd);
	return NULL;
}

static void *
make_entry(void *arg)
{
	(void)arg;
	snprintf(thread_ids[1], sizeof(thread_ids[1]), "%ld",
	    (long)syscall(SYS_gettid));
	unlink("/dev/shm/no-such-file");
	return NULL;
}

/*
 * A directory's lock: one reader waits for memory, a writer waits for that
 * reader, and this process, as a second reader, waits behind both.
 */
static void
readers(unsigned long n)
{
	volatile char *mine = map_pages(1);
	int fd = open("/dev/shm", O_RDONLY | O_DIRECTORY);
	pthread_t threads[3];

	(void)n;
	write_pages(mine, 1);
	threads[0] = start_and_miss(list_into);
	threads[1] = start(make_entry, 0);
	await_state(thread_ids[1], 'D');
	threads[2] = start_to_let_go();
	mark();
	syscall(SYS_getdents64, fd, mine, PAGE);
	mark();
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void *
be_traced(void *arg)
{
	(void)arg;
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	snprintf(thread_ids[0], sizeof(thread_ids[0]), "%ld",
	    (long)syscall(SYS_gettid));
	return NULL;
}

static int exec_begun[2];

static void *
be_ended(void *arg)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);

	(void)arg;
	check(write(exec_begun[1], &tid, sizeof(tid)) == sizeof(tid), "write");
	is_busy = 1;
	pause();
	return NULL;
}

/* The tracer of one thread does not take note of its end.  exec waits for it,
 * holding a mutex that ptrace wants.  Another thread is ended by exec, which
 * shows that exec has come that far. */
static void
execute_slowly(void)
{
	start(be_traced, 0);
	await_state(thread_ids[0], 'Z');
	start(be_ended, 0);
	while (is_busy == 0)
		sched_yield();
	execlp("true", "true", NULL);
	_exit(127);
}

/* Wait until the process, which executes slowly, waits for its thread. */
static void
await_exec(pid_t pid)
{
	struct timespec some = { 0, 1000000 };
	pid_t tid;

	check(read(exec_begun[0], &tid, sizeof(tid)) == sizeof(tid), "read");
	while (syscall(SYS_tgkill, pid, tid, 0) == 0)
		nanosleep(&some, NULL);
	snprintf(thread_ids[1], sizeof(thread_ids[1]), "%d", pid);
	await_state(thread_ids[1], 'D');
}

static atomic_ulong interrupts;

/* The last signal ends the other thread, and so the wait. */
static void
count_interrupt(int sig)
{
	(void)sig;
	if (--interrupts == 0)
		waitpid(-1, NULL, __WALL);
}

/* Send each signal while the process waits. */
static void *
interrupt(void *thread)
{
	for (unsigned long left = interrupts; left > 0; left--) {
		while (interrupts != left)
			sched_yield();
		await_state(thread_ids[0], 'S');
		pthread_kill((pthread_t)thread, SIGALRM);
	}
	return NULL;
}

/* N signals interrupt the wait for a mutex, which goes on each time. */
static void
interrupted(unsigned long n)
{
	struct sigaction sa = { .sa_handler = count_interrupt };
	pthread_t thread;
	pid_t pid;

	check(pipe(exec_begun) == 0, "pipe");
	pid = fork();
	if (pid == 0)
		execute_slowly();
	await_exec(pid);
	snprintf(thread_ids[0], sizeof(thread_ids[0]), "%d", getpid());
	sigaction(SIGALRM, &sa, NULL);
	interrupts = n;
	thread = start(interrupt, (long)pthread_self());
	mark();
	ptrace(PTRACE_ATTACH, pid, NULL, NULL);
	mark();
	kill(pid, SIGKILL);
	pthread_join(thread, NULL);
}

/* A CPU that is kept busy is told N times to execute a memory barrier. */
static void
barriers(unsigned long n)
{
	struct sched_param param = { 1 };
	pthread_t thread;

	check(sched_setscheduler(0, SCHED_FIFO, &param) == 0, "setscheduler");

	syscall(
	    SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	run_on(0);
	thread = start(spin, 1);
	while (is_busy == 0)
		sched_yield();
	mark();
	for (unsigned long i = 0; i < n; i++)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	mark();
	is_busy = 2;
	pthread_join(thread, NULL);
}

static int turn;

/* A thread of higher priority than the one that wakes it. */
static void *
be_woken(void *arg)
{
	struct sched_param param = { 2 };

	check(sched_setscheduler(0, SCHED_FIFO, &param) == 0, "setscheduler");
	is_busy = 1;
	for (int i = 0; i < (int)(intptr_t)arg; i++)
		syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, i, NULL);
	return NULL;
}

/* N times, a thread of higher priority is woken on this CPU. */
static void
preempted(unsigned long n)
{
	struct sched_param param = { 1 };
	pthread_t thread;

	run_on(0);
	check(sched_setscheduler(0, SCHED_FIFO, &param) == 0, "setscheduler");
	thread = start(be_woken, (long)n);
	while (is_busy == 0)
		sched_yield();
	mark();
	for (unsigned long i = 0; i < n; i++) {
		turn++;
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1);
	}
	mark();
	pthread_join(thread, NULL);
}

/* N times, this CPU is offered to other threads, none of which may run. */
static void
yielded(unsigned long n)
{
	struct sched_param param = { 1 };

	run_on(0);
	check(sched_setscheduler(0, SCHED_FIFO, &param) == 0, "setscheduler");
	mark();
	for (unsigned long i = 0; i < n; i++)
		sched_yield();
	mark();
}

/* Two threads compete for a spinlock (of an eventfd's waiters), for an rwlock_t
 * (of the list of all processes), to write and to read it, and for a mutex (of
 * a file's position). */
static void *
hammer(void *cpu)
{
	uint64_t one = 1;

	run_on((int)(intptr_t)cpu);
	while (is_busy != 2) {
		check(write(event_fd, &one, sizeof(one)) == sizeof(one),
		    "eventfd");
		setpgid(0, 0);
		kill(0, 0);
		lseek(shared_fd, 0, SEEK_CUR);
	}
	return NULL;
}

#define NPOLLS 100

/* The two threads run for n milliseconds.  A write to the eventfd holds its
 * lock while it tells all waiters. */
static void
hammered(unsigned long n)
{
	struct timespec ts = { (time_t)(n / 1000), (long)(n % 1000) * 1000000 };
	pthread_t threads[2];

	event_fd = eventfd(0, 0);
	check(event_fd >= 0, "eventfd");
	for (int i = 0; i < NPOLLS; i++) {
		struct epoll_event in = { .events = EPOLLIN };
		int fd = epoll_create1(0);

		check(
		    epoll_ctl(fd, EPOLL_CTL_ADD, event_fd, &in) == 0, "epoll");
	}
	shared_fd = temporary_file();
	for (int i = 0; i < 2; i++)
		threads[i] = start(hammer, i);
	nanosleep(&ts, NULL);
	is_busy = 2;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* The thread moves N times to another CPU. */
static void
moved(unsigned long n)
{
	run_on(0);
	mark();
	for (unsigned long i = 1; i <= n; i++)
		run_on((int)(i % 2));
	mark();
}

/* The thread sleeps N times for a moment. */
static void
slept(unsigned long n)
{
	struct timespec some = { 0, 5000000 };

	mark();
	for (unsigned long i = 0; i < n; i++)
		nanosleep(&some, NULL);
	mark();
}

/* Locks are taken that no other thread wants. */
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
	{ "classes", classes },
	{ "copied", copied },
	{ "faulted", faulted },
	{ "forked", forked },
	{ "hammered", hammered },
	{ "held", held },
	{ "inherited", inherited },
	{ "interrupted", interrupted },
	{ "large", large },
	{ "listed", listed },
	{ "locks", locks },
	{ "messages", messages },
	{ "moved", moved },
	{ "mutex", mutex },
	{ "names", names },
	{ "paths", paths },
	{ "preempted", preempted },
	{ "priorities", priorities },
	{ "readers", readers },
	{ "refused", refused },
	{ "rwlock", rwlock },
	{ "shared", shared },
	{ "slept", slept },
	{ "swapped", swapped },
	{ "yielded", yielded },
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
