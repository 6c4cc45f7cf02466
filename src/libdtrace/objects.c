/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types of the processes of -c and -p: the name before a backquote may be the
 * file name of their program or of a library that they have mapped.  `a.out` is
 * the program, under any name.
 *
 *	(libfoo.so.1`struct bar *)copyin(...)
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/procstatus.h"
#include "base/vec.h"
#include "ctf/ctf_import.h"
#include "libdtrace/dt_impl.h"
#include "sym/proc_maps.h"

/*
 * An import of the graph only so that it is closed with the others; it has no
 * types itself, so that names without a backquote are not looked up in
 * programs.
 */
struct objects {
	struct ctf_import im;
	struct dt_hdl *h;
	struct ctf_import *opened;
	struct err unread; /* of a process's mappings */
};

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* The path of a process's program, as the process sees it, or NULL. */
static char *
program_of(pid_t pid)
{
	char *link = mem_printf("/proc/%d/exe", (int)pid), path[PATH_MAX];
	ssize_t n = readlink(link, path, sizeof(path) - 1);

	free(link);
	return n > 0 ? mem_strndup(path, (size_t)n) : NULL;
}

/* The path of the file of that name that a process has mapped, or NULL. */
CHECKED static char *
mapped_in(pid_t pid, const char *name, struct err *err)
{
	char *found = NULL;
	struct proc_maps pm;

	if (proc_maps_read(&pm, pid, err) != 0)
		return NULL;
	VEC_FOREACH(&pm.modules, mod) {
		if (found == NULL && *mod->path == '/' &&
		    strcmp(mod->name, name) == 0)
			found = mem_strdup(mod->path);
	}
	proc_maps_fini(&pm);
	return found;
}

/* The path of the object to which a process gives the name, or NULL. */
CHECKED static char *
object_of(pid_t pid, const char *name, struct err *err)
{
	char *program = program_of(pid);

	if (program != NULL &&
	    (strcmp(name, "a.out") == 0 ||
		strcmp(base_name(program), name) == 0))
		return program;
	free(program);
	return mapped_in(pid, name, err);
}

CHECKED static struct ctf_import *
open_object(struct objects *os, pid_t pid, const char *name, struct err *err)
{
	char *object = object_of(pid, name, err), *path;
	struct ctf_import *im;

	if (object == NULL)
		return NULL;
	path = mem_printf("/proc/%d/root%s", (int)pid, object);
	im = ctf_import_program(name, path);
	im->graph = os->im.graph;
	im->next = os->opened;
	os->opened = im;
	free(path);
	free(object);
	return im;
}

/*
 * The name may be one of an object that is not known: a hint says why.  A
 * process that has ended has none.
 */
static void
note_unread(struct objects *os, struct err *err)
{
	if (err_is_set(err) && !proc_is_gone(-err->code) &&
	    !err_is_set(&os->unread))
		err_move(&os->unread, err);
	err_clear(err);
	os->im.problem = err_is_set(&os->unread) ? err_text(&os->unread) : NULL;
}

static struct ctf_import *
find_object(void *arg, const char *name)
{
	struct objects *os = arg;
	struct ctf_import *im;

	for (im = os->opened; im != NULL; im = im->next) {
		if (strcmp(im->name, name) == 0)
			return im;
	}
	VEC_FOREACH(&os->h->procs.list, p) {
		struct err err = { 0 };

		im = p->has_ended ? NULL : open_object(os, p->pid, name, &err);
		if (im != NULL)
			return im;
		note_unread(os, &err);
	}
	return NULL;
}

static struct ctf_type *
no_type(struct ctf_import *im, enum ctf_space space, const char *name)
{
	(void)im;
	(void)space;
	(void)name;
	return NULL;
}

static void
close_objects(struct ctf_import *im)
{
	struct objects *os = (struct objects *)im;

	for (struct ctf_import *o = os->opened, *next; o != NULL; o = next) {
		next = o->next;
		o->ops->close(o);
	}
	err_clear(&os->unread);
	free(os);
}

static const struct ctf_import_ops ops = {
	.type = no_type,
	.close = close_objects,
};

void
dt_objects_import(struct dt_hdl *h, struct ctf_graph *g)
{
	struct objects *os = mem_alloc(sizeof(*os));

	os->im.ops = &ops;
	os->h = h;
	ctf_import_add(g, &os->im);
	ctf_resolver_add(g, find_object, os);
}
