/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps: created when the linker first meets their symbol, so a script pays only
 * for what it uses.  Sizes follow the options (bufsize, aggsize, dynvarsize).
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "exec/shared.h"

/* Kernel memory of a hash element besides key and value (struct htab_elem). */
#define HASH_ELEM_OVERHEAD 48
#define WAKEUP_SIZE 4096
#define SMALL_VALUE 4096U
/* bytes for names of probes added while tracing */
#define STRS_ROOM (256U << 10)

struct bx_pcpu *
bx_pcpu(const struct bx_exec *x, uint32_t cpu)
{
	return (
	    struct bx_pcpu *)(void *)(x->pcpu + cpu * sizeof(struct bx_pcpu));
}

int
bx_map_find(const struct bx_exec *x, const char *sym)
{
	VEC_FOREACH(&x->maps, m) {
		if (strcmp(m->sym, sym) == 0)
			return m->fd;
	}
	return -1;
}

int
bx_map_array(uint32_t size, uint32_t n, uint32_t flags, const char *name)
{
	LIBBPF_OPTS(bpf_map_create_opts, o, .map_flags = flags);

	return bpf_map_create(BPF_MAP_TYPE_ARRAY, name, 4, size, n, &o);
}

static uint64_t
elem_size(uint32_t key_size, uint32_t value_size)
{
	return key_size + ((value_size + 7) & ~7U) + HASH_ELEM_OVERHEAD;
}

/* The number of elements of a hash that fit in `bytes`. */
static uint32_t
hash_max(uint32_t key_size, uint32_t value_size, uint64_t bytes)
{
	uint64_t n = bytes / elem_size(key_size, value_size);

	return n < 1 ? 1 : n > 1U << 30 ? 1U << 30 : (uint32_t)n;
}

static int
create_hash(uint32_t key_size, uint32_t value_size, uint64_t bytes,
    uint32_t flags, const char *name)
{
	LIBBPF_OPTS(bpf_map_create_opts, o, .map_flags = flags);

	return bpf_map_create(BPF_MAP_TYPE_HASH, name, key_size, value_size,
	    hash_max(key_size, value_size, bytes), &o);
}

uint32_t
bx_array_max(const struct bx_layout *lo, const struct bx_var *v)
{
	return hash_max(v->key_size, v->size, lo->opts->dynvarsize);
}

/*
 * Kernels create maps whose values take up to 64 KB, but those of Linux 7 then
 * make no element of more than some 8 KB.  So a large one is made for our own
 * process.  Returns 0 or -E2BIG.
 */
static int
try_element(int fd, uint32_t value_size)
{
	int pidfd, rc;
	char *zeroes;

	if (value_size <= SMALL_VALUE)
		return 0;
	pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (pidfd < 0)
		return 0; /* the first firing tells */
	zeroes = mem_alloc(value_size);
	rc = bpf_map_update_elem(fd, &pidfd, zeroes, BPF_NOEXIST);
	if (rc == 0)
		bpf_map_delete_elem(fd, &pidfd);
	free(zeroes);
	close(pidfd);
	return rc == -ENOMEM || rc == -E2BIG ? -E2BIG : 0;
}

static int
create_task_storage(uint32_t value_size, const char *name)
{
	LIBBPF_OPTS(bpf_map_create_opts, o, .map_flags = BPF_F_NO_PREALLOC);
	int btf, fd;

	btf = bx_storage_btf(
	    value_size, &o.btf_key_type_id, &o.btf_value_type_id);
	if (btf < 0)
		return btf;
	o.btf_fd = (uint32_t)btf;
	fd = bpf_map_create(
	    BPF_MAP_TYPE_TASK_STORAGE, name, 4, value_size, 0, &o);
	close(btf);
	if (fd >= 0 && try_element(fd, value_size) != 0) {
		close(fd);
		return -E2BIG;
	}
	return fd;
}

