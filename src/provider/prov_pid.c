/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pid provider: pidN:module:function:entry|return|offset, in process N.
 *
 *	pid1234:libc.so.6:malloc:entry		a function is entered
 *	pid1234:libc:malloc:return		left: arg0 where, arg1 the value
 *	pid1234:a.out:main:1f			comes to main+0x1f
 *	pid1234:libc:mtx_lock:exit		goes back to its caller
 *	pid1234:a.out:-:401136			comes to that address
 *	pid*:libc.so.6:malloc:entry		in every process (pid_wide.c)
 *
 * A module is called by its file's name, with or without what follows ".so",
 * by the file's whole path, or `a.out` for the program itself.  Names are those
 * of doc/reference/providers.md section 7.
 *
 * An entry probe has the function's first instruction as its site.  A return
 * probe has every instruction that leaves the function, although the kernel's
 * uretprobes cost a tenth (0.8 us against 12 for a single step): uretprobes
 * replace return addresses, which ends programs in C++ and Go whose unwinders
 * meet them, and do not know where the function was left.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/procstatus.h"
#include "base/vec.h"
#include "provider/pid_impl.h"
#include "provider/provider.h"
#include "provider/provider_impl.h"
#include "provider/ufiles.h"
#include "provider/usdt_files.h"

/* ---- modules of a process ------------------------------------------------ */

const struct proc_map *
pid_text_of(const struct proc_module *m)
{
	for (size_t i = 0; i < m->nmaps; i++) {
		if (m->maps[i].is_exec)
			return &m->maps[i];
	}
	return NULL;
}

static uint64_t
code_size(const struct elf_syms *es)
{
	uint64_t size = 0;

	for (size_t i = 0; i < elf_syms_nsegs(es); i++) {
		const struct elf_seg *s = elf_syms_seg(es, i);

		if (s->is_exec && s->filesz <= UINT32_MAX)
			size += s->filesz;
	}
	return size;
}

void
pid_set_module(struct pid_match *pm, const struct pid_module *mod)
{
	pm->mod_at = mod;
	pm->m = mod->m;
	pm->text = mod->text;
	pm->is_program = mod->is_program;
}

struct pid_module *
pid_add_module(struct pid_match *pm, const struct proc_module *m, pid_t via)
{
	VEC_PUSH(&pm->mods,
	    ((struct pid_module){
		.m = m, .text = pid_text_of(m), .via = via }));
	return &pm->mods.v[pm->mods.n - 1];
}

/* The symbols of the file at hand; the process may have ended by now. */
CHECKED static struct elf_syms *
open_symbols(struct pid_match *pm, pid_t via, struct err *err)
{
	struct sym_cache *cache = dt_ufiles_syms(pm->files);
	struct elf_syms *es;
	char *root;

	if (pm->pid != 0 && !pm->is_family)
		return proc_map_syms(cache, via, pm->text, err);
	root = proc_root(via);
	es = sym_cache_file(cache, pm->file->fd, pm->text->path, root, err);
	free(root);
	return es;
}

int
pid_open_module(struct pid_match *pm, struct err *err)
{
	pid_t via = pm->mod_at != NULL ? pm->mod_at->via : pm->pid;

	pm->file = dt_ufiles_open(pm->files, via, pm->text, err);
	if (pm->file == NULL)
		return err->code;
	pm->es = open_symbols(pm, via, err);
	if (pm->es == NULL)
		return err->code;
	pm->brings = dt_usdt_file(dt_usdt_of(pm->r), via, pm->text);
	pm->unread = LIMIT_OVERLAP * code_size(pm->es);
	pm->is_32 = elf_syms_machine(pm->es) == EM_386;
	return pm->is_32 || elf_syms_machine(pm->es) == EM_X86_64 ?
	    0 :
	    err_set(err, -ENOEXEC, "it is not code of x86");
}

/* The number under which it is noted that a file was matched: a family is not
 * the process alone. */
