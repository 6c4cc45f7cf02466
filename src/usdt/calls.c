/* SPDX-License-Identifier: BSD-2-Clause */
#include "usdt/stubs.h"

#include <errno.h>
#include <string.h>

#include <gelf.h>
#include <libelf.h>

#include "base/err.h"
#include "base/vec.h"

/* An undefined symbol of an object. */
struct undefined {
	const char *path;
	struct usdt_asking *as;
	size_t number;
	const char *name;
};

CHECKED static int
add_stub(const struct undefined *sym, struct usdt_stubs *out,
    struct usdt_stub stub, struct err *err)
{
	int rc = 0;

	if (stub.asks != USDT_ASKS_NOT)
		rc = usdt_asks(sym->as, sym->number, &stub.asks, err);
	if (rc != 0) {
		err_prefix(err, "%s calls %s()", sym->path, sym->name);
		return rc;
	}
	VEC_FOREACH(&out->v, s) {
		if (s->probe != stub.probe ||
		    (s->asks == USDT_ASKS_NOT) != (stub.asks == USDT_ASKS_NOT))
			continue;
		/* a call that does not tell may give no address */
		if ((s->asks == USDT_ASKS_POINTER) ==
		    (stub.asks == USDT_ASKS_POINTER))
			return 0;
		return err_set(err, -EINVAL,
		    "%s and another object call %s() in two ways, one with the address of a flag: compile both with one header, and without -fno-plt",
		    sym->path, sym->name);
	}
	VEC_PUSH(&out->v, stub);
	return 0;
}

/* Is it a function of the provider, with this beginning of its name? */
static bool
is_of(const struct dif_provider *p, const char *words)
{
	size_t len = strlen(p->name);

	return strncmp(words, p->name, len) == 0 &&
	    strncmp(words + len, "___", 3) == 0;
}

static const struct dif_provprobe *
find_probe(const struct dif_provider *p, const char *words)
{
	VEC_FOREACH(&p->probes, pp) {
		if (usdt_is_name(pp->name, words + strlen(p->name) + 3))
			return pp;
	}
	return NULL;
}

/*
 * The names of functions in headers of macOS's `dtrace -h`, which are followed
 * by the provider's name and '$'.
 */
static const char *const mac_names[] = { "___dtrace_probe$",
	"___dtrace_isenabled$", "__dtrace_probe$", "__dtrace_isenabled$" };

CHECKED static int
refuse_mac(
    const struct usdt_defs *defs, const struct undefined *sym, struct err *err)
{
	for (size_t i = 0; i < sizeof(mac_names) / sizeof(*mac_names); i++) {
		size_t n = strlen(mac_names[i]);

		if (strncmp(sym->name, mac_names[i], n) != 0)
			continue;
		VEC_FOREACH(&defs->providers, p) {
			size_t len = strlen((*p)->name);

			if (strncmp(sym->name + n, (*p)->name, len) == 0 &&
			    sym->name[n + len] == '$')
				return err_set(err, -EINVAL,
				    "%s was compiled with a header of macOS's dtrace -h: compile it with one of this dtrace -h",
				    sym->path);
		}
	}
	return 0;
}

/* Calls of undefined providers may be for another run of -G. */
CHECKED static int
take_symbol(const struct usdt_defs *defs, const struct undefined *sym,
    struct usdt_stubs *out, struct err *err)
{
	size_t nprobe = strlen(USDT_CALL), nasks = strlen(USDT_ASK);
	bool asks = strncmp(sym->name, USDT_ASK, nasks) == 0;
	const char *words = sym->name + (asks ? nasks : nprobe);

	if (strchr(sym->name, '$') != NULL)
		return refuse_mac(defs, sym, err);
	if (!asks && strncmp(sym->name, USDT_CALL, nprobe) != 0)
		return 0;
	VEC_FOREACH(&defs->providers, p) {
		const struct dif_provprobe *pp;

		if (!is_of(*p, words))
			continue;
		pp = find_probe(*p, words);
		if (pp == NULL)
			return err_set(err, -EINVAL,
			    "%s calls %s(), and the definition of provider %s has no such probe",
			    sym->path, sym->name, (*p)->name);
		return add_stub(sym, out,
		    (struct usdt_stub){
			*p, pp, asks ? USDT_ASKS_UNKNOWN : USDT_ASKS_NOT },
		    err);
	}
	return 0;
}

CHECKED static int
read_symbols(const struct usdt_defs *defs, const char *path, Elf *elf,
    Elf_Scn *scn, const GElf_Shdr *sh, struct usdt_stubs *out, struct err *err)
{
	struct usdt_asking as = { elf, scn, USDT_ASKING_STEPS };
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;
	int rc = 0;

	for (int i = 0; rc == 0 && data != NULL; i++) {
		struct undefined s = { path, &as, (size_t)i, NULL };

		if (gelf_getsym(data, i, &sym) == NULL)
			break;
		if (sym.st_shndx != SHN_UNDEF)
			continue;
		s.name = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (s.name != NULL)
			rc = take_symbol(defs, &s, out, err);
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
