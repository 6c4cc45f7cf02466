/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of functions in stripped programs of Go.
 *
 * The runtime needs a table of functions to unwind stacks, so stripping keeps
 * it: .gopclntab (Go's src/debug/gosym/pclntab.go, src/runtime/symtab.go).  The
 * first word identifies the layout; all offsets are from the table's start:
 *
 *	1.2	nfunc; then pairs, and behind the last one the end of code
 *	1.16	nfunc nfiles NAMES cu files pcs FUNCS
 *	1.18	nfunc nfiles text NAMES cu files pcs FUNCS	(1.20: the same)
 *
 * A pair has the beginning of a function's code and the offset of its record
 * from FUNCS.  A record has the beginning of the code, then the offset of the
 * name from NAMES.  Since 1.18 code is given by offsets from `text`, in words
 * of 4 bytes.
 *
 * Go does not promise this layout: a table is believed only if it has the right
 * function at the file's entry point.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/str.h"
#include "sym/sym_impl.h"

#define TABLE_MAX ((size_t)512 << 20)
#define ALIGN 64     /* of functions, at most */
#define PADDING 0xcc /* bytes between functions */

static const struct layout {
	uint32_t magic;
	uint8_t text, names, funcs; /* indices of header words; 0: absent */
	uint8_t width;		    /* size of a pair's member */
} layouts[] = {
	{ 0xfffffffb, 0, 0, 0, 8 },
	{ 0xfffffffa, 0, 3, 7, 8 },
	{ 0xfffffff0, 3, 4, 8, 4 },
	{ 0xfffffff1, 3, 4, 8, 4 },
};

struct gotab {
	struct elf_syms *es;
	const struct elf_img *img;
	const struct layout *layout;
	uint8_t *bytes;
	size_t len, nfuncs;
	uint64_t names, funcs; /* offsets */
	uint64_t text;	       /* base of code offsets */
	size_t nchars;	       /* characters of names so far */
	size_t shndx;	       /* number of the section of the code */
	const struct elf_sect *code;
};

/* ---- the table ----------------------------------------------------------- */

static bool
get(const struct gotab *g, uint64_t off, size_t width, uint64_t *value)
{
	*value = 0;
	if (off > g->len || width > g->len - off)
		return false;
	memcpy(value, g->bytes + off, width);
	return true;
}

/*
 * Header words follow eight bytes: the magic, zeros, the sizes of an
 * instruction and of a pointer.
 */
static bool
get_header(const struct gotab *g, size_t word, uint64_t *value)
{
	*value = 0;
	return word == 0 || get(g, 8 + 8 * (uint64_t)(word - 1), 8, value);
}

static const struct layout *
find_layout(const struct gotab *g)
{
	static const uint8_t sizes[] = { 0, 0, 1, 8 }; /* those of x86-64 */
	uint32_t magic;

	if (g->len < 16 || memcmp(g->bytes + 4, sizes, sizeof(sizes)) != 0)
		return NULL;
	memcpy(&magic, g->bytes, sizeof(magic));
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (layouts[i].magic == magic)
			return &layouts[i];
	}
	return NULL;
}

static bool
read_header(struct gotab *g)
{
	uint64_t n;

	g->layout = find_layout(g);
	if (g->layout == NULL || !get_header(g, 1, &n) ||
	    !get_header(g, g->layout->text, &g->text) ||
	    !get_header(g, g->layout->names, &g->names) ||
	    !get_header(g, g->layout->funcs, &g->funcs) || g->names > g->len ||
	    g->funcs > g->len || n > g->len / (2 * g->layout->width))
		return false;
	g->nfuncs = n;
	return true;
}

/* Newer linkers set `text` by a relocation, or omit it. */
static bool
find_text(struct gotab *g)
{
	g->shndx = elf_img_find(g->img, 0, ".text");
	if (g->shndx == 0 || g->shndx > UINT16_MAX)
		return false;
	g->code = &g->img->sects.v[g->shndx];
	if (g->layout->text != 0 && g->text == 0)
		g->text = g->code->vaddr;
	return true;
}

/* The offset of the pairs. */
static uint64_t
pairs(const struct gotab *g)
{
	return g->layout->funcs != 0 ? g->funcs : 16;
}

/* The beginning of the i-th function; for i == nfuncs, the end of code. */
static bool
get_start(const struct gotab *g, size_t i, uint64_t *vaddr)
{
	size_t width = g->layout->width;
	bool is_there = get(g, pairs(g) + 2 * width * i, width, vaddr);

	*vaddr += g->text;
	return is_there;
}

