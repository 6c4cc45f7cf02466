/* SPDX-License-Identifier: BSD-2-Clause */
#include "sym/sideband.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpuwatch.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#define RING_BYTES ((size_t)512 * 1024) /* a power of 2 */
#define RINGS_MAX ((size_t)32 << 20)	/* for all possible CPUs together */
#define RING_LEAST ((size_t)16 * 1024)	/* if memory may not be locked */

struct ring {
	int fd, cpu;
	struct perf_event_mmap_page *page;
	size_t size; /* of the data behind the control page */
};

/* An event that is held until earlier events of other CPUs are read. */
struct waiting {
	struct sideband_event ev;
	size_t path;  /* offset of its path in `paths` */
	size_t order; /* its rank among events of the same time */
};

struct subscriber {
	sideband_f *f;
	void *arg;
};

struct sideband {
	VEC(struct ring) rings;
	size_t ring_bytes;
	int epoll_fd, hotplug_fd;
	VEC(struct subscriber) subscribers;
	VEC(struct waiting) waiting;
	struct strbuf paths, record;
	uint64_t told;
};

/* ---- opening ------------------------------------------------------------- */

static int
open_event(const struct sideband *sb, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)sb->ring_bytes / 4,
	};

	return (int)syscall(
	    SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Map the largest ring that is permitted. */
static void *
map_ring(const struct sideband *sb, struct ring *r)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = MAP_FAILED;

	for (r->size = sb->ring_bytes; p == MAP_FAILED && r->size >= RING_LEAST;
	     r->size /= 2)
		p = mmap(NULL, page + r->size, PROT_READ | PROT_WRITE,
		    MAP_SHARED, r->fd, 0);
	r->size *= 2;
	return p;
}

static int
open_ring(struct sideband *sb, int cpu)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct ring r = { .fd = open_event(sb, cpu), .cpu = cpu };
	void *p;

	if (r.fd < 0)
		return errno == ENODEV ? 0 : -errno; /* CPU is offline */
	p = map_ring(sb, &r);
	if (p == MAP_FAILED) {
		int rc = -errno;

		close(r.fd);
		return rc;
	}
	r.page = p;
	VEC_PUSH(&sb->rings, r);
	return epoll_ctl(sb->epoll_fd, EPOLL_CTL_ADD, r.fd, &ev) != 0 ? -errno :
									0;
}

static void
close_ring(const struct ring *r)
{
	munmap(r->page, (size_t)sysconf(_SC_PAGESIZE) + r->size);
	close(r->fd);
}

/* Without this, events on CPUs that come online later are not seen. */
static void
watch_cpus(struct sideband *sb)
{
	struct epoll_event ev = { .events = EPOLLIN };

	sb->hotplug_fd = cpuwatch_open();
	if (sb->hotplug_fd >= 0)
		epoll_ctl(sb->epoll_fd, EPOLL_CTL_ADD, sb->hotplug_fd, &ev);
}

struct sideband *
sideband_open(struct err *err)
{
	struct sideband *sb = mem_alloc(sizeof(*sb));
	int ncpus = (int)sysconf(_SC_NPROCESSORS_CONF), rc = 0;

	sb->ring_bytes = RING_BYTES;
	while (sb->ring_bytes * (size_t)ncpus > RINGS_MAX &&
	    sb->ring_bytes > RING_LEAST)
		sb->ring_bytes /= 2;
	sb->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (sb->epoll_fd < 0)
		rc = -errno;
	watch_cpus(sb);
	for (int cpu = 0; cpu < ncpus && rc == 0; cpu++)
		rc = open_ring(sb, cpu);
	if (rc == 0)
		return sb;
	err_set(err, rc, "processes cannot be followed: %s%s", strerror(-rc),
	    rc == -EACCES || rc == -EPERM ? " (CAP_PERFMON is needed)" : "");
	sideband_close(sb);
	return NULL;
}

void
sideband_close(struct sideband *sb)
{
	if (sb == NULL)
		return;
	VEC_FOREACH(&sb->rings, r)
		close_ring(r);
	VEC_FREE(&sb->rings);
	if (sb->hotplug_fd >= 0)
		close(sb->hotplug_fd);
	if (sb->epoll_fd >= 0)
		close(sb->epoll_fd);
	VEC_FREE(&sb->subscribers);
	VEC_FREE(&sb->waiting);
	strbuf_fini(&sb->paths);
	strbuf_fini(&sb->record);
	free(sb);
}

int
sideband_fd(const struct sideband *sb)
{
	return sb->epoll_fd;
}

void
sideband_subscribe(struct sideband *sb, sideband_f *f, void *arg)
{
	VEC_PUSH(&sb->subscribers, (struct subscriber){ f, arg });
}

uint64_t
sideband_told(const struct sideband *sb)
{
	return sb->told;
}

/* ---- records ------------------------------------------------------------- */

/* The end of each record (sample_id_all). */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
};

struct mmap2 {
	struct perf_event_header h;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t prot, flags;
	char filename[];
};

