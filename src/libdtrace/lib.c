/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * D libraries: files of declarations that every script can use.
 *
 * A library is compiled before the first text that uses a word defined in it.
 * The words of a directory's libraries come from a scan of its files
 * (libscan.h), those of dtrace's own libraries from a table made at build time,
 * so that a script that uses none of them opens no file.  Libraries used by a
 * library are found in the same way.
 *
 * A listing needs only the names of probes.  For dtrace's own libraries the
 * outlines contain them (libprobes.h): the probes are named without compiling,
 * in the same order, so that they get the same ids.
 *
 * Several files may define a word: one defines a type, another defines a
 * translator to it and declares that it depends on the first.  If the second is
 * found while the first is being compiled, it waits until that is finished.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/owndir.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/dlib_index.h"
#include "libdtrace/dt_impl.h"
#include "libdtrace/dt_paths.h"
#include "libdtrace/libprobes.h"

enum lib_state {
	LIB_NEW,
	LIB_NAMED, /* its probes are known by name */
	LIB_ASKED,
	LIB_LOADING,
	LIB_LOADED,
};

struct dt_libdir {
	char *path; /* NULL: dtrace's own, not searched for yet */
	struct dt_libindex index;
	enum lib_state *states; /* of index.nfiles libraries */
	/* For a scanned directory: the strings that index points to. */
	VEC(char *) files;
	VEC(struct dt_libname) names;
};

struct dt_libs {
	VEC(struct dt_libdir *) dirs;
	bool are_checked;  /* libraries of -L have been compiled */
	uint32_t nloading; /* libraries being compiled */
	uint32_t nwaiting; /* how often a library had to wait for them */
	/* Libraries that are compiled once for each process. */
	VEC(struct instance {
		const struct dt_libdir *dir;
		uint32_t file;
		pid_t pid;
	})
	instances;
};

static const struct dt_libindex dlib_index = {
	.slots = dlib_slots,
	.nslots = sizeof(dlib_slots) / sizeof(dlib_slots[0]),
	.files = dlib_files,
	.nfiles = sizeof(dlib_files) / sizeof(dlib_files[0]),
	.outlines = dlib_outlines,
};

/* ---- directories --------------------------------------------------------- */

static void
dir_free(struct dt_libdir *d)
{
	free(d->path);
	free(d->states);
	if (d->index.slots != dlib_slots)
		free((void *)(uintptr_t)d->index.slots);
	VEC_FOREACH(&d->files, f)
		free(*f);
	VEC_FREE(&d->files);
	VEC_FOREACH(&d->names, ln)
		free((void *)(uintptr_t)ln->name);
	VEC_FREE(&d->names);
	free(d);
}

void
dt_libs_close(struct dt_hdl *h)
{
	if (h->libs == NULL)
		return;
	VEC_FOREACH(&h->libs->dirs, dp)
		dir_free(*dp);
	VEC_FREE(&h->libs->dirs);
	VEC_FREE(&h->libs->instances);
	free(h->libs);
}

/* Called when the index exists. */
static void
dir_add(struct dt_hdl *h, struct dt_libdir *d)
{
	d->states = mem_alloc(d->index.nfiles * sizeof(*d->states));
	VEC_PUSH(&h->libs->dirs, d);
}

static void
add_own_dir(struct dt_hdl *h)
{
	struct dt_libdir *d = mem_alloc(sizeof(*d));

	d->index = dlib_index;
	dir_add(h, d);
}

static int
is_library(const struct dirent *de)
{
	size_t len = strlen(de->d_name);

	return len > 2 && de->d_name[0] != '.' &&
	    strcmp(de->d_name + len - 2, ".d") == 0;
}

static int
add_name(const char *name, size_t len, enum dt_def def, void *arg)
{
	struct dt_libdir *d = arg;
	struct dt_libname ln = { mem_strndup(name, len), (uint32_t)d->files.n,
		def };

	VEC_PUSH(&d->names, ln);
	return 0;
}

