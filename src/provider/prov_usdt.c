/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probes that programs bring:
 *postgresql1234:postgres:exec_simple_query:query-start.
 *
 *	myserver1234:::request-start	in process 1234
 *	myserver$target:::		in that of -c or -p
 *	myserver*:::request-start	in all processes, also those to come
 *	myserver*:/usr/bin/myserver::	the same, and no process need be there
 *
 * A provider is called by the name in the program and the number of the
 *process. The module is the file, the function the one that the compiler put
 *the site into: where a function was inlined, a probe is in several.
 *
 * A pattern that takes every number selects *wide* probes: one for all
 *processes that map the file, called by the name and a star.  Processes that
 *begin later, children that live for a millisecond, are traced from their first
 *instruction on.  In a listing (-l) such a pattern selects the probes of each
 *process, as other patterns always do.
 *
 * The probes of a process and its descendants (option follow) are such probes,
 * too, called by the number of the process from which all descend.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/err.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/ownfailure.h"
#include "base/proclist.h"
#include "base/procstatus.h"
#include "base/str.h"
#include "base/vec.h"
#include "provider/provider.h"
#include "provider/provider_impl.h"
#include "provider/usdt_files.h"

/* The provider's data of a probe. */
struct usdt_probe {
	const struct dt_usdt *usdt;
	size_t base_len; /* of the provider's name in the program */
	size_t nargs;
	struct dt_argdesc args[DT_NARGS_MAX];
	const char *attrs[DIF_NPROVATTRS]; /* as text */
};

/* The match that is running. */
struct um {
	struct dt_registry *r;
	const struct dif_pdesc *desc;
	struct dt_usdt *usdt;
	bool is_path;	   /* of a file, not of a process */
	bool is_told;	   /* the file at hand is of dt_registry_files() */
	bool has_provider; /* the description's, whatever probes it has */
	size_t nfound;
	int error; /* an errno: the file of a selected probe is not open */
	struct strbuf others; /* providers of the processes looked at */

	/* the file at hand */
	pid_t pid;
	pid_t root; /* of the family whose probes are meant; or 0 */
	const char *mod;
	const struct proc_map *map;
	const struct dt_usdt_file *file;
	const struct dt_ufile *ufile;
	struct elf_syms *es;
	bool has_looked; /* for es */
};

/* ---- names --------------------------------------------------------------- */

/* The number at the end of "myserver1234"; 0 if there is none. */
static pid_t
pid_at_end(const char *prov, size_t *base_len)
{
	size_t n = strlen(prov);
	unsigned long pid;

	while (n > 0 && isdigit((unsigned char)prov[n - 1]))
		n--;
	errno = 0;
	pid = strtoul(prov + n, NULL, 10);
	*base_len = n;
	return n > 0 && errno == 0 && pid <= INT32_MAX ? (pid_t)pid : 0;
}

pid_t
dt_pid_named(const struct dif_pdesc *desc)
{
	size_t len;

	if (desc->id != 0 || dt_field_is_empty(desc->prov) ||
	    glob_is_pattern(desc->prov))
		return 0;
	return pid_at_end(desc->prov, &len);
}

/* Is it the pid provider's: pid123, or all processes' pid*? */
static bool
is_pid_provider(const char *prov)
{
	return strncmp(prov, "pid", 3) == 0 &&
	    (isdigit((unsigned char)prov[3]) || strcmp(prov + 3, "*") == 0);
}

static bool
usdt_answers(const char *pattern)
{
	size_t len;

	if (dt_field_is_empty(pattern) || is_pid_provider(pattern))
		return false;
	return glob_is_pattern(pattern) || pid_at_end(pattern, &len) != 0;
}

/* Programs that begin later bring such probes, too. */
static bool
usdt_follows(const struct dif_pdesc *desc)
{
	return usdt_answers(desc->prov);
}

/* Does the pattern take the name with every number behind it? */
static bool
takes_all(const char *pattern, const char *base)
{
	size_t n = strlen(pattern);

	return n > 0 && pattern[n - 1] == '*' &&
	    (n < 2 || pattern[n - 2] != '\\') && glob_match(pattern, base);
}

/* Is one probe of all processes meant? */
static bool
is_wide(const struct um *um, const char *base)
{
	return (um->is_path || !dt_usdt_is_listing(um->usdt)) &&
	    takes_all(um->desc->prov, base);
}

