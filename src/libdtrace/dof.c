/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs in files: save a compiled program, load it, print it.
 *
 * A saved file holds the program and the options under which it was compiled,
 * but neither its source nor its probes: probes are looked up when the file is
 * loaded.  A loaded program runs alone: ids of variables and aggregations begin
 * at the same numbers in each file, so those of two programs would clash.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "dof/dof.h"
#include "libdtrace/dof_impl.h"
#include "libdtrace/dt_impl.h"

/* ---- loading ------------------------------------------------------------ */

static enum dof_abi
wanted_abi(const struct dt_hdl *h)
{
	/* the choices of option dofabi are in the order of enum dof_abi */
	return h->opts.vals[DT_OPT_DOFABI].is_set ?
	    (enum dof_abi)(dt_opt(h, DT_OPT_DOFABI) + 1) :
	    DOF_ABI_GUESS;
}

static int
load_prog(struct dt_hdl *h, const struct dof *d, struct dif_prog **outp)
{
	struct err err = { 0 };
	int rc = dof_check_enabling(d, &err);

	if (rc == 0)
		rc = dof_decode_prog(d, wanted_abi(h), &err, outp);
	if (rc != 0)
		return dt_fail_err(h, &err);
	rc = dt_dof_load_options(h, d);
	if (rc != 0)
		goto out;
	/* a replay runs nothing: it needs no addresses and no translators */
	if (!dt_is_replay(h))
		rc = dt_dof_resolve(h, *outp);
	if (rc != 0)
		goto out;
	if (!dt_is_replay(h) && cg_needs_link(*outp) &&
	    !cg_session_reserve(h->compiled.cg, *outp)) {
		rc = dt_fail(h,
		    "the DOF file refers to translators, and has "
		    "variables: it cannot follow a text that declares some, "
		    "too");
		goto out;
	}
	rc = dt_dof_load_types(h, d, *outp);
	if (rc != 0)
		goto out;
	dt_dof_set_ds_types(h, *outp);
	return 0;

out:
	dif_prog_destroy(*outp);
	*outp = NULL;
	return -1;
}

static bool
is_elf(const void *img, size_t len)
{
	return len >= 4 && memcmp(img, "\177ELF", 4) == 0;
}

bool
dt_is_image(const void *img, size_t len)
{
	return dof_is_dof(img, len) || is_elf(img, len);
}

struct dif_prog *
dt_load_dof(struct dt_hdl *h, const void *img, size_t len)
{
	struct dif_prog *dif = NULL;
	struct dof *d = NULL;
	struct err err = { 0 };

	if (is_elf(img, len)) {
		dt_fail(h,
		    "this is an ELF file, not a D program; -S prints "
		    "the DOF in it");
		return NULL;
	}
	VEC_FOREACH(&h->compiled.progs, p) {
		if (!(*p)->is_library && (*p)->dif->clauses.n != 0) {
			dt_fail(h, "a DOF file must be the only program");
			return NULL;
		}
	}
	if (dof_decode(img, len, &err, &d) != 0) {
		dt_fail_err(h, &err);
		return NULL;
	}
	if (d->hdr.dofh_filesz != len)
		dt_fail(h, "the DOF has %" PRIu64 " bytes, but the file %zu",
		    d->hdr.dofh_filesz, len);
	else
		load_prog(h, d, &dif);
	dof_destroy(d);
	h->compiled.has_dof |= dif != NULL && dif->clauses.n != 0;
	return dif;
}

/* ---- saving ------------------------------------------------------------- */

int
dt_write_file(struct dt_hdl *h, const char *path, const struct strbuf *sb)
{
	int rc = mem_write_file(path, sb->s, sb->len);

	if (rc != 0)
		return dt_fail(h, "cannot write %s: %s", path, strerror(-rc));
	return 0;
}

int
dt_encode(struct dt_hdl *h, const struct dif_prog *const *progs, size_t n,
    bool strip, struct strbuf *out)
{
	struct dt_dof_types ts = { 0 };
	struct strbuf ctf = { 0 };
	struct dof_prog_opts po = { .strip = strip,
		.ctf_of = dt_dof_number_type,
		.ctf_arg = &ts,
		.ctf = &ctf };
	int rc = dt_dof_collect_types(h, progs, n, &ts, &ctf);

	if (rc == 0) {
		dt_dof_collect_options(h, &po);
		dof_encode_progs(progs, n, &po, out);
		dt_dof_opts_fini(&po);
	}
	dt_dof_types_fini(&ts);
	strbuf_fini(&ctf);
	return rc;
}

int
dt_save(struct dt_hdl *h, const char *path)
{
	VEC(const struct dif_prog *) progs = { 0 };
	struct strbuf sb = { 0 };
	int rc;

	if (dt_opt(h, DT_OPT_LINKTYPE) != 0)
		return dt_fail(h,
		    "linktype=elf is for -G, which makes an "
		    "object for the linker; linktype=dof saves a program");
	VEC_FOREACH(&h->compiled.progs, p) {
		if (!(*p)->is_library)
			VEC_PUSH(&progs, (*p)->dif);
	}
	rc = dt_encode(h, progs.v, progs.n, dt_opt_flag(h, DT_OPT_STRIP), &sb);
	if (rc == 0)
		rc = dt_write_file(h, path, &sb);
	strbuf_fini(&sb);
	VEC_FREE(&progs);
	return rc;
}

/* ---- printing ----------------------------------------------------------- */

static int
print_dof(const struct dof *d, void *arg)
{
	dof_print(d, dt_dof_opt_name, arg);
	return 0;
}

CHECKED static int
print_image(const void *img, size_t len, struct strbuf *out, struct err *err)
{
	struct dof *d;
	int rc;

	if (!dof_is_dof(img, len)) {
		rc = dof_elf_iter(img, len, print_dof, out, err);
		return rc < 0 ? rc : 0;
	}
	rc = dof_decode(img, len, err, &d);
	if (rc != 0)
		return rc;
	print_dof(d, out);
	dof_destroy(d);
	return 0;
}

int
dt_print_file(struct dt_hdl *h, const char *path, FILE *out)
{
	struct strbuf file = { 0 }, text = { 0 };
	struct err err = { 0 };
	int rc = strcmp(path, "-") == 0 ? 0 : dt_read_file(h, path, &file);

	if (rc == 0 && dt_is_image(file.s, file.len)) {
		rc = print_image(file.s, file.len, &text, &err) == 0 ?
		    1 :
		    dt_fail_err(h, &err);
		if (rc == 1)
			fwrite(text.s, 1, text.len, out);
	}
	strbuf_fini(&file);
	strbuf_fini(&text);
	return rc;
}

/* --dump=dof: the text is always the same for the same program. */
void
dt_dump_dof(struct dt_hdl *h, const struct dif_prog *dif, struct strbuf *out)
{
	struct strbuf sb = { 0 };
	struct err err = { 0 };
	int rc;

	if (dt_encode(h, &dif, 1, true, &sb) != 0) {
		strbuf_adds(out, dt_errmsg(h));
		strbuf_addc(out, '\n');
	} else {
		rc = print_image(sb.s, sb.len, out, &err);
		assert(rc == 0);
	}
	strbuf_fini(&sb);
}