int
bx_strs_renew(struct bx_exec *x)
{
	int fd = bx_map_find(x, "rtm_strs");
	uint32_t zero = 0;
	int rc;

	if (fd < 0)
		return 0;
	if (x->lo.strs.n > x->strs_size)
		return -ENOSPC;
	VEC_RESERVE(&x->lo.strs, x->strs_size);
	memset(x->lo.strs.v + x->lo.strs.n, 0, x->strs_size - x->lo.strs.n);
	rc = bpf_map_update_elem(fd, &zero, x->lo.strs.v, 0);
	return rc != 0 ? -errno : 0;
}

static int
create_strs(struct bx_exec *x)
{
	x->strs_size = (uint32_t)x->lo.strs.n + (x->may_grow ? STRS_ROOM : 0);
	return bx_map_array(x->strs_size, 1, BPF_F_RDONLY_PROG, "dt_strs");
}

uint32_t
bx_agg_max(const struct bx_exec *x, const struct plan_agg *pa)
{
	return hash_max(
	    pa->key_size, pa->val_size, x->opts.aggsize * x->e.ncpus);
}

/* The largest element of a map that may have dropped one. */
static uint64_t
elem_max(const struct bx_exec *x, enum dt_drop kind)
{
	uint64_t max = 0, size;

	if (kind == DT_DROP_AGG) {
		VEC_FOREACH(&x->pl->aggs, pa) {
			size = pa->keys.n != 0 ?
			    elem_size(pa->key_size, pa->val_size) :
			    0;
			max = size > max ? size : max;
		}
	} else if (kind == DT_DROP_DYNAMIC) {
		VEC_FOREACH(&x->lo.vars, v) {
			size = v->key_size != 0 ?
			    elem_size(v->key_size, v->size) :
			    0;
			max = size > max ? size : max;
		}
	}
	return max;
}

uint64_t
bx_lost(struct dt_exec *e, enum dt_drop kind, uint32_t cpu)
{
	const struct bx_exec *x = bx_of(e);
	uint64_t each = kind == DT_DROP_PRINCIPAL ?
	    exec_record_max(x->pl) + EXEC_BUF_WORD :
	    elem_max(x, kind);

	return each != 0 ? each * e->ops->drops(e, kind, cpu) : 0;
}

static int
create_agg(struct bx_exec *x, const struct plan_agg *pa)
{
	if (pa->keys.n == 0)
		return bx_map_array(2 * x->e.ncpus * bx_cell_size(pa), 1,
		    BPF_F_MMAPABLE, "dt_agg");
	return create_hash(pa->key_size, pa->val_size,
	    x->opts.aggsize * x->e.ncpus, BPF_F_NO_PREALLOC, "dt_agg");
}

/* Upper bound of the trace buffers' memory: the system must keep running. */
static uint64_t
bufs_limit(void)
{
	return mem_physical() / 4;
}

uint64_t
bx_most(const struct dt_exec *e, enum dt_drop kind)
{
	uint64_t share = bufs_limit() / e->ncpus;

	if (kind != DT_DROP_PRINCIPAL && kind != DT_DROP_FILLED)
		return 0;
	return share < BX_BUF_MAX ? share : BX_BUF_MAX;
}

static int
try_bufs(struct bx_exec *x)
{
	struct exec_bufs_part *bufs = &x->bufs.parts[0];
	uint64_t stride = exec_bufs_stride(bufs->size, exec_record_max(x->pl));

	if (bufs->size > BX_BUF_MAX)
		return -E2BIG;
	if (stride * x->e.ncpus > bufs_limit())
		return -ENOMEM;
	bufs->stride = stride;
	return bx_map_array(
	    (uint32_t)stride, x->e.ncpus, BPF_F_MMAPABLE, "dt_bufs");
}

/* Create the buffers.  Option bufresize: halve the size until there is memory
 * for it, or fail. */
static int
create_bufs(struct bx_exec *x)
{
	struct exec_bufs_part *bufs = &x->bufs.parts[0];
	int fd;

	while (((fd = try_bufs(x)) == -ENOMEM || fd == -E2BIG) &&
	    !x->opts.bufresize_manual &&
	    bufs->size / 2 >= 2 * (uint64_t)x->lo.rec_max &&
	    bufs->size / 2 >= EXEC_BUF_MIN)
		bufs->size /= 2;
	return fd;
}

