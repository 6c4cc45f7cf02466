/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probes that programs bring, such as
 * postgresql1234:postgres:exec_simple_query:query-start.
 *
 *	myserver1234:::request-start	in process 1234
 *	myserver$target:::		in that of -c or -p
 *	myserver*:::request-start	in all processes, also those to come
 *	myserver*:/usr/bin/myserver::	the same, and no process need be there
 *
 * A provider has the name in the program and the number of the process.  The
 * module is the file.  The function is the one that the compiler put the site
 * into: where a function was inlined, a probe is in several.
 *
 * A pattern that takes every number selects *wide* probes: one for all
 * processes that map the file, called by the name and a star.  Processes that
 * begin later, even those that live for a millisecond, are traced from their
 * first instruction on.  In a listing (-l) such a pattern selects the probes of
 * each process, as other patterns always do.
 *
 * The probes of a process and its descendants (option follow) are such probes,
 * too, called by the number of the process from which all descend.
 */
#include "provider/usdt_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/proclist.h"
#include "base/procstatus.h"
#include "base/str.h"
#include "base/vec.h"

const char *const usdt_attrs[DIF_NPROVATTRS] = {
	"Unstable/Unstable/Common",
	"Private/Private/Unknown",
	"Private/Private/Unknown",
	"Unstable/Unstable/Common",
	"Unstable/Unstable/Common",
};

static const struct proc_map *
code_of(const struct proc_module *m)
{
	for (size_t i = 0; i < m->nmaps; i++) {
		if (m->maps[i].is_exec)
			return &m->maps[i];
	}
	return NULL;
}

static void
match_modules(struct usdt_match *um, const struct proc_maps *maps)
{
	VEC_FOREACH(&maps->modules, m) {
		const struct proc_map *map = code_of(m);

		if (map == NULL ||
		    !usdt_selects_module(um->desc->mod, m->path, m->name))
			continue;
		um->mod = m->name;
		usdt_match_file(um, map);
	}
}

static void
look_at(struct usdt_match *um, pid_t pid)
{
	um->pid = pid;
	um->root =
	    dt_registry_is_listing(um->r) ? 0 : dt_registry_root_of(um->r, pid);
}

/* 0, or -1 with *err. */
CHECKED static int
match_process(struct usdt_match *um, pid_t pid, struct err *err)
{
	struct proc_maps maps = { 0 };
	int rc = proc_maps_read(&maps, pid, err);

	look_at(um, pid);
	if (rc == 0)
		match_modules(um, &maps);
	proc_maps_fini(&maps);
	return rc;
}

/* Match files that the process has mapped since the last look.  By now it may
 * have ended, or run another program: but then the next process that runs these
 * files is traced from its first instruction on. */
static void
match_told(struct usdt_match *um, pid_t pid)
{
	size_t n;
	const struct dt_new_file *files = dt_registry_files(um->r, &n);

	um->is_told = true;
	for (size_t i = 0; i < n; i++) {
		const struct dt_new_file *f = &files[i];
		const char *name = proc_module_name(f->path);
		struct proc_map map = dt_new_file_map(f);

		if (f->pid != pid ||
		    !usdt_selects_module(um->desc->mod, f->path, name))
			continue;
		look_at(um, pid);
		um->mod = name;
		usdt_match_file(um, &map);
	}
	um->is_told = false;
}

/* Match a process; a process that we may not read has no probes. */
static void
match_if_there(struct usdt_match *um, pid_t pid)
{
	struct err err = { 0 };

	err_forget(match_process(um, pid, &err), &err);
	match_told(um, pid);
}

static void
match_all(struct usdt_match *um)
{
	struct proc_list list;
	pid_t pid;

	proc_list_open(&list, 0);
	while ((pid = proc_list_next(&list)) != 0)
		match_if_there(um, pid);
	usdt_note_error(um, -proc_list_close(&list));
}

static void
match_processes(struct usdt_match *um)
{
	size_t n;
	const pid_t *pids = dt_registry_focus(um->r, &n);

	for (size_t i = 0; pids != NULL && i < n; i++)
		match_if_there(um, pids[i]);
	if (pids == NULL)
		match_all(um);
}

/* Match a file by its path, whether a process has mapped it or not. */
static void
match_path(struct usdt_match *um)
{
	const char *path = um->desc->mod, *slash = strrchr(path, '/');
	struct proc_map map = { .path = path };
	struct stat sb;

	if (stat(path, &sb) != 0 || !S_ISREG(sb.st_mode))
		return;
	map.dev = sb.st_dev;
	map.ino = sb.st_ino;
	look_at(um, getpid());
	um->mod = slash + 1;
	um->is_path = true;
	usdt_match_file(um, &map);
	um->is_path = false;
}

