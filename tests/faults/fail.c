/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library, loaded before all others (LD_PRELOAD), that makes calls fail.
 *
 * The file $FAULT_PLAN (plan.h) selects the calls.  Processes that the program
 * forks go on counting in the same file.  Programs that it executes are not
 * affected: the variables are removed from the environment.
 *
 * The functions here are those by which the commands, libdtrace, libbpf and
 * libelf reach the kernel and the heap.  Calls within libc (openat() in
 * fopen()) do not pass here, so fopen() stands for them.
 */
#undef _FILE_OFFSET_BITS /* functions of both sizes are defined here */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <linux/bpf.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "plan.h"

#define SKIP 2 /* frames to skip: failing() and the function here */
#define NAME_MAX_LINK 64

static struct fault_plan *plan;
static __thread bool is_inside; /* calls by this library do not count */

/* The next definition of a function; `real` gets the type of the one here. */
#define NEXT(name)                                                             \
	static __typeof__(&name) real;                                         \
	if (real == NULL)                                                      \
	real = next(#name)

static void *
next(const char *name)
{
	bool was = is_inside;
	void *p;

	is_inside = true;
	p = dlsym(RTLD_NEXT, name);
	is_inside = was;
	return p;
}

/* ---- the plan ------------------------------------------------------------ */

/* Code of a sanitizer; its own calls are not the program's. */
static uintptr_t sanitizer_low, sanitizer_high;

static bool
has_module(uint64_t base)
{
	for (uint32_t i = 0; i < plan->nmodules; i++) {
		if (plan->modules[i].base == base)
			return true;
	}
	return false;
}

static int
note_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct fault_module *m = &plan->modules[plan->nmodules];

	(void)size;
	(void)arg;
	if (plan->nmodules == FAULT_MODULES || has_module(info->dlpi_addr))
		return 0;
	snprintf(m->name, sizeof(m->name), "%s", info->dlpi_name);
	m->base = info->dlpi_addr;
	m->low = UINT64_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD)
			continue;
		if (m->base + p->p_vaddr < m->low)
			m->low = m->base + p->p_vaddr;
		if (m->base + p->p_vaddr + p->p_memsz > m->high)
			m->high = m->base + p->p_vaddr + p->p_memsz;
	}
	if (strstr(m->name, "/libasan.") != NULL) {
		sanitizer_low = m->low;
		sanitizer_high = m->high;
	}
	plan->nmodules++;
	return 0;
}

static bool
is_of_module(uint64_t addr)
{
	for (uint32_t i = 0; i < plan->nmodules; i++) {
		if (addr >= plan->modules[i].low &&
		    addr < plan->modules[i].high)
			return true;
	}
	return false;
}

/* Libraries may be loaded at any time: note those that a call comes from. */
static void
note_modules_of(const struct fault_call *c)
{
	for (uint32_t i = 0; i < c->depth; i++) {
		if (!is_of_module(c->frames[i])) {
			dl_iterate_phdr(note_module, NULL);
			return;
		}
	}
}

static void
keep(const char *name, enum fault_kind kind)
{
	void *frames[FAULT_DEPTH + SKIP + 1];
	uint32_t at = __atomic_fetch_add(&plan->nkept, 1, __ATOMIC_RELAXED);
	struct fault_call *c;
	int n;

	if (at >= FAULT_CALLS)
		return;
	c = &plan->calls[at];
	n = backtrace(frames, FAULT_DEPTH + SKIP + 1) - SKIP - 1;
	c->depth = n > 0 ? (uint32_t)n : 0;
	for (int i = 0; i < n; i++)
		c->frames[i] = (uint64_t)(uintptr_t)frames[i + SKIP + 1];
	snprintf(c->name, sizeof(c->name), "%s", name);
	c->kind = kind;
	c->pid = (uint32_t)getpid();
	note_modules_of(c);
}

