/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes, with their present and former mappings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/proclist.h"
#include "base/vec.h"
#include "sym/usyms_impl.h"

/* Keep the mappings of this many processes that have ended. */
#define DEAD_MAX 16384
/* /proc is not read again before this. */
#define READ_AGAIN_NS 50000000
/* A sideband that was drained up to this long ago is up to date. */
#define NOW_NS 1000000
#define IMAGES_MAX 64

/* ---- images -------------------------------------------------------------- */

static struct uimage *
image_create(void)
{
	struct uimage *im = mem_alloc(sizeof(*im));

	im->refs = 1;
	return im;
}

static void
image_rele(struct uimage *im)
{
	if (--im->refs != 0)
		return;
	VEC_FREE(&im->maps);
	free(im);
}

static const struct umap *
image_map(const struct uimage *im, uint64_t addr, uint64_t time_ns)
{
	for (size_t i = im->maps.n; i > 0; i--) {
		const struct umap *m = &im->maps.v[i - 1];

		if (addr >= m->start && addr < m->end &&
		    (time_ns == USYM_NOW || m->time <= time_ns))
			return m;
	}
	return NULL;
}

/* The process's own image, which may be changed. */
static struct uimage *
own_image(struct uproc *p)
{
	struct uimage **last = &p->images.v[p->images.n - 1].image;
	struct uimage *copy;

	if ((*last)->refs == 1)
		return *last;
	copy = image_create();
	VEC_FOREACH(&(*last)->maps, m)
		VEC_PUSH(&copy->maps, *m);
	image_rele(*last);
	*last = copy;
	return copy;
}

/* ---- processes ----------------------------------------------------------- */

static struct uproc **
bucket_of(struct usyms *us, pid_t pid)
{
	return &us->buckets[(unsigned)pid % UPROC_BUCKETS];
}

struct uproc *
uproc_find(const struct usyms *us, pid_t pid)
{
	struct uproc *p = us->buckets[(unsigned)pid % UPROC_BUCKETS];

	while (p != NULL && p->pid != pid)
		p = p->next;
	return p;
}

static void
begin_image(struct uproc *p, struct uimage *im, uint64_t time)
{
	if (p->images.n == IMAGES_MAX) {
		image_rele(p->images.v[0].image);
		memmove(p->images.v, p->images.v + 1,
		    --p->images.n * sizeof(*p->images.v));
	}
	VEC_PUSH(&p->images, (struct uproc_image){ time, im });
	p->changed = time;
	p->gen++;
}

/* Add a process; the caller begins its image. */
static struct uproc *
uproc_add(struct usyms *us, pid_t pid)
{
	struct uproc **bucket = bucket_of(us, pid), *p = mem_alloc(sizeof(*p));

	p->pid = pid;
	p->next = *bucket;
	*bucket = p;
	return p;
}

static void
uproc_free(struct uproc *p)
{
	VEC_FOREACH(&p->images, im)
		image_rele(im->image);
	VEC_FREE(&p->images);
	elf_syms_rele(p->jit);
	free(p);
}

static void
forget(struct usyms *us, pid_t pid)
{
	struct uproc **at = bucket_of(us, pid), *p;

	while (*at != NULL && (*at)->pid != pid)
		at = &(*at)->next;
	p = *at;
	if (p == NULL || !p->is_dead)
		return;
	*at = p->next;
	uproc_free(p);
	/* the process may be in the cache */
	if (us->cache != NULL)
		memset(us->cache, 0, UCACHE_SIZE * sizeof(*us->cache));
}

static void
forget_some(struct usyms *us)
{
	size_t n = us->dead.n / 4;

	for (size_t i = 0; i < n; i++)
		forget(us, us->dead.v[i]);
	us->dead.n -= n;
	memmove(us->dead.v, us->dead.v + n, us->dead.n * sizeof(*us->dead.v));
}

/* Keep an ended process until too many others have ended after it. */
static void
bury(struct usyms *us, struct uproc *p)
{
	/* before adding: `pid` may be there from an earlier end */
	if (us->dead.n >= DEAD_MAX)
		forget_some(us);
	p->is_dead = true;
	VEC_PUSH(&us->dead, p->pid);
}

