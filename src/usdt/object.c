/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace -G: the object with the data that sites of probes share.
 *
 *	.probes		a semaphore of two bytes for each probe
 *	.SUNW_dof	providers, types of the arguments, stabilities
 *
 * The sites' notes have their places: they are in the program's own objects,
 * which may be compiled later, or by a linker.  So the probes in this DOF have
 * no sites.  If objects call functions instead (usdt/stubs.h), this object has
 * the functions, with sites, notes and .eh_frame.
 *
 * Nothing refers to the DOF, so a linker that drops unused sections would drop
 * it.  A relocation without effect in the semaphores, to which the sites refer,
 * marks it as used.
 */
#include "usdt/usdt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gelf.h>
#include <libelf.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "usdt/notes.h"
#include "usdt/stubs.h"

#define SHT_SUNW_dof 0x6ffffff4 /* doc/reference/dof.md section 5 */

/* ---- objects of the program ---------------------------------------------- */

static const struct dif_provider *
find_provider(const struct usdt_defs *defs, const char *name)
{
	VEC_FOREACH(&defs->providers, p) {
		if (strcmp((*p)->name, name) == 0)
			return *p;
	}
	return NULL;
}

CHECKED static int
check_note(const struct usdt_defs *defs, const char *path,
    const struct usdt_note *n, struct err *err)
{
	const struct dif_provider *p = find_provider(defs, n->provider);

	if (p == NULL)
		return 0;
	VEC_FOREACH(&p->probes, pp) {
		if (usdt_is_name(pp->name, n->name))
			return 0;
	}
	return err_set(err, -EINVAL,
	    "%s has a probe %s:::%s, which the definition of the provider does not have: compile it again with the header of this definition",
	    path, n->provider, n->name);
}

int
usdt_check_object(const struct usdt_defs *defs, const char *path,
    enum usdt_class *cls, struct usdt_stubs *stubs, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;
	struct usdt_notes notes = { 0 };

	if (fd < 0)
		return err_set(
		    err, -EINVAL, "cannot open %s: %s", path, strerror(errno));
	rc = usdt_notes_read(fd, &notes, err);
	if (rc != 0)
		err_prefix(err, "%s", path);
	else
		rc = usdt_stubs_read(defs, path, fd, stubs, err);
	close(fd);
	if (rc == 0 && *cls == USDT_CLASS_ANY)
		*cls = notes.cls;
	VEC_FOREACH(&notes.v, n)
		rc = rc == 0 ? check_note(defs, path, n, err) : rc;
	usdt_notes_fini(&notes);
	return rc;
}

/* ---- ELF ----------------------------------------------------------------- */

enum {
	SEC_NULL,
	SEC_DOF,
	SEC_PROBES,
	SEC_REL,
	SEC_SYMTAB,
	SEC_STRTAB,
	SEC_SHSTRTAB,
	SEC_STACK,
	/* only with functions */
	SEC_TEXT,
	SEC_REL_TEXT,
	SEC_GROUP, /* for .stapsdt.base, which all objects of a program have */
	SEC_BASE,
	SEC_NOTE,
	SEC_REL_NOTE,
	SEC_FRAME,
	SEC_REL_FRAME
};

/* Section names, at these offsets. */
static const char shstrtab[] =
    "\0.SUNW_dof\0.probes\0.rel.probes\0"
    ".rela.probes\0.symtab\0.strtab\0.shstrtab\0.note.GNU-stack\0"
    ".group\0.stapsdt.base\0.rel.text\0.rela.text\0.rel.note.stapsdt\0"
    ".rela.note.stapsdt\0.rel.eh_frame\0.rela.eh_frame";

/* Symbols: the sections are local, and come first. */
enum { SYM_DOF = 1, SYM_TEXT, SYM_BASE_SECTION };

/* The differences between i386 and x86-64. */
static const struct kind {
	uint16_t machine;
	int elfclass;
	const char *rel; /* prefix of section names */
	Elf_Type rel_data;
	uint32_t rel_type;
	size_t rel_size, sym_size, align;
	uint32_t relocs[3]; /* by usdt_reloc.kind */
} kinds[] = {
	[USDT_CLASS_32] = { EM_386, ELFCLASS32, ".rel", ELF_T_REL, SHT_REL,
	    sizeof(Elf32_Rel), sizeof(Elf32_Sym), 4,
	    { R_386_NONE, R_386_PC32, R_386_32 } },
	[USDT_CLASS_64] = { EM_X86_64, ELFCLASS64, ".rela", ELF_T_RELA,
	    SHT_RELA, sizeof(Elf64_Rela), sizeof(Elf64_Sym), 8,
	    { R_X86_64_NONE, R_X86_64_PC32, R_X86_64_64 } },
};

