/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A string in a page that is missing until a thread accesses it, and is there
 * 30 ms later.
 *
 *	look(text)	a thread accesses it
 *	stop()		called once the page is requested, on the same CPU.
 *			(Linux 6.1 runs one probe at a time on a CPU, so its
 *			probe waits there, too.)
 *
 * Exits with 77 if the kernel permits no userfaultfd(2).
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define PAGE 4096

static char source[PAGE] __attribute__((aligned(PAGE))) = "it has come";

uint64_t look(const char *text);
NOINLINE uint64_t
look(const char *text)
{
	__asm__ volatile("" : : "r"(text) : "memory");
	return 3 * (uintptr_t)text;
}

uint64_t stop(void);
NOINLINE uint64_t
stop(void)
{
	__asm__ volatile("" : : : "memory");
	return 7;
}

static void *
looker(void *page)
{
	return look(page) == 0 ? page : NULL;
}

static int
open_fd(const void *page)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .range = { (uintptr_t)page, PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) != 0 ||
	    ioctl(fd, UFFDIO_REGISTER, &reg) != 0)
		exit(77);
	return fd;
}

static void
stay_on_cpu(void)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	sched_setaffinity(0, sizeof(here), &here);
}

struct request {
	struct uffdio_copy copy;
	int fd;
};

static void *
giver(void *arg)
{
	struct request *r = arg;

	usleep(30000);
	return ioctl(r->fd, UFFDIO_COPY, &r->copy) != 0 ? arg : NULL;
}

static void
start(pthread_t *t, void *(*f)(void *), void *arg)
{
	if (pthread_create(t, NULL, f, arg) != 0)
		abort();
}

int
main(void)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	     *failed;
	struct request r = { { .dst = (uintptr_t)page,
				 .src = (uintptr_t)source,
				 .len = PAGE },
		open_fd(page) };
	struct pollfd asked = { .fd = r.fd, .events = POLLIN };
	pthread_t looks, gives;

	stay_on_cpu();
	start(&looks, looker, page);
	poll(&asked, 1, 5000);
	start(&gives, giver, &r);
	stop();
	pthread_join(gives, &failed);
	pthread_join(looks, NULL);
	return failed != NULL;
}
