/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes of all processes: pid*:libc.so.6:malloc:entry.
 *
 * A module names files: by its path the file that dtrace finds there, and by
 * path or name those that processes have mapped, each process under the paths
 * of its own mount namespace.  A container's libc is another file than the
 * system's.  The kernel plants a probe in the file, so a probe serves all
 * processes that map the file, also those that begin later.  Each file has
 * probes of its own: a file that comes later is a new match (grow.c).
 *
 * The probes of a process and its descendants (option follow) are such probes,
 * too: pid123:a.out:main:entry is main() of process 123's program, and of the
 * programs that its descendants execute.  The substrate lets them fire in this
 * family only.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/ownfailure.h"
#include "base/privilege.h"
#include "base/proclist.h"
#include "base/procstatus.h"
#include "base/regular.h"
#include "base/vec.h"
#include "provider/pid_impl.h"
#include "provider/provider.h"
#include "provider/provider_impl.h"
#include "provider/ufiles.h"

struct wide {
	struct pid_match *pm;
	struct near near; /* names of modules like the one that is asked for */
	char *like;	  /* the nearest (malloced); or NULL */
	int path_error;	  /* an errno: why the path names no file */
	int error;	  /* an errno of dtrace's own */
	bool is_too_many;
};

/* ---- files --------------------------------------------------------------- */

static struct pid_module *
find_file(struct pid_match *pm, const struct dt_ufile *file)
{
	VEC_FOREACH(&pm->mods, mod) {
		if (dt_ufiles_known(pm->files, mod->text) == file)
			return mod;
	}
	return NULL;
}

/* Add a file with a copy of the mapping, which goes with the process's. */
static struct pid_module *
add_file(
    struct wide *w, const struct proc_map *map, const char *name, pid_t via)
{
	struct pid_match *pm = w->pm;
	struct proc_map *text = ARENA_NEW(&pm->arena, struct proc_map);
	struct proc_module *m = ARENA_NEW(&pm->arena, struct proc_module);

	if (pm->mods.n == PID_WIDE_FILES) {
		w->is_too_many = true;
		return NULL;
	}
	*text = *map;
	text->is_exec = true;
	text->path = arena_strdup(&pm->arena, map->path);
	*m = (struct proc_module){ .maps = text,
		.nmaps = 1,
		.path = text->path,
		.name = arena_strdup(&pm->arena, name) };
	return pid_add_module(pm, m, via);
}

/*
 * The file of a mapping.  It is opened at once: its process may end.  NULL: it
 * cannot be opened through this process.
 */
static struct pid_module *
take_file(
    struct wide *w, const struct proc_map *map, const char *name, pid_t via)
{
	struct err err = { 0 };
	const struct dt_ufile *file =
	    dt_ufiles_open(w->pm->files, via, map, &err);
	struct pid_module *mod = NULL;

	if (file != NULL)
		mod = find_file(w->pm, file);
	else if (is_own_failure(-err.code))
		w->error = -err.code;
	if (file != NULL && mod == NULL)
		mod = add_file(w, map, name, via);
	err_clear(&err);
	return mod;
}

/* ---- processes ----------------------------------------------------------- */

static void
note_name(struct wide *w, const char *name)
{
	const char *before = w->near.name;

	if (w->pm->mods.n != 0)
		return;
	near_try(&w->near, name);
	if (w->near.name == before)
		return;
	free(w->like);
	w->near.name = w->like = mem_strdup(name);
}

/* A process, and the tools that may have changed its code. */
struct wide_process {
	pid_t pid;
	uint64_t program_ino; /* of the file that it runs; 0: not asked for */
	bool has_dtrace;
	int has_debugger; /* -1: not known yet */
};

static void
take_memory(struct wide *w, struct pid_module *mod, const struct proc_map *text,
    const struct wide_process *p)
{
	struct pid_mem mem = { .start = text->start,
		.off = text->off,
		.has_dtrace = p->has_dtrace };

	if (p->has_debugger || p->has_dtrace) {
		mem.fd = pid_open_mem(w->pm, p->pid);
		VEC_PUSH(&mod->mems, mem);
	} else if (mod->plain_pid == 0) {
		mod->plain_pid = p->pid;
		mem.fd = -1;
		mod->plain = mem;
	}
}

