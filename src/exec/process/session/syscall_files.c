/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of a process that make system calls: dtrace reads each file that
 * the process has mapped as code, for the points of emit/syscall.c.
 */
#include "exec/process/impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/procstatus.h"
#include "base/vec.h"
#include "exec/process/proc.h"
#include "provider/ufiles.h"

/* ---- what a file has -------------------------------------------------- */

#define CHUNK (1 << 16)

/*
 * The bytes for which dtrace looks at a file of code: SYSCALL, or SYSCALL
 * behind the number of a call that installs a filter (mov $157,%eax; mov
 * $317,%eax).
 */
static const char a_call[] = "\x0f\x05";
static const char *const filters[] = { "\xb8\x9d\0\0", "\xb8\x3d\x01\0" };
#define NUMBER_LEN 5 /* with one more 0 */
#define NEAR 32	     /* where the call is, behind it */
#define OVERLAP (NUMBER_LEN + NEAR)

static bool
has_call(const char *text, size_t n)
{
	return memmem(text, n, a_call, sizeof(a_call) - 1) != NULL;
}

static bool
has_call_behind(const char *text, size_t n, const char *number)
{
	const char *end = text + n;

	while ((text = memmem(text, n, number, NUMBER_LEN)) != NULL) {
		text += NUMBER_LEN;
		n = (size_t)(end - text);
		if (has_call(text, n < NEAR ? n : NEAR))
			return true;
	}
	return false;
}

static bool
is_looked_at(const struct pr_exec *x, const char *text, size_t n)
{
	return pr_has_calls(x) ? has_call(text, n) :
				 has_call_behind(text, n, filters[0]) ||
		has_call_behind(text, n, filters[1]);
}

/* Are there any in what the mapping shows of the file?  Bytes that look like
 * one need not be.  add_file() tells why it cannot be read. */
static bool
may_call(const struct pr_exec *x, int fd, const struct proc_map *map)
{
	uint64_t end = map->off + (map->end - map->start), at = map->off;
	char *bytes = mem_alloc(CHUNK);
	bool may = false;
	ssize_t n = 1;

	while (!may && at < end && n > 0) {
		n = pread(fd, bytes, CHUNK, (off_t)at);
		may = n < 0 || (n > 0 && is_looked_at(x, bytes, (size_t)n));
		at += n > OVERLAP ? (uint64_t)n - OVERLAP : 1;
	}
	free(bytes);
	return may;
}

/* Shared mappings are not a program's code, but a JIT compiler's or ours. */
static bool
is_code(const struct proc_map *map)
{
	return map->is_exec && map->ino != 0 && !map->is_shared;
}

CHECKED static int
add_file(struct pr_exec *x, struct pr_proc *p, const struct dt_ufile *file,
    struct err *err)
{
	struct pr_file *f = pr_file_of(p, file);
	struct pr_code *code = pr_file_code(&x->plant, f, err);

	f->has_calls = true;
	if (code == NULL)
		return -1;
	pr_sys_find_points(x, code);
	VEC_FOREACH(&code->calls, pt)
		pr_file_add(f, pt);
	return 0;
}

static void
miss(struct pr_exec *x, struct err *err)
{
	if (x->sys.nmissed++ == 0)
		x->sys.missed = err_steal(err);
	err_clear(err);
}

/* NULL: the process has no entry for the file yet. */
static const struct pr_file *
file_of(const struct pr_proc *p, const struct proc_map *map)
{
	VEC_FOREACH(&p->files, f) {
		if (f->file->dev == map->dev && f->file->ino == map->ino)
			return f;
	}
	return NULL;
}

/* Segments of files that make no calls: looked at once. */
static bool
makes_calls(
    struct pr_exec *x, const struct dt_ufile *file, const struct proc_map *map)
{
	struct pr_segment s = { map->dev, map->ino, map->off, false };

	VEC_FOREACH(&x->sys.segments, seen) {
		if (seen->dev == s.dev && seen->ino == s.ino &&
		    seen->off == s.off)
			return seen->may_call;
	}
	s.may_call = may_call(x, file->fd, map);
	VEC_PUSH(&x->sys.segments, s);
	return s.may_call;
}

/* A file that cannot be read is reported once.  A file with probes is read. */
static void
collect_map(struct pr_exec *x, struct pr_proc *p, const struct proc_map *map)
{
	const struct pr_file *f = file_of(p, map);
	const struct dt_ufile *file;
	struct pr_code *code;
	struct err err = { 0 };

	if (f != NULL && f->has_calls)
		return;
	file = dt_ufiles_open(x->sys.files, p->pid, map, &err);
	if (file == NULL) {
		err_clear(&err); /* no file, so it has no calls */
		return;
	}
	if ((!makes_calls(x, file, map) && (f == NULL || f->code == NULL)) ||
	    add_file(x, p, file, &err) == 0)
		return;
	code = pr_code_of(&x->plant, file);
	if (code == NULL || code->is_missed || !pr_has_calls(x))
		err_clear(
		    &err); /* filters that this file installs go unnoticed */
	else
		miss(x, &err);
	if (code != NULL)
		code->is_missed = true;
}

/* Files that cannot be read are not traced; the user is told of the first. */
int
pr_sys_collect(struct pr_exec *x, struct pr_proc *p, struct err *err)
{
	const struct proc_maps *pm;

	/* without a body that such a place could call there is none */
	if (!pr_has_calls(x) && !pr_sys_is_entering(x))
		return 0;
	if (x->sys.files == NULL)
		x->sys.files = dt_ufiles_create();
	pm = pr_proc_maps(p, err);
	if (pm == NULL)
		return proc_is_gone(-err->code) ? -ESRCH : err->code;
	VEC_FOREACH(&pm->maps, map) {
		if (is_code(map))
			collect_map(x, p, map);
	}
	return 0;
}

/* ---- what the user is told ----------------------------------------------- */

/* Join the parts of a message. */
static void
tell(struct err *err, char *text)
{
	bool more = err_is_set(err);

	err_set(err, -ENOTSUP, "%s%s%s", more ? err_text(err) : "",
	    more ? "; " : "", text);
	free(text);
}

static void
tell_unwatched(struct pr_exec *x, struct err *err)
{
	const struct refusals *r = &x->sys.unwatched;
	size_t n = r->v.n - x->sys.ntold;
	const struct refusal *first;

	if (n == 0)
		return;
	first = &r->v.v[x->sys.ntold];
	tell(err,
	    mem_printf("processes forked and programs executed by %zu system "
		       "call%s are not followed; the first is at %s: %s",
		n, n == 1 ? "" : "s", first->what, first->why));
	x->sys.ntold = r->v.n;
}

static void
tell_missed(struct pr_exec *x, struct err *err)
{
	if (x->sys.nmissed == 0)
		return;
	tell(err,
	    mem_printf("%s by %zu files %s; the first is %s",
		pr_traces_calls(x) ? "system calls made" :
				     "processes forked and programs executed",
		x->sys.nmissed,
		pr_traces_calls(x) ? "are not seen" : "are not followed",
		x->sys.missed));
	free(x->sys.missed);
	x->sys.missed = NULL;
	x->sys.nmissed = 0;
}

void
pr_sys_tell(struct pr_exec *x, struct err *err)
{
	tell_missed(x, err);
	tell_unwatched(x, err);
}

void
pr_sys_fini(struct pr_exec *x)
{
	dt_ufiles_destroy(x->sys.files);
	free(x->sys.missed);
	refusals_fini(&x->sys.unwatched);
	VEC_FREE(&x->sys.segments);
}