static pid_t
noted_as(const struct pid_match *pm)
{
	return pm->is_family ? -pm->pid : pm->pid;
}

/* A library of one process may be another one's program. */
static const char *
noted_what(const struct pid_match *pm)
{
	return pm->is_family && pm->is_program ? pm->what_program : pm->what;
}

/* Were the module's probes made before?  Then the match skips the module. */
static bool
has_been_matched(struct pid_match *pm)
{
	const struct dt_ufile *file = dt_ufiles_known(pm->files, pm->text);
	const struct dt_ufound *found = NULL;

	if (file != NULL)
		found = dt_ufiles_found(
		    pm->files, file, noted_as(pm), noted_what(pm));
	if (found == NULL)
		return false;
	pm->nfuncs += found->nfuncs;
	pm->nprobes += found->nprobes;
	return true;
}

/* Its probes are there once they were made, unless where they are depends on a
 * debugger's breakpoints, or on where it is mapped.  A file of all processes is
 * looked at once: later looks do not see all processes that changed it. */
static void
match_functions_once(struct pid_match *pm)
{
	size_t nfuncs = pm->nfuncs, nprobes = pm->nprobes;

	pid_match_functions(pm);
	if (bounds_is_stopped())
		return;
	/* pid_explain_none() names a function that has no probe */
	if (pm->nfuncs != nfuncs && pm->nprobes == nprobes)
		return;
	if (pm->rc == 0 &&
	    (pm->pid == 0 || pm->is_family || pm->mod_at->mems.n == 0) &&
	    strcmp(pm->func, "-") != 0)
		dt_ufiles_note_found(pm->files, pm->file, noted_as(pm),
		    noted_what(pm),
		    (struct dt_ufound){
			pm->nfuncs - nfuncs, pm->nprobes - nprobes });
}

bool
pid_is_of_dtrace(const struct proc_module *m)
{
	return m->maps->is_deleted && proc_path_is_of_dtrace(m->path);
}

static void
match_module(struct pid_match *pm, const struct pid_module *mod)
{
	struct err err = { 0 };

	pid_set_module(pm, mod);
	pm->nmods++;
	if (has_been_matched(pm))
		return;
	if (pid_open_module(pm, &err) == 0) {
		match_functions_once(pm);
		return;
	}
	if (bounds_is_stopped()) {
		err_clear(&err);
		return;
	}
	pm->nrefused++;
	pm->refused = mod->m->path;
	/* every process has this module; no description means it */
	if (mod->m->path[0] != '[')
		dt_registry_leave_out(pm->r,
		    mem_printf("%s:%s", pm->prov, mod->m->name),
		    mem_strdup(err_text(&err)));
	err_move(&pm->why_refused, &err);
}

static void
match_modules(struct pid_match *pm)
{
	VEC_FOREACH(&pm->mods, mod) {
		if (pm->rc == 0)
			match_module(pm, mod);
	}
}

static bool
is_program(const struct pid_match *pm, const struct proc_module *m)
{
	return m->maps->ino != 0 && m->maps->ino == pm->program_ino;
}

/* Find the modules that the description selects in the process. */
static void
find_modules(struct pid_match *pm)
{
	int fd = pid_has_debugger(pm->pid) ? pid_open_mem(pm, pm->pid) : -1;

	VEC_FOREACH(&pm->maps.modules, m) {
		bool is_prog = is_program(pm, m);
		struct pid_module *mod;

		if (!pid_selects_module(pm->mod, m, is_prog) ||
		    pid_text_of(m) == NULL || pid_is_of_dtrace(m))
			continue;
		mod = pid_add_module(pm, m, pm->pid);
		mod->is_program = is_prog;
		if (fd >= 0)
			VEC_PUSH(&mod->mems,
			    ((struct pid_mem){ .fd = fd,
				.start = mod->text->start,
				.off = mod->text->off }));
	}
}

