/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a file to its CTF dictionaries.
 *
 * libelf reads the ELF part; its results are checked too, since offsets and
 * counts in an ELF file are as hostile as those in CTF.
 *
 * GNU's archive, as ld of binutils 2.40 writes it (all 64 bits):
 *
 *	| magic | model | n | names at | dictionaries at | n x (name, dict) |
 *	... | length | dictionary | ... | names |
 *
 * A name's offset counts from "names at", a dictionary's from "dictionaries
 * at", where its length precedes it.
 */
#include "ctf/ctf_set.h"

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "ctf/ctf_elf.h"

#define ARC_MAGIC UINT64_C(0x8b47f2a4d7623eeb)
#define ARC_HEADER 40
#define ARC_ENTRY 16
/* Name of the parent member, to which the others' cth_parname refers. */
#define ARC_PARENT ".ctf"
#define MAX_FILE (1u << 30) /* of CTF alone */

struct ctf_set {
	void *image; /* the file's bytes, or NULL */
	Elf *elf;    /* read section by section from fd */
	int fd;
	struct ctf_syms syms;
	unsigned ptrsize;
	VEC(struct member {
		struct ctf_file *file;
		const char *name;
	})
	members;
	struct ctf_set *parent_set; /* of a file beside this one */
	struct err err;
};

