/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace -G: the object with what the sites of probes share.
 *
 *	.probes		a semaphore of two bytes for each probe
 *	.SUNW_dof	providers, types of the arguments, stabilities
 *
 * Where the sites are, their notes say: they are in the program's own objects,
 * which may be compiled later, or by a linker.  So the probes in this DOF have
 * no sites.
 *
 * Nothing refers to the DOF, and a linker that drops unused sections would
 * drop it.  A relocation that changes nothing, of the semaphores, which the
 * sites refer to, says that it is used.
 */
#include "usdt/usdt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gelf.h>
#include <libelf.h>

#include "dof/dof.h"
#include "usdt/notes.h"

#define SHT_SUNW_dof 0x6ffffff4 /* reference/dof.md section 5 */

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

bool
usdt_is_name(const char *name, const char *c_name)
{
	for (; *name != '\0'; name++, c_name++) {
		if (*name == '-' && *c_name++ != '_')
			return false;
		if (*c_name != (*name == '-' ? '_' : *name))
			return false;
	}
	return *c_name == '\0';
}

static int
check_note(const struct usdt_defs *defs, const char *path,
    const struct usdt_note *n, char **msg)
{
	const struct dif_provider *p = find_provider(defs, n->provider);

	if (p == NULL)
		return 0;
	VEC_FOREACH(&p->probes, pp) {
		if (usdt_is_name(pp->name, n->name))
			return 0;
	}
	*msg = mem_printf(
	    "%s has a probe %s:::%s, which the definition of "
	    "the provider does not have: compile it again with the header "
	    "of this definition",
	    path, n->provider, n->name);
	return -EINVAL;
}

int
usdt_check_object(const struct usdt_defs *defs, const char *path,
    enum usdt_class *cls, char **msg)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;
	struct usdt_notes notes = { 0 };
	char *why = NULL;

	if (fd < 0) {
		*msg = mem_printf("cannot open %s: %s", path, strerror(errno));
		return -EINVAL;
	}
	rc = usdt_notes_read(fd, &notes, &why);
	close(fd);
	if (rc != 0)
		*msg = mem_printf("%s: %s", path, why);
	else if (*cls == USDT_CLASS_ANY)
		*cls = notes.cls;
	VEC_FOREACH(&notes.v, n)
		rc = rc == 0 ? check_note(defs, path, n, msg) : rc;
	usdt_notes_fini(&notes);
	free(why);
	return rc;
}

/* ---- DOF ----------------------------------------------------------------- */

static void
add_args(struct dof_usdt_probe *to, const struct dif_provprobe *pp)
{
	size_t n = pp->is_translated ? pp->xlated.n : pp->native.n;
	const struct dif_provarg *args =
	    pp->is_translated ? pp->xlated.v : pp->native.v;

	VEC_FOREACH(&pp->native, arg)
		VEC_PUSH(&to->nargs, mem_strdup(arg->type));
	for (size_t i = 0; i < n; i++) {
		VEC_PUSH(&to->xargs, mem_strdup(args[i].type));
		VEC_PUSH(&to->map, args[i].mapping);
	}
}

static void
write_provider(struct dof_writer *w, const struct dif_provider *p)
{
	struct dof_usdt u = { .name = mem_strdup(p->name) };

	for (int i = 0; i < DIF_NPROVATTRS; i++)
		u.attrs[i] = dof_attr_word(p->attrs[i]);
	VEC_FOREACH(&p->probes, pp) {
		struct dof_usdt_probe probe = { .func = mem_strdup(""),
			.name = mem_strdup(pp->name) };

		add_args(&probe, pp);
		VEC_PUSH(&u.probes, probe);
	}
	dof_write_usdt(w, &u);
	dof_usdt_fini(&u);
}