static int
scan_file(
    struct dt_hdl *h, struct dt_libdir *d, const char *dir, const char *file)
{
	char *path = mem_printf("%s/%s", dir, file);
	struct strbuf sb = { 0 };
	int rc = dt_read_file(h, path, &sb);

	if (rc == 0) {
		dt_scan_names(sb.s != NULL ? sb.s : "", sb.len, add_name, d);
		VEC_PUSH(&d->files, mem_strdup(file));
	}
	strbuf_fini(&sb);
	free(path);
	return rc;
}

static int
add_dir(struct dt_hdl *h, const char *path)
{
	struct dt_libdir *d = mem_alloc(sizeof(*d));
	struct dirent **list;
	int n = scandir(path, &list, is_library, alphasort), rc = 0;

	if (n < 0) {
		free(d);
		return dt_fail(h, "cannot read the D libraries in %s: %s", path,
		    strerror(errno));
	}
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = scan_file(h, d, path, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	d->index.files = (const char *const *)d->files.v;
	d->index.nfiles = (uint32_t)d->files.n;
	dt_libindex_build(&d->index, d->names.v, d->names.n);
	d->path = mem_strdup(path);
	dir_add(h, d);
	return rc;
}

/*
 * Directories of -L are searched last, so their libraries may use dtrace's own.
 */
static int
open_dirs(struct dt_hdl *h)
{
	const struct dt_optval *sys = &h->opts.vals[DT_OPT_SYSLIBDIR];

	h->libs = mem_alloc(sizeof(*h->libs));
	if (!sys->is_set)
		add_own_dir(h);
	else if (add_dir(h, sys->strs.v[0]) != 0)
		return -1;
	VEC_FOREACH(&h->opts.vals[DT_OPT_LIBDIR].strs, dir) {
		if (add_dir(h, *dir) != 0)
			return -1;
	}
	return 0;
}

static char *
lib_path(struct dt_libdir *d, uint32_t file)
{
	if (d->path == NULL)
		d->path = owndir_path("dlib", DT_LIBDIR);
	return mem_printf("%s/%s", d->path, d->index.files[file]);
}

/* The library of the name: its directory and its number there; NULL: none. */
static struct dt_libdir *
find_file(struct dt_hdl *h, const char *name, size_t len, uint32_t *file)
{
	VEC_FOREACH(&h->libs->dirs, dp) {
		for (*file = 0; *file < (*dp)->index.nfiles; ++*file) {
			const char *f = (*dp)->index.files[*file];

			if (strlen(f) == len && memcmp(f, name, len) == 0)
				return *dp;
		}
	}
	return NULL;
}

/*
 * The outline of one of dtrace's own libraries, if there are no other
 * libraries, which could define names that it uses; NULL: the library has to be
 * compiled.
 */
static const char *
outline_of(const struct dt_hdl *h, const struct dt_libdir *d, uint32_t file)
{
	return h->libs->dirs.n == 1 && d->index.outlines != NULL ?
	    d->index.outlines[file] :
	    NULL;
}

static bool
is_compiled(const struct dt_libdir *d, uint32_t file)
{
	return d->states[file] != LIB_NEW && d->states[file] != LIB_NAMED;
}

/* ---- waiting ------------------------------------------------------------- */

static bool must_wait(struct dt_hdl *h, struct dt_libdir *d, uint32_t file);

static int
waits_for(const char *name, size_t len, void *arg)
{
	struct dt_hdl *h = arg;
	uint32_t file;
	struct dt_libdir *d = find_file(h, name, len, &file);

	if (d == NULL)
		return 0;
	return d->states[file] == LIB_LOADING ||
	    (!is_compiled(d, file) && must_wait(h, d, file));
}

/* Does a new library depend on one that is being compiled? */
static bool
must_wait(struct dt_hdl *h, struct dt_libdir *d, uint32_t file)
{
	enum lib_state was = d->states[file];
	char *path = lib_path(d, file);
	struct strbuf sb = { 0 };
	bool waits = false;

	d->states[file] = LIB_ASKED;
	/* an unreadable file is reported when it is loaded */
	if (dt_read_file(h, path, &sb) == 0 && sb.len > 0)
		waits = dt_scan_depends(sb.s, sb.len, waits_for, h) != 0;
	d->states[file] = was;
	strbuf_fini(&sb);
	free(path);
	return waits;
}

/* Load the libraries that waited for this one; its text uses them. */
static int
load_waiting(struct dt_hdl *h, const char *path)
{
	struct strbuf sb = { 0 };
	int rc = dt_read_file(h, path, &sb);

	if (rc == 0 && sb.len > 0)
		rc = dt_libs_load_for(h, sb.s, sb.len);
	strbuf_fini(&sb);
	return rc;
}

/* ---- loading ------------------------------------------------------------- */

typedef int load_f(struct dt_hdl *h, struct dt_libdir *d, uint32_t file);

/*
 * Two libraries may use each other's names: the one loaded first continues
 * without the other.
 */
static int
load(struct dt_hdl *h, struct dt_libdir *d, uint32_t file)
{
	uint32_t nwaiting = h->libs->nwaiting;
	char *path;
	int rc;

	if (is_compiled(d, file))
		return 0;
	d->states[file] = LIB_LOADING;
	h->libs->nloading++;
	path = lib_path(d, file);
	rc = dt_compile_library(h, path, 0);
	h->libs->nloading--;
	d->states[file] = LIB_LOADED;
	if (rc == 0 && h->libs->nwaiting != nwaiting)
		rc = load_waiting(h, path);
	free(path);
	return rc;
}

/* Load a library for one process, which is $target in it. */
static int
load_instance(struct dt_hdl *h, struct dt_libdir *d, uint32_t file, pid_t pid)
{
	char *path;
	int rc;

	VEC_FOREACH(&h->libs->instances, in) {
		if (in->dir == d && in->file == file && in->pid == pid)
			return 0;
	}
	VEC_PUSH(&h->libs->instances, (struct instance){ d, file, pid });
	path = lib_path(d, file);
	rc = dt_compile_library(h, path, pid);
	free(path);
	return rc;
}

static int
load_unless_waiting(struct dt_hdl *h, struct dt_libdir *d, uint32_t file)
{
	if (h->libs->nloading > 0 && !is_compiled(d, file) &&
	    must_wait(h, d, file)) {
		h->libs->nwaiting++;
		return 0;
	}
	return load(h, d, file);
}

/* A session loads one of two libraries: curproc.d describes the process that
 * fires now, and recorded.d that of a recorded firing. */
static bool
is_wanted(const struct dt_hdl *h, const struct dt_libdir *d, uint32_t file)
{
	const char *slash = strrchr(d->index.files[file], '/');
	const char *name = slash != NULL ? slash + 1 : d->index.files[file];

	return strcmp(name, dt_is_query(h) ? "curproc.d" : "recorded.d") != 0;
}

static int
load_for_word(const char *word, size_t len, void *arg)
{
	struct dt_hdl *h = arg;

	VEC_FOREACH(&h->libs->dirs, dp) {
		size_t slot = 0;
		int64_t file;

		while ((file = dt_libindex_next(
			    &(*dp)->index, word, len, &slot)) >= 0) {
			if (is_wanted(h, *dp, (uint32_t)file) &&
			    load_unless_waiting(h, *dp, (uint32_t)file) != 0)
				return -1;
		}
	}
	return 0;
}

/*
 * Libraries given with -L are compiled even if unused, so that errors in them
 * are reported.  Directory 0 is dtrace's own.
 */
static int
load_given(struct dt_hdl *h)
{
	if (h->libs->are_checked)
		return 0;
	h->libs->are_checked = true;
	for (size_t i = 1; i < h->libs->dirs.n; i++) {
		struct dt_libdir *d = h->libs->dirs.v[i];

		for (uint32_t file = 0; file < d->index.nfiles; file++) {
			if (load(h, d, file) != 0)
				return -1;
		}
	}
	return 0;
}

int
dt_libs_load_for(struct dt_hdl *h, const char *text, size_t len)
{
	if (dt_opt_flag(h, DT_OPT_NOLIBS))
		return 0;
	if (h->libs == NULL && open_dirs(h) != 0)
		return -1;
	if (load_given(h) != 0)
		return -1;
	return dt_scan_words(text, len, load_for_word, h);
}

/* Libraries that it uses come first, as when it is compiled. */
static int
load_names(struct dt_hdl *h, struct dt_libdir *d, uint32_t file)
{
	const char *outline = outline_of(h, d, file), *at = outline;
	int rc = 0;

	if (outline == NULL)
		return load(h, d, file);
	if (d->states[file] != LIB_NEW)
		return 0;
	d->states[file] = LIB_NAMED;
	for (; rc == 0 && *at == DT_OUTLINE_USES; at = strchr(at, '\n') + 1)
		rc = load_names(h, d, (uint32_t)strtoul(at + 1, NULL, 10));
	if (rc == 0)
		dt_derive_names(h, at);
	return rc;
}

static enum lang_name
name_kind(enum dt_def def)
{
	return def == DT_DEF_TYPE ? LANG_NAME_TYPE :
	    def == DT_DEF_FUNC	  ? LANG_NAME_FUNC :
				    LANG_NAME_VALUE;
}

/* Names that begin with an underscore are private to libraries. */
void
dt_libs_each_name(void *hdl, lang_name_f *f, void *arg)
{
	const struct dt_hdl *h = hdl;

	for (size_t i = 0; h->libs != NULL && i < h->libs->dirs.n; i++) {
		const struct dt_libindex *x = &h->libs->dirs.v[i]->index;

		for (size_t k = 0; k < x->nslots; k++) {
			const struct dt_libname *ln = &x->slots[k];

			if (ln->name != NULL && ln->def != DT_DEF_TAG &&
			    *ln->name != '_')
				f(ln->name, name_kind(ln->def), arg);
		}
	}
}

/* The provider that an entry of the index names, or NULL. */
static const char *
provider_name(const struct dt_libname *ln)
{
	size_t len = strlen(DT_SCAN_PROVIDER);

	return ln->name != NULL &&
		strncmp(ln->name, DT_SCAN_PROVIDER, len) == 0 ?
	    ln->name + len :
	    NULL;
}

/* Does a library only say that the provider has no probe here (absent.d)? */
static bool
is_absent(const struct dt_libindex *x, const struct dt_libname *ln)
{
	const char *outline =
	    x->outlines != NULL ? x->outlines[ln->file] : NULL;
	char *line =
	    mem_printf("%c %s\n", DT_OUTLINE_PROVIDER, provider_name(ln));
	/* words of an outline have no blanks, so only its own line matches */
	const char *at = outline != NULL ? strstr(outline, line) : NULL;
	bool is_it = at != NULL && at[strlen(line)] != DT_OUTLINE_PROBE;

	free(line);
	return is_it;
}

void
dt_libs_each_present(struct dt_hdl *h, dt_name_f *f, void *arg)
{
	for (size_t i = 0; h->libs != NULL && i < h->libs->dirs.n; i++) {
		const struct dt_libindex *x = &h->libs->dirs.v[i]->index;

		for (size_t k = 0; k < x->nslots; k++) {
			const char *name = provider_name(&x->slots[k]);

			if (name != NULL && !is_absent(x, &x->slots[k]))
				f(name, arg);
		}
	}
}

void
dt_libs_each_provider(struct dt_hdl *h, dt_name_f *f, void *arg)
{
	for (size_t i = 0; h->libs != NULL && i < h->libs->dirs.n; i++) {
		const struct dt_libindex *x = &h->libs->dirs.v[i]->index;

		for (size_t k = 0; k < x->nslots; k++) {
			const char *name = provider_name(&x->slots[k]);

			if (name != NULL)
				f(name, arg);
		}
	}
}

/* Is it the name of a provider that exists once for each process? */
static bool
is_of_processes(const char *name)
{
	const char *end = strchr(name, '$');

	return end != NULL && strcmp(end, DT_LIB_TARGET) == 0;
}

/*
 * "plockstat1234" is plockstat$target of process 1234; 0: it is no such name.
 */
static pid_t
process_of(const char *name, const char *prov)
{
	size_t len = strlen(name) - strlen(DT_LIB_TARGET);
	unsigned long pid;
	char *end;

	if (strncmp(name, prov, len) != 0 || !isdigit((unsigned char)prov[len]))
		return 0;
	errno = 0;
	pid = strtoul(prov + len, &end, 10);
	return *end == '\0' && errno == 0 && pid <= INT32_MAX ? (pid_t)pid : 0;
}

/* Load the files that define a provider whose name the pattern matches. */
static int
load_dir_providers(struct dt_hdl *h, struct dt_libdir *d, const char *pattern,
    load_f *load_file)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < d->index.nslots; i++) {
		const struct dt_libname *ln = &d->index.slots[i];
		const char *name = provider_name(ln);

		if (name != NULL && is_of_processes(name)) {
			pid_t pid = process_of(name, pattern);

			rc = pid > 0 ? load_instance(h, d, ln->file, pid) : 0;
		} else if (name != NULL && glob_match(pattern, name)) {
			rc = load_file(h, d, ln->file);
		}
	}
	return rc;
}

