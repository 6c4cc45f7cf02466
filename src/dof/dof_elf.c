/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DOF in ELF files: sections named .SUNW_dof, or of its type.
 *
 * A linker concatenates the sections of several objects, each aligned to 8, so
 * one section may have several images. libelf finds sections in files of either
 * class and byte order; the sections that it returns are within the file.
 */
#include "dof/dof_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>
#include <libelf.h>

#include "base/bounds.h"
#include "base/elfhead.h"
#include "base/err.h"
#include "base/mem.h"

#define SHT_SUNW_dof 0x6ffffff4 /* doc/reference/dof.md section 5 */

/*
 * Pass on every image of one section.  Returns their number or a negative code.
 */
CHECKED static int
iter_section(const char *data, size_t len, uint64_t addr, dof_elf_f *f,
    void *arg, struct err *err)
{
	size_t off = 0;
	int n = 0;

	while (off < len) {
		struct dof *d;
		int rc = dof_decode(data + off, len - off, err, &d);

		if (rc != 0) {
			err->code = -EBADMSG;
			return err_prefix(err, ".SUNW_dof, offset 0x%zx", off);
		}
		d->addr = addr + off;
		rc = f(d, arg);
		off += (d->hdr.dofh_filesz + 7) & ~7ULL;
		dof_destroy(d);
		if (rc != 0)
			return rc;
		n++;
	}
	return n;
}

/*
 * Write what the dynamic linker would, for the file as it is linked: DOF of a
 * library or a PIE gets its functions' addresses from relocations.
 */
static void
relocate_one(Elf *elf, const GElf_Shdr *rel, const GElf_Rela *r,
    const GElf_Shdr *sh, char *data)
{
	Elf_Data *symtab = elf_getdata(elf_getscn(elf, rel->sh_link), NULL);
	uint64_t at = r->r_offset - sh->sh_addr, value = (uint64_t)r->r_addend;
	GElf_Sym sym;

	if (at >= sh->sh_size || sh->sh_size - at < sizeof(value))
		return;
	if (GELF_R_TYPE(r->r_info) == R_X86_64_64) {
		if (symtab == NULL ||
		    gelf_getsym(symtab, (int)GELF_R_SYM(r->r_info), &sym) ==
			NULL)
			return;
		value += sym.st_value;
	} else if (GELF_R_TYPE(r->r_info) != R_X86_64_RELATIVE) {
		return;
	}
	memcpy(data + at, &value, sizeof(value));
}

static void
relocate(Elf *elf, const GElf_Shdr *sh, char *data)
{
	Elf_Scn *scn = NULL;
	size_t steps = 0;
	GElf_Ehdr eh;
	GElf_Shdr rel;
	GElf_Rela r;

	if (gelf_getehdr(elf, &eh) == NULL || eh.e_type != ET_DYN ||
	    eh.e_machine != EM_X86_64)
		return;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		Elf_Data *d;

		if (gelf_getshdr(scn, &rel) == NULL ||
		    rel.sh_type != SHT_RELA || !(rel.sh_flags & SHF_ALLOC) ||
		    bounds_is_over() || !bounds_take(rel.sh_size) ||
		    (d = elf_getdata(scn, NULL)) == NULL)
			continue;
		for (int i = 0;
		     gelf_getrela(d, i, &r) != NULL && !BOUNDS_POLL(steps); i++)
			relocate_one(elf, &rel, &r, sh, data);
	}
}

/* A section's bytes, for the file as it is linked; malloced. */
static char *
copy_section(Elf *elf, const GElf_Shdr *sh, const Elf_Data *data)
{
	char *copy = mem_alloc(data->d_size + 1);
	GElf_Shdr bounds = *sh;

	memcpy(copy, data->d_buf, data->d_size);
	bounds.sh_size = data->d_size;
	relocate(elf, &bounds, copy);
	return copy;
}

static bool
is_dof_section(Elf *elf, size_t shstrndx, const GElf_Shdr *sh)
{
	const char *name = elf_strptr(elf, shstrndx, sh->sh_name);

	return sh->sh_type != SHT_NOBITS &&
	    (sh->sh_type == SHT_SUNW_dof ||
		(name != NULL && strcmp(name, ".SUNW_dof") == 0));
}

CHECKED static int
iter_elf(Elf *elf, dof_elf_f *f, void *arg, struct err *err)
{
	Elf_Scn *scn = NULL;
	size_t shstrndx;
	int n = 0, rc;

	if (elf_kind(elf) != ELF_K_ELF ||
	    elf_getshdrstrndx(elf, &shstrndx) != 0)
		return err_set(err, -EINVAL,
		    "the ELF file is damaged: its section headers cannot be read");
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;
		Elf_Data *data;
		char *copy;

		if (gelf_getshdr(scn, &sh) == NULL ||
		    !is_dof_section(elf, shstrndx, &sh))
			continue;
		data = !bounds_is_over() && bounds_take(2 * sh.sh_size) ?
		    elf_rawdata(scn, NULL) :
		    NULL;
		if (data == NULL || data->d_buf == NULL)
			continue;
		copy = copy_section(elf, &sh, data);
		rc = iter_section(copy, data->d_size, sh.sh_addr, f, arg, err);
		free(copy);
		if (rc < 0)
			return rc;
		n += rc;
	}
	if (n == 0)
		return err_set(err, -ENOENT,
		    "the ELF file has no DOF: there is no section .SUNW_dof");
	return n;
}

CHECKED static int
iter_opened(Elf *elf, dof_elf_f *f, void *arg, struct err *err)
{
	struct bounds_meter m;
	char *why;
	int rc;

	if (elf == NULL)
		return err_set(err, -EINVAL, "cannot read the ELF file: %s",
		    elf_errmsg(-1));
	bounds_begin(&m);
	rc = iter_elf(elf, f, arg, err);
	elf_end(elf);
	why = bounds_end(&m);
	if (why == NULL)
		return rc;
	return err_take(err, -E2BIG, why);
}

CHECKED static int
refuse(char *why, struct err *err)
{
	return err_take(err, -E2BIG, why);
}

int
dof_elf_iter(
    const void *img, size_t len, dof_elf_f *f, void *arg, struct err *err)
{
	char *why = elf_head_refusal(-1, img, len);

	if (why != NULL)
		return refuse(why, err);
	elf_version(EV_CURRENT);
	return iter_opened(
	    elf_memory((char *)(uintptr_t)img, len), f, arg, err);
}

int
dof_elf_iter_fd(int fd, dof_elf_f *f, void *arg, struct err *err)
{
	char *why = elf_head_refusal(fd, NULL, 0);

	if (why != NULL)
		return refuse(why, err);
	elf_version(EV_CURRENT);
	return iter_opened(elf_begin(fd, ELF_C_READ, NULL), f, arg, err);
}