static int
error_of(const struct usdt_match *um)
{
	return um->error != 0 ? um->error : dt_usdt_error(um->usdt);
}

/* Why nothing was found: that need not be an error. */
static int
explain_none(struct usdt_match *um, pid_t pid)
{
	int error = error_of(um);

	if (error != 0)
		return dt_registry_fail(um->r, -error,
		    "the files that process %d has mapped cannot be read: %s",
		    (int)pid, strerror(error));
	if (um->has_provider)
		return dt_registry_refuse(um->r, DT_REFUSE_PDESC, 0,
		    "the provider has no such probe; dtrace -ln '%s:::' "
		    "lists those that it has",
		    um->desc->prov);
	if (um->others.len != 0)
		return dt_registry_refuse(um->r, DT_REFUSE_PDESC, 0,
		    "process %d has no such provider, but%s", (int)pid,
		    um->others.s);
	return dt_registry_refuse(um->r, DT_REFUSE_PDESC, 0,
	    "process %d has no such provider (nothing that it has loaded "
	    "brings probes)",
	    (int)pid);
}

static int
match_one(struct usdt_match *um, pid_t pid)
{
	struct err err = { 0 };
	size_t n;
	int rc = match_process(um, pid, &err);
	bool may_be_gone = dt_registry_focus(um->r, &n) != NULL;

	if (may_be_gone && (proc_is_gone(-rc) || rc == -EACCES))
		rc = 0;
	else if (may_be_gone && rc == 0 && error_of(um) == 0)
		rc = 0;
	else if (may_be_gone && rc != 0)
		rc = dt_registry_fail(um->r, rc, "%s", err_text(&err));
	else if (rc != 0)
		rc = dt_registry_refuse(
		    um->r, DT_REFUSE_GRAB, -ESRCH, "%s", err_text(&err));
	else if (error_of(um) != 0 || um->nfound == 0)
		rc = explain_none(um, pid);
	err_clear(&err);
	return rc;
}

/* Descendants of the process that may have something new. */
static void
match_descendants(struct usdt_match *um, pid_t root)
{
	size_t n;
	const pid_t *pids = dt_registry_focus(um->r, &n);
	struct proc_list list;
	pid_t pid;

	for (size_t i = 0; pids != NULL && i < n; i++) {
		if (pids[i] != root &&
		    dt_registry_root_of(um->r, pids[i]) == root)
			match_if_there(um, pids[i]);
	}
	if (pids != NULL)
		return;
	proc_list_open(&list, 0);
	while ((pid = proc_list_next(&list)) != 0) {
		if (pid != root && dt_registry_root_of(um->r, pid) == root)
			match_if_there(um, pid);
	}
	usdt_note_error(um, -proc_list_close(&list));
}

static int
usdt_match(
    struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id_base)
{
	struct usdt_match um = { .r = r, .desc = desc, .usdt = dt_usdt_of(r) };
	size_t base_len;
	int rc = 0;

	(void)id_base;
	if (desc->id != 0)
		return 0;
	dt_usdt_begin(um.usdt, dt_registry_is_listing(r));
	if (!glob_is_pattern(desc->prov)) {
		pid_t pid = usdt_pid_at_end(desc->prov, &base_len);

		if (dt_registry_has_family(r, pid))
			match_descendants(&um, pid);
		if (!dt_registry_is_seen(r, pid))
			rc = match_one(&um, pid);
	} else {
		if (usdt_is_path(desc->mod))
			match_path(&um);
		match_processes(&um);
	}
	strbuf_fini(&um.others);
	return rc;
}

/* All probes are on demand. */
static uint32_t
usdt_nids(struct dt_registry *r)
{
	(void)r;
	return 0;
}

static size_t
usdt_args(const struct dt_probe *p, struct dt_argdesc args[DT_NARGS_MAX])
{
	const struct usdt_probe *up = p->data;

	memcpy(args, up->args, up->nargs * sizeof(args[0]));
	return up->nargs;
}

const struct dt_provider_ops dt_provider_usdt = {
	.name = "usdt",
	.answers = usdt_answers,
	.grows = true,
	.follows = usdt_follows,
	.nids = usdt_nids,
	.match = usdt_match,
	.selects = usdt_selects,
	.args = usdt_args,
	.privilege = DT_PRIV_PROC,
	.attrs = usdt_attrs,
};