static bool
is_sanitizers(void)
{
	void *frames[SKIP + 3];
	bool is = false;
	int n;

	if (sanitizer_high == 0)
		return false;
	is_inside = true;
	n = backtrace(frames, SKIP + 3); /* up to the function's caller */
	is_inside = false;
	/* the first is the sanitizer's own backtrace() */
	for (int i = 1; i < n; i++)
		is |= (uintptr_t)frames[i] >= sanitizer_low &&
		    (uintptr_t)frames[i] < sanitizer_high;
	return is;
}

/* Is it this call's turn?  Counts it. */
static __attribute__((noinline)) bool
is_turn(enum fault_kind kind, const char *name)
{
	uint32_t at;
	bool is;

	if (plan == NULL || is_inside || (plan->kinds & kind) == 0 ||
	    is_sanitizers())
		return false;
	at = __atomic_add_fetch(&plan->counted, 1, __ATOMIC_RELAXED);
	is = plan->fail != 0 &&
	    (at == plan->fail || (at > plan->fail && plan->onward));
	if (is)
		__atomic_add_fetch(&plan->failed, 1, __ATOMIC_RELAXED);
	if (is || plan->keep) {
		int err = errno;

		is_inside = true;
		keep(name, kind);
		is_inside = false;
		errno = err;
	}
	return is;
}

/* The same, and set errno if the call fails. */
static __attribute__((noinline)) bool
failing(enum fault_kind kind, const char *name, int error)
{
	if (!is_turn(kind, name))
		return false;
	errno = plan->error != 0 ? (int)plan->error : error;
	return true;
}

static __attribute__((constructor)) void
begin(void)
{
	const char *path = getenv("FAULT_PLAN");
	void *frames[2], *p;
	int fd;

	is_inside = true;
	if (path != NULL && (fd = open(path, O_RDWR | O_CLOEXEC)) >= 0) {
		p = mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
		close(fd);
		if (p != MAP_FAILED)
			plan = p;
	}
	unsetenv("FAULT_PLAN");
	unsetenv("LD_PRELOAD");
	if (plan != NULL && plan->size != sizeof(*plan)) {
		fputs("the plan is of another size\n", stderr);
		_exit(99);
	}
	if (plan != NULL)
		dl_iterate_phdr(note_module, NULL);
	backtrace(frames, 2); /* loads the library of backtrace() early */
	is_inside = false;
}

/* ---- memory -------------------------------------------------------------- */

/* Memory for dlsym(), which may allocate before the next allocator is known. */
static _Alignas(16) char early[4096];
static size_t early_used;

static void *
alloc_early(size_t size)
{
	void *p = early + early_used;

	early_used += (size + 15) & ~(size_t)15;
	return early_used <= sizeof(early) ? p : NULL;
}

static bool
is_early(const void *p)
{
	return (const char *)p >= early &&
	    (const char *)p < early + sizeof(early);
}

static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static void (*real_free)(void *);

static bool
has_heap(void)
{
	static __thread bool is_asking;

	if (real_free != NULL)
		return true;
	if (is_asking)
		return false;
	is_asking = true;
	real_malloc = next("malloc");
	real_calloc = next("calloc");
	real_realloc = next("realloc");
	real_free = next("free");
	is_asking = false;
	return true;
}

void *
malloc(size_t size)
{
	if (!has_heap())
		return alloc_early(size);
	return failing(FAULT_ALLOC, "malloc", ENOMEM) ? NULL :
							real_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	if (!has_heap())
		return alloc_early(n * size);
	return failing(FAULT_ALLOC, "calloc", ENOMEM) ? NULL :
							real_calloc(n, size);
}

void *
realloc(void *p, size_t size)
{
	if (!has_heap())
		return alloc_early(size);
	if (is_early(p)) {
		void *to = real_malloc(size);

		if (to != NULL)
			memcpy(to, p, size);
		return to;
	}
	return failing(FAULT_ALLOC, "realloc", ENOMEM) ? NULL :
							 real_realloc(p, size);
}

