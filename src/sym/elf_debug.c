/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols of a stripped file that are elsewhere: in a file of debug information
 * (searched as gdb's manual says, "Debugging Information in Separate Files"),
 * or packed in .gnu_debugdata ("Debugging information in a special section").
 */
#include <elf.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/bounds.h"
#include "base/confine.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/regular.h"
#include "sym/sym_impl.h"

#define DEBUG_DIR "/usr/lib/debug"
#define DEBUGDATA_MAX ((size_t)256 << 20)
#define UNPACK_MEMORY ((uint64_t)66 << 20) /* enough for xz -9 */
#define LINK_MAX 4096
#define UNPACK_STEP ((size_t)1 << 20) /* bytes */

/* ---- .gnu_debugdata ------------------------------------------------------ */

/* Unpack xz data. NULL: it is not xz, or too large. */
static uint8_t *
unpack(const uint8_t *packed, size_t len, size_t *outlen)
{
	lzma_stream strm = LZMA_STREAM_INIT;
	size_t cap = 1 << 16;
	uint8_t *out = mem_alloc(cap);
	lzma_ret rc = lzma_stream_decoder(&strm, UNPACK_MEMORY, 0);

	strm.next_in = packed;
	strm.avail_in = len;
	while (rc == LZMA_OK && !bounds_is_over()) {
		size_t done = (size_t)strm.total_out, room;

		if (done == cap) {
			if (cap >= DEBUGDATA_MAX || !bounds_take(cap))
				break;
			cap *= 2;
			out = mem_realloc(out, cap);
		}
		room = cap - done;
		strm.next_out = out + done;
		strm.avail_out = room < UNPACK_STEP ? room : UNPACK_STEP;
		rc = lzma_code(&strm, LZMA_FINISH);
	}
	*outlen = (size_t)strm.total_out;
	lzma_end(&strm);
	if (rc == LZMA_STREAM_END)
		return out;
	free(out);
	return NULL;
}

void
elf_debugdata_add(struct elf_syms *es, const struct elf_img *img)
{
	size_t len, outlen;
	uint8_t *packed = elf_img_bytes(
	    img, elf_img_find(img, 0, ".gnu_debugdata"), DEBUGDATA_MAX, &len);
	uint8_t *elf = packed != NULL ? unpack(packed, len, &outlen) : NULL;
	struct elf_img inner;
	struct err err = { 0 };

	if (elf != NULL && elf_img_open_mem(&inner, elf, outlen, &err) == 0) {
		elf_table_add(
		    es, &inner, elf_img_find(&inner, SHT_SYMTAB, NULL));
		elf_img_close(&inner);
	}
	err_clear(&err);
	free(elf);
	free(packed);
}

/* ---- files of debug information ------------------------------------------ */

/* The stripped file's description of its file of debug information. */
struct elf_debug_wanted {
	const struct elf_img *img;
	const char *root;
	char *link;   /* its name, or NULL */
	uint32_t crc; /* its checksum */
};

static bool
same_build_id(const struct elf_img *a, const struct elf_img *b)
{
	return a->build_id_len != 0 && a->build_id_len == b->build_id_len &&
	    memcmp(a->build_id, b->build_id, a->build_id_len) == 0;
}

static bool
has_crc(int fd, uint32_t want)
{
	uint8_t *buf = mem_alloc(1 << 16);
	uLong crc = crc32(0, NULL, 0);
	off_t off = 0;
	ssize_t n = -1;

	while (!bounds_is_over() && (n = pread(fd, buf, 1 << 16, off)) > 0) {
		crc = crc32(crc, buf, (uInt)n);
		off += n;
	}
	free(buf);
	return n == 0 && crc == want;
}

/*
 * If the file has a build id, compare that: the checksum needs all of a file to
 * be read.
 */
static bool
belongs(const struct elf_debug_wanted *w, const struct elf_img *debug, int fd)
{
	if (w->img->build_id_len != 0)
		return same_build_id(w->img, debug);
	return w->link != NULL && has_crc(fd, w->crc);
}

static bool
add_from(struct elf_syms *es, const struct elf_debug_wanted *w, int fd)
{
	struct elf_img debug;
	size_t symtab = 0;
	struct err err = { 0 };

	if (elf_img_open(&debug, fd, &err) != 0) {
		err_clear(&err);
		return false;
	}
	if (belongs(w, &debug, fd))
		symtab = elf_img_find(&debug, SHT_SYMTAB, NULL);
	elf_table_add(es, &debug, symtab);
	elf_img_close(&debug);
	return symtab != 0;
}

/* Takes ownership of `path`. */
static bool
try_file(struct elf_syms *es, const struct elf_debug_wanted *w, char *path)
{
	int fd = confine_is_inside() ? confine_open(path) : regular_open(path);
	bool ok = fd >= 0 && add_from(es, w, fd);

	if (fd >= 0)
		close(fd);
	free(path);
	return ok;
}

static bool
try_build_id(struct elf_syms *es, const struct elf_debug_wanted *w)
{
	const struct elf_img *img = w->img;
	char hex[2 * ELF_BUILD_ID_MAX + 1];

	if (img->build_id_len < 2)
		return false;
	for (size_t i = 0; i < img->build_id_len; i++)
		snprintf(hex + 2 * i, 3, "%02x", img->build_id[i]);
	return try_file(es, w,
	    mem_printf("%s" DEBUG_DIR "/.build-id/%.2s/%s.debug", w->root, hex,
		hex + 2));
}

/*
 * The section has the name and, at the next multiple of 4, the checksum.  A
 * name with a slash would lead out of the searched directories.
 */
static void
read_link(struct elf_debug_wanted *w)
{
	size_t len, name;
	uint8_t *bytes = elf_img_bytes(
	    w->img, elf_img_find(w->img, 0, ".gnu_debuglink"), LINK_MAX, &len);

	if (bytes == NULL)
		return;
	name = strlen((char *)bytes);
	if (name > 0 && strchr((char *)bytes, '/') == NULL &&
	    (name / 4 + 2) * 4 <= len) {
		memcpy(&w->crc, bytes + (name / 4 + 1) * 4, sizeof(w->crc));
		w->link = mem_strdup((char *)bytes);
	}
	free(bytes);
}

static bool
try_link(
    struct elf_syms *es, const struct elf_debug_wanted *w, const char *path)
{
	const char *slash = strrchr(path, '/');
	int dir = slash != NULL ? (int)(slash - path) : 0;

	if (w->link == NULL || slash == NULL)
		return false;
	return try_file(es, w,
		   mem_printf("%s%.*s/%s", w->root, dir, path, w->link)) ||
	    try_file(es, w,
		mem_printf("%s%.*s/.debug/%s", w->root, dir, path, w->link)) ||
	    try_file(es, w,
		mem_printf(
		    "%s" DEBUG_DIR "%.*s/%s", w->root, dir, path, w->link));
}

bool
elf_debug_file_add(struct elf_syms *es, const struct elf_img *img,
    const char *path, const char *root)
{
	struct elf_debug_wanted w = { .img = img, .root = root };
	bool found;

	read_link(&w);
	found = try_build_id(es, &w) || try_link(es, &w, path);
	if (!found && root[0] != '\0') {
		w.root = "";
		found = try_build_id(es, &w) || try_link(es, &w, path);
	}
	free(w.link);
	return found;
}

/* ---- which files may be opened ------------------------------------------- */

/* Advance *s behind `prefix`; false if it does not begin so. */
static bool
skip(const char **s, const char *prefix, size_t len)
{
	if (strncmp(*s, prefix, len) != 0)
		return false;
	*s += len;
	return true;
}

/* Is it "NAME", without a slash or ".."? */
static bool
is_name(const char *s)
{
	return s[0] != '\0' && strchr(s, '/') == NULL && strcmp(s, ".") != 0 &&
	    strcmp(s, "..") != 0;
}

/* "XX/XXXX.debug" */
static bool
is_build_id(const char *s)
{
	size_t n = strspn(s, "0123456789abcdef");

	if (n != 2 || s[2] != '/')
		return false;
	n = strspn(s + 3, "0123456789abcdef");
	return n != 0 && strcmp(s + 3 + n, ".debug") == 0;
}

/* A file below DEBUG_DIR: by build ID, or in the file's own directory there. */
static bool
is_debug_place(const char *debug, const char *path, size_t dir)
{
	const char *id = debug;

	if (skip(&id, "/.build-id/", 11) && is_build_id(id))
		return true;
	return dir != 0 && skip(&debug, path, dir) && is_name(debug);
}

/* A file in the stripped file's directory, or in .debug there. */
static bool
is_beside(const char *rest, const char *path, size_t dir)
{
	if (dir == 0 || !skip(&rest, path, dir))
		return false;
	return is_name(rest) || (skip(&rest, ".debug/", 7) && is_name(rest));
}

bool
elf_debug_is_place(const char *want, const char *path, const char *root)
{
	const char *slash = strrchr(path, '/'), *rest = want, *debug;
	size_t dir = slash != NULL ? (size_t)(slash - path) + 1 : 0;

	if (!skip(&rest, root, strlen(root)))
		return false;
	debug = rest;
	return (skip(&debug, DEBUG_DIR, sizeof(DEBUG_DIR) - 1) &&
		   is_debug_place(debug, path, dir)) ||
	    is_beside(rest, path, dir);
}