static void
take_module(struct wide *w, const struct proc_module *m, struct wide_process *p)
{
	const struct proc_map *text = pid_text_of(m);
	bool is_program = p->program_ino != 0 && m->maps->ino == p->program_ino;
	struct pid_module *mod;

	if (text == NULL || text->ino == 0 || pid_is_of_dtrace(m))
		return;
	if (!pid_selects_module(w->pm->mod, m, is_program)) {
		note_name(w, m->name);
		return;
	}
	mod = take_file(w, text, m->name, p->pid);
	if (mod == NULL)
		return;
	mod->is_program |= is_program;
	if (p->has_debugger < 0)
		p->has_debugger = pid_has_debugger(p->pid);
	take_memory(w, mod, text, p);
}

/* Open the unchanged memory with which changed memory is compared. */
static void
open_plain(struct pid_match *pm)
{
	VEC_FOREACH(&pm->mods, mod) {
		if (mod->mems.n != 0 && mod->plain_pid != 0)
			mod->plain.fd = pid_open_mem(pm, mod->plain_pid);
	}
}

/* Tell that a descendant is not traced, unless it has ended. */
static void
leave_out_process(struct wide *w, pid_t pid, int rc, const struct err *err)
{
	if (!proc_is_gone(-rc))
		dt_registry_leave_out(w->pm->r,
		    mem_printf("process %d, which descends from process %d",
			(int)pid, (int)w->pm->pid),
		    mem_strdup(err_text(err)));
}

/* A process that has ended, or that we may not read, has no files. */
static void
take_process(struct wide *w, pid_t pid)
{
	struct wide_process p = { .pid = pid, .has_debugger = -1 };
	struct proc_maps maps = { 0 };
	struct err err = { 0 };
	int rc = proc_maps_read(&maps, pid, &err);

	if (rc == 0 && w->pm->is_family)
		rc = pid_find_program(pid, &p.program_ino, &err);
	if (is_own_failure(-rc))
		w->error = -rc;
	else if (rc != 0 && w->pm->is_family)
		leave_out_process(w, pid, rc, &err);
	if (rc == 0) {
		VEC_FOREACH(&maps.modules, m)
			p.has_dtrace |= pid_is_of_dtrace(m);
		VEC_FOREACH(&maps.modules, m)
			take_module(w, m, &p);
	}
	proc_maps_fini(&maps);
	err_clear(&err);
}

/* Is the process to be looked at? */
static bool
is_of_family(const struct wide *w, pid_t pid)
{
	return !w->pm->is_family ||
	    dt_registry_root_of(w->pm->r, pid) == w->pm->pid;
}

static void
take_all(struct wide *w)
{
	struct proc_list list;
	pid_t pid;
	int rc;

	proc_list_open(&list, 0);
	while ((pid = proc_list_next(&list)) != 0) {
		if (is_of_family(w, pid))
			take_process(w, pid);
	}
	rc = proc_list_close(&list);
	if (rc != 0)
		w->error = -rc;
}

/* Files that processes have mapped since dtrace looked last.  The processes may
 * have ended, or run another program by now. */
static void
take_told(struct wide *w)
{
	size_t n;
	const struct dt_new_file *files = dt_registry_files(w->pm->r, &n);

	for (size_t i = 0; i < n; i++) {
		const struct dt_new_file *f = &files[i];
		const char *name = proc_module_name(f->path);
		struct proc_map map = dt_new_file_map(f);
		struct proc_module m = {
			.maps = &map, .nmaps = 1, .path = f->path, .name = name
		};

		bool is_program = w->pm->is_family && f->is_program;
		struct pid_module *mod = NULL;

		if (!pid_is_of_dtrace(&m) && is_of_family(w, f->pid) &&
		    pid_selects_module(w->pm->mod, &m, is_program))
			mod = take_file(w, &map, m.name, f->pid);
		if (mod != NULL)
			mod->is_program |= is_program;
	}
}

static void
take_processes(struct wide *w)
{
	size_t n;
	const pid_t *pids = dt_registry_focus(w->pm->r, &n);

	for (size_t i = 0; pids != NULL && i < n; i++)
		take_process(w, pids[i]);
	if (pids == NULL)
		take_all(w);
	take_told(w);
}

