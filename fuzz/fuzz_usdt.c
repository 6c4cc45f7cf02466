/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An ELF file with notes of probe sites, or with calls of functions for probes;
 * input that is no ELF file is the text of arguments.  All strings and sites
 * that are found lie within the file.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/vec.h"
#include "usdt/arg.h"
#include "usdt/notes.h"
#include "usdt/stubs.h"
#include "usdt/types.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The symbol's address follows from its name; names with x have none. */
static bool
find_symbol(void *arg, const char *name, uint64_t *addr)
{
	(void)arg;
	*addr = (uint64_t)name[0] << 56 | strlen(name);
	return name[0] != 'x';
}

static void
read_args(const char *text)
{
	const struct usdt_syms syms = { find_symbol, NULL };
	struct usdt_args args;
	char *why = usdt_args_parse(text, 0x401000, &syms, &args);
	bool is_refused = false;

	if (args.n > USDT_MAXARGS)
		abort();
	for (size_t i = 0; i < args.n; i++) {
		const struct usdt_arg *a = &args.v[i];

		is_refused |= a->is_refused;
		if (a->base > USDT_NREGS || a->index > USDT_NREGS ||
		    a->shift > 3 || a->bits == 0 || a->bits > 64 ||
		    a->skip + a->bits > 64)
			abort();
	}
	if (is_refused && why == NULL)
		abort();
	free(why);
}

/* Read the functions that the file calls for a probe of srv:::query-done. */
static void
read_calls(const uint8_t *data, size_t size)
{
	static char provider[] = "srv", probe[] = "query-done";
	struct dif_provprobe pp = { .name = probe };
	const struct dif_provider p = { .name = provider,
		.probes = { .v = &pp, .n = 1 } };
	const struct dif_provider *pv = &p;
	const struct usdt_defs defs = { .providers = { .v = &pv, .n = 1 } };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct usdt_stubs stubs = { 0 };
	struct err err = { 0 };

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (usdt_stubs_read(&defs, "fuzz", fd, &stubs, &err) != 0 &&
	    err.text == NULL)
		abort();
	if (stubs.v.n > 2)
		abort();
	VEC_FREE(&stubs.v);
	err_clear(&err);
	close(fd);
}

/* Read the sites that the file's DOF describes. */
static void
read_sites(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct usdt_types types = { 0 };
	struct usdt_notes sites = { 0 };
	struct err err = { 0 };

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (usdt_types_read(fd, &types, &err) == 0 &&
	    usdt_sites_read(fd, &types, &sites, &err) != 0 && err.text == NULL)
		abort();
	VEC_FOREACH(&sites.v, n) {
		if (n->offset == 0 || n->offset >= size)
			abort();
		read_args(n->args);
	}
	usdt_notes_fini(&sites);
	usdt_types_fini(&types);
	err_clear(&err);
	close(fd);
}

static void
read_notes(const uint8_t *data, size_t size)
{
	struct usdt_notes notes = { 0 };
	struct err err = { 0 };

	if (usdt_notes_read_mem(data, size, &notes, &err) != 0 &&
	    err.text == NULL)
		abort();
	VEC_FOREACH(&notes.v, n)
		read_args(n->args);
	usdt_notes_fini(&notes);
	err_clear(&err);
}

static void
read_file(const uint8_t *data, size_t size)
{
	read_sites(data, size);
	read_notes(data, size);
	read_calls(data, size);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1);

	memcpy(copy, data, size);
	copy[size] = '\0';
	if (size >= 4 && memcmp(data, "\177ELF", 4) == 0)
		read_file((const uint8_t *)copy, size);
	else
		read_args(copy);
	free(copy);
	return 0;
}