/* ---- a process ----------------------------------------------------------- */

int
pid_find_program(pid_t pid, uint64_t *ino, struct err *err)
{
	char path[32];
	struct stat sb;

	*ino = 0;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (stat(path, &sb) == 0)
		*ino = sb.st_ino;
	else if (errno == EACCES || errno == EPERM)
		return err_take(err, -EPERM, proc_why_denied(pid));
	return 0;
}

static int
grab(struct pid_match *pm)
{
	struct err err = { 0 };
	int rc = 0;

	if (proc_maps_read(&pm->maps, pm->pid, &err) != 0 ||
	    pid_find_program(pm->pid, &pm->program_ino, &err) != 0)
		rc = dt_registry_refuse(
		    pm->r, DT_REFUSE_GRAB, -ESRCH, "%s", err_text(&err));
	else if (pm->maps.modules.n == 0)
		rc = dt_registry_refuse(pm->r, DT_REFUSE_GRAB, -ESRCH,
		    "process %d runs no program: it is a thread of the kernel, "
		    "or has ended",
		    (int)pm->pid);
	err_clear(&err);
	return rc;
}

bool
pid_has_debugger(pid_t pid)
{
	long tracer = proc_status_number(pid, "TracerPid");

	return tracer > 0 && tracer != getpid();
}

int
pid_open_mem(struct pid_match *pm, pid_t pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		VEC_PUSH(&pm->mem_fds, fd);
	return fd;
}

/* ---- matches ------------------------------------------------------------- */

static const char *
field(const char *s)
{
	return s != NULL ? s : "";
}

static void
match_init(struct pid_match *pm, struct dt_registry *r,
    const struct dif_pdesc *desc, pid_t pid)
{
	*pm = (struct pid_match){ .r = r,
		.desc = desc,
		.pid = pid,
		.files = dt_registry_ufiles(r),
		.mod = field(desc->mod),
		.func = field(desc->func),
		.name = field(desc->name) };
	arena_init(&pm->arena);
	pm->is_family = pid != 0 && dt_registry_has_family(r, pid) &&
	    !dt_registry_is_listing(r);
	if (pid != 0) {
		snprintf(pm->prov, sizeof(pm->prov), "pid%d", (int)pid);
		snprintf(
		    pm->where, sizeof(pm->where), " in process %d", (int)pid);
	} else {
		snprintf(pm->prov, sizeof(pm->prov), "pid*");
	}
	pm->what = mem_printf("%s:%s", pm->func, pm->name);
	pm->what_program = mem_printf("%s of a program", pm->what);
}

static void
match_fini(struct pid_match *pm)
{
	VEC_FOREACH(&pm->mods, mod)
		VEC_FREE(&mod->mems);
	VEC_FREE(&pm->mods);
	VEC_FOREACH(&pm->mem_fds, fd)
		close(*fd);
	VEC_FREE(&pm->mem_fds);
	proc_maps_fini(&pm->maps);
	arena_fini(&pm->arena);
	free(pm->bytes);
	free(pm->what);
	free(pm->what_program);
	err_clear(&pm->why_refused);
}

static int
init_decoder(struct dt_registry *r)
{
	struct err err = { 0 };
	int rc = 0;

	if (x86_init(&err) != 0)
		rc = dt_registry_refuse(
		    r, DT_REFUSE_PDESC, -ENOENT, "%s", err_text(&err));
	err_clear(&err);
	return rc;
}

/* Find the modules that the description selects.  An address is one of the
 * process, and of no descendant. */
static int
find_all(struct pid_match *pm)
{
	bool is_family;
	size_t n;
	int rc = 0;

	if (pm->pid == 0)
		return pid_find_files(pm);
	is_family = pm->is_family && strcmp(pm->func, "-") != 0;
	/* the process may have ended, and its descendants go on */
	if (!is_family || dt_registry_focus(pm->r, &n) == NULL)
		rc = grab(pm);
	if (rc != 0)
		return rc;
	if (is_family)
		return pid_find_family(pm);
	find_modules(pm);
	return 0;
}

