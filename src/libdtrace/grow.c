/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes that appear while tracing: processes begin, execute other programs and
 * load libraries.
 *
 * The kernel reports every executable mapping (sym/sideband.h).  Some
 * milliseconds later the programs' descriptions are matched again in those
 * processes only.  So the first firings of a library's probes are lost, which
 * dtrace reports; probes of all processes (myserver*) are planted in the file
 * and miss nothing once the file is known.  The files of a process that has
 * ended by then are known from its mappings.  Descendants that are followed are
 * looked at when they are out of exec.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"
#include "provider/usites.h"
#include "sym/proc_maps.h"

#define PIDS_MAX 1024 /* more at once: look at all processes */
#define FILES_MAX 4096

/* The first file that a process maps behind its exec is the program. */
static bool
take_executed(struct dt_hdl *h, pid_t pid)
{
	VEC_FOREACH(&h->growth.executed, p) {
		if (*p != pid)
			continue;
		*p = h->growth.executed.v[--h->growth.executed.n];
		return true;
	}
	return false;
}

static void
note_exec(struct dt_hdl *h, pid_t pid)
{
	take_executed(h, pid);
	if (h->growth.executed.n < PIDS_MAX)
		VEC_PUSH(&h->growth.executed, pid);
}

static void
note_file(struct dt_hdl *h, const struct sideband_event *ev)
{
	char *path;
	bool is_deleted, is_program = take_executed(h, ev->pid);

	if (ev->ino == 0 || ev->path[0] != '/' ||
	    h->growth.files.n == FILES_MAX)
		return;
	path = mem_strdup(ev->path);
	is_deleted = proc_path_cut_deleted(path);
	VEC_PUSH(&h->growth.files,
	    ((struct dt_new_file){ .pid = ev->pid,
		.dev = ev->dev,
		.ino = ev->ino,
		.path = path,
		.is_deleted = is_deleted,
		.is_program = is_program }));
}

/* Forget the first n processes that have mapped files, and these files. */
static void
forget(struct dt_hdl *h, size_t n)
{
	size_t nfiles = 0;

	h->growth.pids.n -= n;
	if (n != 0)
		memmove(h->growth.pids.v, h->growth.pids.v + n,
		    h->growth.pids.n * sizeof(*h->growth.pids.v));
	VEC_FOREACH(&h->growth.files, f) {
		bool is_kept = false;

		VEC_FOREACH(&h->growth.pids, pid)
			is_kept |= *pid == f->pid;
		if (is_kept)
			h->growth.files.v[nfiles++] = *f;
		else
			free((char *)(uintptr_t)f->path);
	}
	h->growth.files.n = nfiles;
}

static void
take_event(void *arg, const struct sideband_event *ev)
{
	struct dt_hdl *h = arg;

	if (ev->kind == SIDEBAND_LOST)
		h->growth.has_lost = true;
	if (ev->kind == SIDEBAND_EXEC)
		note_exec(h, ev->pid);
	if (ev->kind == SIDEBAND_EXIT && dt_follows(h))
		dt_follow_ended(h, ev->pid);
	if (ev->kind != SIDEBAND_MMAP)
		return;
	note_file(h, ev);
	VEC_FOREACH(&h->growth.pids, pid) {
		if (*pid == ev->pid)
			return;
	}
	if (h->growth.pids.n < PIDS_MAX)
		VEC_PUSH(&h->growth.pids, ev->pid);
	else
		h->growth.has_lost = true;
}

static bool
follows(const struct dt_hdl *h)
{
	VEC_FOREACH(&h->plan->clauses, pc) {
		if (pc->may_grow && dt_follows(h))
			return true;
		VEC_FOREACH(&pc->clause->pdescs, desc) {
			if (dt_registry_follows(h->probes.registry, desc))
				return true;
		}
	}
	return false;
}

void
dt_growth_fini(struct dt_hdl *h)
{
	forget(h, h->growth.pids.n);
	VEC_FREE(&h->growth.files);
	VEC_FREE(&h->growth.pids);
	VEC_FREE(&h->growth.executed);
}

void
dt_growth_follow(struct dt_hdl *h)
{
	struct sideband *sb;
	struct err err = { 0 };

	if (h->ops->code->sees_code || !follows(h))
		return;
	sb = dt_sideband(h, &err);
	if (sb != NULL) {
		sideband_subscribe(sb, take_event, h);
		h->growth.is_followed = true;
	} else {
		dt_notice(h,
		    "%s; probes of processes and libraries that come "
		    "later are not found",
		    err_text(&err));
	}
	err_clear(&err);
}

/* New processes may contain only probes that exist already; arm them there. */
static void
meet(struct dt_hdl *h)
{
	const struct dt_exec_code_ops *code = h->ops->code;
	struct err err = { 0 };

	if (code->met != NULL && code->met(h->exec, &err) != 0)
		dt_notice(h, "%s", err_text(&err));
	err_clear(&err);
}

/*
 * The first probe of a file that was unknown before, among those from `from`
 * on.  NULL: they belong to processes that wait for dtrace, or to known files.
 * `has_unheld`: descendants that are followed have not all waited.
 */
