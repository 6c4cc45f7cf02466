/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Find the types of a file's symbols by name in its DWARF.  The name of a
 * static may be there several times; then the address decides.
 */
#include "ctf/ctf_convert.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "ctf/ctf_elf.h"
#include "ctf/dwarf_build.h"

struct convert {
	struct ctf_build *b;
	struct dw_build dw;
	struct dw_file df;
};

static int
compare_symbols(const void *pa, const void *pb)
{
	const struct dw_symbol *a = pa, *b = pb;

	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

/* The index of the first symbol of a name in the sorted symbols. */
static size_t
first_of(const struct dw_build *dw, uint32_t name)
{
	size_t lo = 0, hi = dw->symbols.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (dw->symbols.v[mid].name < name)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The DWARF entry of a symbol: the one at its address, if any has addresses. */
static const struct dw_symbol *
find_symbol(
    const struct dw_build *dw, uint32_t name, bool is_func, uint64_t addr)
{
	const struct dw_symbol *best = NULL;

	for (size_t i = first_of(dw, name);
	     i < dw->symbols.n && dw->symbols.v[i].name == name; i++) {
		const struct dw_symbol *s = &dw->symbols.v[i];

		if (s->is_func != is_func)
			continue;
		if (s->has_addr && s->addr == addr)
			return s;
		if (best == NULL || (!best->has_addr && s->has_addr))
			best = s;
	}
	return best;
}

static int
add_symbol(void *arg, const char *name, bool is_func, uint64_t addr)
{
	struct convert *c = arg;
	uint32_t id = strtab_find(ctf_build_names(c->b), name);
	const struct dw_symbol *s =
	    id != 0 ? find_symbol(&c->dw, id, is_func, addr) : NULL;

	ctf_build_symbol(
	    c->b, is_func, s != NULL ? s->type : 0, s != NULL ? s->unit : 0);
	return 0;
}

static void
add_symbols(struct convert *c, int fd)
{
	Elf *elf;
	Elf_Scn *scn;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf == NULL)
		return;
	scn = ctf_elf_section(elf, SHT_SYMTAB, NULL);
	if (scn == NULL)
		scn = ctf_elf_section(elf, SHT_DYNSYM, NULL);
	if (scn != NULL)
		ctf_elf_symbols(elf, scn, add_symbol, c);
	elf_end(elf);
}

CHECKED static int
convert_fd(struct convert *c, const char *path, int fd,
    const struct ctf_build_opts *opts, struct strbuf *out, struct strbuf *notes,
    struct err *err)
{
	int rc;

	if (dw_file_open(&c->df, path, fd, err) != 0)
		return -1;
	c->b = ctf_build_create();
	rc = dw_build_all(&c->dw, c->b, &c->df, err);
	if (rc != 0)
		goto out;
	if (c->dw.symbols.n != 0)
		qsort(c->dw.symbols.v, c->dw.symbols.n,
		    sizeof(*c->dw.symbols.v), compare_symbols);
	add_symbols(c, fd);
	if (c->dw.notes.len != 0)
		strbuf_add(notes, c->dw.notes.s, c->dw.notes.len);
	rc = ctf_build_encode(c->b, opts, out, notes, err);
out:
	if (rc != 0)
		err_prefix(err, "%s", path);
	dw_build_fini(&c->dw);
	ctf_build_destroy(c->b);
	dw_file_close(&c->df);
	return rc;
}

int
ctf_convert(const char *path, const struct ctf_build_opts *opts,
    struct strbuf *out, struct strbuf *notes, struct err *err)
{
	struct convert c = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	rc = convert_fd(&c, path, fd, opts, out, notes, err);
	close(fd);
	return rc;
}