/* Create the map of a symbol with a number: rtm_agg7, rtm_array2. */
static int
create_numbered(struct bx_exec *x, const char *sym)
{
	unsigned n;

	if (sscanf(sym, "rtm_agg%u", &n) == 1)
		return create_agg(x, &x->pl->aggs.v[n - 1]);
	if (sscanf(sym, "rtm_array%u", &n) == 1) {
		const struct bx_var *v = &x->lo.vars.v[n];

		return create_hash(v->key_size, v->size, x->opts.dynvarsize,
		    bx_is_open(&x->lo, v) ? 0 : BPF_F_NO_PREALLOC, "dt_array");
	}
	return bx_counter_map(x, sym);
}

/*
 * Insert and delete a key on this CPU, to make the kernel stock free elements.
 * It keeps free elements of a map per CPU, at first 4 of up to 256 bytes and 1
 * of larger ones, and refills them only with interrupts on: code without
 * interrupts would drop the second new key.  The first element taken on a CPU
 * makes the kernel stock some 50 at once, or 16 KB of larger ones.  CPUs that
 * come online later get theirs with their first keys.
 */
int
bx_map_warm(int fd, uint32_t key_size, uint32_t value_size)
{
	char *key = mem_alloc(key_size), *value = mem_alloc(value_size);
	int rc = 0;

	if (fd >= 0 && bpf_map_update_elem(fd, key, value, BPF_NOEXIST) == 0)
		rc = bpf_map_delete_elem(fd, key);
	free(key);
	free(value);
	return rc;
}

/* Warm the arrays without preallocated elements.  create_numbered() made their
 * maps. */
static int
warm_arrays(const struct bx_exec *x)
{
	int rc = 0;

	VEC_FOREACH(&x->lo.vars, v) {
		if (rc == 0 && v->map != NULL && !bx_is_open(&x->lo, v))
			rc = bx_map_warm(
			    bx_map_find(x, v->map), v->key_size, v->size);
	}
	return rc;
}

bool
bx_maps_have_keys(const struct bx_exec *x)
{
	VEC_FOREACH(&x->pl->aggs, pa) {
		if (pa->keys.n != 0)
			return true;
	}
	VEC_FOREACH(&x->lo.vars, v) {
		if (v->map != NULL)
			return true;
	}
	return false;
}

int
bx_maps_warm(const struct bx_exec *x)
{
	int rc = bx_aggs_warm(x);

	return rc != 0 ? rc : warm_arrays(x);
}

/* The maps of a session are its own: it closes them. */
static int
dup_shared(const struct exec_shared *sh)
{
	int fd = fcntl(sh->fd, F_DUPFD_CLOEXEC, 0);

	return fd >= 0 ? fd : -errno;
}

