/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ELF files with DWARF: all of it is converted to CTF, which must be well
 * formed, and is then imported by name and examined.
 *
 * libdw belongs to elfutils: faults found in it are reported there.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "ctf/ctf_import.h"
#include "ctf/dwarf_build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_NAMES 300

static void
look_into(struct ctf_type *t)
{
	uint64_t off;

	if (t == NULL)
		return;
	t = ctf_resolve(t);
	VEC_FOREACH(&t->members, m)
		ctf_resolve(m->type);
	ctf_member_find(t, "no such member", &off);
}

static void
look_up(struct ctf_import *im, const char *name)
{
	static const enum ctf_space spaces[] = { CTF_SP_ORDINARY, CTF_SP_STRUCT,
		CTF_SP_UNION, CTF_SP_ENUM };
	struct ctf_symbol sym;

	for (size_t i = 0; i < 4; i++)
		look_into(im->ops->type(im, spaces[i], name));
	if (im->ops->symbol(im, name, &sym))
		look_into(sym.type);
}

static void
import_all(int fd, const struct strtab *names)
{
	struct ctf_graph g;
	struct ctf_import *im;
	struct err err = { 0 };

	ctf_graph_init(&g);
	im = dwarf_import("fuzz", "fuzz", fd, &err);
	if (im != NULL) {
		ctf_import_add(&g, im);
		for (uint32_t i = 1; i <= names->strs.n && i < MAX_NAMES; i++)
			look_up(im, strtab_str(names, i));
		look_up(im, "no such name");
	}
	err_clear(&err);
	ctf_graph_fini(&g);
}

static void
convert(struct ctf_build *b, enum ctf_format format)
{
	struct ctf_build_opts opts = { .format = format };
	struct strbuf out = { 0 }, warnings = { 0 };
	struct ctf_file *f;
	struct err err = { 0 };

	if (ctf_build_encode(b, &opts, &out, &warnings, &err) == 0) {
		f = ctf_file_decode(out.s, out.len, NULL, &err);
		if (f == NULL)
			abort();
		ctf_file_close(f);
	}
	err_clear(&err);
	strbuf_fini(&out);
	strbuf_fini(&warnings);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct ctf_build *b = ctf_build_create();
	struct dw_build out;
	struct dw_file df;
	struct err err = { 0 };

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (dw_file_open(&df, "fuzz", fd, &err) == 0) {
		if (dw_build_all(&out, b, &df, &err) != 0)
			err_clear(&err); /* what was read is converted */
		convert(b, CTF_FMT_V2);
		convert(b, CTF_FMT_V3);
		import_all(fd, ctf_build_names(b));
		dw_build_fini(&out);
		dw_file_close(&df);
	}
	err_clear(&err);
	ctf_build_destroy(b);
	close(fd);
	return 0;
}
