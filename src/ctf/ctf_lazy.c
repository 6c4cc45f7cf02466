/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Imports that open their file at the first look-up: programs and libraries,
 * and the kernel's CTF (-x ctfpath).
 *
 * Such an import passes look-ups on to the import of the opened file, which
 * makes and fills the types.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "ctf/ctf_import.h"

struct lazy {
	struct ctf_import im;
	char *name, *path;
	struct err problem;
	bool is_tried;
	struct ctf_import *(*open)(struct lazy *l, struct err *err);
	struct ctf_import *inner;
};

static struct ctf_import *
inner(struct ctf_import *im)
{
	struct lazy *l = (struct lazy *)im;

	if (!l->is_tried) {
		l->is_tried = true;
		l->inner = l->open(l, &l->problem);
		if (err_is_set(&l->problem))
			l->im.problem = err_text(&l->problem);
		if (l->inner != NULL)
			l->inner->graph = l->im.graph;
	}
	return l->inner;
}

/* A look-up may have met the part of the file that is damaged. */
static void
note_problem(struct ctf_import *im, const struct ctf_import *in)
{
	if (in->problem != NULL)
		im->problem = in->problem;
}

static struct ctf_type *
lazy_type(struct ctf_import *im, enum ctf_space space, const char *name)
{
	struct ctf_import *in = inner(im);
	struct ctf_type *t;

	if (in == NULL)
		return NULL;
	t = in->ops->type(in, space, name);
	note_problem(im, in);
	return t;
}

static void
lazy_names(struct ctf_import *im, enum ctf_space space,
    void (*f)(const char *name, void *arg), void *arg)
{
	struct ctf_import *in = inner(im);

	if (in == NULL || in->ops->names == NULL)
		return;
	in->ops->names(in, space, f, arg);
	note_problem(im, in);
}

static bool
lazy_symbol(struct ctf_import *im, const char *name, struct ctf_symbol *sym)
{
	struct ctf_import *in = inner(im);
	bool is_known = in != NULL && in->ops->symbol(in, name, sym);

	if (in != NULL)
		note_problem(im, in);
	return is_known;
}

static int
lazy_enumerator(struct ctf_import *im, const char *name, struct ctf_type **type,
    int64_t *value)
{
	struct ctf_import *in = inner(im);

	return in != NULL && in->ops->enumerator != NULL ?
	    in->ops->enumerator(in, name, type, value) :
	    0;
}

static void
lazy_close(struct ctf_import *im)
{
	struct lazy *l = (struct lazy *)im;

	if (l->inner != NULL)
		l->inner->ops->close(l->inner);
	free(l->name);
	free(l->path);
	err_clear(&l->problem);
	free(l);
}

static const struct ctf_import_ops lazy_ops = {
	.type = lazy_type,
	.names = lazy_names,
	.symbol = lazy_symbol,
	.enumerator = lazy_enumerator,
	.close = lazy_close,
};

CHECKED static struct ctf_import *
create(const char *name, const char *path,
    struct ctf_import *(*open_file)(struct lazy *l, struct err *err))
{
	struct lazy *l = mem_alloc(sizeof(*l));

	l->name = mem_strdup(name);
	l->path = mem_strdup(path);
	l->open = open_file;
	l->im.ops = &lazy_ops;
	l->im.name = l->name;
	return &l->im;
}

/* ---- programs ------------------------------------------------------------ */

CHECKED static struct ctf_import *
open_dwarf(struct lazy *l, struct err *err)
{
	int fd = open(l->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct ctf_import *im;

	if (fd < 0) {
		err_set(err, -errno, "%s: %s", l->path, strerror(errno));
		return NULL;
	}
	im = dwarf_import(l->name, l->path, fd, err);
	close(fd);
	return im;
}

CHECKED static struct ctf_import *
open_program(struct lazy *l, struct err *err)
{
	struct ctf_set *set;
	int rc = ctf_set_open(l->path, &set, err);

	if (rc == 0)
		return ctf_import_set(l->name, set, NULL, err);
	if (rc != CTF_SET_NONE)
		return NULL;
	err_clear(err);
	return open_dwarf(l, err);
}

struct ctf_import *
ctf_import_program(const char *name, const char *path)
{
	return create(name, path, open_program);
}

/* ---- the kernel ---------------------------------------------------------- */

#define VMLINUX "vmlinux"

/* DIR/name.ctf, else DIR/name; or `path` if it is a file. NULL: none. */
static char *
kernel_path(const char *path, const char *name)
{
	struct stat st;
	char *file;

	if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return mem_strdup(path);
	if (strchr(name, '/') != NULL || *name == '.' || *name == '\0')
		return NULL;
	file = mem_printf("%s/%s.ctf", path, name);
	if (access(file, R_OK) == 0)
		return file;
	free(file);
	file = mem_printf("%s/%s", path, name);
	if (access(file, R_OK) == 0)
		return file;
	free(file);
	return NULL;
}

/* The types of a file; in an archive, those of the member of that name. */
CHECKED static struct ctf_import *
open_kernel(struct lazy *l, struct err *err)
{
	char *file = kernel_path(l->path, l->name);
	struct ctf_set *set = NULL;
	const char *member = NULL;

	if (file == NULL)
		err_set(err, -EINVAL, "%s has neither %s.ctf nor %s", l->path,
		    l->name, l->name);
	else if (ctf_set_open(file, &set, err) != 0)
		set = NULL;
	free(file);
	if (set == NULL)
		return NULL;
	if (ctf_set_n(set) > 1 &&
	    (strcmp(l->name, VMLINUX) != 0 ||
		ctf_set_find(set, VMLINUX) != NULL))
		member = l->name;
	return ctf_import_set(l->name, set, member, err);
}

/* Is there a file or member for a module? */
static bool
has_module(const char *path, const char *name)
{
	char *file = kernel_path(path, name);
	struct err err = { 0 };
	struct ctf_set *set = NULL;
	bool has = file != NULL;

	if (has && strcmp(file, path) == 0) {
		has = ctf_set_open(file, &set, &err) == 0 &&
		    ctf_set_n(set) > 1 && ctf_set_find(set, name) != NULL;
		ctf_set_close(set);
		err_clear(&err);
	}
	free(file);
	return has;
}

/* Find a module's import, and add it to the graph. */
static struct ctf_import *
find_module(void *arg, const char *name)
{
	struct lazy *kernel = arg;
	struct ctf_import *im;

	if (!has_module(kernel->path, name))
		return NULL;
	im = create(name, kernel->path, open_kernel);
	ctf_import_add(kernel->im.graph, im);
	return im;
}

void
ctf_import_kernel(struct ctf_graph *g, const char *path)
{
	struct ctf_import *vmlinux = create(VMLINUX, path, open_kernel);

	ctf_import_add(g, vmlinux);
	ctf_resolver_add(g, find_module, vmlinux);
}
