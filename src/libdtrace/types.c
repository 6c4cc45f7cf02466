/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types: where those of the kernel come from, and the files of options ctypes
 * and dtypes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "ctf/btf_import.h"
#include "ctf/ctf_import.h"
#include "ctf/ctf_write.h"
#include "libdtrace/compile_impl.h"

static const char *
string_option(const struct dt_hdl *h, enum dt_opt opt)
{
	const struct dt_optval *v = &h->opts.vals[opt];

	return v->strs.n != 0 ? v->strs.v[0] : NULL;
}

static struct btf_blob *
lend_vmlinux(void *arg)
{
	return dt_registry_vmlinux(arg);
}

/*
 * Types of the kernel, and of the processes of -c and -p: nothing is read
 * before a type is needed.
 */
int
dt_need_types(struct dt_hdl *h)
{
	struct ctf_graph *g = cg_session_types(h->compiled.cg);
	const char *ctf = string_option(h, DT_OPT_CTFPATH);
	const char *btf = string_option(h, DT_OPT_KERNELBTF);
	const char *path = ctf != NULL ? ctf : btf != NULL ? btf : "";

	if (h->compiled.types_path != NULL &&
	    strcmp(h->compiled.types_path, path) != 0)
		return dt_fail(h,
		    "the kernel's types come from %s since the "
		    "first program: set ctfpath and kernelbtf before it",
		    *h->compiled.types_path != '\0' ? h->compiled.types_path :
						      "the running kernel");
	if (h->compiled.types_path != NULL)
		return 0;
	h->compiled.types_path = arena_strdup(&h->compiled.arena, path);
	dt_log(h, "types of the system are wanted");
	if (ctf != NULL)
		ctf_import_kernel(g, ctf);
	else
		btf_import_kernel(g, btf, lend_vmlinux, h->probes.registry);
	dt_objects_import(h, g);
	return 0;
}

int
dt_write_types(struct dt_hdl *h)
{
	static const struct {
		enum dt_opt opt;
		enum ctf_write which;
	} files[] = {
		{ DT_OPT_CTYPES, CTF_WRITE_C },
		{ DT_OPT_DTYPES, CTF_WRITE_D },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *path = string_option(h, files[i].opt);
		struct err err = { 0 };

		if (path != NULL &&
		    ctf_write_file(path, cg_session_types(h->compiled.cg),
			files[i].which, (uint64_t)dt_opt(h, DT_OPT_STRSIZE),
			&err) != 0)
			return dt_fail_err(h, &err);
	}
	return 0;
}

struct ctf_type *
dt_compile_type(struct dt_hdl *h, const char *text)
{
	char *prog = mem_printf("BEGIN { sizeof (%s) ; }", text);
	struct dt_input in = {
		.text = prog, .len = strlen(prog), .pspec = LANG_PSPEC_NAME
	};
	struct lang_compile lc;
	struct ctf_type *t = NULL;
	struct ast_program *tree =
	    dt_need_types(h) == 0 ? dt_parse_part(h, &in, &lc) : NULL;

	if (tree != NULL) {
		dt_fail(h, "'%s' is not a type", text);
		t = cg_compile_type(h->compiled.cg, &lc, tree);
		if (h->compiled.diags.list.n != 0)
			dt_show_errors(h);
	}
	free(prog);
	return t;
}
