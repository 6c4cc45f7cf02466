/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The running kernel's types: vmlinux, and a file for each module that
 * continues it.  A module is opened when its name precedes a backquote.  For a
 * name that vmlinux does not have, all modules are opened, in order of their
 * names.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "ctf/btf_import.h"

#define BTF_DIR "/sys/kernel/btf"
#define VMLINUX "vmlinux"

/* One import behind vmlinux, for all modules together. */
struct modules {
	struct ctf_import im;
	struct ctf_import *vmlinux;
	struct ctf_import *opened; /* modules, in order of first use */
};

static struct ctf_import *
open_module(struct modules *ms, const char *name)
{
	struct ctf_import *m;
	char *path;

	for (m = ms->opened; m != NULL; m = m->next) {
		if (strcmp(m->name, name) == 0)
			return m;
	}
	path = mem_printf(BTF_DIR "/%s", name);
	if (strchr(name, '/') == NULL && access(path, R_OK) == 0) {
		m = btf_import_create(name, path, ms->vmlinux);
		m->graph = ms->im.graph;
		m->next = ms->opened;
		ms->opened = m;
	}
	free(path);
	return m;
}

static struct ctf_import *
find_module(void *arg, const char *name)
{
	return *name == '\0' || *name == '.' ? NULL : open_module(arg, name);
}

static int
is_module(const struct dirent *de)
{
	return de->d_name[0] != '.' && strcmp(de->d_name, VMLINUX) != 0;
}

/* Call `f` for each module until it returns true. */
static bool
each_module(
    struct modules *ms, bool (*f)(struct ctf_import *m, void *arg), void *arg)
{
	struct dirent **list;
	int n = scandir(BTF_DIR, &list, is_module, alphasort);
	bool done = false;

	for (int i = 0; i < n; i++) {
		struct ctf_import *m =
		    done ? NULL : open_module(ms, list[i]->d_name);

		done = done || (m != NULL && f(m, arg));
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return done;
}

struct question {
	enum ctf_space space;
	const char *name;
	struct ctf_type *type;
	struct ctf_symbol *sym;
	int64_t value;
	int found;
};

static bool
ask_type(struct ctf_import *m, void *arg)
{
	struct question *q = arg;

	q->type = m->ops->type(m, q->space, q->name);
	return q->type != NULL;
}

static struct ctf_type *
modules_type(struct ctf_import *im, enum ctf_space space, const char *name)
{
	struct question q = { .space = space, .name = name };

	each_module((struct modules *)im, ask_type, &q);
	return q.type;
}

static bool
ask_symbol(struct ctf_import *m, void *arg)
{
	struct question *q = arg;

	return m->ops->symbol(m, q->name, q->sym);
}

static bool
modules_symbol(struct ctf_import *im, const char *name, struct ctf_symbol *sym)
{
	struct question q = { .name = name, .sym = sym };

	return each_module((struct modules *)im, ask_symbol, &q);
}

static bool
ask_enumerator(struct ctf_import *m, void *arg)
{
	struct question *q = arg;

	q->found = m->ops->enumerator(m, q->name, &q->type, &q->value);
	return q->found != 0;
}

static int
modules_enumerator(struct ctf_import *im, const char *name,
    struct ctf_type **type, int64_t *value)
{
	struct question q = { .name = name };

	if (!each_module((struct modules *)im, ask_enumerator, &q))
		return 0;
	*type = q.type;
	*value = q.value;
	return q.found;
}

static void
modules_close(struct ctf_import *im)
{
	struct modules *ms = (struct modules *)im;

	for (struct ctf_import *m = ms->opened, *next; m != NULL; m = next) {
		next = m->next;
		m->ops->close(m);
	}
	free(ms);
}

/* A node is filled by its module's own import. */
static const struct ctf_import_ops modules_ops = {
	.type = modules_type,
	.symbol = modules_symbol,
	.enumerator = modules_enumerator,
	.close = modules_close,
};

void
btf_import_kernel(
    struct ctf_graph *g, const char *path, btf_lend_f *lend, void *arg)
{
	struct ctf_import *vmlinux = btf_import_create(
	    VMLINUX, path != NULL ? path : BTF_DIR "/" VMLINUX, NULL);
	struct modules *ms;

	ctf_import_add(g, vmlinux);
	if (path != NULL)
		return;
	btf_import_lend(vmlinux, lend, arg);
	ms = mem_alloc(sizeof(*ms));
	ms->im.ops = &modules_ops;
	ms->vmlinux = vmlinux;
	ctf_import_add(g, &ms->im);
	ctf_resolver_add(g, find_module, ms);
}
