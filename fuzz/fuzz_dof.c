/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DOF from bytes: decode and print it, read it as each kind of DOF, make a
 * program of it.  The program of accepted DOF can be listed and saved, and the
 * saved one is the same; a program that refers to translators is linked, or
 * refused with a reason.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "codegen/codegen.h"
#include "dof/dof.h"
#include "exec/bpf/bpf_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_probes(const struct dof *d)
{
	struct dof_usdt u;

	for (uint32_t i = 0; i < d->hdr.dofh_secnum; i++) {
		if (d->secs[i].dofs_type != DOF_SECT_PROVIDER)
			continue;
		dof_get_usdt(d, i, &u);
		dof_usdt_fini(&u);
	}
}

/* An accepted helper becomes code, or is refused with a reason. */
static void
make_helpers(const struct dof *d)
{
	struct dof_helpers h = { 0 };
	struct bx_hcode code = { .strsize = 256 };
	struct err err = { 0 };

	if (dof_check_types(d, &err) == 0 &&
	    dof_get_helpers(d, &h, &err) == 0 &&
	    bx_hcode_make(&h, &code, &err) == 0 && err.text != NULL)
		abort();
	VEC_FREE(&code.insns);
	VEC_FREE(&code.strs);
	dof_helpers_fini(&h);
	err_clear(&err);
}

static void
save_again(const struct dif_prog *p)
{
	const struct dof_prog_opts opts = { .strip = true };
	struct strbuf sb = { 0 }, a = { 0 }, b = { 0 };
	struct dif_prog *q;
	struct err err = { 0 };
	struct dof *d;

	dof_encode_progs(&p, 1, &opts, &sb);
	if (dof_decode(sb.s, sb.len, &err, &d) != 0)
		abort();
	if (dof_check_enabling(d, &err) == 0) {
		if (dof_decode_prog(d, DOF_ABI_GUESS, &err, &q) != 0)
			abort();
		dif_prog_dump(p, NULL, &a);
		dif_prog_dump(q, NULL, &b);
		if (a.len != b.len ||
		    (a.len != 0 && memcmp(a.s, b.s, a.len) != 0))
			abort();
		dif_prog_destroy(q);
	}
	err_clear(&err);
	dof_destroy(d);
	strbuf_fini(&sb);
	strbuf_fini(&a);
	strbuf_fini(&b);
}

/* Every probe has two arguments. */
static int
two_args(void *ctx, const struct ast_pdesc *pd, lang_probe_f *f, void *arg)
{
	static const struct dt_argdesc args[] = { { "int", NULL, 0, false },
		{ "struct in *", "struct out *", 1, false } };
	struct lang_probe lp = { "p", "", "", "n", args, 2, NULL };

	(void)ctx;
	(void)pd;
	return f(&lp, arg);
}

static void
link_prog(struct dif_prog *p)
{
	static const char text[] =
	    "struct in { int x; };"
	    "struct out { int o_sum; string o_name; char o_text[8]; };"
	    "translator struct out < int n > { o_sum = n * 2; "
	    "  o_name = n == 4 ? \"four\" : lltostr(n); o_text = \"t\"; };"
	    "translator struct out < struct in *p > { o_sum = p->x; };";
	struct cg_session *s = cg_session_create();
	struct diags ds;
	struct arena arena;
	struct lang_compile lc = { .text = text,
		.len = strlen(text),
		.pspec = LANG_PSPEC_NAME,
		.flags = LANG_F_EMPTY,
		.arena = &arena,
		.diags = &ds,
		.target = -1,
		.probes = two_args };
	struct dif_prog *decls;

	diags_init(&ds);
	arena_init(&arena);
	if (!cg_session_reserve(s, p))
		abort();
	decls = cg_compile(s, &lc, lang_parse(&lc));
	if (decls == NULL)
		abort();
	dif_prog_destroy(decls);
	if ((cg_link(s, &lc, p) == 0) != (ds.list.n == 0) ||
	    (ds.list.n == 0 && cg_needs_link(p)))
		abort();
	cg_session_destroy(s);
	diags_fini(&ds);
	arena_fini(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dif_prog *p = NULL;
	struct strbuf out = { 0 };
	struct dof *d;
	struct err err = { 0 };

	if (dof_decode(data, size, &err, &d) != 0) {
		err_clear(&err);
		return 0;
	}
	dof_print(d, NULL, &out);
	strbuf_fini(&out);
	if (dof_check_helper(d, &err) == 0)
		read_probes(d);
	err_clear(&err);
	make_helpers(d);

	if (dof_check_enabling(d, &err) == 0 &&
	    dof_decode_prog(d, DOF_ABI_GUESS, &err, &p) == 0) {
		save_again(p);
		if (cg_needs_link(p))
			link_prog(p);
	}
	dif_prog_destroy(p);
	err_clear(&err);
	dof_destroy(d);
	return 0;
}
