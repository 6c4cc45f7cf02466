/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compile a text through every stage up to DIF, and look up its probes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/compile_impl.h"

void
dt_set_session_options(struct dt_hdl *h)
{
	const struct dt_optval *amin = &h->opts.vals[DT_OPT_AMIN];
	struct dif_attr attr = { 0 };

	cg_session_set_strsize(
	    h->compiled.cg, (uint64_t)dt_opt(h, DT_OPT_STRSIZE));
	if (amin->is_set)
		dif_attr_parse(amin->strs.v[0], &attr);
	cg_session_set_amin(h->compiled.cg, attr);
	cg_session_set_version(h->compiled.cg,
	    dif_version_parse(h->opts.vals[DT_OPT_VERSION].strs.v[0]));
	cg_session_set_late(
	    h->compiled.cg, dt_opt(h, DT_OPT_LATE) == LATE_DYNAMIC);
}

static struct dif_prog *
generate(struct dt_hdl *h, const struct dt_input *in)
{
	struct lang_compile lc;
	struct ast_program *tree = dt_parse(h, in, &lc);
	struct dif_prog *dif;

	if (tree == NULL)
		return NULL;
	dt_dump_parsed(h, &lc, tree);
	if (h->compiled.diags.list.n == 0 &&
	    dt_resolve_depends(h, in, tree) != 0)
		return NULL;
	if (h->compiled.diags.list.n != 0)
		return NULL;
	if (dt_need_types(h) != 0 || dt_load_probes(h, in, tree) != 0)
		return NULL;
	dt_set_session_options(h);
	cg_session_set_library(h->compiled.cg, in->is_library);
	dif = cg_compile(h->compiled.cg, &lc, tree);
	if (dif != NULL)
		dt_dump_compiled(h, &lc, tree, dif);
	return dif;
}

static void
prog_free(struct dt_prog *p)
{
	dt_match_free(p);
	dif_prog_destroy(p->dif);
	free(p);
}

void
dt_progs_close(struct dt_hdl *h)
{
	VEC_FOREACH(&h->compiled.progs, p)
		prog_free(*p);
	VEC_FREE(&h->compiled.progs);
}

static struct dt_prog *
compile_now(struct dt_hdl *h, const struct dt_input *in)
{
	struct dt_prog *p = mem_alloc(sizeof(*p));

	p->name = in->name != NULL ?
	    arena_strdup(&h->compiled.arena, in->name) :
	    NULL;
	if (in->name == NULL && !dt_is_image(in->text, in->len))
		p->text = arena_strndup(&h->compiled.arena, in->text, in->len);
	if (h->compiled.has_dof && !in->is_library)
		dt_fail(h, "a DOF file must be the only program");
	else if (dt_is_image(in->text, in->len))
		p->dif = dt_load_dof(h, in->text, in->len);
	else
		p->dif = generate(h, in);
	if (p->dif != NULL && !in->is_library &&
	    !h->opts.vals[DT_OPT_LINKTYPE].is_set) {
		dt_watch(h); /* the program may set options */
		dt_match_prog(h, p);
	}
	if (h->compiled.diags.list.n != 0)
		dt_show_errors(h);
	else if (p->dif != NULL && (in->is_library || dt_write_types(h) == 0)) {
		dt_show_warnings(h);
		dt_log(h, "compiled %s: %zu clauses",
		    in->name != NULL ? in->name : "a description",
		    p->dif->clauses.n);
		VEC_PUSH(&h->compiled.progs, p);
		return p;
	}
	prog_free(p);
	return NULL;
}

/* Compile a text.  Libraries may be compiled meanwhile. */
static struct dt_prog *
compile(struct dt_hdl *h, const struct dt_input *in)
{
	bounds_flag *before = dt_watch(h);
	struct dt_prog *p = compile_now(h, in);

	bounds_watch(before);
	return p;
}

static struct dt_prog *
compile_file(struct dt_hdl *h, const char *path, struct dt_input *in)
{
	struct strbuf sb = { 0 };
	struct dt_prog *p = NULL;

	if (dt_read_file(h, path, &sb) == 0) {
		in->name = strcmp(path, "-") == 0 ? "<stdin>" : path;
		in->text = sb.s != NULL ? sb.s : "";
		in->len = sb.len;
		p = compile(h, in);
	}
	strbuf_fini(&sb);
	return p;
}

int
dt_compile_library(struct dt_hdl *h, const char *path, pid_t pid)
{
	struct dt_input in = { .flags = LANG_F_EMPTY,
		.is_library = true,
		.pspec = LANG_PSPEC_NAME,
		.instance = pid };
	bool was_hasty = dt_registry_set_hasty(h->probes.registry, true);
	struct dt_prog *p = compile_file(h, path, &in);
	int rc = -1;

	if (p != NULL) {
		p->is_library = true;
		rc = dt_derive(h, p);
	}
	dt_registry_set_hasty(h->probes.registry, was_hasty);
	return rc;
}

struct dt_prog *
dt_compile_str(struct dt_hdl *h, const char *text, enum lang_pspec spec,
    unsigned flags, int argc, char *const argv[])
{
	return dt_compile_mem(h, text, strlen(text), spec, flags, argc, argv);
}

struct dt_prog *
dt_compile_mem(struct dt_hdl *h, const char *text, size_t len,
    enum lang_pspec spec, unsigned flags, int argc, char *const argv[])
{
	struct dt_input in = { .text = text,
		.len = len,
		.pspec = spec,
		.flags = flags,
		.argc = argc,
		.argv = argv };

	return compile(h, &in);
}

struct dt_prog *
dt_compile_file(struct dt_hdl *h, const char *path, unsigned flags, int argc,
    char *const argv[])
{
	struct dt_input in = { .pspec = LANG_PSPEC_NAME,
		.flags = flags,
		.argc = argc,
		.argv = argv };

	return compile_file(h, path, &in);
}

void
dt_prog_dump(struct dt_hdl *h, const struct dt_prog *p, FILE *out)
{
	struct strbuf sb = { 0 };

	dif_prog_dump(p->dif, &h->compiled.diags, &sb);
	fwrite(sb.s != NULL ? sb.s : "", 1, sb.len, out);
	strbuf_fini(&sb);
}
