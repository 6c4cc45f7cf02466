/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The region in dtrace's own memory, and dtrace's data in its shared part.
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
#include "base/err.h"
#include "base/privilege.h"
#include "exec/runtime/tsc.h"
#include "exec/shared.h"

#define NS 1000000000ULL
#define SCALE_MIN_NS 1000000 /* a shorter line has no exact slope */

/* ---- memory ------------------------------------------------------------- */

CHECKED static int
no_memory(const struct pr_exec *x, int error, const char *what, struct err *err)
{
	char *why = error == EPERM || error == EACCES || error == ENOSYS ?
	    dt_privilege_calls() :
	    NULL;

	if (why != NULL)
		return err_take(err, -error, why);
	if (error == EPERM || error == EACCES)
		return err_set(err, -error,
		    "dtrace may not map code that it shares with processes (%s): a security module or a seccomp filter forbids it; use -x substrate=kernel, which needs none",
		    strerror(error));
	return err_set(err, -error,
	    "no memory for %s of the process substrate (%llu bytes in all): %s%s",
	    what, (unsigned long long)x->conf.region_size, strerror(error),
	    pr_large_options(x));
}

/* Write the constants, the bodies, the names, the final struct pr_conf, and the
 * first word of the freestanding code (rt_os.h). */
static int
make_code(struct pr_exec *x)
{
	int64_t denied =
	    (int64_t)(x->conf.seed + offsetof(struct pr_seed, denied));
	uint64_t end = x->text_off + x_here(&x->a);
	int rc = code_file_create(&x->code, "dtrace-code", x->code_size, false);

	memcpy(x->consts.s + x->conf_off, &x->conf, sizeof(x->conf));
	memcpy(x->consts.s, &denied, sizeof(denied));
	if (rc != 0)
		return rc;
	rc = code_file_put(&x->code, 0, x->consts.s, x->consts.len);
	if (rc != 0)
		return rc;
	rc = code_file_put(&x->code, x->text_off, x->a.code.s, x_here(&x->a));
	if (rc != 0)
		return rc;
	return code_file_put(&x->code, end, x->names.s, x->names.len);
}

static int
make_data(struct pr_exec *x)
{
	x->data_fd =
	    memfd_create("dtrace-data", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (x->data_fd < 0 || ftruncate(x->data_fd, (off_t)x->data_size) != 0)
		return -1;
	return fcntl(
	    x->data_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

static int
map_part(struct pr_exec *x, uint64_t off, uint64_t size, int prot, int fd)
{
	int flags = fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
	void *p = mmap(x->base + off, size, prot,
	    flags | MAP_FIXED | MAP_NORESERVE, fd, 0);

	return p == MAP_FAILED ? -1 : 0;
}

static int
map_region(struct pr_exec *x)
{
	const struct pr_conf *c = &x->conf;

	x->base = mmap(NULL, c->region_size, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (x->base == MAP_FAILED) {
		x->base = NULL;
		return -1;
	}
	if (map_part(x, 0, x->code_size, PROT_READ | PROT_EXEC, x->code.fd) ||
	    map_part(x, c->own, x->own_size, PROT_READ | PROT_WRITE, -1) ||
	    map_part(
		x, c->data, x->data_size, PROT_READ | PROT_WRITE, x->data_fd))
		return -1;
	return pr_shared_len(x) == 0 ?
	    0 :
	    map_part(x, c->shared, pr_shared_len(x), PROT_READ | PROT_WRITE,
		x->opts.shared->fd);
}

uint64_t
pr_shared_len(const struct pr_exec *x)
{
	return x->opts.shared != NULL ? x->opts.shared->len : 0;
}

/* RLIMIT_FSIZE also limits files in memory: SIGXFSZ would kill a process that
 * lets one grow beyond. */
CHECKED static int
check_limit(const struct pr_exec *x, struct err *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
	    (limit.rlim_cur >= x->data_size && limit.rlim_cur >= x->code_size))
		return 0;
	return err_set(err, -EFBIG,
	    "the process substrate keeps its data in files in memory, and files are limited to %llu bytes here (ulimit -f)",
	    (unsigned long long)limit.rlim_cur);
}

/* Find the buffers: each is at the start of a room. */
static void
find_bufs(struct pr_exec *x)
{
	for (unsigned k = 0; k < PR_NSIZES; k++) {
		const struct pr_size *s = &x->conf.sizes[k];

		x->bufs.parts[k] =
		    (struct exec_bufs_part){ .base = (char *)x->base + s->rooms,
			    .stride = s->room_size,
			    .size = s->buf_size,
			    .end = (uint32_t)s->end };
	}
}

int
pr_map(struct pr_exec *x, struct err *err)
{
	struct pr_own *own;
	struct pr_seed *seed;
	struct exec_tsc now;
	int rc = check_limit(x, err);

	if (rc != 0)
		return rc;
	rc = make_code(x);
	if (rc != 0)
		return no_memory(x, -rc, "the code", err);
	if (make_data(x) != 0)
		return no_memory(x, errno, "the data", err);
	if (map_region(x) != 0)
		return no_memory(x, errno, "the region", err);
	own = (struct pr_own *)(void *)(x->base + x->conf.own);
	own->start = (struct pr_start){ .live = 1,
		.is_named = 1,
		.tid_off = -1,
		.pid = (uint64_t)getpid() };
	seed = (struct pr_seed *)(void *)(x->base + x->conf.seed);
	pr_describe(getpid(), &seed->self);
	rt_dyn_init(&x->dyn, x->base + x->conf.dyn, x->conf.dynvarsize);
	find_bufs(x);
	exec_tsc_read(&now);
	x->first = (struct pr_scale){ .cycles = now.cycles, .ns = now.ns };
	return 0;
}

void
pr_unmap(struct pr_exec *x)
{
	if (x->base != NULL)
		munmap(x->base, x->conf.region_size);
	code_file_fini(&x->code);
	if (x->data_fd >= 0)
		close(x->data_fd);
}

struct pr_head *
pr_head(const struct pr_exec *x)
{
	return (struct pr_head *)(void *)(x->base + x->conf.data);
}

struct pr_shared *
pr_shared(const struct pr_exec *x, uint32_t thread)
{
	return (struct pr_shared *)(void *)(x->base + x->conf.threads +
	    thread * x->conf.thread_size);
}

/* The process and thread that a part belongs to, or 0. */
uint64_t
pr_owner(const struct pr_exec *x, uint32_t thread)
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
 * The new line goes through the first reading and this one.  It must not start
 * below the old line, or time would go back; then it advances more slowly until
 * the two meet, a second later.
 */
static struct pr_scale
scale_next(const struct pr_exec *x, const struct pr_scale *old,
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
renew_scale(struct pr_exec *x)
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
pr_renew_clocks(struct pr_exec *x)
{
	pr_head(x)->wall_off = wall_offset_ns();
	if (x->conf.has_tsc)
		renew_scale(x);
	else /* other processes read its number, too */
		__atomic_store_n(
		    &pr_head(x)->turn, ++x->turn, __ATOMIC_RELEASE);
}
