/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DOF in ELF files: sections named .SUNW_dof, or of its type.
 *
 * A linker puts the sections of several objects one after the other, each
 * aligned to 8, so one section may hold several images.  libelf finds sections
 * in files of either class and byte order; what it returns is within the file.
 */
#include "dof/dof_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>
#include <libelf.h>

#define SHT_SUNW_dof 0x6ffffff4		/* reference/dof.md section 5 */

/* Every image of one section. Returns their number or negative. */
static int
iter_section(const char *data, size_t len, dof_elf_f *f, void *arg,
    char **msg)
{
	size_t off = 0;
	int n = 0;

	while (off < len) {
		struct dof *d;
		char *why = NULL;
		int rc = dof_decode(data + off, len - off, &why, &d);

		if (rc != 0) {
			*msg = mem_printf(".SUNW_dof, offset 0x%zx: %s", off,
			    why);
			free(why);
			return rc;
		}
		rc = f(d, arg);
		off += (d->hdr.dofh_filesz + 7) & ~7ULL;
		dof_destroy(d);
		if (rc != 0)
			return rc;
		n++;
	}
	return n;
}

static bool
is_dof_section(Elf *elf, size_t shstrndx, const GElf_Shdr *sh)
{
	const char *name = elf_strptr(elf, shstrndx, sh->sh_name);

	return sh->sh_type != SHT_NOBITS && (sh->sh_type == SHT_SUNW_dof ||
	    (name != NULL && strcmp(name, ".SUNW_dof") == 0));
}

static int
iter_elf(Elf *elf, dof_elf_f *f, void *arg, char **msg)
{
	Elf_Scn *scn = NULL;
	size_t shstrndx;
	int n = 0, rc;

	if (elf_kind(elf) != ELF_K_ELF ||
	    elf_getshdrstrndx(elf, &shstrndx) != 0) {
		*msg = mem_strdup("the ELF file is damaged: its section "
		    "headers cannot be read");
		return -EINVAL;
	}
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;
		Elf_Data *data;

		if (gelf_getshdr(scn, &sh) == NULL ||
		    !is_dof_section(elf, shstrndx, &sh))
			continue;
		data = elf_rawdata(scn, NULL);
		if (data == NULL || data->d_buf == NULL)
			continue;
		rc = iter_section(data->d_buf, data->d_size, f, arg, msg);
		if (rc < 0)
			return rc;
		n += rc;
	}
	if (n == 0) {
		*msg = mem_strdup("the ELF file has no DOF: there is no "
		    "section .SUNW_dof");
		return -ENOENT;
	}
	return n;
}

static int
iter_opened(Elf *elf, dof_elf_f *f, void *arg, char **msg)
{
	int rc;

	if (elf == NULL) {
		*msg = mem_printf("cannot read the ELF file: %s",
		    elf_errmsg(-1));
		return -EINVAL;
	}
	rc = iter_elf(elf, f, arg, msg);
	elf_end(elf);
	return rc;
}

int
dof_elf_iter(const void *img, size_t len, dof_elf_f *f, void *arg, char **msg)
{
	elf_version(EV_CURRENT);
	return iter_opened(elf_memory((char *)(uintptr_t)img, len), f, arg,
	    msg);
}

int
dof_elf_iter_fd(int fd, dof_elf_f *f, void *arg, char **msg)
{
	elf_version(EV_CURRENT);
	return iter_opened(elf_begin(fd, ELF_C_READ, NULL), f, arg, msg);
}