struct task {
	struct perf_event_header h;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct comm {
	struct perf_event_header h;
	uint32_t pid, tid;
	char comm[];
};

static void
add_event(struct sideband *sb, const struct sideband_event *ev,
    const char *path, size_t len)
{
	struct waiting w = {
		.ev = *ev, .path = sb->paths.len, .order = sb->waiting.n
	};

	strbuf_add(&sb->paths, path, len);
	strbuf_addc(&sb->paths, '\0');
	VEC_PUSH(&sb->waiting, w);
}

static void
take_mmap(struct sideband *sb, const struct mmap2 *m, size_t len, uint64_t time)
{
	size_t room;
	struct sideband_event ev = { .kind = SIDEBAND_MMAP, .time_ns = time };

	if (len < sizeof(*m))
		return;
	room = len - sizeof(*m);
	ev.pid = (pid_t)m->pid;
	ev.start = m->addr;
	ev.len = m->len;
	ev.off = m->pgoff;
	ev.ino = m->ino;
	ev.dev = m->ino != 0 ? makedev(m->maj, m->min) : 0;
	ev.generation = m->ino_generation;
	add_event(sb, &ev, m->filename, strnlen(m->filename, room));
}

/*
 * Skip threads.  A process ends with its last thread, but a record does not say
 * which thread is the last, so its first one stands for it.
 */
static void
take_task(struct sideband *sb, const struct task *t, size_t len)
{
	bool is_fork = t->h.type == PERF_RECORD_FORK;
	struct sideband_event ev = { .time_ns = 0 };

	if (len < sizeof(*t) ||
	    (is_fork ? t->pid == t->ppid : t->pid != t->tid))
		return;
	ev.kind = is_fork ? SIDEBAND_FORK : SIDEBAND_EXIT;
	ev.time_ns = t->time;
	ev.pid = (pid_t)t->pid;
	ev.ppid = (pid_t)t->ppid;
	add_event(sb, &ev, "", 0);
}

static void
take_record(struct sideband *sb, const struct perf_event_header *h, size_t len)
{
	const struct comm *c = (const void *)h;
	struct sideband_event ev = { .kind = SIDEBAND_LOST };
	struct sample_id id;

	if (len < sizeof(*h) + sizeof(id))
		return;
	memcpy(&id, (const char *)h + len - sizeof(id), sizeof(id));
	ev.time_ns = id.time;
	switch (h->type) {
	case PERF_RECORD_MMAP2:
		take_mmap(sb, (const void *)h, len - sizeof(id), id.time);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		take_task(sb, (const void *)h, len - sizeof(id));
		break;
	case PERF_RECORD_COMM:
		if ((h->misc & PERF_RECORD_MISC_COMM_EXEC) == 0)
			break;
		ev.kind = SIDEBAND_EXEC;
		ev.pid = (pid_t)c->pid;
		add_event(sb, &ev, "", 0);
		break;
	case PERF_RECORD_LOST:
		add_event(sb, &ev, "", 0);
		break;
	default:
		break;
	}
}

/* ---- rings --------------------------------------------------------------- */

/* Copy a record that wraps around the ring's end into one piece. */
static const struct perf_event_header *
record_at(struct sideband *sb, const struct ring *r, uint64_t at, size_t len)
{
	const char *data = (const char *)r->page + r->page->data_offset;
	size_t from = (size_t)at & (r->size - 1), head = r->size - from;

	if (len <= head)
		return (const void *)(data + from);
	strbuf_reset(&sb->record);
	strbuf_add(&sb->record, data + from, head);
	strbuf_add(&sb->record, data, len - head);
	return (const void *)sb->record.s;
}

static void
read_ring(struct sideband *sb, const struct ring *r)
{
	/* pairs with the kernel's barrier after writing a record */
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->page->data_tail;

	while (tail < head) {
		const struct perf_event_header *h =
		    record_at(sb, r, tail, sizeof(*h));
		uint16_t size = h->size;

		if (size < sizeof(*h) || size > head - tail)
			break;
		take_record(sb, record_at(sb, r, tail, size), size);
		tail += size;
	}
	/* pairs with the kernel's load before it writes over what was read */
	__atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
}

/* Read the rest of the ring of a CPU that went offline. */
static void
drop_ring(struct sideband *sb, int cpu)
{
	for (size_t i = sb->rings.n; i-- > 0;) {
		struct ring *r = &sb->rings.v[i];

		if (r->cpu != cpu)
			continue;
		read_ring(sb, r);
		close_ring(r);
		*r = sb->rings.v[--sb->rings.n];
	}
}

/* A CPU that came online gets a ring; earlier events on it are lost. */
static void
renew_rings(struct sideband *sb)
{
	unsigned cpu;
	bool is_online;

	while (sb->hotplug_fd >= 0 &&
	    cpuwatch_next(sb->hotplug_fd, &cpu, &is_online)) {
		struct sideband_event ev = { .kind = SIDEBAND_LOST };

		drop_ring(sb, (int)cpu);
		if (!is_online)
			continue;
		open_ring(sb, (int)cpu);
		ev.time_ns = now_ns();
		add_event(sb, &ev, "", 0);
	}
}

static int
waiting_cmp(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;

	if (x->ev.time_ns != y->ev.time_ns)
		return x->ev.time_ns < y->ev.time_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void
tell(struct sideband *sb, struct waiting *w)
{
	w->ev.path = sb->paths.s + w->path;
	VEC_FOREACH(&sb->subscribers, s)
		s->f(s->arg, &w->ev);
}

void
sideband_drain(struct sideband *sb)
{
	uint64_t before = now_ns();

	renew_rings(sb);
	VEC_FOREACH(&sb->rings, r)
		read_ring(sb, r);
	if (sb->waiting.n != 0)
		qsort(sb->waiting.v, sb->waiting.n, sizeof(*sb->waiting.v),
		    waiting_cmp);
	VEC_FOREACH(&sb->waiting, w)
		tell(sb, w);
	sb->waiting.n = 0;
	strbuf_reset(&sb->paths);
	sb->told = before;
}