struct object {
	Elf *elf;
	enum usdt_class cls;
	struct strbuf dof, semaphores, rel, symtab, strtab;
	struct usdt_code code;
	uint32_t nlocal, nsymbols, nsemaphores;
};

static const struct kind *
kind_of(const struct object *o)
{
	return &kinds[o->cls];
}

static uint32_t
name_offset(const char *name)
{
	const char *at =
	    memmem(shstrtab, sizeof(shstrtab), name, strlen(name) + 1);

	return (uint32_t)(at - shstrtab);
}

static void
add_symbol(struct object *o, const GElf_Sym *sym)
{
	o->nsymbols++;
	if (o->cls == USDT_CLASS_32) {
		Elf32_Sym s = { sym->st_name, (uint32_t)sym->st_value,
			(uint32_t)sym->st_size, sym->st_info, sym->st_other,
			sym->st_shndx };

		strbuf_add(&o->symtab, &s, sizeof(s));
		return;
	}
	strbuf_add(&o->symtab, sym, sizeof(*sym));
}

static void
add_section_symbol(struct object *o, uint16_t section)
{
	add_symbol(o,
	    &(GElf_Sym){ .st_shndx = section,
		.st_info = GELF_ST_INFO(STB_LOCAL, STT_SECTION) });
}

static void
add_semaphore(struct object *o, const struct dif_provider *p,
    const struct dif_provprobe *pp)
{
	add_symbol(o,
	    &(GElf_Sym){ .st_name = (uint32_t)o->strtab.len,
		.st_info = GELF_ST_INFO(STB_GLOBAL, STT_OBJECT),
		.st_other = STV_HIDDEN,
		.st_shndx = SEC_PROBES,
		.st_value = o->semaphores.len,
		.st_size = 2 });
	usdt_semaphore(p, pp, &o->strtab);
	strbuf_addc(&o->strtab, '\0');
	strbuf_add(&o->semaphores, "\0", 2);
	o->nsemaphores++;
}

static bool
has_code(const struct object *o)
{
	return o->code.text.bytes.len != 0;
}

/* Add the functions; _.stapsdt.base follows right behind the semaphores. */
static void
add_functions(struct object *o, const struct usdt_stubs *stubs)
{
	add_symbol(o,
	    &(GElf_Sym){ .st_name = (uint32_t)o->strtab.len,
		.st_info = GELF_ST_INFO(STB_WEAK, STT_NOTYPE),
		.st_other = STV_HIDDEN,
		.st_shndx = SEC_BASE,
		.st_size = 1 });
	strbuf_add(&o->strtab, "_.stapsdt.base", sizeof("_.stapsdt.base"));
	for (size_t i = 0; i < stubs->v.n; i++) {
		uint32_t from = o->code.offsets.v[i];
		uint32_t to = i + 1 < stubs->v.n ?
		    o->code.offsets.v[i + 1] :
		    (uint32_t)o->code.text.bytes.len;

		add_symbol(o,
		    &(GElf_Sym){ .st_name = (uint32_t)o->strtab.len,
			.st_info = GELF_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_other = STV_HIDDEN,
			.st_shndx = SEC_TEXT,
			.st_value = from,
			.st_size = to - from });
		usdt_stub_name(&stubs->v.v[i], &o->strtab);
		strbuf_addc(&o->strtab, '\0');
	}
}

static void
add_symbols(struct object *o, const struct usdt_defs *defs,
    const struct usdt_stubs *stubs)
{
	add_symbol(o, &(GElf_Sym){ 0 });
	add_section_symbol(o, SEC_DOF);
	if (has_code(o)) {
		add_section_symbol(o, SEC_TEXT);
		add_section_symbol(o, SEC_BASE);
	}
	o->nlocal = o->nsymbols;
	strbuf_addc(&o->strtab, '\0');
	VEC_FOREACH(&defs->providers, p) {
		VEC_FOREACH(&(*p)->probes, pp)
			add_semaphore(o, *p, pp);
	}
	if (has_code(o))
		add_functions(o, stubs);
}

/* REL keeps the addend at the relocated place. */
static void
add_relocation(const struct object *o, struct strbuf *out, uint32_t at,
    uint32_t symbol, uint32_t type, int32_t addend)
{
	if (o->cls == USDT_CLASS_32)
		strbuf_add(out, &(Elf32_Rel){ at, ELF32_R_INFO(symbol, type) },
		    sizeof(Elf32_Rel));
	else
		strbuf_add(out,
		    &(Elf64_Rela){ at, ELF64_R_INFO(symbol, type), addend },
		    sizeof(Elf64_Rela));
}

