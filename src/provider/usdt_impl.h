/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_USDT_IMPL_H
#define PROVIDER_USDT_IMPL_H

/*
 * Provider usdt: what its files share.
 */
#include <stdbool.h>
#include <sys/types.h>

#include "base/str.h"
#include "provider/provider.h"
#include "provider/provider_impl.h"
#include "provider/usdt_files.h"

/* The provider's data of a probe. */
struct usdt_probe {
	const struct dt_usdt *usdt;
	size_t base_len; /* of the provider's name in the program */
	size_t nargs;
	struct dt_argdesc args[DT_NARGS_MAX];
	const char *attrs[DIF_NPROVATTRS]; /* as text */
};

/* The match that is running. */
struct usdt_match {
	struct dt_registry *r;
	const struct dif_pdesc *desc;
	struct dt_usdt *usdt;
	bool is_path;	   /* of a file, not of a process */
	bool is_told;	   /* the file at hand is of dt_registry_files() */
	bool has_provider; /* the description's, whatever probes it has */
	size_t nfound;
	int error; /* an errno: the file of a selected probe is not open */
	struct strbuf others; /* providers of the processes looked at */

	/* the file at hand */
	pid_t pid;
	pid_t root; /* of the family whose probes are meant; or 0 */
	const char *mod;
	const struct proc_map *map;
	const struct dt_usdt_file *file;
	const struct dt_ufile *ufile;
	struct elf_syms *es;
	bool has_looked; /* for es */
};

/* ---- usdt_name.c -------------------------------------------------------- */

/* The number at the end of "myserver1234"; 0 if there is none. */
pid_t usdt_pid_at_end(const char *prov, size_t *base_len);
bool usdt_answers(const char *pattern);
/* Programs that begin later bring such probes, too. */
bool usdt_follows(const struct dif_pdesc *desc);
/* Is one probe of all processes meant? */
bool usdt_is_wide(const struct usdt_match *um, const char *base);
bool usdt_selects_provider(const struct usdt_match *um, const char *base);
/* The module is a file, which no process need have mapped. */
bool usdt_is_path(const char *mod);
bool usdt_selects_module(
    const char *pattern, const char *path, const char *name);
/* For the registry, about probes that exist already. */
bool usdt_selects(const struct dif_pdesc *desc, const struct dt_probe *p);
/* "query__start" is probe query-start. */
char *usdt_probe_name(const char *c_name);

/* ---- prov_usdt.c -------------------------------------------------------- */

/* Used if the definition has no attributes. */
extern const char *const usdt_attrs[DIF_NPROVATTRS];

/* ---- usdt_site.c -------------------------------------------------------- */

/* Is it an error of dtrace's own, not one that says that the file is gone? */
bool usdt_note_error(struct usdt_match *um, int err);
/* Register the selected probes of a mapped file. */
void usdt_match_file(struct usdt_match *um, const struct proc_map *map);

#endif