static int
load_providers(struct dt_hdl *h, const char *pattern, load_f *load_file)
{
	int rc = 0;

	if (dt_opt_flag(h, DT_OPT_NOLIBS))
		return 0;
	if (h->libs == NULL && open_dirs(h) != 0)
		return -1;
	for (size_t i = 0; rc == 0 && i < h->libs->dirs.n; i++)
		rc = load_dir_providers(
		    h, h->libs->dirs.v[i], pattern, load_file);
	return rc;
}

int
dt_libs_load_providers(struct dt_hdl *h, const char *pattern)
{
	return load_providers(h, pattern, load);
}

int
dt_libs_name_providers(struct dt_hdl *h, const char *pattern)
{
	return load_providers(h, pattern, load_names);
}

/* ---- depends_on ---------------------------------------------------------- */

static bool
depend_on_library(struct dt_hdl *h, const char *file, int *rc)
{
	uint32_t k;
	struct dt_libdir *d =
	    h->libs != NULL ? find_file(h, file, strlen(file), &k) : NULL;

	if (d == NULL)
		return false;
	if (d->states[k] == LIB_LOADING)
		*rc = dt_fail(h, "D libraries depend on each other: %s/%s",
		    d->path, file);
	else
		*rc = load(h, d, k);
	return true;
}