void
free(void *p)
{
	if (p != NULL && !is_early(p) && has_heap())
		real_free(p);
}

/* libc's version may or may not call malloc() through this library; this one
 * does. */
char *
strdup(const char *s)
{
	size_t size = strlen(s) + 1;
	char *p;

	if (failing(FAULT_ALLOC, "strdup", ENOMEM))
		return NULL;
	has_heap();
	p = real_malloc(size);
	return p != NULL ? memcpy(p, s, size) : NULL;
}

char *
strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p;

	if (failing(FAULT_ALLOC, "strndup", ENOMEM))
		return NULL;
	has_heap();
	p = real_malloc(len + 1);
	if (p == NULL)
		return NULL;
	p[len] = '\0';
	return memcpy(p, s, len);
}

void *
mmap64(void *addr, size_t len, int prot, int flags, int fd, off64_t off)
{
	NEXT(mmap64);
	return failing(FAULT_MMAP, "mmap", ENOMEM) ?
	    MAP_FAILED :
	    real(addr, len, prot, flags, fd, off);
}

/* The child that reads foreign files gives up all shared memory: from there on
 * its calls do not count. */
int
munmap(void *addr, size_t len)
{
	NEXT(munmap);
	if (addr == plan)
		plan = NULL;
	return real(addr, len);
}

/* ---- files --------------------------------------------------------------- */

static bool
has_mode(int flags)
{
	return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

#define OPEN_MODE(flags, mode)                                                 \
	do {                                                                   \
		va_list ap;                                                    \
                                                                               \
		va_start(ap, flags);                                           \
		(mode) = has_mode(flags) ? va_arg(ap, mode_t) : 0;             \
		va_end(ap);                                                    \
	} while (0)

int
open64(const char *path, int flags, ...)
{
	mode_t mode;

	NEXT(open64);
	OPEN_MODE(flags, mode);
	return failing(FAULT_OPEN, "open", EMFILE) ? -1 :
						     real(path, flags, mode);
}

int
open(const char *path, int flags, ...)
{
	mode_t mode;

	NEXT(open);
	OPEN_MODE(flags, mode);
	return failing(FAULT_OPEN, "open", EMFILE) ? -1 :
						     real(path, flags, mode);
}

int
openat64(int dir, const char *path, int flags, ...)
{
	mode_t mode;

	NEXT(openat64);
	OPEN_MODE(flags, mode);
	return failing(FAULT_OPEN, "openat", EMFILE) ?
	    -1 :
	    real(dir, path, flags, mode);
}

FILE *
fopen64(const char *path, const char *mode)
{
	NEXT(fopen64);
	return failing(FAULT_OPEN, "fopen", EMFILE) ? NULL : real(path, mode);
}

FILE *
fopen(const char *path, const char *mode)
{
	NEXT(fopen);
	return failing(FAULT_OPEN, "fopen", EMFILE) ? NULL : real(path, mode);
}

DIR *
opendir(const char *path)
{
	NEXT(opendir);
	return failing(FAULT_OPEN, "opendir", EMFILE) ? NULL : real(path);
}

int
scandir64(const char *path, struct dirent64 ***list,
    int (*filter)(const struct dirent64 *),
    int (*order)(const struct dirent64 **, const struct dirent64 **))
{
	NEXT(scandir64);
	return failing(FAULT_OPEN, "scandir", EMFILE) ?
	    -1 :
	    real(path, list, filter, order);
}

int
ftruncate64(int fd, off64_t len)
{
	NEXT(ftruncate64);
	return failing(FAULT_SPACE, "ftruncate", ENOSPC) ? -1 : real(fd, len);
}

int
fallocate64(int fd, int mode, off64_t off, off64_t len)
{
	NEXT(fallocate64);
	return failing(FAULT_SPACE, "fallocate", ENOSPC) ?
	    -1 :
	    real(fd, mode, off, len);
}

/* Pipes, timers and events have no disk that could fail. */
static bool
is_file(int fd)
{
	struct stat st;
	int err = errno;
	bool is = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);

	errno = err;
	return is;
}

