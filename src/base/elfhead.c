/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/elfhead.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/bounds.h"

struct elfhead_head {
	int fd;
	const char *mem;
	size_t len;
	bool is_64;
	uint64_t shoff, shnum;
	uint32_t strndx;
};

static bool
get(const struct elfhead_head *h, uint64_t off, void *buf, size_t n)
{
	if (h->mem == NULL)
		return off <= INT64_MAX &&
		    pread(h->fd, buf, n, (off_t)off) == (ssize_t)n;
	if (off > h->len || n > h->len - off)
		return false;
	memcpy(buf, h->mem + off, n);
	return true;
}

static bool
get_section(const struct elfhead_head *h, uint64_t i, Elf64_Shdr *sh)
{
	Elf32_Shdr s;

	if (h->is_64)
		return get(h, h->shoff + i * sizeof(*sh), sh, sizeof(*sh));
	if (!get(h, h->shoff + i * sizeof(s), &s, sizeof(s)))
		return false;
	*sh = (Elf64_Shdr){ .sh_size = s.sh_size, .sh_link = s.sh_link };
	return true;
}

static bool
get_head(struct elfhead_head *h)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} e;

	if (!get(h, 0, &e.e32, sizeof(e.e32)) ||
	    memcmp(e.ident, ELFMAG, SELFMAG) != 0)
		return false;
	h->is_64 = e.ident[EI_CLASS] == ELFCLASS64;
	if (h->is_64 && !get(h, 0, &e.e64, sizeof(e.e64)))
		return false;
	h->shoff = h->is_64 ? e.e64.e_shoff : e.e32.e_shoff;
	h->shnum = h->is_64 ? e.e64.e_shnum : e.e32.e_shnum;
	h->strndx = h->is_64 ? e.e64.e_shstrndx : e.e32.e_shstrndx;
	return h->shoff != 0;
}

/*
 * Numbers too large for the header are in the first section header (gABI, "ELF
 * Header").
 */
char *
elf_head_refusal(int fd, const void *mem, size_t len)
{
	struct elfhead_head h = { .fd = fd, .mem = mem, .len = len };
	Elf64_Shdr first, names;

	if (!get_head(&h) || !get_section(&h, 0, &first))
		return NULL;
	if (h.shnum == 0)
		h.shnum = first.sh_size;
	if (h.strndx == SHN_XINDEX)
		h.strndx = first.sh_link;
	if (h.shnum > LIMIT_SECTIONS)
		return bounds_refusal(LIMIT_SECTIONS);
	if (h.strndx < h.shnum && get_section(&h, h.strndx, &names) &&
	    names.sh_size > LIMIT_SECTION_NAMES)
		return bounds_refusal(LIMIT_SECTION_NAMES);
	return NULL;
}