static uint32_t
symbol_of(const struct object *o, const struct usdt_reloc *r)
{
	switch (r->ref) {
	case USDT_REF_TEXT:
		return SYM_TEXT;
	case USDT_REF_BASE:
		return o->nlocal + o->nsemaphores;
	case USDT_REF_SEMAPHORE:
		break;
	}
	return o->nlocal + r->number;
}

/* Add a part's relocations in the class's format. */
static void
add_relocations(
    const struct object *o, struct usdt_part *part, struct strbuf *out)
{
	const struct kind *k = kind_of(o);

	VEC_FOREACH(&part->relocs, r) {
		if (o->cls == USDT_CLASS_32 && r->kind != USDT_RELOC_NONE)
			memcpy(part->bytes.s + r->at, &r->addend,
			    sizeof(r->addend));
		add_relocation(o, out, r->at, symbol_of(o, r),
		    k->relocs[r->kind], r->addend);
	}
}

/* libelf lays out the sections; set the fields that it cannot know. */
static bool
add_section(struct object *o, const struct strbuf *contents, Elf_Type type,
    GElf_Shdr want)
{
	Elf_Scn *scn = elf_newscn(o->elf);
	Elf_Data *data = scn != NULL ? elf_newdata(scn) : NULL;
	GElf_Shdr sh;

	if (data == NULL || gelf_getshdr(scn, &sh) == NULL)
		return false;
	data->d_buf = contents->s;
	data->d_size = contents->len;
	data->d_type = type;
	data->d_align = want.sh_addralign;
	sh.sh_name = want.sh_name;
	sh.sh_type = want.sh_type;
	sh.sh_flags = want.sh_flags;
	sh.sh_link = want.sh_link;
	sh.sh_info = want.sh_info;
	sh.sh_entsize = want.sh_entsize;
	return gelf_update_shdr(scn, &sh) != 0;
}

static bool
add_plain(struct object *o, const char *name, const struct strbuf *contents,
    uint32_t type, uint64_t flags, uint64_t align)
{
	return add_section(o, contents, ELF_T_BYTE,
	    (GElf_Shdr){ .sh_name = name_offset(name),
		.sh_addralign = align,
		.sh_type = type,
		.sh_flags = flags });
}

/* Add the section `name` with the relocations of section `of`. */
static bool
add_rel(struct object *o, const char *name, const struct strbuf *contents,
    uint32_t of)
{
	const struct kind *k = kind_of(o);
	char full[32];

	snprintf(full, sizeof(full), "%s%s", k->rel, name);
	return add_section(o, contents, k->rel_data,
	    (GElf_Shdr){ .sh_name = name_offset(full),
		.sh_addralign = k->align,
		.sh_type = k->rel_type,
		.sh_flags = SHF_INFO_LINK,
		.sh_link = SEC_SYMTAB,
		.sh_info = of,
		.sh_entsize = k->rel_size });
}

static bool
add_part(struct object *o, const char *name, struct usdt_part *part,
    struct strbuf *rel, uint32_t number, uint32_t type, uint64_t flags,
    uint64_t align)
{
	add_relocations(o, part, rel);
	return add_plain(o, name, &part->bytes, type, flags, align) &&
	    add_rel(o, name, rel, number);
}

static bool
add_group(struct object *o)
{
	static const uint32_t words[] = { GRP_COMDAT, SEC_BASE };
	static const char zero;
	struct strbuf group = { .s = (char *)(uintptr_t)words,
		.len = sizeof(words) };
	struct strbuf base = { .s = (char *)(uintptr_t)&zero, .len = 1 };

	return add_section(o, &group, ELF_T_WORD,
		   (GElf_Shdr){ .sh_name = name_offset(".group"),
		       .sh_addralign = 4,
		       .sh_type = SHT_GROUP,
		       .sh_link = SEC_SYMTAB,
		       .sh_info = SYM_BASE_SECTION,
		       .sh_entsize = sizeof(words[0]) }) &&
	    add_plain(o, ".stapsdt.base", &base, SHT_PROGBITS,
		SHF_ALLOC | SHF_GROUP, 1);
}

