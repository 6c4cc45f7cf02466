/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The region in dtrace's own memory, and what dtrace keeps in its shared part.
 */
#include "exec/process/impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "exec/tsc.h"

#define NS 1000000000ULL
#define SCALE_MIN_NS 1000000 /* a shorter line has no exact slope */

/* ---- memory ------------------------------------------------------------- */

static int
no_memory(const struct dt_exec *x, const char *what, char **msg)
{
	int err = errno;

	*msg = mem_printf("no memory for %s of the process substrate "
			  "(%llu bytes in all): %s",
	    what, (unsigned long long)x->conf.region_size, strerror(err));
	return -err;
}

static int
write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, p, n);

		if (done < 0)
			return -1;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

/*
 * All traced processes run this code, and so does dtrace, who may be root.  A
 * process could make its mapping writable (mprotect(2)), were it not sealed:
 * only what is mapped here is writable from now on.
 */
static int
seal_code(struct dt_exec *x)
{
	void *p = mmap(NULL, x->code_size, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_NORESERVE, x->code_fd, 0);

	if (p == MAP_FAILED)
		return -1;
	x->code_rw = p;
	return fcntl(x->code_fd, F_ADD_SEALS,
	    F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

/* The constants, the bodies and names, and struct pr_conf, which is final now.
 */
static int
make_code(struct dt_exec *x)
{
	memcpy(x->consts.s + x->conf_off, &x->conf, sizeof(x->conf));
	x->code_fd =
	    memfd_create("dtrace-code", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (x->code_fd < 0 ||
	    write_all(x->code_fd, x->consts.s, x->consts.len) != 0 ||
	    lseek(x->code_fd, x->text_off, SEEK_SET) < 0 ||
	    write_all(x->code_fd, x->a.code.s, x_here(&x->a)) != 0 ||
	    write_all(x->code_fd, x->names.s, x->names.len) != 0 ||
	    ftruncate(x->code_fd, x->code_size) != 0)
		return -1;
	return seal_code(x);
}

/* The pages are taken first: without memory that fails, the copy would not. */
int
pr_code_put(struct dt_exec *x, uint64_t off, const void *p, size_t n)
{
	int rc = n == 0 ? 0 : -EINTR;

	while (rc == -EINTR)
		rc = fallocate(x->code_fd, 0, (off_t)off, (off_t)n) != 0 ?
		    -errno :
		    0;
	if (rc == 0 && n != 0)
		memcpy(x->code_rw + off, p, n);
	return rc;
}

static int
make_data(struct dt_exec *x)
{
	x->data_fd =
	    memfd_create("dtrace-data", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (x->data_fd < 0 || ftruncate(x->data_fd, (off_t)x->data_size) != 0)
		return -1;
	return fcntl(
	    x->data_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

static int
map_part(struct dt_exec *x, uint64_t off, uint64_t size, int prot, int fd)
{
	int flags = fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
	void *p = mmap(x->base + off, size, prot,
	    flags | MAP_FIXED | MAP_NORESERVE, fd, 0);

	return p == MAP_FAILED ? -1 : 0;
}

static int
map_region(struct dt_exec *x)
{
	const struct pr_conf *c = &x->conf;

	x->base = mmap(NULL, c->region_size, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (x->base == MAP_FAILED) {
		x->base = NULL;
		return -1;
	}
	if (map_part(x, 0, x->code_size, PROT_READ | PROT_EXEC, x->code_fd) ||
	    map_part(x, c->own, x->own_size, PROT_READ | PROT_WRITE, -1) ||
	    map_part(
		x, c->data, x->data_size, PROT_READ | PROT_WRITE, x->data_fd))
		return -1;
	return 0;
}

/* Files in memory are limited like others: who lets one grow beyond is killed
 * (SIGXFSZ). */
static int
check_limit(const struct dt_exec *x, char **msg)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
	    (limit.rlim_cur >= x->data_size && limit.rlim_cur >= x->code_size))
		return 0;
	*msg = mem_printf("the process substrate keeps its data in files in "
			  "memory, and files are limited to %llu bytes here "
			  "(ulimit -f)",
	    (unsigned long long)limit.rlim_cur);
	return -EFBIG;
}

int
pr_map(struct dt_exec *x, char **msg)
{
	struct pr_own *own;
	struct pr_seed *seed;
	struct exec_tsc now;

	if (check_limit(x, msg) != 0)
		return -EFBIG;
	if (make_code(x) != 0)
		return no_memory(x, "the code", msg);
	if (make_data(x) != 0)
		return no_memory(x, "the data", msg);
	if (map_region(x) != 0)
		return no_memory(x, "the region", msg);
	own = (struct pr_own *)(void *)(x->base + x->conf.own);
	own->start = (struct pr_start){ .live = 1,
		.is_named = 1,
		.tid_off = -1,
		.pid = (uint64_t)getpid() };
	seed = (struct pr_seed *)(void *)(x->base + x->conf.seed);
	pr_describe(getpid(), &seed->self);
	rt_dyn_init(&x->dyn, x->base + x->conf.dyn, x->conf.dynvarsize);
	x->bufs.base = (char *)x->base + x->conf.threads + x->conf.buf;
	x->bufs.stride = x->conf.thread_size;
	exec_tsc_read(&now);
	x->first = (struct pr_scale){ .cycles = now.cycles, .ns = now.ns };
	return 0;
}

void
pr_unmap(struct dt_exec *x)
{
	if (x->base != NULL)
		munmap(x->base, x->conf.region_size);
	if (x->code_rw != NULL)
		munmap(x->code_rw, x->code_size);
	if (x->code_fd >= 0)
		close(x->code_fd);
	if (x->data_fd >= 0)
		close(x->data_fd);
}

struct pr_head *
pr_head(const struct dt_exec *x)
{
	return (struct pr_head *)(void *)(x->base + x->conf.data);
}

struct pr_shared *
pr_shared(const struct dt_exec *x, uint32_t thread)
{
	return (struct pr_shared *)(void *)(x->base + x->conf.threads +
	    thread * x->conf.thread_size);
}

/* The process and thread that a part belongs to, or 0. */
uint64_t
pr_owner(const struct dt_exec *x, uint32_t thread)
{
	uint64_t *owners = (uint64_t *)(void *)(x->base + x->conf.owners);

	return __atomic_load_n(&owners[thread], __ATOMIC_ACQUIRE);
}

/* ---- clocks ------------------------------------------------------------- */

static uint64_t
scale_time(const struct pr_scale *s, uint64_t cycles)
{
	return s->ns +
	    (uint64_t)((unsigned __int128)(cycles - s->cycles) * s->mult >>
		PR_SCALE_SHIFT);
}

/*
 * From the line through the first reading and this one; but it must not fall
 * behind what the old line says now, lest time go back, and then advances more
 * slowly until they meet, a second later.
 */
static struct pr_scale
scale_next(const struct dt_exec *x, const struct pr_scale *old,
    const struct exec_tsc *now)
{
	uint64_t shown = old->mult != 0 ? scale_time(old, now->cycles) : 0;
	double slope = (double)(now->ns - x->first.ns) /
	    (double)(now->cycles - x->first.cycles);
	struct pr_scale next = { .cycles = now->cycles, .ns = now->ns };

	if (shown > now->ns) {
		double ahead = (double)(shown - now->ns) / (double)NS;

		slope *= ahead < 0.5 ? 1 - ahead : 0.5;
		next.ns = shown;
	}
	next.mult = (uint64_t)(slope * (double)(1ULL << PR_SCALE_SHIFT));
	return next;
}

static void
renew_scale(struct dt_exec *x)
{
	struct pr_head *h = pr_head(x);
	struct exec_tsc now;

	do
		exec_tsc_read(&now);
	while (now.ns - x->first.ns < SCALE_MIN_NS);
	x->scale = scale_next(x, &x->scale, &now);
	x->turn++;
	h->scale[x->turn & 1] = x->scale;
	__atomic_store_n(&h->turn, x->turn, __ATOMIC_RELEASE);
}

void
pr_renew_clocks(struct dt_exec *x)
{
	pr_head(x)->wall_off = wall_offset_ns();
	if (x->conf.has_tsc)
		renew_scale(x);
	else /* others look at its number, too */
		__atomic_store_n(
		    &pr_head(x)->turn, ++x->turn, __ATOMIC_RELEASE);
}
