/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/codefile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x10 /* <linux/memfd.h>, Linux 6.3 */
#endif
#define PAGE 4096

/* Kernels before 6.3 do not know the flag. */
static int
open_memory(const char *name)
{
	unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create(name, flags | MFD_EXEC);

	return fd >= 0 ? fd : memfd_create(name, flags);
}

int
code_file_create(struct code_file *f, const char *name, size_t room, bool grows)
{
	int seals = F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_SEAL |
	    (grows ? 0 : F_SEAL_GROW);
	void *p = MAP_FAILED;
	int err;

	*f = (struct code_file){ .fd = open_memory(name), .room = room };
	if (f->fd >= 0 && (grows || ftruncate(f->fd, (off_t)room) == 0))
		p = mmap(NULL, room, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_NORESERVE, f->fd, 0);
	if (p != MAP_FAILED)
		f->rw = p;
	if (f->rw != NULL && fcntl(f->fd, F_ADD_SEALS, seals) == 0)
		return 0;
	err = errno;
	code_file_fini(f);
	return -err;
}

/* Make the mapping longer: the seal permits that for one made before it. */
static int
map_more(struct code_file *f, size_t len)
{
	size_t room = 2 * f->room > len ? 2 * f->room : len;
	void *p = mremap(f->rw, f->room, room, MREMAP_MAYMOVE);

	if (p == MAP_FAILED)
		return -errno;
	f->rw = p;
	f->room = room;
	return 0;
}

int
code_file_grow(struct code_file *f, size_t len)
{
	int rc = len > f->room ? map_more(f, len) : 0;

	if (rc == 0 && ftruncate(f->fd, (off_t)len) != 0)
		rc = -errno;
	return rc;
}

void
code_file_fini(struct code_file *f)
{
	if (f->rw != NULL)
		munmap(f->rw, f->room);
	if (f->fd >= 0)
		close(f->fd);
	*f = (struct code_file){ .fd = -1 };
}

/*
 * Take the pages first: without memory this fails, where the copy would raise a
 * signal.
 */
static int
take_pages(struct code_file *f, uint64_t from, uint64_t to)
{
	int rc;

	if (from >= f->from && to <= f->to)
		return 0;
	do
		rc = fallocate(f->fd, 0, (off_t)from, (off_t)(to - from));
	while (rc != 0 && errno == EINTR);
	if (rc != 0)
		return -errno;
	f->from = from;
	f->to = to;
	return 0;
}

int
code_file_put(struct code_file *f, uint64_t off, const void *p, size_t n)
{
	int rc = n == 0 ? 0 :
			  take_pages(f, off & -(uint64_t)PAGE,
			      (off + n + PAGE - 1) & -(uint64_t)PAGE);

	if (rc == 0 && n != 0)
		memcpy(f->rw + off, p, n);
	return rc;
}