ssize_t
write(int fd, const void *buf, size_t len)
{
	NEXT(write);
	return is_file(fd) && failing(FAULT_SPACE, "write", ENOSPC) ?
	    -1 :
	    real(fd, buf, len);
}

/* Is the file the memory of a process (proc(5))? */
static bool
is_memory(int fd)
{
	char path[NAME_MAX_LINK], to[NAME_MAX_LINK];
	int err = errno;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, to, sizeof(to) - 1);
	errno = err;
	to[n > 0 ? n : 0] = '\0';
	return strncmp(to, "/proc/", 6) == 0 && n > 4 &&
	    strcmp(to + n - 4, "/mem") == 0;
}

static bool
fails_at(int fd, const char *name, enum fault_kind otherwise, int error)
{
	if (plan == NULL ||
	    (plan->kinds & ((uint32_t)FAULT_MEMORY | otherwise)) == 0)
		return false;
	return is_memory(fd) ? failing(FAULT_MEMORY, name, EIO) :
			       failing(otherwise, name, error);
}

ssize_t
pread64(int fd, void *buf, size_t len, off64_t off)
{
	NEXT(pread64);
	return fails_at(fd, "pread", FAULT_READ, EIO) ? -1 :
							real(fd, buf, len, off);
}

ssize_t
pwrite64(int fd, const void *buf, size_t len, off64_t off)
{
	NEXT(pwrite64);
	return fails_at(fd, "pwrite", FAULT_SPACE, ENOSPC) ?
	    -1 :
	    real(fd, buf, len, off);
}

ssize_t
read(int fd, void *buf, size_t len)
{
	NEXT(read);
	return is_file(fd) && failing(FAULT_READ, "read", EIO) ?
	    -1 :
	    real(fd, buf, len);
}

/*
 * stdio and readdir() read by calls of libc's own, so their functions fail
 * instead.  A stream has a flag for an error, which ferror() looks at.
 */
#define STREAM_ERROR 0x20 /* _IO_ERR_SEEN of glibc and its followers */

static bool
fails_to_read(FILE *f, const char *name)
{
	if (!is_file(fileno(f)) || !failing(FAULT_READ, name, EIO))
		return false;
	f->_flags |= STREAM_ERROR;
	return true;
}

char *
fgets(char *line, int size, FILE *f)
{
	NEXT(fgets);
	return fails_to_read(f, "fgets") ? NULL : real(line, size, f);
}

size_t
fread(void *buf, size_t size, size_t n, FILE *f)
{
	NEXT(fread);
	return fails_to_read(f, "fread") ? 0 : real(buf, size, n, f);
}

/* getline() is an inline function of <stdio.h>, which calls this. */
ssize_t
__getdelim(char **line, size_t *cap, int end, FILE *f)
{
	NEXT(__getdelim);
	return fails_to_read(f, "getdelim") ? -1 : real(line, cap, end, f);
}

struct dirent64 *
readdir64(DIR *dir)
{
	NEXT(readdir64);
	return failing(FAULT_READ, "readdir", EIO) ? NULL : real(dir);
}

/* ---- other descriptors --------------------------------------------------- */

int
memfd_create(const char *name, unsigned flags)
{
	NEXT(memfd_create);
	return failing(FAULT_FD, "memfd_create", EMFILE) ? -1 :
							   real(name, flags);
}

int
pipe2(int fds[2], int flags)
{
	NEXT(pipe2);
	return failing(FAULT_FD, "pipe2", EMFILE) ? -1 : real(fds, flags);
}