/* Images in a section stand at multiples of 8. */
static void
make_dof(const struct usdt_defs *defs, const struct strbuf *programs,
    enum usdt_class cls, struct strbuf *out)
{
	const struct dof_ident id = { cls == USDT_CLASS_32 ? DOF_MODEL_ILP32 :
							     DOF_MODEL_LP64,
		DOF_ENCODE_NATIVE, DOF_VERSION_2 };
	struct dof_writer *w = dof_writer_create(&id);

	VEC_FOREACH(&defs->providers, p)
		write_provider(w, *p);
	dof_write_finish(w, out);
	dof_writer_destroy(w);
	while (out->len % 8 != 0)
		strbuf_addc(out, '\0');
	strbuf_add(out, programs->s, programs->len);
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
	SEC_STACK
};

/* Section names, at these offsets. */
static const char shstrtab[] =
    "\0.SUNW_dof\0.probes\0.rel.probes\0"
    ".rela.probes\0.symtab\0.strtab\0.shstrtab\0.note.GNU-stack";

/* What differs between i386 and x86-64. */
static const struct kind {
	uint16_t machine;
	int elfclass;
	const char *rel_name;
	Elf_Type rel_data;
	uint32_t rel_type;
	size_t rel_size, sym_size, align;
} kinds[] = {
	[USDT_CLASS_32] = { EM_386, ELFCLASS32, ".rel.probes", ELF_T_REL,
	    SHT_REL, sizeof(Elf32_Rel), sizeof(Elf32_Sym), 4 },
	[USDT_CLASS_64] = { EM_X86_64, ELFCLASS64, ".rela.probes", ELF_T_RELA,
	    SHT_RELA, sizeof(Elf64_Rela), sizeof(Elf64_Sym), 8 },
};

struct object {
	Elf *elf;
	enum usdt_class cls;
	struct strbuf dof, semaphores, rel, symtab, strtab;
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
	if (o->cls == USDT_CLASS_32) {
		Elf32_Sym s = { sym->st_name, (uint32_t)sym->st_value,
			(uint32_t)sym->st_size, sym->st_info, sym->st_other,
			sym->st_shndx };

		strbuf_add(&o->symtab, &s, sizeof(s));
		return;
	}
	strbuf_add(&o->symtab, sym, sizeof(*sym));
}

/* Symbol 1 is the DOF: local ones come first. */
static void
add_symbols(struct object *o, const struct usdt_defs *defs)
{
	add_symbol(o, &(GElf_Sym){ 0 });
	add_symbol(o,
	    &(GElf_Sym){ .st_shndx = SEC_DOF,
		.st_info = GELF_ST_INFO(STB_LOCAL, STT_SECTION) });
	strbuf_addc(&o->strtab, '\0');
	VEC_FOREACH(&defs->providers, p) {
		VEC_FOREACH(&(*p)->probes, pp) {
			add_symbol(o,
			    &(GElf_Sym){ .st_name = (uint32_t)o->strtab.len,
				.st_info = GELF_ST_INFO(STB_GLOBAL, STT_OBJECT),
				.st_other = STV_HIDDEN,
				.st_shndx = SEC_PROBES,
				.st_value = o->semaphores.len,
				.st_size = 2 });
			usdt_semaphore(*p, pp, &o->strtab);
			strbuf_addc(&o->strtab, '\0');
			strbuf_add(&o->semaphores, "\0", 2);
		}
	}
}

static void
add_relocation(struct object *o)
{
	if (o->semaphores.len == 0)
		return;
	if (o->cls == USDT_CLASS_32)
		strbuf_add(&o->rel,
		    &(Elf32_Rel){ .r_info = ELF32_R_INFO(1, R_386_NONE) },
		    sizeof(Elf32_Rel));
	else
		strbuf_add(&o->rel,
		    &(Elf64_Rela){ .r_info = ELF64_R_INFO(1, R_X86_64_NONE) },
		    sizeof(Elf64_Rela));
}

