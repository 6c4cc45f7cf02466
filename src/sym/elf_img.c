/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ELF images: headers through libelf, contents piece by piece.
 *
 * libelf checks only that headers are in the file: sections and segments may
 * claim any offset and size.  elf_img_read() checks these against the file.
 */
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/elfhead.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "sym/sym_impl.h"

#define NOTES_MAX (64 * 1024)

bool
elf_img_read(const struct elf_img *img, uint64_t off, void *buf, size_t n)
{
	if (off > img->len || n > img->len - off)
		return false;
	if (img->fd < 0) {
		memcpy(buf, img->mem + off, n);
		return true;
	}
	for (size_t done = 0; done < n;) {
		ssize_t got = pread(
		    img->fd, (char *)buf + done, n - done, (off_t)(off + done));

		if (got < 0 && errno == EINTR) {
			errno = 0;
			continue;
		}
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

size_t
elf_img_find(const struct elf_img *img, uint32_t type, const char *name)
{
	for (size_t i = 1; i < img->sects.n; i++) {
		const struct elf_sect *s = &img->sects.v[i];

		if ((type == 0 || s->type == type) &&
		    (name == NULL || strcmp(s->name, name) == 0))
			return i;
	}
	return 0;
}

uint8_t *
elf_img_bytes(const struct elf_img *img, size_t shndx, size_t max, size_t *len)
{
	const struct elf_sect *s;
	uint8_t *bytes;

	if (shndx == 0 || shndx >= img->sects.n)
		return NULL;
	s = &img->sects.v[shndx];
	if (s->type == SHT_NOBITS || s->size > max || s->off > img->len ||
	    s->size > img->len - s->off)
		return NULL;
	bytes = bounds_take(s->size) ? malloc(s->size + 1) : NULL;
	if (bytes == NULL || !elf_img_read(img, s->off, bytes, s->size)) {
		free(bytes);
		return NULL;
	}
	bytes[s->size] = '\0';
	*len = s->size;
	return bytes;
}

/* ---- headers ------------------------------------------------------------- */

static void
read_sections(struct elf_img *img)
{
	size_t n = 0, shstrndx = 0;

	if (elf_getshdrnum(img->elf, &n) != 0 ||
	    elf_getshdrstrndx(img->elf, &shstrndx) != 0)
		return;
	for (size_t i = 0; i < n; i++) {
		Elf_Scn *scn = elf_getscn(img->elf, i);
		GElf_Shdr sh;
		const char *name;

		if (scn == NULL || gelf_getshdr(scn, &sh) == NULL)
			return;
		name = elf_strptr(img->elf, shstrndx, sh.sh_name);
		VEC_PUSH(&img->sects,
		    (struct elf_sect){
			.name = arena_strndup(&img->names,
			    name != NULL ? name : "", ELF_SECTION_NAME_MAX),
			.vaddr = sh.sh_addr,
			.off = sh.sh_offset,
			.size = sh.sh_size,
			.type = sh.sh_type,
			.is_exec = (sh.sh_flags & SHF_EXECINSTR) != 0 });
		VEC_PUSH(&img->links, sh.sh_link);
	}
}

/*
 * Read the loaded segments: one more than LIMIT_SEGMENTS, so that the caller
 * sees that there are too many.
 */
static void
read_segments(struct elf_img *img)
{
	size_t n = 0;

	if (elf_getphdrnum(img->elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && img->segs.n <= LIMIT_SEGMENTS; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(img->elf, (int)i, &ph) == NULL)
			return;
		if (ph.p_type == PT_LOAD)
			VEC_PUSH(&img->segs,
			    (struct elf_seg){ .vaddr = ph.p_vaddr,
				.off = ph.p_offset,
				.filesz = ph.p_filesz,
				.memsz = ph.p_memsz,
				.is_exec = (ph.p_flags & PF_X) != 0 });
	}
}

static void
read_build_id(struct elf_img *img)
{
	for (size_t i = 1; i < img->sects.n; i++) {
		uint8_t *notes;
		size_t len;

		if (img->sects.v[i].type != SHT_NOTE)
			continue;
		notes = elf_img_bytes(img, i, NOTES_MAX, &len);
		if (notes == NULL)
			continue;
		img->build_id_len =
		    elf_note_build_id(notes, len, img->build_id);
		free(notes);
		bounds_give(len);
		if (img->build_id_len != 0 || bounds_is_over())
			return;
	}
}

CHECKED static int
read_headers(struct elf_img *img, struct err *err)
{
	GElf_Ehdr eh;

	if (elf_kind(img->elf) != ELF_K_ELF ||
	    gelf_getehdr(img->elf, &eh) == NULL)
		return err_set(err, -EINVAL, "it is not an ELF file");
	if (eh.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (eh.e_type != ET_EXEC && eh.e_type != ET_DYN))
		return err_set(err, -EINVAL,
		    "it is not a program or shared library of this machine");
	img->is_64 = eh.e_ident[EI_CLASS] == ELFCLASS64;
	img->type = eh.e_type;
	img->machine = eh.e_machine;
	img->entry = eh.e_entry;
	read_sections(img);
	read_segments(img);
	if (img->segs.n > LIMIT_SEGMENTS)
		return err_take(err, -EINVAL, bounds_refusal(LIMIT_SEGMENTS));
	read_build_id(img);
	return 0;
}

CHECKED static int
img_start(struct elf_img *img, Elf *elf, struct err *err)
{
	int rc;

	img->elf = elf;
	if (elf == NULL)
		return err_set(
		    err, -EINVAL, "it cannot be read: %s", elf_errmsg(-1));
	rc = read_headers(img, err);
	if (rc != 0)
		elf_img_close(img);
	return rc;
}

int
elf_img_open(struct elf_img *img, int fd, struct err *err)
{
	struct stat st;
	char *why;

	memset(img, 0, sizeof(*img));
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "it is not a regular file");
	img->fd = fd;
	img->len = (uint64_t)st.st_size;
	why = elf_head_refusal(fd, NULL, 0);
	if (why != NULL)
		return err_take(err, -EINVAL, why);
	elf_version(EV_CURRENT);
	return img_start(img, elf_begin(fd, ELF_C_READ, NULL), err);
}

int
elf_img_open_mem(
    struct elf_img *img, const void *mem, size_t len, struct err *err)
{
	char *why = elf_head_refusal(-1, mem, len);

	memset(img, 0, sizeof(*img));
	img->fd = -1;
	img->mem = mem;
	img->len = len;
	if (why != NULL)
		return err_take(err, -EINVAL, why);
	elf_version(EV_CURRENT);
	/* elf_memory() only reads it, in spite of its prototype */
	return img_start(img, elf_memory((char *)(uintptr_t)mem, len), err);
}

void
elf_img_close(struct elf_img *img)
{
	if (img->elf != NULL)
		elf_end(img->elf);
	VEC_FREE(&img->sects);
	VEC_FREE(&img->links);
	VEC_FREE(&img->segs);
	arena_fini(&img->names);
	img->elf = NULL;
}
