/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Load the parts of large groups (part.c).
 *
 * Parts are linked one after the other, since linking creates maps.  The kernel
 * verifies programs in parallel if they are loaded in parallel, so as many
 * threads as there are CPUs load them, up to NLOADERS.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"

#define NLOADERS 8

struct loading {
	struct bx_exec *x;
	struct bx_group *g;
	bounds_flag *stop; /* flag that dtrace's thread watches */
	uint32_t n;	   /* parts */
	uint32_t next;	   /* next part to load; atomic */
	struct loaded {
		int fd;
		struct err err;
	} * parts; /* only the thread that took a part writes its entry */
};

/* Load parts until none is left.  At Control-C, no further parts are taken. */
static void *
load_some(void *arg)
{
	struct loading *l = arg;
	struct bx_group *g = l->g;
	bounds_flag *before = bounds_watch(l->stop);
	uint32_t i;

	while (!bounds_is_stopped() &&
	    (i = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED)) < l->n) {
		const struct bx_program pr = { &g->parts[i],
			&g->tr.parts.list.v[i].a, g->tr.name };

		l->parts[i].fd = bx_program_load(
		    l->x, g, &pr, g->tr.facts->probes.v[0], &l->parts[i].err);
	}
	bounds_watch(before);
	return NULL;
}

/* Load all parts.  This thread is one of the loaders. */
static void
load_all(struct loading *l)
{
	long ncpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t threads[NLOADERS];
	int n = 0;

	/* only this thread may use the tables that give a program's target */
	if (bx_ctx(l->g->tr.facts->ctx)->per_target)
		ncpus = 1;
	while (n < NLOADERS && n + 1 < ncpus &&
	    pthread_create(&threads[n], NULL, load_some, l) == 0)
		n++;
	load_some(l);
	while (n-- > 0)
		pthread_join(threads[n], NULL);
}

static int
enter(struct bx_exec *x, const struct bx_parts *p, uint32_t i, int fd)
{
	int map_fd = bx_map_fd(x, p->map);
	uint32_t end = BX_PARTS_END;

	if (bpf_map_update_elem(map_fd, &i, &fd, 0) != 0)
		return -errno;
	if (i == bx_parts_count(p) &&
	    bpf_map_update_elem(map_fd, &end, &fd, 0) != 0)
		return -errno;
	return 0;
}

/* Enter all parts in the map.  Reports the first refused part. */
CHECKED static int
enter_all(const struct loading *l, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		struct loaded *part = &l->parts[i];

		if (rc == 0 && part->fd < 0) {
			rc = part->fd;
			err_move(err, &part->err);
		}
		if (rc == 0)
			rc = enter(l->x, &l->g->tr.parts, i, part->fd);
		if (part->fd >= 0)
			close(part->fd);
		err_clear(&part->err);
	}
	if (rc == -EINTR && !err_is_set(err))
		err_set(err, rc, "%s", BOUNDS_STOPPED);
	if (rc != 0 && !err_is_set(err))
		err_set(err, rc,
		    "the script is too large for one BPF program, and the kernel does not take it in several: %s",
		    strerror(-rc));
	return rc;
}

CHECKED static int
link_all(struct bx_exec *x, struct bx_group *g, uint32_t n, struct err *err)
{
	int rc = 0;

	g->parts = mem_alloc(n * sizeof(*g->parts));
	for (uint32_t i = 0; i < n; i++)
		g->parts[i].btf_fd = -1;
	for (uint32_t i = 0; rc == 0 && i < n; i++)
		rc = bx_function_link(
		    x, g, &g->tr.parts.list.v[i].a, &g->parts[i], err);
	return rc;
}

int
bx_parts_load(struct bx_exec *x, struct bx_group *g, struct err *err)
{
	struct loading l = {
		.x = x, .g = g, .n = (uint32_t)g->tr.parts.list.n
	};
	int rc;

	if (l.n == 0 || g->parts != NULL)
		return 0;
	rc = link_all(x, g, l.n, err);
	if (rc != 0)
		goto out;
	l.parts = mem_alloc(l.n * sizeof(*l.parts));
	l.stop = bounds_watch(NULL);
	bounds_watch(l.stop);
	for (uint32_t i = 0; i < l.n; i++)
		l.parts[i].fd = -EINTR;
	load_all(&l);
	rc = enter_all(&l, err);
	free(l.parts);
out:
	/* unload, so that a later call tries again */
	if (rc != 0)
		bx_parts_unload(g);
	return rc;
}

void
bx_parts_unload(struct bx_group *g)
{
	for (size_t i = 0; g->parts != NULL && i < g->tr.parts.list.n; i++)
		bl_image_fini(&g->parts[i]);
	free(g->parts);
	g->parts = NULL;
}
