/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's BTF for the providers of its probes: vmlinux, and the modules'
 * files once somebody asks for them.
 */
#include "provider/kernel_btf.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#define BTF_DIR "/sys/kernel/btf"
#define VMLINUX "vmlinux"

struct dt_kbtf {
	struct btf_blob *vmlinux;
	char *why; /* there is none */
	int error; /* the errno of that, or 0 */
	bool has_modules;
	VEC(struct kernel_btf_module {
		char *name;
		struct btf_blob *blob;
	})
	modules;
};

static void *
kbtf_create(struct dt_registry *r)
{
	struct dt_kbtf *k = mem_alloc(sizeof(*k));
	struct err err = { 0 };

	(void)r;
	k->vmlinux = btf_blob_open(BTF_DIR "/" VMLINUX, NULL, &err);
	k->error = k->vmlinux == NULL ? -err.code : 0;
	if (k->vmlinux == NULL)
		k->why = mem_printf("cannot read the kernel's types in " BTF_DIR
				    "/" VMLINUX ": %s",
		    err_text(&err));
	err_clear(&err);
	return k;
}

static void
kbtf_destroy(void *arg)
{
	struct dt_kbtf *k = arg;

	VEC_FOREACH(&k->modules, m) {
		btf_blob_close(m->blob);
		free(m->name);
	}
	VEC_FREE(&k->modules);
	btf_blob_close(k->vmlinux);
	free(k->why);
	free(k);
}

struct dt_kbtf *
dt_kbtf(struct dt_registry *r)
{
	static const struct dt_keep keep = {
		.create = kbtf_create,
		.destroy = kbtf_destroy,
	};

	return dt_registry_keep(r, &keep);
}

struct btf_blob *
dt_registry_vmlinux(struct dt_registry *r)
{
	return dt_kbtf(r)->vmlinux;
}

const char *
dt_kbtf_problem(const struct dt_kbtf *k)
{
	return k->why;
}

int
dt_kbtf_error(const struct dt_kbtf *k)
{
	return k->error;
}

static int
is_module(const struct dirent *de)
{
	return de->d_name[0] != '.' && strcmp(de->d_name, VMLINUX) != 0;
}

/* A module may be unloaded meanwhile: skip a file that cannot be opened. */
static void
open_modules(struct dt_kbtf *k)
{
	struct dirent **list;
	int n = k->vmlinux != NULL ?
	    scandir(BTF_DIR, &list, is_module, alphasort) :
	    -1;

	k->has_modules = true;
	for (int i = 0; i < n; i++) {
		char *path = mem_printf(BTF_DIR "/%s", list[i]->d_name);
		struct err err = { 0 };
		struct btf_blob *b = btf_blob_open(path, k->vmlinux, &err);

		if (b != NULL)
			VEC_PUSH(&k->modules,
			    (struct kernel_btf_module){
				mem_strdup(list[i]->d_name), b });
		err_clear(&err);
		free(path);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

struct btf_blob *
dt_kbtf_at(struct dt_kbtf *k, size_t i)
{
	if (i == 0)
		return k->vmlinux;
	if (!k->has_modules)
		open_modules(k);
	return i <= k->modules.n ? k->modules.v[i - 1].blob : NULL;
}

struct btf_blob *
dt_kbtf_module(struct dt_kbtf *k, const char *name)
{
	if (strcmp(name, VMLINUX) == 0)
		return k->vmlinux;
	if (!k->has_modules)
		open_modules(k);
	VEC_FOREACH(&k->modules, m) {
		if (strcmp(m->name, name) == 0)
			return m->blob;
	}
	return NULL;
}

const char *
dt_kbtf_text(struct arena *a, struct btf_blob *b, uint32_t id)
{
	struct strbuf sb = { 0 };
	const char *text;

	if (!btf_type_text(b, id, &sb))
		strbuf_adds(&sb, "uint64_t");
	text = arena_strdup(a, sb.s);
	strbuf_fini(&sb);
	return text;
}
