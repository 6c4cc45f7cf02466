/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Add a section to an ELF file without moving its contents.
 *
 *	| file as it was | data | section names | section headers |
 *	  ^ its header's e_shoff, e_shnum now mean the last part
 *
 * New names and headers are appended, since the old ones have no room to grow;
 * the old ones remain as unused bytes.
 */
#include "ctf/ctf_elf.h"

#include <errno.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

struct add {
	const uint8_t *img;
	size_t len;
	Elf64_Ehdr eh;
	VEC(Elf64_Shdr) shdrs;
	struct strbuf names;
	struct err *err;
};

static int
bad(struct add *a, const char *what)
{
	return err_set(a->err, -EINVAL, "%s", what);
}

/* ---- reading ------------------------------------------------------------- */

static int
read_header(struct add *a)
{
	if (a->len < sizeof(a->eh) || memcmp(a->img, ELFMAG, SELFMAG) != 0)
		return bad(a, "it is not an ELF file");
	memcpy(&a->eh, a->img, sizeof(a->eh));
	if (a->eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    a->eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return bad(a,
		    "only 64-bit little-endian ELF files can be "
		    "written");
	if (a->eh.e_shnum == 0 || a->eh.e_shentsize != sizeof(Elf64_Shdr))
		return bad(a, "it has no section headers, or more than 65279");
	if (a->eh.e_shoff > a->len ||
	    a->eh.e_shnum > (a->len - a->eh.e_shoff) / sizeof(Elf64_Shdr))
		return bad(a, "its section headers lie outside the file");
	if (a->eh.e_shnum + 1 >= SHN_LORESERVE)
		return bad(a, "there is no number left for a section");
	return 0;
}

static int
read_sections(struct add *a)
{
	const Elf64_Shdr *names;

	for (unsigned i = 0; i < a->eh.e_shnum; i++) {
		Elf64_Shdr sh;

		memcpy(
		    &sh, a->img + a->eh.e_shoff + i * sizeof(sh), sizeof(sh));
		VEC_PUSH(&a->shdrs, sh);
	}
	if (a->eh.e_shstrndx >= a->shdrs.n)
		return bad(a, "it has no section names");
	names = &a->shdrs.v[a->eh.e_shstrndx];
	if (names->sh_size == 0 || names->sh_offset > a->len ||
	    names->sh_size > a->len - names->sh_offset ||
	    a->img[names->sh_offset + names->sh_size - 1] != '\0')
		return bad(a, "its section names lie outside the file");
	strbuf_add(&a->names, a->img + names->sh_offset, names->sh_size);
	return 0;
}

/* ---- writing ------------------------------------------------------------- */

static void
align(struct strbuf *out, size_t to)
{
	while (out->len % to != 0)
		strbuf_addc(out, '\0');
}

static Elf64_Shdr *
find(struct add *a, const char *name)
{
	VEC_FOREACH(&a->shdrs, sh) {
		if (sh->sh_name < a->names.len &&
		    strcmp(a->names.s + sh->sh_name, name) == 0)
			return sh;
	}
	return NULL;
}

static uint32_t
symbol_table(const struct add *a)
{
	uint32_t dynsym = 0;

	for (uint32_t i = 0; i < a->shdrs.n; i++) {
		if (a->shdrs.v[i].sh_type == SHT_SYMTAB)
			return i;
		if (a->shdrs.v[i].sh_type == SHT_DYNSYM)
			dynsym = i;
	}
	return dynsym;
}

static void
append_data(struct add *a, const char *name, const struct strbuf *data,
    struct strbuf *out)
{
	Elf64_Shdr *sh = find(a, name);

	if (sh == NULL) {
		VEC_PUSH(&a->shdrs,
		    (Elf64_Shdr){ .sh_name = (uint32_t)a->names.len });
		strbuf_add(&a->names, name, strlen(name) + 1);
		sh = &a->shdrs.v[a->shdrs.n - 1];
	}
	align(out, 4);
	*sh = (Elf64_Shdr){ .sh_name = sh->sh_name,
		.sh_type = SHT_PROGBITS,
		.sh_offset = out->len,
		.sh_size = data->len,
		.sh_addralign = 4,
		.sh_link = symbol_table(a) };
	strbuf_add(out, data->s, data->len);
}

static void
append_tables(struct add *a, struct strbuf *out)
{
	Elf64_Shdr *names = &a->shdrs.v[a->eh.e_shstrndx];

	names->sh_offset = out->len;
	names->sh_size = a->names.len;
	strbuf_add(out, a->names.s, a->names.len);
	align(out, 8);
	a->eh.e_shoff = out->len;
	a->eh.e_shnum = (uint16_t)a->shdrs.n;
	strbuf_add(out, a->shdrs.v, a->shdrs.n * sizeof(*a->shdrs.v));
	memcpy(out->s, &a->eh, sizeof(a->eh));
}

int
ctf_elf_add_section(const void *img, size_t len, const char *name,
    const struct strbuf *data, struct strbuf *out, struct err *err)
{
	struct add a = { .img = img, .len = len, .err = err };
	int rc = read_header(&a);

	if (rc == 0)
		rc = read_sections(&a);
	if (rc != 0)
		goto out;
	strbuf_add(out, img, len);
	append_data(&a, name, data, out);
	append_tables(&a, out);
out:
	VEC_FREE(&a.shdrs);
	strbuf_fini(&a.names);
	return rc;
}
