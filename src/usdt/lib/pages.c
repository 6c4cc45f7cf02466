/* SPDX-License-Identifier: BSD-2-Clause */
#include "usdt/lib/pages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vec.h"

static int
prot_of(const char *perms)
{
	return (perms[0] == 'r' ? PROT_READ : 0) |
	    (perms[1] == 'w' ? PROT_WRITE : 0) |
	    (perms[2] == 'x' ? PROT_EXEC : 0);
}

bool
usdt_pages_read(struct usdt_pages *pages)
{
	FILE *f = fopen("/proc/self/maps", "re");
	struct usdt_pages now = { 0 };
	unsigned long from, to;
	char *line = NULL, perms[5];
	size_t cap = 0;
	int err;

	if (f == NULL)
		return false;
	while (getline(&line, &cap, f) > 0) {
		if (sscanf(line, "%lx-%lx %4s", &from, &to, perms) == 3)
			VEC_PUSH(&now.v,
			    ((struct usdt_span){ from, to, prot_of(perms) }));
	}
	err = feof(f) ? 0 : errno;
	free(line);
	fclose(f);
	usdt_pages_fini(err == 0 ? pages : &now);
	if (err == 0)
		*pages = now;
	errno = err;
	return err == 0;
}

void
usdt_pages_fini(struct usdt_pages *pages)
{
	VEC_FREE(&pages->v);
}

/* -1: not mapped. */
static int
prot_at(const struct usdt_pages *pages, uintptr_t addr)
{
	VEC_FOREACH(&pages->v, s) {
		if (addr >= s->from && addr < s->to)
			return s->prot;
	}
	return -1;
}

static bool
protect(uintptr_t from, uintptr_t to, int prot)
{
	return mprotect((void *)from, to - from, prot) == 0;
}

/* Restore the protection of each page in [from, to). */
static bool
restore(const struct usdt_pages *pages, uintptr_t from, uintptr_t to,
    uintptr_t page)
{
	bool is_done = true;

	for (uintptr_t at = from; at < to; at += page)
		is_done &= protect(at, at + page, prot_at(pages, at));
	return is_done;
}

bool
usdt_pages_overwrite(const struct usdt_pages *pages, uint8_t *at,
    const uint8_t *bytes, size_t len)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = (uintptr_t)at & -page;
	uintptr_t to = ((uintptr_t)at + len + page - 1) & -page;

	if (prot_at(pages, from) < 0 || prot_at(pages, to - 1) < 0) {
		errno = EACCES;
		return false;
	}
	if (!protect(from, to, PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	memcpy(at, bytes, len);
	return restore(pages, from, to, page);
}