int
socketpair(int domain, int type, int protocol, int fds[2])
{
	NEXT(socketpair);
	return failing(FAULT_FD, "socketpair", EMFILE) ?
	    -1 :
	    real(domain, type, protocol, fds);
}

int
socket(int domain, int type, int protocol)
{
	NEXT(socket);
	return failing(FAULT_FD, "socket", EMFILE) ?
	    -1 :
	    real(domain, type, protocol);
}

int
eventfd(unsigned count, int flags)
{
	NEXT(eventfd);
	return failing(FAULT_FD, "eventfd", EMFILE) ? -1 : real(count, flags);
}

int
timerfd_create(clockid_t clock, int flags)
{
	NEXT(timerfd_create);
	return failing(FAULT_FD, "timerfd_create", EMFILE) ? -1 :
							     real(clock, flags);
}

int
epoll_create1(int flags)
{
	NEXT(epoll_create1);
	return failing(FAULT_FD, "epoll_create1", EMFILE) ? -1 : real(flags);
}

int
signalfd(int fd, const sigset_t *mask, int flags)
{
	NEXT(signalfd);
	return failing(FAULT_FD, "signalfd", EMFILE) ? -1 :
						       real(fd, mask, flags);
}

int
dup(int fd)
{
	NEXT(dup);
	return failing(FAULT_FD, "dup", EMFILE) ? -1 : real(fd);
}

/* ---- processes and threads ----------------------------------------------- */

pid_t
fork(void)
{
	NEXT(fork);
	return failing(FAULT_FORK, "fork", EAGAIN) ? -1 : real();
}

int
pthread_create(
    pthread_t *t, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	NEXT(pthread_create);
	return failing(FAULT_FORK, "pthread_create", EAGAIN) ?
	    errno :
	    real(t, attr, run, arg);
}

int
posix_spawn(pid_t *pid, const char *path,
    const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
    char *const argv[], char *const env[])
{
	NEXT(posix_spawn);
	return failing(FAULT_FORK, "posix_spawn", EAGAIN) ?
	    errno :
	    real(pid, path, actions, attr, argv, env);
}

int
posix_spawnp(pid_t *pid, const char *path,
    const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
    char *const argv[], char *const env[])
{
	NEXT(posix_spawnp);
	return failing(FAULT_FORK, "posix_spawnp", EAGAIN) ?
	    errno :
	    real(pid, path, actions, attr, argv, env);
}

ssize_t
process_vm_readv(pid_t pid, const struct iovec *to, unsigned long nto,
    const struct iovec *from, unsigned long nfrom, unsigned long flags)
{
	NEXT(process_vm_readv);
	return failing(FAULT_MEMORY, "process_vm_readv", ENOMEM) ?
	    -1 :
	    real(pid, to, nto, from, nfrom, flags);
}

ssize_t
process_vm_writev(pid_t pid, const struct iovec *from, unsigned long nfrom,
    const struct iovec *to, unsigned long nto, unsigned long flags)
{
	NEXT(process_vm_writev);
	return failing(FAULT_MEMORY, "process_vm_writev", ENOMEM) ?
	    -1 :
	    real(pid, from, nfrom, to, nto, flags);
}

/*
 * Most requests only fail because the thread is gone, so it is killed first.
 * Requests that another tracer or an old kernel refuses simply fail.
 */
long
ptrace(enum __ptrace_request request, ...)
{
	const char *name = NULL;
	void *addr, *data;
	int error = EPERM;
	va_list ap;
	pid_t pid;

	NEXT(ptrace);
	va_start(ap, request);
	pid = va_arg(ap, pid_t);
	addr = va_arg(ap, void *);
	data = va_arg(ap, void *);
	va_end(ap);
	if (request == PTRACE_SEIZE) {
		name = "ptrace SEIZE";
	} else if (request == PTRACE_GET_SYSCALL_INFO) {
		name = "ptrace SYSCALL_INFO";
		error = EIO;
	} else if (request == PTRACE_GET_RSEQ_CONFIGURATION) {
		name = "ptrace RSEQ";
		error = EIO;
	}
	if (name != NULL && failing(FAULT_PTRACE, name, error))
		return -1;
	if (request != PTRACE_TRACEME && is_turn(FAULT_GONE, "ptrace")) {
		kill(pid, SIGKILL);
		poll(NULL, 0, 20);
	}
	return real(request, pid, addr, data);
}