/* libelf lays the sections out; what it cannot know is said here. */
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
add_sections(struct object *o)
{
	struct strbuf none = { 0 },
		      names = { .s = (char *)(uintptr_t)shstrtab,
			      .len = sizeof(shstrtab) };
	const struct kind *k = kind_of(o);

	return add_section(o, &o->dof, ELF_T_BYTE,
		   (GElf_Shdr){ .sh_name = name_offset(".SUNW_dof"),
		       .sh_addralign = 8,
		       .sh_type = SHT_SUNW_dof,
		       .sh_flags = SHF_ALLOC }) &&
	    add_section(o, &o->semaphores, ELF_T_BYTE,
		(GElf_Shdr){ .sh_name = name_offset(".probes"),
		    .sh_addralign = 2,
		    .sh_type = SHT_PROGBITS,
		    .sh_flags = SHF_ALLOC | SHF_WRITE }) &&
	    add_section(o, &o->rel, k->rel_data,
		(GElf_Shdr){ .sh_name = name_offset(k->rel_name),
		    .sh_addralign = k->align,
		    .sh_type = k->rel_type,
		    .sh_flags = SHF_INFO_LINK,
		    .sh_link = SEC_SYMTAB,
		    .sh_info = SEC_PROBES,
		    .sh_entsize = k->rel_size }) &&
	    add_section(o, &o->symtab, ELF_T_SYM,
		(GElf_Shdr){ .sh_name = name_offset(".symtab"),
		    .sh_addralign = k->align,
		    .sh_type = SHT_SYMTAB,
		    .sh_link = SEC_STRTAB,
		    .sh_info = 2,
		    .sh_entsize = k->sym_size }) &&
	    add_section(o, &o->strtab, ELF_T_BYTE,
		(GElf_Shdr){ .sh_name = name_offset(".strtab"),
		    .sh_addralign = 1,
		    .sh_type = SHT_STRTAB }) &&
	    add_section(o, &names, ELF_T_BYTE,
		(GElf_Shdr){ .sh_name = name_offset(".shstrtab"),
		    .sh_addralign = 1,
		    .sh_type = SHT_STRTAB }) &&
	    add_section(o, &none, ELF_T_BYTE,
		(GElf_Shdr){ .sh_name = name_offset(".note.GNU-stack"),
		    .sh_addralign = 1,
		    .sh_type = SHT_PROGBITS });
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

	if (pread(fd, to, (size_t)size, 0) != size)
		return -EIO;
	out->len += (size_t)size;
	return 0;
}

/* libelf writes to a file only. */
static int
write_elf(struct object *o, struct strbuf *out, char **msg)
{
	int fd = memfd_create("dtrace-object", MFD_CLOEXEC), rc = 0;

	elf_version(EV_CURRENT);
	o->elf = fd >= 0 ? elf_begin(fd, ELF_C_WRITE, NULL) : NULL;
	if (o->elf == NULL || !add_header(o) || !add_sections(o) ||
	    elf_update(o->elf, ELF_C_WRITE) < 0 || read_back(fd, out) != 0) {
		*msg = mem_printf("cannot make the object: %s",
		    fd < 0 ? strerror(errno) : elf_errmsg(-1));
		rc = -EINVAL;
	}
	if (o->elf != NULL)
		elf_end(o->elf);
	if (fd >= 0)
		close(fd);
	return rc;
}

int
usdt_object(const struct usdt_defs *defs, const struct strbuf *programs,
    enum usdt_class cls, struct strbuf *out, char **msg)
{
	struct object o = { .cls =
				cls != USDT_CLASS_ANY ? cls : USDT_CLASS_64 };
	int rc;

	make_dof(defs, programs, o.cls, &o.dof);
	add_symbols(&o, defs);
	add_relocation(&o);
	rc = write_elf(&o, out, msg);
	strbuf_fini(&o.dof);
	strbuf_fini(&o.semaphores);
	strbuf_fini(&o.rel);
	strbuf_fini(&o.symtab);
	strbuf_fini(&o.strtab);
	return rc;
}