static int
create_map(struct bx_exec *x, const char *sym)
{
	if (strcmp(sym, "rtm_ctl") == 0)
		return bx_map_array(
		    x->lo.ctl_size, 1, BPF_F_MMAPABLE, "dt_ctl");
	if (strcmp(sym, "rtm_pcpu") == 0)
		return bx_map_array(sizeof(struct bx_pcpu), x->e.ncpus,
		    BPF_F_MMAPABLE, "dt_pcpu");
	if (strcmp(sym, "rtm_states") == 0)
		return bx_map_array(bx_state_size(&x->lo) +
			(x->lo.uses_parts || x->may_grow ? 8 * BX_FRAME_WORDS :
							   0),
		    x->e.ncpus * BX_NSLOTS, 0, "dt_states");
	if (strcmp(sym, "rtm_bufs") == 0)
		return create_bufs(x);
	if (strcmp(sym, "rtm_specs") == 0)
		return bx_map_array(
		    8, x->opts.nspec + (x->opts.nspec == 0), 0, "dt_specs");
	if (strcmp(sym, "rtm_wakeup") == 0)
		return bpf_map_create(
		    BPF_MAP_TYPE_RINGBUF, "dt_wakeup", 0, 0, WAKEUP_SIZE, NULL);
	if (strcmp(sym, "rtm_globals") == 0)
		return bx_map_array(
		    bx_globals_size(&x->lo), 1, 0, "dt_globals");
	if (strcmp(sym, "rtm_shared") == 0)
		return dup_shared(x->opts.shared);
	if (strcmp(sym, "rtm_tls") == 0)
		return create_task_storage(x->lo.tls_size, "dt_tls");
	if (strcmp(sym, "rtm_vtime") == 0)
		return create_task_storage(8 * BX_NCLOCKS, "dt_vtime");
	if (strcmp(sym, "rtm_serial") == 0)
		return bx_map_array(8, 1, 0, "dt_serial");
	if (strcmp(sym, "rtm_strs") == 0)
		return create_strs(x);
	if (strcmp(sym, "rtm_family") == 0)
		return bx_family_map();
	if (strcmp(sym, "rtm_cpus") == 0)
		return bx_cpus_map(x);
	if (strncmp(sym, "rtm_unw", 7) == 0)
		return bx_unwind_map(sym);
	if (strncmp(sym, "rtm_parts", 9) == 0)
		return bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, "dt_parts", 4, 4,
		    BX_PARTS_END + 1, NULL);
	if (strncmp(sym, "rtm_h", 5) == 0)
		return bx_helper_map(sym);
	return create_numbered(x, sym);
}

/* Tell the user which option or limit was too much. */
char *
bx_map_error(const struct bx_exec *x, const char *sym, int err)
{
	if (err == -EPERM)
		return bx_no_permission();
	if (strcmp(sym, "rtm_tls") == 0 && err == -E2BIG)
		return mem_printf(
		    "self-> variables take %u bytes per thread, "
		    "more than the kernel keeps (64k, Linux 7 some 8k); "
		    "lower strsize",
		    x->lo.tls_size);
	if (strcmp(sym, "rtm_bufs") == 0 && err == -E2BIG)
		return mem_printf(
		    "bufsize is more than the kernel lets a "
		    "program use (%llum); lower it, or set bufresize=auto",
		    BX_BUF_MAX >> 20);
	if (err == -ENOMEM || err == -E2BIG)
		return mem_printf("the kernel has no memory for %s: lower "
				  "bufsize, aggsize, dynvarsize or strsize",
		    strcmp(sym, "rtm_bufs") == 0	? "the trace buffers" :
			strncmp(sym, "rtm_agg", 7) == 0 ? "an aggregation" :
			strncmp(sym, "rtm_array", 9) == 0 ?
							  "dynamic variables" :
			strncmp(sym, "rtm_unw", 7) == 0 ? "unwind tables" :
							  "the program's data");
	return mem_printf(
	    "cannot create a BPF map (%s): %s", sym + 4, strerror(-err));
}

void
bx_map_take(struct bx_exec *x, const char *sym, int fd)
{
	VEC_PUSH(&x->maps, (struct bx_map){ mem_strdup(sym), fd });
}

int
bx_map_fd(struct bx_exec *x, const char *sym)
{
	int fd = bx_map_find(x, sym), rc;

	if (fd >= 0)
		return fd;
	fd = create_map(x, sym);
	if (fd < 0) {
		if (fd == -EPERM || x->link_error == NULL) {
			free(x->link_error);
			x->link_error =
			    fd == -EPERM ? NULL : bx_map_error(x, sym, fd);
		}
		errno = -fd;
		return -1;
	}
	bx_map_take(x, sym, fd);
	rc = strcmp(sym, "rtm_strs") == 0 ? bx_strs_renew(x) : 0;
	if (rc != 0) {
		free(x->link_error);
		x->link_error = mem_printf("cannot hand the script's strings "
					   "to the kernel: %s",
		    strerror(-rc));
		errno = -rc;
		return -1;
	}
	return fd;
}

static size_t
page_round(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (n + page - 1) & ~(page - 1);
}

