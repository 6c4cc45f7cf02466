/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pid provider: pidN:module:function:entry|return|offset, in process N.
 *
 *	pid1234:libc.so.6:malloc:entry		a function is entered
 *	pid1234:libc:malloc:return		left: arg0 where, arg1 the value
 *	pid1234:a.out:main:1f			comes to main+0x1f
 *	pid1234:libc:mtx_lock:exit		goes back to its caller
 *	pid1234:a.out:-:401136			comes to that address
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

int
pid_open_module(struct pid_match *pm, struct err *err)
{
	pm->file = dt_ufiles_open(pm->files, pm->pid, pm->text, err);
	if (pm->file == NULL)
		return err->code;
	pm->es =
	    proc_map_syms(dt_ufiles_syms(pm->files), pm->pid, pm->text, err);
	if (pm->es == NULL)
		return err->code;
	pm->brings = dt_usdt_file(dt_usdt_of(pm->r), pm->pid, pm->text);
	pm->has_bias = proc_map_bias(pm->text, pm->es, &pm->bias);
	pm->unread = LIMIT_OVERLAP * code_size(pm->es);
	pm->is_32 = elf_syms_machine(pm->es) == EM_386;
	return pm->is_32 || elf_syms_machine(pm->es) == EM_X86_64 ?
	    0 :
	    err_set(err, -ENOEXEC, "it is not code of x86");
}

/* Were the module's probes made before?  Then the match skips the module. */
static bool
has_been_matched(struct pid_match *pm)
{
	const struct dt_ufile *file = dt_ufiles_known(pm->files, pm->text);
	const struct dt_ufound *found = NULL;

	if (file != NULL)
		found = dt_ufiles_found(pm->files, file, pm->pid, pm->what);
	if (found == NULL)
		return false;
	pm->nfuncs += found->nfuncs;
	pm->nprobes += found->nprobes;
	return true;
}

/* Its probes are there once they were made, unless where they are depends on a
 * debugger's breakpoints, or on where it is mapped. */
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
	if (pm->rc == 0 && pm->mem_fd < 0 && strcmp(pm->func, "-") != 0)
		dt_ufiles_note_found(pm->files, pm->file, pm->pid, pm->what,
		    (struct dt_ufound){
			pm->nfuncs - nfuncs, pm->nprobes - nprobes });
}

/* Code that a dtrace has brought in: it has no functions that have names. */
static bool
is_of_dtrace(const struct proc_module *m)
{
	return m->maps->is_deleted &&
	    strncmp(m->path, "/memfd:dtrace", 13) == 0;
}

static void
match_module(struct pid_match *pm, const struct proc_module *m)
{
	struct err err = { 0 };

	pm->m = m;
	pm->text = pid_text_of(m);
	if (pm->text == NULL)
		return;
	if (is_of_dtrace(m))
		return;
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
	pm->refused = m->path;
	/* every process has this module; no description means it */
	if (m->path[0] != '[')
		dt_registry_leave_out(pm->r,
		    mem_printf("%s:%s", pm->prov, m->name),
		    mem_strdup(err_text(&err)));
	err_move(&pm->why_refused, &err);
}

bool
pid_is_program(const struct pid_match *pm, const struct proc_module *m)
{
	return m->maps->ino != 0 && m->maps->ino == pm->program_ino;
}

static void
match_modules(struct pid_match *pm)
{
	VEC_FOREACH(&pm->maps.modules, m) {
		pm->is_program = pid_is_program(pm, m);
		if (pm->rc == 0 &&
		    pid_selects_module(pm->mod, m, pm->is_program))
			match_module(pm, m);
	}
}

/* ---- a process ----------------------------------------------------------- */

/* The inode of the file that the process runs; 0: it has none.  The
 * kernel may refuse this to a user who may see mappings (CAP_PERFMON). */
CHECKED static int
find_program(struct pid_match *pm, struct err *err)
{
	char path[32];
	struct stat sb;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pm->pid);
	if (stat(path, &sb) == 0)
		pm->program_ino = sb.st_ino;
	else if (errno == EACCES || errno == EPERM)
		return err_take(err, -EPERM, proc_why_denied(pm->pid));
	return 0;
}

static int
grab(struct pid_match *pm)
{
	struct err err = { 0 };
	int rc = 0;

	if (proc_maps_read(&pm->maps, pm->pid, &err) != 0 ||
	    find_program(pm, &err) != 0)
		rc = dt_registry_refuse(
		    pm->r, DT_REFUSE_GRAB, -ESRCH, "%s", err_text(&err));
	else if (pm->maps.modules.n == 0)
		rc = dt_registry_refuse(pm->r, DT_REFUSE_GRAB, -ESRCH,
		    "process %d runs no program: it is a thread of the kernel, "
		    "or has ended",
		    (int)pm->pid);
	else if (x86_init(&err) != 0)
		rc = dt_registry_refuse(
		    pm->r, DT_REFUSE_PDESC, -ENOENT, "%s", err_text(&err));
	err_clear(&err);
	return rc;
}

/* Does another process trace it?  (We do, until a command is released.) */
static bool
has_debugger(pid_t pid)
{
	long tracer = proc_status_number(pid, "TracerPid");

	return tracer > 0 && tracer != getpid();
}

static int
mem_open(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static const char *
field(const char *s)
{
	return s != NULL ? s : "";
}

static int
match_process(struct dt_registry *r, const struct dif_pdesc *desc, pid_t pid)
{
	struct pid_match pm = { .r = r,
		.desc = desc,
		.pid = pid,
		.files = dt_registry_ufiles(r),
		.mod = field(desc->mod),
		.func = field(desc->func),
		.name = field(desc->name) };

	snprintf(pm.prov, sizeof(pm.prov), "pid%d", (int)pid);
	pm.what = mem_printf("%s:%s", pm.func, pm.name);
	pm.rc = grab(&pm);
	pm.mem_fd = has_debugger(pid) ? mem_open(pid) : -1;
	if (pm.rc == 0)
		match_modules(&pm);
	if (pm.rc != 0)
		goto out;
	pm.rc = bounds_is_stopped() ?
	    dt_registry_fail(r, -EINTR, BOUNDS_STOPPED) :
	    pid_explain_none(&pm);
out:
	proc_maps_fini(&pm.maps);
	free(pm.bytes);
	free(pm.what);
	err_clear(&pm.why_refused);
	if (pm.mem_fd >= 0)
		close(pm.mem_fd);
	return pm.rc;
}

static int
pid_match(struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id_base)
{
	pid_t pid;

	(void)id_base;
	if (desc->id != 0)
		return 0;
	pid = pid_of(desc->prov);
	if (pid > 0 && dt_registry_is_seen(r, pid))
		return 0;
	if (pid > 0)
		return match_process(r, desc, pid);
	pid = pid_of_pattern(desc->prov);
	/* what fails may be meant for the probes that a program brings */
	if (pid > 0 && !dt_registry_is_seen(r, pid))
		match_process(r, desc, pid);
	if (pid > 0)
		return 0;
	if (glob_is_pattern(desc->prov) && dt_registry_has(r, &dt_provider_pid))
		return 0;
	return dt_registry_refuse(r, DT_REFUSE_BADPID, -EINVAL,
	    "a process is named by its number, as in pid1234 or pid$target; "
	    "patterns select only probes that other descriptions have made");
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
	.privilege = DT_PRIV_PROC,
	.attrs = pid_attrs,
};