/* Match a process, or all of them if `pid` is 0. */
static int
match_in(struct dt_registry *r, const struct dif_pdesc *desc, pid_t pid)
{
	struct pid_match pm;

	match_init(&pm, r, desc, pid);
	pm.rc = find_all(&pm);
	if (pm.rc == 0)
		pm.rc = init_decoder(r);
	if (pm.rc == 0)
		match_modules(&pm);
	if (pm.rc == 0)
		pm.rc = bounds_is_stopped() ?
		    dt_registry_fail(r, -EINTR, BOUNDS_STOPPED) :
		    pid_explain_none(&pm);
	match_fini(&pm);
	return pm.rc;
}

/* A pattern that is not of all processes, or names no file. */
static int
match_pattern(struct dt_registry *r, const struct dif_pdesc *desc)
{
	if (dt_registry_has(r, &dt_provider_pid))
		return 0;
	if (strcmp(desc->prov, "pid*") != 0)
		return dt_registry_refuse(r, DT_REFUSE_BADPID, -EINVAL,
		    "a process is named by its number, as in pid1234 or "
		    "pid$target, and all of them by pid*; other patterns "
		    "select only probes that other descriptions have made");
	if (dt_field_is(desc->mod, "a.out"))
		return dt_registry_refuse(r, DT_REFUSE_BADPID, -EINVAL,
		    "a.out is the program of one process; of all processes "
		    "name the program by its path, as in pid*:/usr/bin/bash::");
	return dt_registry_refuse(r, DT_REFUSE_BADPID, -EINVAL,
	    "of all processes name the file, as in pid*:libc.so.6:malloc:entry "
	    "or pid*:/usr/bin/bash:readline:return; of one process, "
	    "pid1234::: and pid$target::: mean all its modules");
}

/* A descendant may have something new. */
static bool
has_nothing_new(const struct dt_registry *r, pid_t pid)
{
	return !dt_registry_has_family(r, pid) && dt_registry_is_seen(r, pid);
}

static int
pid_match(struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id_base)
{
	pid_t pid;

	(void)id_base;
	if (desc->id != 0)
		return 0;
	if (pid_is_wide(desc))
		return match_in(r, desc, 0);
	pid = pid_of(desc->prov);
	if (pid > 0)
		return has_nothing_new(r, pid) ? 0 : match_in(r, desc, pid);
	pid = pid_of_pattern(desc->prov);
	/* what fails may be meant for the probes that a program brings */
	if (pid > 0 && !has_nothing_new(r, pid))
		match_in(r, desc, pid);
	if (pid > 0)
		return 0;
	if (glob_is_pattern(desc->prov))
		return match_pattern(r, desc);
	return dt_registry_refuse(r, DT_REFUSE_BADPID, -EINVAL,
	    "a process is named by its number, as in pid1234 or pid$target; "
	    "pid* means all processes");
}

bool
dt_pid_is_wide(const struct dif_pdesc *desc)
{
	return pid_is_wide(desc);
}

/* All probes are on demand. */
static uint32_t
pid_nids(struct dt_registry *r)
{
	(void)r;
	return 0;
}

static const char *const pid_attrs[] = {
	"Evolving/Evolving/ISA",
	"Private/Private/Unknown",
	"Private/Private/Unknown",
	"Evolving/Evolving/ISA",
	"Private/Private/Unknown",
};

const struct dt_provider_ops dt_provider_pid = {
	.name = "pid",
	.answers = pid_answers,
	.nids = pid_nids,
	.match = pid_match,
	.selects = pid_selects,
	.grows = true,
	.follows = pid_is_wide,
	.privilege = DT_PRIV_PROC,
	.attrs = pid_attrs,
};