void
uprocs_fini(struct usyms *us)
{
	for (size_t i = 0; i < UPROC_BUCKETS; i++) {
		for (struct uproc *p = us->buckets[i], *next; p != NULL;
		     p = next) {
			next = p->next;
			uproc_free(p);
		}
	}
	VEC_FREE(&us->dead);
}

/* ---- /proc --------------------------------------------------------------- */

/* .bss has no file, but belongs to the file whose data it follows. */
static bool
is_bss(const struct proc_map *prev, const struct proc_map *map)
{
	return prev != NULL && prev->ino != 0 && prev->is_write &&
	    map->ino == 0 && map->path[0] == '\0' && prev->end == map->start;
}

static bool
has_names(const struct proc_map *map)
{
	return map->ino != 0 || map->is_exec;
}

static void
add_map(struct uimage *im, const struct umap *m)
{
	const struct umap *old = image_map(im, m->start, USYM_NOW);

	if (old == NULL || old->file != m->file || old->end < m->end ||
	    old->off - old->start != m->off - m->start ||
	    old->is_exec != m->is_exec)
		VEC_PUSH(&im->maps, *m);
}

static uint32_t
file_of(struct usyms *us, const struct proc_map *map, pid_t pid)
{
	struct ufile_id id = {
		.dev = map->dev, .ino = map->ino, .path = map->path
	};

	return ufile_add(us, &id, pid);
}

/* Mappings found in /proc existed before, unless we knew the earlier ones. */
static void
take_maps(struct usyms *us, struct uproc *p, const struct proc_maps *pm,
    uint64_t time)
{
	struct uimage *im = own_image(p);
	const struct proc_map *prev = NULL;

	VEC_FOREACH(&pm->maps, map) {
		struct umap m = { .start = map->start,
			.end = map->end,
			.off = map->off,
			.time = time,
			.is_exec = map->is_exec };

		if (is_bss(prev, map)) {
			m.file = file_of(us, prev, p->pid);
			m.off = prev->off + (map->start - prev->start);
			add_map(im, &m);
		} else if (has_names(map)) {
			m.file = file_of(us, map, p->pid);
			add_map(im, &m);
		}
		prev = map;
	}
}

/*
 * A process that has ended or never existed: remember that nothing is known, so
 * as not to search for each of its addresses.  If processes are followed, an
 * event tells when its id is used again.
 */
static struct uproc *
add_unknown(struct usyms *us, pid_t pid)
{
	struct uproc *p = uproc_add(us, pid);

	begin_image(p, image_create(), 0);
	if (us->sb != NULL)
		bury(us, p);
	return p;
}

/* False: it has ended, or never existed. */
static bool
read_proc(struct usyms *us, pid_t pid, struct uproc *p)
{
	struct proc_maps pm;
	struct err err = { 0 };
	int rc = proc_maps_read(&pm, pid, &err);
	bool ok = rc == 0 && pm.maps.n != 0;
	uint64_t now = now_ns();

	err_clear(&err);
	usyms_note_error(us, -rc);
	if (p == NULL && ok) {
		p = uproc_add(us, pid);
		begin_image(p, image_create(), 0);
	} else if (p == NULL) {
		p = add_unknown(us, pid);
	}
	if (ok) {
		take_maps(us, p, &pm, p->is_known ? now : 0);
		p->gen++;
	}
	if (ok && p->is_known)
		p->changed = now;
	p->read_ns = now;
	p->is_known = true;
	proc_maps_fini(&pm);
	return ok;
}

bool
uproc_refresh(struct usyms *us, struct uproc *p)
{
	return !p->is_dead && now_ns() - p->read_ns > READ_AGAIN_NS &&
	    read_proc(us, p->pid, p);
}

static bool
is_behind(const struct usyms *us, uint64_t time_ns)
{
	uint64_t told = sideband_told(us->sb);

	return time_ns == USYM_NOW ? now_ns() - told > NOW_NS : time_ns >= told;
}

struct uproc *
uproc_get(struct usyms *us, pid_t pid, uint64_t time_ns)
{
	struct uproc *p;

	if (us->sb != NULL && is_behind(us, time_ns))
		sideband_drain(us->sb);
	p = uproc_find(us, pid);
	if (p != NULL && p->is_known)
		return p;
	read_proc(us, pid, p);
	return uproc_find(us, pid);
}