static int bad(struct ctf_set *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static int
bad(struct ctf_set *s, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	err_take(&s->err, -EINVAL, strbuf_steal(&sb));
	return -EINVAL;
}

/* ---- symbols ------------------------------------------------------------- */

char
ctf_symbol_class(
    unsigned type, unsigned shndx, uint64_t value, const char *name)
{
	if (name[0] == '\0' || shndx == SHN_UNDEF ||
	    strcmp(name, "_START_") == 0 || strcmp(name, "_END_") == 0)
		return 0;
	if (type == STT_FUNC)
		return 'f';
	if (type == STT_OBJECT && (shndx != SHN_ABS || value != 0))
		return 'o';
	return 0;
}

/* A string of a section; "" if there is none. */
static const char *
symbol_name(const Elf_Data *strs, size_t off)
{
	const char *s = strs != NULL ? strs->d_buf : NULL;

	/* the strings must end with a NUL */
	if (s == NULL || off >= strs->d_size || s[strs->d_size - 1] != '\0')
		return "";
	return s + off;
}

int
ctf_elf_symbols(Elf *elf, Elf_Scn *scn, ctf_symbol_f *each, void *arg)
{
	Elf_Data *data = elf_getdata(scn, NULL), *strs;
	GElf_Shdr sh;
	GElf_Sym sym;

	if (data == NULL || gelf_getshdr(scn, &sh) == NULL ||
	    sh.sh_entsize == 0)
		return 0;
	scn = elf_getscn(elf, sh.sh_link);
	strs = scn != NULL ? elf_getdata(scn, NULL) : NULL;
	for (int i = 1; gelf_getsym(data, i, &sym) != NULL; i++) {
		const char *name = symbol_name(strs, sym.st_name);
		char class = ctf_symbol_class(GELF_ST_TYPE(sym.st_info),
		    sym.st_shndx, sym.st_value, name);
		int rc = class != 0 ?
		    each(arg, name, class == 'f', sym.st_value) :
		    0;

		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
add_symbol(void *arg, const char *name, bool is_func, uint64_t value)
{
	struct ctf_set *s = arg;

	(void)value;
	VEC_PUSH(&s->syms.list, (struct ctf_sym){ name, is_func });
	return 0;
}

static void
read_symbols(struct ctf_set *s, Elf_Scn *scn)
{
	GElf_Shdr sh;
	Elf_Data *strs;

	ctf_elf_symbols(s->elf, scn, add_symbol, s);
	if (gelf_getshdr(scn, &sh) == NULL)
		return;
	scn = elf_getscn(s->elf, sh.sh_link);
	strs = scn != NULL ? elf_getdata(scn, NULL) : NULL;
	if (strs == NULL || *symbol_name(strs, 0) != '\0' ||
	    strs->d_buf == NULL)
		return;
	s->syms.strs = strs->d_buf;
	s->syms.nstrs = strs->d_size;
}

/* ---- the ELF file -------------------------------------------------------- */

Elf_Scn *
ctf_elf_section(Elf *elf, uint32_t type, const char *name)
{
	size_t strndx;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &strndx) != 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		const char *n;

		if (gelf_getshdr(scn, &sh) == NULL ||
		    (type != SHT_NULL && sh.sh_type != type))
			continue;
		n = elf_strptr(elf, strndx, sh.sh_name);
		if (name == NULL || (n != NULL && strcmp(n, name) == 0))
			return scn;
	}
	return NULL;
}

static bool
is_symtab(Elf_Scn *scn)
{
	GElf_Shdr sh;

	return scn != NULL && gelf_getshdr(scn, &sh) != NULL &&
	    (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM);
}

/* GNU's flag DYNSTR: symbols and strings are those of the dynamic table. */
#define GNU_DYNSTR 0x8

static bool
wants_dynsym(const Elf_Data *ctf)
{
	const uint8_t *p = ctf->d_buf;
	uint16_t magic;

	if (ctf->d_size < 4)
		return false;
	memcpy(&magic, p, sizeof(magic));
	return (magic == ctf_formats[CTF_FMT_GNU].magic ||
		   magic == bswap_16(ctf_formats[CTF_FMT_GNU].magic)) &&
	    (p[3] & GNU_DYNSTR) != 0;
}

/* The symbol table that the section links to, or else the file's. */
static Elf_Scn *
symbol_section(struct ctf_set *s, Elf_Scn *ctf, const Elf_Data *data)
{
	GElf_Shdr sh;
	Elf_Scn *scn;

	if (wants_dynsym(data))
		return ctf_elf_section(s->elf, SHT_DYNSYM, NULL);
	if (gelf_getshdr(ctf, &sh) != NULL && sh.sh_link != 0) {
		scn = elf_getscn(s->elf, sh.sh_link);
		if (is_symtab(scn))
			return scn;
	}
	scn = ctf_elf_section(s->elf, SHT_SYMTAB, NULL);
	return scn != NULL ? scn : ctf_elf_section(s->elf, SHT_DYNSYM, NULL);
}

static int
read_elf(struct ctf_set *s, const uint8_t **data, size_t *len)
{
	Elf_Scn *scn = ctf_elf_section(s->elf, SHT_NULL, ".SUNW_ctf"), *symtab;
	Elf_Data *d;

	if (scn == NULL)
		scn = ctf_elf_section(s->elf, SHT_NULL, ".ctf");
	if (scn == NULL) {
		bad(s, "it has neither a .SUNW_ctf nor a .ctf section");
		return CTF_SET_NONE;
	}
	d = elf_rawdata(scn, NULL);
	if (d == NULL || d->d_buf == NULL)
		return bad(
		    s, "its CTF section cannot be read: %s", elf_errmsg(-1));
	symtab = symbol_section(s, scn, d);
	if (symtab != NULL)
		read_symbols(s, symtab);
	s->ptrsize = gelf_getclass(s->elf) == ELFCLASS32 ? 4 : 8;
	*data = d->d_buf;
	*len = d->d_size;
	return 0;
}

/* ---- dictionaries -------------------------------------------------------- */

static int
add_file(struct ctf_set *s, const char *name, const uint8_t *data, size_t len)
{
	struct member m = { .name = name };

	m.file = ctf_file_decode(data, len, &s->syms, &s->err);
	if (m.file == NULL)
		return -EINVAL;
	VEC_PUSH(&s->members, m);
	return 0;
}

struct archive {
	const uint8_t *p;
	size_t len;
	bool is_swapped;
};

static uint64_t
arc_get(const struct archive *a, size_t off)
{
	uint64_t v;

	memcpy(&v, a->p + off, sizeof(v));
	return a->is_swapped ? bswap_64(v) : v;
}

static bool
is_archive(struct archive *a)
{
	if (a->len < ARC_HEADER)
		return false;
	a->is_swapped = arc_get(a, 0) == bswap_64(ARC_MAGIC);
	return arc_get(a, 0) == ARC_MAGIC;
}

/* The name at an offset of the name table, or NULL. */
static const char *
arc_name(const struct archive *a, uint64_t off)
{
	uint64_t names = arc_get(a, 24);

	if (names >= a->len || off >= a->len - names ||
	    memchr(a->p + names + off, '\0', a->len - names - off) == NULL)
		return NULL;
	return (const char *)a->p + names + off;
}

static int
add_archived(struct ctf_set *s, const struct archive *a, uint64_t i)
{
	size_t entry = ARC_HEADER + (size_t)i * ARC_ENTRY;
	const char *name = arc_name(a, arc_get(a, entry));
	uint64_t dicts = arc_get(a, 32), off = arc_get(a, entry + 8), len;

	if (name == NULL)
		return bad(s,
		    "CTF archive: member %llu, offset 0x%zx: its "
		    "name lies outside the archive",
		    (unsigned long long)i, entry);
	if (dicts > a->len || off > a->len - dicts || a->len - dicts - off < 8)
		return bad(s,
		    "CTF archive: member %llu, offset 0x%zx: it lies "
		    "outside the archive",
		    (unsigned long long)i, entry + 8);
	len = arc_get(a, (size_t)(dicts + off));
	if (len > a->len - dicts - off - 8)
		return bad(s,
		    "CTF archive: member '%s', offset 0x%llx: its "
		    "length reaches beyond the archive's end",
		    name, (unsigned long long)(dicts + off));
	return add_file(s, name, a->p + dicts + off + 8, (size_t)len);
}

static int
add_archive(struct ctf_set *s, const struct archive *a)
{
	uint64_t n = arc_get(a, 16);

	if (n > (a->len - ARC_HEADER) / ARC_ENTRY)
		return bad(s,
		    "CTF archive: offset 0x10: %llu members do not "
		    "fit in %zu bytes",
		    (unsigned long long)n, a->len);
	for (uint64_t i = 0; i < n; i++) {
		int rc = add_archived(s, a, i);

		if (rc != 0)
			return rc;
	}
	if (n == 0)
		return bad(s, "CTF archive: it has no members");
	return 0;
}

/* Give the children in an archive their parent there. */
static int
link_archived(struct ctf_set *s)
{
	VEC_FOREACH(&s->members, m) {
		const struct ctf_header *h = ctf_file_header(m->file);
		struct ctf_file *parent =
		    ctf_header_is_child(h) ? ctf_set_find(s, h->parname) : NULL;

		if (parent == NULL || parent == m->file ||
		    ctf_header_is_child(ctf_file_header(parent)))
			continue;
		if (ctf_file_set_parent(m->file, parent, &s->err) != 0)
			return -EINVAL;
	}
	return 0;
}

static bool
is_elf(const uint8_t *p, size_t len)
{
	return len > SELFMAG && memcmp(p, ELFMAG, SELFMAG) == 0;
}

static int
decode_ctf(struct ctf_set *s, const uint8_t *data, size_t len)
{
	struct archive a = { data, len, false };
	int rc = is_archive(&a) ? add_archive(s, &a) :
				  add_file(s, ARC_PARENT, data, len);

	return rc != 0 ? rc : link_archived(s);
}

/* Takes ownership of the ELF file, which may be NULL. */
static int
decode_elf(struct ctf_set *s, Elf *elf)
{
	const uint8_t *data = NULL;
	size_t len = 0;
	int rc;

	s->elf = elf;
	if (elf == NULL)
		return bad(
		    s, "its ELF header is malformed: %s", elf_errmsg(-1));
	rc = read_elf(s, &data, &len);
	return rc != 0 ? rc : decode_ctf(s, data, len);
}

static int
decode_image(struct ctf_set *s, size_t len)
{
	if (!is_elf(s->image, len))
		return decode_ctf(s, s->image, len);
	elf_version(EV_CURRENT);
	return decode_elf(s, elf_memory(s->image, len));
}

/* ---- files --------------------------------------------------------------- */

static int
refuse_read(struct ctf_set *s, int code)
{
	return err_set(&s->err, code != 0 ? -code : -EINVAL,
	    "it cannot be read%s%s", code != 0 ? ": " : "",
	    code != 0 ? strerror(code) : "");
}

/* Do not map the file: its owner might truncate it. */
static int
decode_file(struct ctf_set *s, size_t len)
{
	uint8_t magic[SELFMAG + 1];
	ssize_t n = pread(s->fd, magic, sizeof(magic), 0);

	if (n < 0)
		return refuse_read(s, errno);
	if (n == sizeof(magic) && is_elf(magic, sizeof(magic))) {
		elf_version(EV_CURRENT);
		return decode_elf(s, elf_begin(s->fd, ELF_C_READ, NULL));
	}
	if (len > MAX_FILE)
		return bad(s, "not a file of at most %u MB", MAX_FILE >> 20);
	errno = 0; /* it stays so if the file has become shorter */
	s->image = mem_read_file(s->fd, len);
	if (s->image == NULL)
		return refuse_read(s, errno);
	return decode_ctf(s, s->image, len);
}

static int
open_file(struct ctf_set *s, const char *path)
{
	struct stat st;

	/* a pipe at that path would block */
	s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (s->fd < 0 || fstat(s->fd, &st) != 0)
		return err_set(&s->err, -errno, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size == 0)
		return bad(s, "not a file with contents");
	return decode_file(s, (size_t)st.st_size);
}

static struct ctf_set *
set_create(void)
{
	struct ctf_set *s = mem_alloc(sizeof(*s));

	s->ptrsize = 8;
	s->fd = -1;
	return s;
}

CHECKED static int
finish(struct ctf_set *s, int rc, struct ctf_set **out, struct err *err)
{
	if (rc == 0) {
		*out = s;
		return 0;
	}
	err_move(err, &s->err);
	ctf_set_close(s);
	return rc;
}

static bool
is_orphan(const struct ctf_set *s)
{
	const struct ctf_header *h = ctf_file_header(s->members.v[0].file);

	return s->members.n == 1 && ctf_header_is_child(h);
}

CHECKED static int
open_alone(const char *path, struct ctf_set **out, struct err *err)
{
	struct ctf_set *s = set_create();
	int rc = open_file(s, path);

	if (rc != 0)
		err_prefix(&s->err, "%s", path);
	return finish(s, rc, out, err);
}

/*
 * Look for a dictionary's parent in a file beside it.  If the file is missing,
 * only look-ups of the parent's types fail.
 */
CHECKED static int
link_beside(struct ctf_set *s, const char *path, struct err *err)
{
	struct ctf_file *child = s->members.v[0].file;
	const char *name = ctf_file_header(child)->parname;
	char *copy = mem_strdup(path);
	char *beside = mem_printf("%s/%s", dirname(copy), name);
	struct err ignored = { 0 };
	int rc = 0;

	if (strchr(name, '/') == NULL &&
	    open_alone(beside, &s->parent_set, &ignored) == 0 &&
	    !is_orphan(s->parent_set))
		rc = ctf_file_set_parent(
		    child, ctf_set_file(s->parent_set, 0), err);
	err_clear(&ignored);
	free(beside);
	free(copy);
	return rc != 0 ? -EINVAL : 0;
}

int
ctf_set_open(const char *path, struct ctf_set **out, struct err *err)
{
	struct ctf_set *s;
	int rc = open_alone(path, &s, err);

	if (rc != 0)
		return rc;
	if (is_orphan(s) && link_beside(s, path, err) != 0) {
		ctf_set_close(s);
		return -EINVAL;
	}
	*out = s;
	return 0;
}

int
ctf_set_decode(
    const void *img, size_t len, struct ctf_set **out, struct err *err)
{
	struct ctf_set *s = set_create();

	s->image = mem_alloc(len + 1);
	memcpy(s->image, img, len);
	return finish(s, decode_image(s, len), out, err);
}

void
ctf_set_close(struct ctf_set *s)
{
	if (s == NULL)
		return;
	VEC_FOREACH(&s->members, m)
		ctf_file_close(m->file);
	VEC_FREE(&s->members);
	VEC_FREE(&s->syms.list);
	if (s->elf != NULL)
		elf_end(s->elf);
	ctf_set_close(s->parent_set);
	if (s->fd >= 0)
		close(s->fd);
	free(s->image);
	err_clear(&s->err);
	free(s);
}

/* ---- questions ----------------------------------------------------------- */

size_t
ctf_set_n(const struct ctf_set *s)
{
	return s->members.n;
}

struct ctf_file *
ctf_set_file(const struct ctf_set *s, size_t i)
{
	return s->members.v[i].file;
}

const char *
ctf_set_name(const struct ctf_set *s, size_t i)
{
	return s->members.v[i].name;
}

struct ctf_file *
ctf_set_find(const struct ctf_set *s, const char *name)
{
	VEC_FOREACH(&s->members, m) {
		if (strcmp(m->name, name) == 0)
			return m->file;
	}
	return NULL;
}

unsigned
ctf_set_ptrsize(const struct ctf_set *s)
{
	return s->ptrsize;
}