static bool
selects_provider(const struct um *um, const char *base)
{
	pid_t pid = um->root != 0 ? um->root : um->pid;
	char *name = mem_printf("%s%d", base, (int)pid);
	bool is_selected = !um->is_path && (!um->is_told || um->root != 0) &&
	    glob_match(um->desc->prov, name);

	free(name);
	return is_selected;
}

/* The module is a file, which no process need have mapped. */
static bool
is_path(const char *mod)
{
	return !dt_field_is_empty(mod) && mod[0] == '/' &&
	    !glob_is_pattern(mod);
}

static bool
selects_module(const char *pattern, const char *path, const char *name)
{
	if (!dt_field_is_empty(pattern) && strchr(pattern, '/') != NULL)
		return glob_match(pattern, path);
	return dt_field_match(pattern, name);
}

/* Does the pattern select the file by one of its names? */
static bool
selects_file(const char *pattern, const struct dt_probe *p)
{
	const struct dt_ufile *file = p->up->sites.v[0].file;

	for (const struct dt_uname *n = file->names; n != NULL; n = n->next) {
		if (selects_module(pattern, n->path, p->mod))
			return true;
	}
	return false;
}

/* For the registry, about probes that exist already. */
static bool
usdt_selects(const struct dif_pdesc *desc, const struct dt_probe *p)
{
	const struct usdt_probe *up = p->data;
	char *base = mem_strndup(p->prov, up->base_len);
	bool is_wide = takes_all(desc->prov, base) &&
	    (is_path(desc->mod) || !dt_usdt_is_listing(up->usdt));

	free(base);
	/* where the wide probe is meant, those of processes are not */
	return is_wide == (p->up->pid == 0 && p->up->family == 0) &&
	    (is_wide || dt_field_match(desc->prov, p->prov)) &&
	    dt_field_match(desc->func, p->func) &&
	    dt_field_match(desc->name, p->name) && selects_file(desc->mod, p);
}

/* "query__start" is probe query-start. */
static char *
probe_name(const char *c_name)
{
	struct strbuf sb = { 0 };

	while (*c_name != '\0') {
		bool is_dash = strncmp(c_name, "__", 2) == 0;

		strbuf_addc(&sb, is_dash ? '-' : *c_name);
		c_name += 1 + is_dash;
	}
	return strbuf_steal(&sb);
}

/* ---- arguments ----------------------------------------------------------- */

/* The C type of a value with `size` bytes; negative: signed. */
static const char *
type_of_size(int8_t size)
{
	switch (size) {
	case -1:
		return "signed char";
	case 1:
		return "unsigned char";
	case -2:
		return "short";
	case 2:
		return "unsigned short";
	case -4:
		return "int";
	case 4:
		return "unsigned int";
	case -8:
		return "long";
	default:
		return "unsigned long";
	}
}

static void
args_by_size(struct usdt_probe *up, const struct usdt_args *args)
{
	for (size_t i = 0; i < args->n; i++)
		up->args[up->nargs++] =
		    (struct dt_argdesc){ .native = type_of_size(args->sizes[i]),
			    .mapping = (uint8_t)i };
}

/* Types from the probe's definition; the strings stay with the file. */
static void
args_by_type(
    struct arena *a, struct usdt_probe *up, const struct dof_usdt_probe *dp)
{
	for (size_t i = 0; i < dp->xargs.n && i < DT_NARGS_MAX; i++) {
		uint8_t from = dp->map.v[i];
		const char *native, *type = arena_strdup(a, dp->xargs.v[i]);

		if (from >= dp->nargs.n)
			return;
		native = arena_strdup(a, dp->nargs.v[from]);
		up->args[up->nargs++] = (struct dt_argdesc){ .native = native,
			.xlate = strcmp(native, type) != 0 ? type : NULL,
			.mapping = from,
			.is_userland = strchr(native, '*') != NULL };
	}
}

/* Used if the definition has no attributes. */
static const char *const usdt_attrs[] = {
	"Unstable/Unstable/Common",
	"Private/Private/Unknown",
	"Private/Private/Unknown",
	"Unstable/Unstable/Common",
	"Unstable/Unstable/Common",
};