static void
read_all(struct usyms *us)
{
	struct proc_list list;
	pid_t pid;

	proc_list_open(&list, 0);
	while ((pid = proc_list_next(&list)) != 0) {
		if (uproc_find(us, pid) == NULL)
			read_proc(us, pid, NULL);
	}
	usyms_note_error(us, -proc_list_close(&list));
}

/* ---- events -------------------------------------------------------------- */

static void
see_mmap(struct usyms *us, const struct sideband_event *ev)
{
	struct uproc *p = uproc_find(us, ev->pid);
	struct umap m = { .start = ev->start,
		.end = ev->start + ev->len,
		.off = ev->off,
		.time = ev->time_ns,
		.is_exec = true };
	struct ufile_id id = { .dev = ev->dev,
		.ino = ev->ino,
		.generation = ev->generation,
		.path = strcmp(ev->path, "//anon") == 0 ? "" : ev->path };

	if (p == NULL) {
		p = uproc_add(us, ev->pid);
		begin_image(p, image_create(), 0);
	}
	m.file = ufile_add(us, &id, ev->pid);
	add_map(own_image(p), &m);
	p->changed = ev->time_ns;
	p->gen++;
}

static void
see_exec(struct usyms *us, const struct sideband_event *ev)
{
	struct uproc *p = uproc_find(us, ev->pid);

	if (p == NULL)
		p = uproc_add(us, ev->pid);
	begin_image(p, image_create(), ev->time_ns);
	p->is_known = true;
	p->read_ns = 0;
}

static void
see_fork(struct usyms *us, const struct sideband_event *ev)
{
	struct uproc *parent = uproc_find(us, ev->ppid);
	struct uproc *p = uproc_find(us, ev->pid);
	struct uimage *im;

	if (p == NULL)
		p = uproc_add(us, ev->pid);
	if (parent != NULL) {
		im = parent->images.v[parent->images.n - 1].image;
		im->refs++;
	} else {
		im = image_create();
	}
	begin_image(p, im, ev->time_ns);
	p->is_known = parent != NULL && parent->is_known;
	p->is_dead = false;
	p->read_ns = 0;
}

static void
see_exit(struct usyms *us, const struct sideband_event *ev)
{
	struct uproc *p = uproc_find(us, ev->pid);

	if (p != NULL && !p->is_dead)
		bury(us, p);
}

static void
see_lost(struct usyms *us)
{
	for (size_t i = 0; i < UPROC_BUCKETS; i++) {
		for (struct uproc *p = us->buckets[i]; p != NULL; p = p->next)
			p->is_known = p->is_dead;
	}
}

static void
on_event(void *arg, const struct sideband_event *ev)
{
	switch (ev->kind) {
	case SIDEBAND_MMAP:
		see_mmap(arg, ev);
		break;
	case SIDEBAND_EXEC:
		see_exec(arg, ev);
		break;
	case SIDEBAND_FORK:
		see_fork(arg, ev);
		break;
	case SIDEBAND_EXIT:
		see_exit(arg, ev);
		break;
	case SIDEBAND_LOST:
		see_lost(arg);
		break;
	}
}

/*
 * Subscribe first: changes made while we read are then seen twice, not never.
 */
void
uproc_follow(struct usyms *us, struct sideband *sb)
{
	us->sb = sb;
	sideband_subscribe(sb, on_event, us);
	read_all(us);
}

/* ---- addresses ----------------------------------------------------------- */

/*
 * The mapping of the image at that time; if there was none at that time, a
 * later one of the image.
 */
static const struct umap *
map_at(const struct uproc *p, uint64_t addr, uint64_t time_ns)
{
	const struct umap *m;
	size_t i = p->images.n;

	while (i > 1 && p->images.v[i - 1].time > time_ns)
		i--;
	m = image_map(p->images.v[i - 1].image, addr, time_ns);
	return m != NULL ? m :
			   image_map(p->images.v[i - 1].image, addr, USYM_NOW);
}

const struct umap *
uproc_map(const struct uproc *p, uint64_t addr, uint64_t time_ns)
{
	if (time_ns != USYM_NOW)
		return map_at(p, addr, time_ns);
	for (size_t i = p->images.n; i > 0; i--) {
		const struct umap *m =
		    image_map(p->images.v[i - 1].image, addr, USYM_NOW);

		if (m != NULL)
			return m;
	}
	return NULL;
}
