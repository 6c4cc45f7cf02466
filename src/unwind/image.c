/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The .eh_frame of an ELF file or image (gABI, chapter 5; LSB, section 10.6.2).
 *
 * Program headers say where all of it is: PT_GNU_EH_FRAME is a small table in
 * front of which a pointer to .eh_frame stands, PT_LOAD how files become
 * addresses.  A static program may lack the former; then the section headers,
 * which other files may lack, are looked at.
 */
#include "unwind/unwind.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

#define EH_FRAME_MAX (256u << 20) /* bytes; chromium's has 20 MB */
#define PHDRS_MAX 512
#define SECTION ".eh_frame"
#define ENC_PCREL_SDATA4 0x1b /* what every linker writes */

/* A source of bytes: a file or memory. */
struct image_source {
	int fd; /* -1: `image` */
	const uint8_t *image;
	uint64_t len;
	struct err *err;
	int *error; /* the errno, if the file cannot be read */
};

static bool
get_bytes(const struct image_source *s, uint64_t off, void *buf, size_t len)
{
	if (off > s->len || len > s->len - off)
		return false;
	if (s->fd < 0) {
		memcpy(buf, s->image + off, len);
		return true;
	}
	for (size_t done = 0; done < len;) {
		ssize_t n = pread(
		    s->fd, (char *)buf + done, len - done, (off_t)(off + done));

		if (n < 0)
			*s->error = errno;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static int
bad(const struct image_source *s, const char *what)
{
	return err_set(s->err, -EINVAL, "no unwind table: %s", what);
}

/* The offset of an address, and how much of its segment's file part follows. */
static bool
find_vaddr(const Elf64_Phdr *ph, size_t n, uint64_t vaddr, uint64_t *off,
    uint64_t *left)
{
	for (size_t i = 0; i < n; i++) {
		if (ph[i].p_type != PT_LOAD ||
		    vaddr - ph[i].p_vaddr >= ph[i].p_filesz)
			continue;
		*off = ph[i].p_offset + (vaddr - ph[i].p_vaddr);
		*left = ph[i].p_filesz - (vaddr - ph[i].p_vaddr);
		return true;
	}
	return false;
}

static int
read_ehdr(const struct image_source *s, Elf64_Ehdr *eh)
{
	if (!get_bytes(s, 0, eh, sizeof(*eh)) ||
	    memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0)
		return bad(s, "not an ELF file");
	if (eh->e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh->e_ident[EI_DATA] != ELFDATA2LSB || eh->e_machine != EM_X86_64)
		return bad(s, "not a program of x86-64");
	if (eh->e_phentsize != sizeof(Elf64_Phdr) || eh->e_phnum > PHDRS_MAX)
		return bad(s, "its program headers have an unknown form");
	return 0;
}

/* ".eh_frame" among the sections; -ENOENT: it is not there. */
static int
find_section(
    const struct image_source *s, const Elf64_Ehdr *eh, uint64_t *vaddr)
{
	char name[sizeof(SECTION)];
	Elf64_Shdr strs, sh;

	if (eh->e_shentsize != sizeof(sh) ||
	    !get_bytes(s, eh->e_shoff + eh->e_shstrndx * sizeof(sh), &strs,
		sizeof(strs)))
		return -ENOENT;
	for (size_t i = 0; i < eh->e_shnum; i++) {
		if (!get_bytes(
			s, eh->e_shoff + i * sizeof(sh), &sh, sizeof(sh)))
			return -ENOENT;
		if (sh.sh_addr == 0 || sh.sh_name >= strs.sh_size ||
		    !get_bytes(
			s, strs.sh_offset + sh.sh_name, name, sizeof(name)) ||
		    memcmp(name, SECTION, sizeof(name)) != 0)
			continue;
		*vaddr = sh.sh_addr;
		return 0;
	}
	return -ENOENT;
}

/* struct eh_frame_hdr: version, three encodings, pointer to .eh_frame. */
static int
find_eh_frame(const struct image_source *s, const Elf64_Ehdr *eh,
    const Elf64_Phdr *ph, size_t n, uint64_t *vaddr)
{
	uint8_t hdr[8];
	int32_t rel;

	for (size_t i = 0; i < n; i++) {
		if (ph[i].p_type != PT_GNU_EH_FRAME)
			continue;
		if (!get_bytes(s, ph[i].p_offset, hdr, sizeof(hdr)) ||
		    hdr[0] != 1 || hdr[1] != ENC_PCREL_SDATA4)
			return bad(s, "its .eh_frame_hdr has an unknown form");
		memcpy(&rel, hdr + 4, sizeof(rel));
		*vaddr = ph[i].p_vaddr + 4 + (uint64_t)(int64_t)rel;
		return 0;
	}
	return find_section(s, eh, vaddr);
}

static size_t
code_segs(const Elf64_Phdr *ph, size_t n, struct unw_seg *segs)
{
	size_t nsegs = 0;

	for (size_t i = 0; i < n; i++) {
		if (ph[i].p_type == PT_LOAD && ph[i].p_flags & PF_X)
			segs[nsegs++] = (struct unw_seg){ ph[i].p_vaddr,
				ph[i].p_filesz, ph[i].p_offset };
	}
	return nsegs;
}

static int
read_table(const struct image_source *s, const Elf64_Ehdr *eh,
    const Elf64_Phdr *ph, size_t n, struct unw_table *out)
{
	uint64_t vaddr = 0, off, left;
	struct unw_seg *segs;
	uint8_t *data;
	int rc = find_eh_frame(s, eh, ph, n, &vaddr);

	if (rc != 0)
		return rc == -ENOENT ? 0 : rc;
	if (!find_vaddr(ph, n, vaddr, &off, &left) || off > s->len)
		return bad(s, "its .eh_frame is not in the file");
	if (left > s->len - off)
		left = s->len - off;
	if (left > EH_FRAME_MAX)
		left = EH_FRAME_MAX;
	data = mem_alloc((size_t)left + 1);
	segs = mem_alloc((n + 1) * sizeof(*segs));
	if (get_bytes(s, off, data, (size_t)left))
		rc = unw_eh_frame(data, (size_t)left, vaddr, segs,
		    code_segs(ph, n, segs), out, s->err);
	else
		rc = bad(s, "its .eh_frame cannot be read");
	free(segs);
	free(data);
	return rc;
}

static int
read_source(const struct image_source *s, struct unw_table *out)
{
	Elf64_Phdr *ph;
	Elf64_Ehdr eh;
	int rc = read_ehdr(s, &eh);

	if (rc != 0)
		return rc;
	ph = mem_alloc((eh.e_phnum + 1u) * sizeof(*ph));
	if (get_bytes(s, eh.e_phoff, ph, eh.e_phnum * sizeof(*ph)))
		rc = read_table(s, &eh, ph, eh.e_phnum, out);
	else
		rc = bad(s, "its program headers are cut off");
	free(ph);
	return rc;
}

/* Word the message of a file that cannot be read. */
CHECKED static int
unreadable(int fd, int code, struct err *err)
{
	char link[32], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path));
	return err_set(err, -code,
	    "stacks may lack frames: the unwind table of %.*s cannot be read: %s",
	    n > 0 ? (int)n : 6, n > 0 ? path : "a file", strerror(code));
}

int
unw_file(int fd, struct unw_table *out, struct err *err)
{
	int error = 0, rc;
	struct image_source s = { .fd = fd, .err = err, .error = &error };
	struct stat st;

	if (fstat(fd, &st) != 0)
		return unreadable(fd, errno, err);
	s.len = (uint64_t)st.st_size;
	rc = read_source(&s, out);
	return error != 0 ? unreadable(fd, error, err) : rc;
}

int
unw_image(const void *image, size_t len, struct unw_table *out, struct err *err)
{
	struct image_source s = {
		.fd = -1, .image = image, .len = len, .err = err
	};

	return read_source(&s, out);
}