/* ---- a path -------------------------------------------------------------- */

/* The module's name is that of the file itself, not that of a link to it: so
 * processes have it. */
static void
take_open_file(struct wide *w, int fd)
{
	struct proc_map map = { .path = w->pm->mod };
	char link[32], to[4096];
	struct stat st;
	ssize_t n;
	char *slash;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, to, sizeof(to) - 1);
	if (n < 0 || fstat(fd, &st) != 0)
		return;
	to[n] = '\0';
	slash = strrchr(to, '/');
	map.dev = st.st_dev;
	map.ino = st.st_ino;
	take_file(w, &map, slash != NULL ? slash + 1 : to, getpid());
}

static void
take_path(struct wide *w)
{
	int fd = regular_open(w->pm->mod);

	if (fd < 0) {
		w->path_error = -fd;
		return;
	}
	take_open_file(w, fd);
	close(fd);
}

/* ---- refusals ------------------------------------------------------------ */

static int
refuse_privilege(struct pid_match *pm)
{
	char *why = dt_privilege_refusal(DT_PRIV_KERNEL, "pid*");
	int rc = dt_registry_refuse(pm->r, DT_REFUSE_PDESC, -EPERM,
	    "%s: run dtrace with sudo, or name a process of yours: pid$target "
	    "with -c or -p",
	    why);

	free(why);
	return rc;
}

static int
refuse_none(struct wide *w)
{
	struct pid_match *pm = w->pm;

	if (w->path_error != 0)
		return dt_registry_refuse(pm->r, DT_REFUSE_LIB, 0,
		    "%s cannot be opened: %s", pm->mod,
		    w->path_error == EINVAL ? "it is no regular file" :
					      strerror(w->path_error));
	if (w->like != NULL && !glob_is_pattern(pm->mod))
		return dt_registry_refuse(pm->r, DT_REFUSE_LIB, 0,
		    "no process has loaded a module '%s'; did you mean '%s'?",
		    pm->mod, w->like);
	return dt_registry_refuse(pm->r, DT_REFUSE_LIB, 0,
	    "no process has loaded a module '%s' (-Z permits this, and traces "
	    "it when a process loads it; a path, as in pid*:/usr/bin/bash::, "
	    "names a file that no process has loaded yet)",
	    pm->mod);
}

static int
judge(struct wide *w)
{
	struct pid_match *pm = w->pm;

	if (w->error != 0)
		return dt_registry_fail(pm->r, -w->error,
		    "the files that processes have mapped cannot be read: %s",
		    strerror(w->error));
	if (w->is_too_many)
		return dt_registry_refuse(pm->r, DT_REFUSE_LIB, -E2BIG,
		    "module '%s' is more than %d files that processes have "
		    "mapped; name one, as in pid*:libc.so.6:malloc:entry",
		    pm->mod, PID_WIDE_FILES);
	return pm->mods.n == 0 && !pm->is_family ? refuse_none(w) : 0;
}

int
pid_find_files(struct pid_match *pm)
{
	struct wide w = { .pm = pm, .near = near_start(pm->mod) };
	int rc;

	if (!dt_privilege_has(DT_PRIV_KERNEL) && !dt_registry_is_listing(pm->r))
		return refuse_privilege(pm);
	if (pm->mod[0] == '/' && !glob_is_pattern(pm->mod))
		take_path(&w);
	take_processes(&w);
	open_plain(pm);
	rc = judge(&w);
	free(w.like);
	return rc;
}

static void
take_family(struct wide *w)
{
	size_t n;
	const pid_t *pids = dt_registry_focus(w->pm->r, &n);

	for (size_t i = 0; pids != NULL && i < n; i++) {
		if (is_of_family(w, pids[i]))
			take_process(w, pids[i]);
	}
	if (pids == NULL)
		take_all(w);
	take_told(w);
}

int
pid_find_family(struct pid_match *pm)
{
	struct wide w = { .pm = pm, .near = near_start(pm->mod) };
	int rc;

	take_family(&w);
	open_plain(pm);
	rc = judge(&w);
	free(w.like);
	return rc;
}
