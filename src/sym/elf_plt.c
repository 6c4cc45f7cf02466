/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Name PLT entries: code without symbols of its own.
 *
 * Each entry jumps through a word of the GOT, and the relocation of that word
 * names the function.  So entries are decoded rather than counted: their
 * layouts differ (lazy, bound at start, with endbr64), but not the jump.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "sym/sym_impl.h"

#define BYTES_MAX ((size_t)16 << 20)
#define PLT_MAX_NAME 4096

/* A relocated word of the GOT, and the symbol (or code) that it refers to. */
struct got {
	uint64_t slot, addend;
	uint32_t symbol;
};

struct plt {
	struct elf_syms *es;
	const struct elf_img *img;
	VEC(struct got) gots;  /* sorted by slot */
	uint8_t *syms, *names; /* .dynsym and its names */
	size_t syms_len, names_len;
};

/* ---- the GOT ------------------------------------------------------------- */

static void
add_rela(struct plt *p, const uint8_t *bytes, size_t len)
{
	size_t steps = 0;

	for (size_t i = 0; i + sizeof(Elf64_Rela) <= len && !BOUNDS_POLL(steps);
	     i += sizeof(Elf64_Rela)) {
		Elf64_Rela r;
		uint32_t type;

		memcpy(&r, bytes + i, sizeof(r));
		type = (uint32_t)ELF64_R_TYPE(r.r_info);
		if (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
		    type == R_X86_64_IRELATIVE)
			BOUNDS_PUSH(&p->gots,
			    (struct got){ .slot = r.r_offset,
				.addend = (uint64_t)r.r_addend,
				.symbol = (uint32_t)ELF64_R_SYM(r.r_info) });
	}
}

static int
got_cmp(const void *a, const void *b)
{
	const struct got *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static void
read_gots(struct plt *p)
{
	for (size_t i = 1; i < p->img->sects.n; i++) {
		uint8_t *bytes;
		size_t len;

		if (p->img->sects.v[i].type != SHT_RELA)
			continue;
		bytes = elf_img_bytes(p->img, i, BYTES_MAX, &len);
		if (bytes == NULL)
			continue;
		add_rela(p, bytes, len);
		free(bytes);
		bounds_give(len);
	}
	if (p->gots.n != 0)
		qsort(p->gots.v, p->gots.n, sizeof(*p->gots.v), got_cmp);
}

static const struct got *
find_got(const struct plt *p, uint64_t slot)
{
	struct got key = { .slot = slot };

	if (p->gots.n == 0)
		return NULL;
	return bsearch(&key, p->gots.v, p->gots.n, sizeof(key), got_cmp);
}

/*
 * A copy of the name, since adding a name may move the others; NULL: unknown.
 */
static char *
got_name(const struct plt *p, const struct got *g)
{
	size_t off = (size_t)g->symbol * sizeof(Elf64_Sym);
	const struct elf_sym *sym;
	const char *name = NULL;
	Elf64_Sym s;

	if (g->symbol == 0) {
		sym = elf_syms_by_addr(p->es, g->addend);
		if (sym != NULL)
			name = elf_sym_name(p->es, sym);
	} else if (off + sizeof(s) <= p->syms_len) {
		memcpy(&s, p->syms + off, sizeof(s));
		if (s.st_name < p->names_len)
			name = (char *)p->names + s.st_name;
	}
	return name != NULL ? mem_strndup(name, PLT_MAX_NAME) : NULL;
}

/* ---- entries ------------------------------------------------------------- */

/*
 * [endbr64] [bnd] jmp *disp32(%rip): the address of the word that it jumps
 * through, or 0 (Intel SDM volume 2, "JMP": FF /4).
 */
static uint64_t
entry_slot(const uint8_t *code, size_t len, uint64_t vaddr)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t i = 0;
	int32_t disp;

	if (len >= sizeof(endbr) && memcmp(code, endbr, sizeof(endbr)) == 0)
		i = sizeof(endbr);
	if (i < len && code[i] == 0xf2)
		i++;
	if (len - i < 6 || code[i] != 0xff || code[i + 1] != 0x25)
		return 0;
	memcpy(&disp, code + i + 2, sizeof(disp));
	return vaddr + i + 6 + (uint64_t)(int64_t)disp;
}

static void
add_entry(const struct plt *p, uint64_t vaddr, uint32_t size, size_t shndx,
    const char *name)
{
	struct strbuf *names = &p->es->names;
	struct elf_sym sym = { .value = vaddr,
		.size = size,
		.name = (uint32_t)names->len,
		.shndx = (uint16_t)shndx,
		.kind = ELF_SYM_PLT };

	strbuf_add(names, name, strcspn(name, "@"));
	sym_clean_text(names->s + sym.name, names->len - sym.name);
	strbuf_add(names, "@plt", sizeof("@plt"));
	bounds_take(strlen(name) + sizeof("@plt"));
	BOUNDS_PUSH(&p->es->syms, sym);
}

/* Entries are 16 bytes, 8 in .plt.got. */
static void
add_section(const struct plt *p, size_t shndx)
{
	const struct elf_sect *s = &p->img->sects.v[shndx];
	size_t len, steps = 0;
	size_t step = strcmp(s->name, ".plt.got") == 0 ? 8 : 16;
	uint8_t *code = elf_img_bytes(p->img, shndx, BYTES_MAX, &len);

	if (code == NULL)
		return;
	for (size_t i = 0; i < len && !BOUNDS_POLL(steps); i += step) {
		size_t n = len - i < step ? len - i : step;
		const struct got *g =
		    find_got(p, entry_slot(code + i, n, s->vaddr + i));
		char *name = g != NULL ? got_name(p, g) : NULL;

		if (name != NULL && name[0] != '\0')
			add_entry(p, s->vaddr + i, (uint32_t)n, shndx, name);
		free(name);
	}
	free(code);
	bounds_give(len);
}

static bool
is_plt(const struct elf_sect *s)
{
	return s->is_exec && strncmp(s->name, ".plt", 4) == 0;
}

void
elf_plt_add(struct elf_syms *es, const struct elf_img *img)
{
	struct plt p = { .es = es, .img = img };
	size_t dynsym = elf_img_find(img, SHT_DYNSYM, NULL);

	if (img->machine != EM_X86_64 || !img->is_64)
		return;
	read_gots(&p);
	if (dynsym != 0) {
		p.syms = elf_img_bytes(img, dynsym, BYTES_MAX, &p.syms_len);
		p.names = elf_img_bytes(
		    img, img->links.v[dynsym], BYTES_MAX, &p.names_len);
	}
	for (size_t i = 1; i < img->sects.n && i <= UINT16_MAX; i++) {
		if (is_plt(&img->sects.v[i]))
			add_section(&p, i);
	}
	VEC_FREE(&p.gots);
	free(p.syms);
	free(p.names);
}