static bool
add_code(struct object *o, struct strbuf rels[3])
{
	return add_part(o, ".text", &o->code.text, &rels[0], SEC_TEXT,
		   SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16) &&
	    add_group(o) &&
	    add_part(o, ".note.stapsdt", &o->code.notes, &rels[1], SEC_NOTE,
		SHT_NOTE, 0, 4) &&
	    add_part(o, ".eh_frame", &o->code.frames, &rels[2], SEC_FRAME,
		SHT_PROGBITS, SHF_ALLOC, 8);
}

static bool
add_sections(struct object *o)
{
	struct strbuf none = { 0 },
		      names = { .s = (char *)(uintptr_t)shstrtab,
			      .len = sizeof(shstrtab) };
	const struct kind *k = kind_of(o);

	return add_plain(o, ".SUNW_dof", &o->dof, SHT_SUNW_dof, SHF_ALLOC, 8) &&
	    add_plain(o, ".probes", &o->semaphores, SHT_PROGBITS,
		SHF_ALLOC | SHF_WRITE, 2) &&
	    add_rel(o, ".probes", &o->rel, SEC_PROBES) &&
	    add_section(o, &o->symtab, ELF_T_SYM,
		(GElf_Shdr){ .sh_name = name_offset(".symtab"),
		    .sh_addralign = k->align,
		    .sh_type = SHT_SYMTAB,
		    .sh_link = SEC_STRTAB,
		    .sh_info = o->nlocal,
		    .sh_entsize = k->sym_size }) &&
	    add_plain(o, ".strtab", &o->strtab, SHT_STRTAB, 0, 1) &&
	    add_plain(o, ".shstrtab", &names, SHT_STRTAB, 0, 1) &&
	    add_plain(o, ".note.GNU-stack", &none, SHT_PROGBITS, 0, 1);
}

static bool
add_header(struct object *o)
{
	const struct kind *k = kind_of(o);
	GElf_Ehdr eh;

	if (gelf_newehdr(o->elf, k->elfclass) == NULL ||
	    gelf_getehdr(o->elf, &eh) == NULL)
		return false;
	eh.e_type = ET_REL;
	eh.e_machine = k->machine;
	eh.e_version = EV_CURRENT;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_shstrndx = SEC_SHSTRTAB;
	return gelf_update_ehdr(o->elf, &eh) != 0;
}

static int
read_back(int fd, struct strbuf *out)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *to = strbuf_room(out, (size_t)size);
	ssize_t n = pread(fd, to, (size_t)size, 0);

	if (n != size)
		return n < 0 ? -errno : -EIO;
	out->len += (size_t)size;
	return 0;
}

/* Write to a temporary file, since libelf writes to files only. */
CHECKED static int
write_elf(struct object *o, struct strbuf *out, struct err *err)
{
	int fd = memfd_create("dtrace-object", MFD_CLOEXEC), rc = 0;
	struct strbuf rels[3] = { 0 };

	elf_version(EV_CURRENT);
	o->elf = fd >= 0 ? elf_begin(fd, ELF_C_WRITE, NULL) : NULL;
	if (o->elf == NULL || !add_header(o) || !add_sections(o) ||
	    (has_code(o) && !add_code(o, rels)) ||
	    elf_update(o->elf, ELF_C_WRITE) < 0) {
		rc = err_set(err, -EINVAL, "cannot make the object: %s",
		    fd < 0 ? strerror(errno) : elf_errmsg(-1));
	} else {
		rc = read_back(fd, out);
		if (rc != 0)
			err_set(err, rc, "cannot read the object back: %s",
			    strerror(-rc));
	}
	if (o->elf != NULL)
		elf_end(o->elf);
	if (fd >= 0)
		close(fd);
	for (size_t i = 0; i < 3; i++)
		strbuf_fini(&rels[i]);
	return rc;
}

int
usdt_object(const struct usdt_defs *defs, const struct usdt_stubs *stubs,
    const struct strbuf *programs, enum usdt_class cls, struct strbuf *out,
    struct err *err)
{
	struct object o = { .cls =
				cls != USDT_CLASS_ANY ? cls : USDT_CLASS_64 };
	int rc;

	usdt_dof(defs, programs, o.cls, &o.dof);
	usdt_stubs_code(defs, stubs, o.cls, &o.code);
	add_symbols(&o, defs, stubs);
	if (o.semaphores.len != 0)
		add_relocation(
		    &o, &o.rel, 0, SYM_DOF, kind_of(&o)->relocs[0], 0);
	rc = write_elf(&o, out, err);
	strbuf_fini(&o.dof);
	strbuf_fini(&o.semaphores);
	strbuf_fini(&o.rel);
	strbuf_fini(&o.symtab);
	strbuf_fini(&o.strtab);
	usdt_code_fini(&o.code);
	return rc;
}