/* The name in the table, cut if it is too long; or NULL. */
static const char *
get_name(const struct gotab *g, size_t i, size_t *len)
{
	size_t width = g->layout->width;
	uint64_t record, off, left;
	const char *name;

	if (!get(g, pairs(g) + 2 * width * i + width, width, &record) ||
	    record > g->len || !get(g, g->funcs + record + width, 4, &off) ||
	    g->names + off >= g->len)
		return NULL;
	name = (const char *)g->bytes + g->names + off;
	left = g->len - (g->names + off);
	*len = strnlen(name, left < LIMIT_NAME ? left : LIMIT_NAME - 1);
	return name;
}

/* ---- functions ----------------------------------------------------------- */

static bool
is_code(const struct gotab *g, uint64_t start, uint64_t end)
{
	return start >= g->code->vaddr && end >= start &&
	    end - g->code->vaddr <= g->code->size;
}

/* The size without padding before the next function. */
static uint64_t
size_of(const struct gotab *g, uint64_t start, uint64_t end)
{
	uint64_t size = end - start, n = size < ALIGN ? size : ALIGN;
	uint8_t last[ALIGN];

	if (!elf_img_read(
		g->img, g->code->off + (end - n - g->code->vaddr), last, n))
		return size;
	while (n > 0 && last[n - 1] == PADDING) {
		n--;
		size--;
	}
	return size;
}

/*
 * Linkers write dots into symbols' names, for "tools like DTrace" (Go's
 * cmd/link/internal/ld/symtab.go).
 */
static void
add_name(struct strbuf *names, const char *name, size_t len)
{
	static const char middot[] = "\xc2\xb7";
	size_t from = names->len;

	for (size_t i = 0; i < len; i++) {
		if (len - i >= 2 && memcmp(name + i, middot, 2) == 0) {
			strbuf_addc(names, '.');
			i++;
		} else {
			strbuf_addc(names, name[i]);
		}
	}
	sym_clean_text(names->s + from, names->len - from);
	strbuf_addc(names, '\0');
}

static void
add_function(
    struct gotab *g, uint64_t start, uint64_t end, const char *name, size_t len)
{
	struct strbuf *names = &g->es->names;
	uint64_t size = size_of(g, start, end);
	struct elf_sym sym = { .value = start,
		.size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
		.name = (uint32_t)names->len,
		.shndx = (uint16_t)g->shndx,
		.kind = ELF_SYM_FUNC };

	if (!bounds_take(len + 1))
		return;
	add_name(names, name, len);
	BOUNDS_PUSH(&g->es->syms, sym);
}

/* Names may overlap in a hostile table: take no more bytes than it has. */
static void
add_functions(struct gotab *g)
{
	size_t steps = 0;

	for (size_t i = 0; i < g->nfuncs && !BOUNDS_POLL(steps); i++) {
		uint64_t start, end;
		size_t len = 0;
		const char *name = get_name(g, i, &len);

		if (name == NULL || len == 0 || len > g->len - g->nchars ||
		    !get_start(g, i, &start) || !get_start(g, i + 1, &end) ||
		    !is_code(g, start, end))
			continue;
		g->nchars += len;
		add_function(g, start, end, name, len);
	}
}

/* Does the table have the right function at the file's entry point? */
static bool
is_believed(const struct gotab *g)
{
	static const char begins[] = "_rt0_amd64_";
	size_t steps = 0;

	for (size_t i = 0; i < g->nfuncs && !BOUNDS_POLL(steps); i++) {
		uint64_t start;
		size_t len;
		const char *name;

		if (!get_start(g, i, &start) || start != g->img->entry)
			continue;
		name = get_name(g, i, &len);
		return name != NULL && len > sizeof(begins) - 1 &&
		    memcmp(name, begins, sizeof(begins) - 1) == 0;
	}
	return false;
}

static size_t
find_table(const struct elf_img *img)
{
	size_t shndx = elf_img_find(img, 0, ".gopclntab");

	return shndx != 0 ? shndx :
			    elf_img_find(img, 0, ".data.rel.ro.gopclntab");
}

void
elf_gopcln_add(struct elf_syms *es, const struct elf_img *img)
{
	struct gotab g = { .es = es, .img = img };

	if (img->machine != EM_X86_64 || !img->is_64)
		return;
	g.bytes = elf_img_bytes(img, find_table(img), TABLE_MAX, &g.len);
	if (g.bytes != NULL && read_header(&g) && find_text(&g) &&
	    is_believed(&g))
		add_functions(&g);
	if (g.bytes != NULL)
		bounds_give(g.len);
	free(g.bytes);
}