static void
set_attrs(struct arena *a, struct usdt_probe *up, const struct dof_usdt *u)
{
	for (int i = 0; i < DIF_NPROVATTRS; i++) {
		struct dif_attr attr;

		up->attrs[i] = usdt_attrs[i];
		if (u != NULL && dof_attr_of_word(u->attrs[i], &attr))
			up->attrs[i] =
			    arena_printf(a, "%s/%s/%s", dif_attr_name(&attr),
				dif_attr_data(&attr), dif_attr_class(&attr));
	}
}

static void
describe(struct arena *a, const struct um *um, const struct usdt_note *note,
    const struct usdt_args *args, struct usdt_probe *up)
{
	const struct dof_usdt *u =
	    usdt_types_provider(&um->file->types, note->provider);
	const struct dof_usdt_probe *dp =
	    u != NULL ? usdt_types_probe(u, note->name) : NULL;

	set_attrs(a, up, u);
	if (dp == NULL)
		args_by_size(up, args);
	else
		args_by_type(a, up, dp);
}

/* ---- sites --------------------------------------------------------------- */

static const char *
function_at(struct um *um, uint64_t addr)
{
	const struct elf_sym *sym =
	    um->es != NULL ? elf_syms_by_addr(um->es, addr) : NULL;

	return sym != NULL && elf_sym_is_code(sym) ? elf_sym_name(um->es, sym) :
						     "";
}

/* Is it an error of dtrace's own, not one that says that the file is gone? */
static bool
note_error(struct um *um, int err)
{
	if (!is_own_failure(err))
		return false;
	um->error = err;
	return true;
}

/* The file is one whose probes are wanted: it stays open, and its symbols are
 * read. */
static bool
look_into_file(struct um *um)
{
	struct dt_ufiles *files = dt_registry_ufiles(um->r);
	struct err err = { 0 };
	char *root;

	if (um->has_looked)
		return um->ufile != NULL;
	um->has_looked = true;
	um->ufile = dt_ufiles_open(files, um->pid, um->map, &err);
	if (um->ufile == NULL) {
		note_error(um, -err.code);
		goto out;
	}
	root = proc_root(um->pid);
	um->es = sym_cache_file(
	    dt_ufiles_syms(files), um->ufile->fd, um->map->path, root, &err);
	if (um->es == NULL && note_error(um, -err.code))
		um->ufile = NULL;
	free(root);
out:
	err_clear(&err);
	return um->ufile != NULL;
}

static void
register_site(struct um *um, const struct usdt_note *note, pid_t pid,
    const char *name, const char *func)
{
	const struct dt_uargs *args = dt_usdt_args(um->usdt, note, um->es);
	struct arena *a = dt_usdt_arena(um->usdt);
	struct usdt_probe *data = ARENA_NEW(a, struct usdt_probe);
	bool is_32 = um->file->notes.cls == USDT_CLASS_32;
	pid_t family = pid == 0 ? 0 : um->root;
	struct dt_usites up = {
		.pid = family != 0 ? 0 : pid, .family = family, .is_32 = is_32
	};
	struct dt_probe p = { .ops = &dt_provider_usdt,
		.mod = um->mod,
		.func = func,
		.name = name,
		.prov = pid == 0 ? arena_printf(a, "%s*", note->provider) :
				   arena_printf(a, "%s%d", note->provider,
				       (int)(family != 0 ? family : pid)),
		.kind = DT_PROBE_USDT,
		.group = family != 0 ?
		    DT_GROUP(USDT_FAMILY, 2 * (uint32_t)family + is_32) :
		    DT_GROUP(USDT, 2 * (uint32_t)pid + is_32),
		.up = &up,
		.data = data,
		.attrs = data->attrs };
	struct dt_usite site = { .file = um->ufile,
		.off = note->offset,
		.semaphore = note->semaphore,
		.args = args,
		.is_enabled = note->is_enabled };

	data->usdt = um->usdt;
	data->base_len = strlen(note->provider);
	describe(a, um, note, &args->args, data);
	dt_registry_add_sites(um->r, &p, &site, 1);
	um->nfound++;
}

static void
match_note(struct um *um, const struct usdt_note *note, pid_t pid)
{
	char *name = probe_name(note->name);

	um->has_provider = true;
	if (dt_field_match(um->desc->name, name) && look_into_file(um)) {
		const char *func = function_at(um, note->addr);

		if (dt_field_match(um->desc->func, func))
			register_site(um, note, pid, name, func);
	}
	free(name);
}

