/* SPDX-License-Identifier: BSD-2-Clause */
/* Read ELF symbol tables: the symbols of code or data that the file has. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/str.h"
#include "sym/sym_impl.h"

#define STRTAB_MAX ((size_t)1 << 30) /* offsets of names are of 32 bits */
#define CHUNK 1024		     /* symbols read at once */

/* A table being read: its image, and where its names begin in es->names. */
struct elf_table {
	struct elf_syms *es;
	const struct elf_img *img;
	size_t names, names_len;
};

static Elf64_Sym
widen(const Elf32_Sym *s)
{
	return (Elf64_Sym){ .st_name = s->st_name,
		.st_info = s->st_info,
		.st_other = s->st_other,
		.st_shndx = s->st_shndx,
		.st_value = s->st_value,
		.st_size = s->st_size };
}

/*
 * Does an untyped symbol name an assembly function: it is in code, and no label
 * of the compiler's?
 */
static bool
is_label(const struct elf_table *t, const Elf64_Sym *s, const char *name)
{
	return s->st_shndx < t->img->sects.n &&
	    t->img->sects.v[s->st_shndx].is_exec && name[0] != '.' &&
	    name[0] != '$';
}

/* False: the symbol has no address. */
static bool
kind_of(const struct elf_table *t, const Elf64_Sym *s, const char *name,
    uint8_t *kind)
{
	switch (ELF64_ST_TYPE(s->st_info)) {
	case STT_FUNC:
		*kind = ELF_SYM_FUNC;
		return true;
	case STT_GNU_IFUNC:
		*kind = ELF_SYM_IFUNC;
		return true;
	case STT_OBJECT:
		*kind = ELF_SYM_OBJECT;
		return true;
	case STT_NOTYPE:
		*kind = ELF_SYM_LABEL;
		return is_label(t, s, name);
	default:
		return false;
	}
}

static void
add_symbol(const struct elf_table *t, const Elf64_Sym *s)
{
	struct elf_sym sym = { .value = s->st_value };
	const char *name;

	if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS ||
	    s->st_shndx == SHN_COMMON || s->st_name >= t->names_len)
		return;
	name = t->es->names.s + t->names + s->st_name;
	if (name[0] == '\0' || !kind_of(t, s, name, &sym.kind))
		return;
	sym.size = s->st_size > UINT32_MAX ? UINT32_MAX : (uint32_t)s->st_size;
	sym.name = (uint32_t)(t->names + s->st_name);
	sym.shndx = s->st_shndx < t->img->sects.n ? s->st_shndx : 0;
	sym.is_local = ELF64_ST_BIND(s->st_info) == STB_LOCAL;
	BOUNDS_PUSH(&t->es->syms, sym);
}

static bool
read_part(const struct elf_table *t, uint64_t off, void *buf, size_t n)
{
	errno = 0; /* it stays so if the file is too short */
	if (elf_img_read(t->img, off, buf, n))
		return true;
	if (errno != 0)
		t->es->read_error = errno;
	return false;
}

static void
read_symbols(const struct elf_table *t, uint64_t off, uint64_t size)
{
	size_t entsize = t->img->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	union {
		Elf64_Sym s64[CHUNK];
		Elf32_Sym s32[CHUNK];
	} *buf = mem_alloc(sizeof(*buf));
	uint64_t left = size / entsize;

	while (left > 0 && !bounds_is_over()) {
		size_t n = left < CHUNK ? (size_t)left : CHUNK;

		if (!read_part(t, off, buf, n * entsize))
			break;
		for (size_t i = 0; i < n; i++) {
			Elf64_Sym s =
			    t->img->is_64 ? buf->s64[i] : widen(&buf->s32[i]);

			add_symbol(t, &s);
		}
		off += n * entsize;
		left -= n;
	}
	free(buf);
}

/* Names are printed on terminals: replace control characters. */
void
sym_clean_text(char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if ((c < ' ' && c != '\0') || c == 0x7f)
			s[i] = '?';
	}
}

/* Cut a name before its version: "memcpy@@GLIBC_2.14". */
static void
cut_versions(char *s, size_t len)
{
	char *end = s + len;

	while ((s = memchr(s, '@', (size_t)(end - s))) != NULL)
		*s++ = '\0';
}

/*
 * Cut long names: comparing overlapping long names of a hostile table would
 * read all of it for each pair.
 */
void
elf_cut_long_names(char *s, size_t len)
{
	for (char *end = s + len, *next; s < end; s = next + 1) {
		size_t n = (size_t)(end - s);

		if (n > LIMIT_NAME)
			n = LIMIT_NAME;
		next = memchr(s, '\0', n);
		if (next == NULL) {
			next = s + n - 1;
			*next = '\0';
		}
	}
}

/* Names of all tables are in one buffer, so that an offset identifies them. */
static bool
read_names(struct elf_table *t, size_t shndx)
{
	struct strbuf *names = &t->es->names;
	const struct elf_sect *s;

	if (shndx == 0 || shndx >= t->img->sects.n)
		return false;
	s = &t->img->sects.v[shndx];
	if (s->type == SHT_NOBITS || s->size == 0 || s->off > t->img->len ||
	    s->size > t->img->len - s->off || s->size > STRTAB_MAX ||
	    names->len > STRTAB_MAX || !bounds_take(s->size))
		return false;
	t->names = names->len;
	t->names_len = s->size;
	if (!read_part(t, s->off, strbuf_room(names, s->size), s->size))
		return false;
	cut_versions(names->s + t->names, s->size);
	sym_clean_text(names->s + t->names, s->size);
	elf_cut_long_names(names->s + t->names, s->size);
	names->len += s->size;
	strbuf_addc(names, '\0');
	return true;
}

void
elf_table_add(struct elf_syms *es, const struct elf_img *img, size_t shndx)
{
	struct elf_table t = { .es = es, .img = img };
	const struct elf_sect *s;

	if (shndx == 0)
		return;
	s = &img->sects.v[shndx];
	if (s->type == SHT_NOBITS || !read_names(&t, img->links.v[shndx]))
		return;
	read_symbols(&t, s->off, s->size);
}