static const struct dt_probe *
find_wide(const struct dt_hdl *h, size_t from, bool has_unheld)
{
	for (size_t i = from; i < h->plan->late.n; i++) {
		const struct dt_probe *p = h->plan->late.v[i].probe;

		if (p->up != NULL && p->up->pid == 0 &&
		    (p->up->family == 0 || has_unheld))
			return p;
	}
	return NULL;
}

/*
 * Report that probes of all processes were found because a process had begun.
 * Probes that processes make while they run are new in each: one report is
 * about all of them.
 */
static void
tell_missed(struct dt_hdl *h, size_t from, bool has_unheld)
{
	const struct dt_probe *p = find_wide(h, from, has_unheld);
	bool is_made =
	    p != NULL && proc_path_is_memory(p->up->sites.v[0].file->path);

	if (is_made && !h->growth.has_told_made)
		dt_notice(h,
		    "%s:%s was made by a process while it ran: firings of such "
		    "probes are lost until dtrace has seen them, in each "
		    "process; for $target, with -c or -p, the process waits",
		    p->prov, p->mod);
	h->growth.has_told_made |= is_made;
	if (p != NULL && !is_made)
		dt_notice(h,
		    "%s:%s was not known when a process began to run it: "
		    "earlier firings of its probes are lost; processes that "
		    "begin from now on are traced from their start",
		    p->prov, p->mod);
}

void
dt_growth_tell(struct dt_hdl *h)
{
	uint64_t n;

	if (!h->growth.is_followed)
		return;
	n = dt_usdt_ngone(h->probes.registry) - h->growth.ntold;
	h->growth.ntold += n;
	if (n != 0)
		dt_notice(h,
		    "processes that ended at once had %" PRIu64 " file%s of "
		    "code in memory, which dtrace could not read: if a program "
		    "made probes while it ran, their firings are lost; for "
		    "$target, with -c, the process waits",
		    n, n == 1 ? "" : "s");
}

/*
 * Put off processes in exec until they are out of it.  They wait for dtrace in
 * their dynamic linker before anything else runs, but it may not be mapped yet.
 * They come behind the others, whose number is returned.
 */
static size_t
put_off(struct dt_hdl *h)
{
	pid_t *pids = h->growth.pids.v;
	size_t n = 0;

	for (size_t i = 0; i < h->growth.pids.n; i++) {
		pid_t pid = pids[i];

		if (dt_follow_is_in_exec(h, pid))
			continue;
		pids[i] = pids[n];
		pids[n++] = pid;
	}
	return n;
}

/* Let the first n of the processes wait when they load code, if they are
 * descendants.  True: one of these did not wait so far. */
static bool
watch_descendants(struct dt_hdl *h, size_t n)
{
	bool has_unheld = false;

	for (size_t i = 0; i < n; i++) {
		pid_t pid = h->growth.pids.v[i];

		if (dt_registry_root_of(h->probes.registry, pid) != 0)
			has_unheld |= !dt_follow_watch(h, pid);
	}
	return has_unheld;
}

void
dt_growth_work(struct dt_hdl *h)
{
	size_t before = h->plan != NULL ? h->plan->late.n : 0, n;
	bool all, has_unheld;

	if (!h->growth.is_followed)
		return;
	sideband_drain(h->symbols.sideband);
	all = h->growth.has_lost;
	n = put_off(h);
	if (!all && n == 0)
		return;
	has_unheld = watch_descendants(h, n);
	dt_registry_set_focus(h->probes.registry, all ? NULL : h->growth.pids.v,
	    all ? 0 : n, h->growth.files.v, h->growth.files.n);
	if (dt_grow(h) < 0)
		dt_notice(h,
		    "not all probes that came while tracing are "
		    "traced: %s",
		    dt_errmsg(h));
	dt_registry_end_focus(h->probes.registry);
	tell_missed(h, before, has_unheld);
	meet(h);
	forget(h, n);
	h->growth.has_lost = false;
}

/*
 * Match the clauses again.  A process may map a file between the matching of
 * two clauses: repeat until nothing is new, since neighbouring places in a file
 * have to be planned together.
 */
static int
match_all_again(struct dt_hdl *h)
{
	size_t before;

	do {
		before = h->plan->late.n;
		VEC_FOREACH(&h->compiled.progs, p) {
			if ((*p)->is_enabled && dt_match_again(h, *p) != 0)
				return -1;
		}
	} while (h->plan->late.n != before);
	return 0;
}

static int
grow(struct dt_hdl *h)
{
	size_t before;
	struct err err = { 0 };
	int rc;

	if (h->exec == NULL || h->end.is_stopped)
		return 0;
	before = h->plan->late.n;
	if (match_all_again(h) != 0)
		return -1;
	if (h->plan->late.n == before)
		return 0;
	dt_log(h, "%zu enablings of new probes", h->plan->late.n - before);
	rc = h->ops->grow(h->exec, &err);
	if (rc != 0) {
		err_default(&err, rc);
		return dt_fail_err(h, &err);
	}
	return (int)(h->plan->late.n - before);
}

/* An interrupt gives no message: its sender knows about it. */
int
dt_grow(struct dt_hdl *h)
{
	bounds_flag *before = dt_watch(h);
	int rc = grow(h);

	if (bounds_is_stopped())
		rc = 0;
	bounds_watch(before);
	return rc;
}