static void *
map_shared(int fd, size_t len, int prot, off_t off)
{
	void *p = mmap(NULL, len, prot, MAP_SHARED, fd, off);

	return p == MAP_FAILED ? NULL : p;
}

/* Map the cells of aggregations without keys into the library. */
static int
attach_cells(struct bx_exec *x)
{
	VEC_FOREACH(&x->pl->aggs, pa) {
		struct bx_cells c = { 0 };
		char sym[32];
		int fd;

		snprintf(sym, sizeof(sym), "rtm_agg%u", pa->agg->id);
		fd = bx_map_find(x, sym);
		if (fd >= 0 && pa->keys.n == 0) {
			c.len = page_round(2 * x->e.ncpus * bx_cell_size(pa));
			c.p = map_shared(fd, c.len, PROT_READ | PROT_WRITE, 0);
			if (c.p == NULL)
				return -errno;
		}
		VEC_PUSH(&x->cells, c);
	}
	return 0;
}

/* Map the wakeups, a ring buffer whose data is never read: it wakes poll().
 * Its first page has the consumer's position, its second the producer's. */
static int
attach_wakeup(struct bx_exec *x)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	x->wakeup_fd = bx_map_find(x, "rtm_wakeup");
	if (x->wakeup_fd < 0)
		return 0;
	x->wakeup_consumer =
	    map_shared(x->wakeup_fd, page, PROT_READ | PROT_WRITE, 0);
	x->wakeup_producer =
	    map_shared(x->wakeup_fd, page, PROT_READ, (off_t)page);
	return x->wakeup_consumer && x->wakeup_producer ? 0 : -errno;
}

int
bx_maps_attach(struct bx_exec *x, struct err *err)
{
	int fd;

	x->ctl_len = page_round(x->lo.ctl_size);
	x->pcpu_len = page_round(x->e.ncpus * sizeof(struct bx_pcpu));
	if ((fd = bx_map_fd(x, "rtm_ctl")) < 0 ||
	    !(x->ctl = map_shared(fd, x->ctl_len, PROT_READ | PROT_WRITE, 0)) ||
	    (fd = bx_map_fd(x, "rtm_pcpu")) < 0 ||
	    !(x->pcpu =
		    map_shared(fd, x->pcpu_len, PROT_READ | PROT_WRITE, 0)) ||
	    attach_wakeup(x) != 0 || attach_cells(x) != 0)
		goto fail;
	if ((fd = bx_map_find(x, "rtm_bufs")) >= 0) {
		x->bufs_len = page_round(x->bufs.parts[0].stride * x->e.ncpus);
		x->bufs.parts[0].base =
		    map_shared(fd, x->bufs_len, PROT_READ | PROT_WRITE, 0);
		if (x->bufs.parts[0].base == NULL)
			goto fail;
	}
	x->ctl->min_init = INT64_MAX;
	x->ctl->max_init = (uint64_t)INT64_MIN;
	return bx_agg_init(x);

fail:
	return err_set(
	    err, -errno, "cannot map the trace buffers: %s", strerror(errno));
}

void
bx_maps_close(struct bx_exec *x)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (x->ctl != NULL)
		munmap(x->ctl, x->ctl_len);
	if (x->pcpu != NULL)
		munmap(x->pcpu, x->pcpu_len);
	if (x->bufs.parts[0].base != NULL)
		munmap(x->bufs.parts[0].base, x->bufs_len);
	VEC_FOREACH(&x->cells, c) {
		if (c->p != NULL)
			munmap(c->p, c->len);
	}
	VEC_FREE(&x->cells);
	if (x->wakeup_consumer != NULL)
		munmap((void *)(uintptr_t)x->wakeup_consumer, page);
	if (x->wakeup_producer != NULL)
		munmap((void *)(uintptr_t)x->wakeup_producer, page);
	VEC_FOREACH(&x->maps, m) {
		close(m->fd);
		free(m->sym);
	}
	VEC_FREE(&x->maps);
	free(x->link_error);
}