/* ---- system calls without a function ------------------------------------- */

static const char *
bpf_name(long cmd)
{
	switch (cmd) {
	case BPF_MAP_CREATE:
		return "bpf MAP_CREATE";
	case BPF_MAP_LOOKUP_ELEM:
		return "bpf MAP_LOOKUP";
	case BPF_MAP_UPDATE_ELEM:
		return "bpf MAP_UPDATE";
	case BPF_MAP_DELETE_ELEM:
		return "bpf MAP_DELETE";
	case BPF_MAP_GET_NEXT_KEY:
		return "bpf MAP_NEXT_KEY";
	case BPF_PROG_LOAD:
		return "bpf PROG_LOAD";
	case BPF_PROG_TEST_RUN:
		return "bpf PROG_TEST_RUN";
	case BPF_OBJ_GET_INFO_BY_FD:
		return "bpf GET_INFO";
	case BPF_RAW_TRACEPOINT_OPEN:
		return "bpf RAW_TRACEPOINT";
	case BPF_BTF_LOAD:
		return "bpf BTF_LOAD";
	case BPF_MAP_LOOKUP_BATCH:
		return "bpf MAP_LOOKUP_BATCH";
	case BPF_LINK_CREATE:
		return "bpf LINK_CREATE";
	default:
		return "bpf";
	}
}

/* Note an object that must be gone when the program has ended. */
static void
note_object(__typeof__(&syscall) real, long cmd, int fd)
{
	uint32_t info[64] = { 0 }; /* the id is the second word for each kind */
	union bpf_attr attr = { 0 };
	uint32_t at, by_id;
	int err = errno;

	by_id = cmd == BPF_MAP_CREATE ? BPF_MAP_GET_FD_BY_ID :
	    cmd == BPF_PROG_LOAD      ? BPF_PROG_GET_FD_BY_ID :
					BPF_LINK_GET_FD_BY_ID;
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uint64_t)(uintptr_t)info;
	if (real(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) == 0) {
		at = __atomic_fetch_add(&plan->nobjects, 1, __ATOMIC_RELAXED);
		if (at < FAULT_OBJECTS)
			plan->objects[at] = (uint64_t)by_id << 32 | info[1];
	}
	errno = err;
}

static bool
fails_without(long nr, long cmd)
{
	switch (nr) {
	case SYS_bpf:
		return failing(FAULT_BPF, bpf_name(cmd), ENOMEM);
	case SYS_perf_event_open:
		return failing(FAULT_PERF, "perf_event_open", EMFILE);
	case SYS_pidfd_open:
		return failing(FAULT_FD, "pidfd_open", EMFILE);
	case SYS_pidfd_getfd:
		return failing(FAULT_FD, "pidfd_getfd", EMFILE);
	case SYS_fsopen:
		return failing(FAULT_FD, "fsopen", EMFILE);
	case SYS_fsmount:
		return failing(FAULT_FD, "fsmount", EMFILE);
	default:
		return false;
	}
}

long
syscall(long nr, ...)
{
	va_list ap;
	long a[6], rc;

	NEXT(syscall);
	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (fails_without(nr, a[0]))
		return -1;
	rc = real(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (nr == SYS_bpf && rc >= 0 && plan != NULL &&
	    (a[0] == BPF_MAP_CREATE || a[0] == BPF_PROG_LOAD ||
		a[0] == BPF_LINK_CREATE))
		note_object(real, a[0], (int)rc);
	return rc;
}