/* For the message when nothing is found. */
static void
note_other(struct um *um, const char *base)
{
	char *name = mem_printf(" %s%d", base, (int)um->pid);

	if (um->others.len == 0 || strstr(um->others.s, name) == NULL)
		strbuf_printf(
		    &um->others, "%s%s", um->others.len != 0 ? "," : "", name);
	free(name);
}

static void
match_file(struct um *um, const struct proc_map *map)
{
	um->map = map;
	um->has_looked = false;
	um->ufile = NULL;
	um->es = NULL;
	um->file = dt_usdt_file(um->usdt, um->pid, map);
	if (um->file == NULL)
		return;
	VEC_FOREACH(&um->file->notes.v, n) {
		if (is_wide(um, n->provider))
			match_note(um, n, 0);
		else if (selects_provider(um, n->provider))
			match_note(um, n, um->pid);
		else
			note_other(um, n->provider);
	}
}

/* ---- processes ----------------------------------------------------------- */

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
match_modules(struct um *um, const struct proc_maps *maps)
{
	VEC_FOREACH(&maps->modules, m) {
		const struct proc_map *map = code_of(m);

		if (map == NULL ||
		    !selects_module(um->desc->mod, m->path, m->name))
			continue;
		um->mod = m->name;
		match_file(um, map);
	}
}

static void
look_at(struct um *um, pid_t pid)
{
	um->pid = pid;
	um->root =
	    dt_registry_is_listing(um->r) ? 0 : dt_registry_root_of(um->r, pid);
}

/* 0, or -1 with *err. */
CHECKED static int
match_process(struct um *um, pid_t pid, struct err *err)
{
	struct proc_maps maps = { 0 };
	int rc = proc_maps_read(&maps, pid, err);

	look_at(um, pid);
	if (rc == 0)
		match_modules(um, &maps);
	proc_maps_fini(&maps);
	return rc;
}

/* Files that the process has mapped since we looked last: by now it may have
 * ended, be a zombie or run another program.  The next process that runs them
 * is to be traced from its first instruction on. */
static void
match_told(struct um *um, pid_t pid)
{
	size_t n;
	const struct dt_new_file *files = dt_registry_files(um->r, &n);

	um->is_told = true;
	for (size_t i = 0; i < n; i++) {
		const struct dt_new_file *f = &files[i];
		const char *name = proc_module_name(f->path);
		struct proc_map map = { .dev = f->dev,
			.ino = f->ino,
			.path = f->path,
			.is_deleted = f->is_deleted };

		if (f->pid != pid ||
		    !selects_module(um->desc->mod, f->path, name))
			continue;
		look_at(um, pid);
		um->mod = name;
		match_file(um, &map);
	}
	um->is_told = false;
}

/* Match a process; a process that we may not read has no probes. */
static void
match_if_there(struct um *um, pid_t pid)
{
	struct err err = { 0 };

	err_forget(match_process(um, pid, &err), &err);
	match_told(um, pid);
}

static void
match_all(struct um *um)
{
	struct proc_list list;
	pid_t pid;

	proc_list_open(&list, 0);
	while ((pid = proc_list_next(&list)) != 0)
		match_if_there(um, pid);
	note_error(um, -proc_list_close(&list));
}

static void
match_processes(struct um *um)
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
match_path(struct um *um)
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
	match_file(um, &map);
	um->is_path = false;
}

/* ---- the provider -------------------------------------------------------- */

static int
error_of(const struct um *um)
{
	return um->error != 0 ? um->error : dt_usdt_error(um->usdt);
}

/* Why nothing was found: that need not be an error. */
static int
explain_none(struct um *um, pid_t pid)
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
match_one(struct um *um, pid_t pid)
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
match_descendants(struct um *um, pid_t root)
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
	note_error(um, -proc_list_close(&list));
}

static int
usdt_match(
    struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id_base)
{
	struct um um = { .r = r, .desc = desc, .usdt = dt_usdt_of(r) };
	size_t base_len;
	int rc = 0;

	(void)id_base;
	if (desc->id != 0)
		return 0;
	dt_usdt_begin(um.usdt, dt_registry_is_listing(r));
	if (!glob_is_pattern(desc->prov)) {
		pid_t pid = pid_at_end(desc->prov, &base_len);

		if (dt_registry_has_family(r, pid))
			match_descendants(&um, pid);
		if (!dt_registry_is_seen(r, pid))
			rc = match_one(&um, pid);
	} else {
		if (is_path(desc->mod))
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