/* The kernel itself is not in /sys/module, under any system's name for it. */
static bool
has_module(const char *name)
{
	char *path = mem_printf("/sys/module/%s", name);
	bool has = strcmp(name, "vmlinux") == 0 ||
	    strcmp(name, "kernel") == 0 ||
	    (strchr(name, '/') == NULL && access(path, F_OK) == 0);

	free(path);
	return has;
}

struct provider_search {
	const char *name;
	bool is_found;
};

static void
compare_provider(const char *name, void *arg)
{
	struct provider_search *s = arg;
	size_t len = strlen(s->name);

	s->is_found |= strncmp(name, s->name, len) == 0 &&
	    (name[len] == '\0' || strcmp(name + len, DT_LIB_TARGET) == 0);
}

/*
 * Is there such a provider: in C, in a D library (io, plockstat), or as another
 * system's name of one of these?
 */
static bool
has_provider(struct dt_hdl *h, const char *name)
{
	struct provider_search s = { .name = name };
	const struct dt_provider_ops *p;

	for (size_t i = 0; (p = dt_provider_at(i)) != NULL; i++)
		compare_provider(p->name, &s);
	dt_libs_each_present(h, compare_provider, &s);
	dt_alias_each_provider(compare_provider, &s);
	return s.is_found;
}

bool
dt_libs_depend(struct dt_hdl *h, const char *what, const char *name, int *rc)
{
	*rc = 0;
	if (strcmp(what, "library") == 0)
		return depend_on_library(h, name, rc);
	return strcmp(what, "module") == 0 ? has_module(name) :
					     has_provider(h, name);
}
