/* SPDX-License-Identifier: BSD-2-Clause */
#include "usdt/stubs.h"

#include <errno.h>
#include <string.h>

#include <gelf.h>
#include <libelf.h>

#include "base/err.h"
#include "base/vec.h"

static void
add_stub(struct usdt_stubs *out, struct usdt_stub stub)
{
	VEC_FOREACH(&out->v, s) {
		if (s->probe == stub.probe && s->asks == stub.asks)
			return;
	}
	VEC_PUSH(&out->v, stub);
}

/* Split "PROVIDER___PROBE". Returns 1 if the provider is another one. */
static int
match_provider(const struct dif_provider *p, const char *words, bool asks,
    struct usdt_stubs *out)
{
	size_t len = strlen(p->name);

	if (strncmp(words, p->name, len) != 0 ||
	    strncmp(words + len, "___", 3) != 0)
		return 1;
	VEC_FOREACH(&p->probes, pp) {
		if (usdt_is_name(pp->name, words + len + 3)) {
			add_stub(out, (struct usdt_stub){ p, pp, asks });
			return 0;
		}
	}
	return -EINVAL;
}

/* Calls of undefined providers may be for another run of -G. */
static int
take_symbol(const struct usdt_defs *defs, const char *path, const char *name,
    struct usdt_stubs *out, struct err *err)
{
	size_t nprobe = strlen(USDT_CALL), nasks = strlen(USDT_ASK);
	bool asks = strncmp(name, USDT_ASK, nasks) == 0;

	if (!asks && strncmp(name, USDT_CALL, nprobe) != 0)
		return 0;
	VEC_FOREACH(&defs->providers, p) {
		int rc = match_provider(
		    *p, name + (asks ? nasks : nprobe), asks, out);

		if (rc == 0)
			return 0;
		if (rc < 0)
			return err_set(err, rc,
			    "%s calls %s(), and the definition of provider %s has no such probe",
			    path, name, (*p)->name);
	}
	return 0;
}

static int
read_symbols(const struct usdt_defs *defs, const char *path, Elf *elf,
    Elf_Scn *scn, const GElf_Shdr *sh, struct usdt_stubs *out, struct err *err)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;
	int rc = 0;

	for (int i = 0; rc == 0 && data != NULL; i++) {
		const char *name;

		if (gelf_getsym(data, i, &sym) == NULL)
			break;
		if (sym.st_shndx != SHN_UNDEF)
			continue;
		name = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (name != NULL)
			rc = take_symbol(defs, path, name, out, err);
	}
	return rc;
}

int
usdt_stubs_read(const struct usdt_defs *defs, const char *path, int fd,
    struct usdt_stubs *out, struct err *err)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	Elf *elf;
	int rc = 0;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	while (
	    rc == 0 && elf != NULL && (scn = elf_nextscn(elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &sh) != NULL && sh.sh_type == SHT_SYMTAB)
			rc = read_symbols(defs, path, elf, scn, &sh, out, err);
	}
	elf_end(elf);
	return rc;
}
