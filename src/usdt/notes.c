/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read .note.stapsdt, a sequence of notes.  Each is
 *
 *	n_namesz n_descsz n_type "stapsdt" 0
 *	address of the site, of .stapsdt.base, of the semaphore or 0
 *	provider 0 name 0 arguments 0
 *
 * and padding to a multiple of 4.  Addresses are those that the linker chose;
 * if the file was moved afterwards, .stapsdt.base has moved by the same
 * distance.
 */
#include "usdt/notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>
#include <libelf.h>

#include "base/bounds.h"
#include "base/elfhead.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "usdt/types.h"

#define NOTE_NAME "stapsdt"
#define NOTE_TYPE 3

struct notes_reader {
	Elf *elf;
	size_t shstrndx;
	uint16_t type; /* e_type */
	bool is_swapped;
	unsigned addr_size;
	uint64_t base; /* of .stapsdt.base; 0: none */
	VEC(GElf_Phdr) loads;
	struct usdt_notes *out;
	struct err *err;
};

static int __attribute__((format(printf, 2, 3)))
damaged(struct notes_reader *r, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	strbuf_adds(&sb, "the ELF file is damaged: ");
	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	return err_take(r->err, -EINVAL, strbuf_steal(&sb));
}

/* ---- places -------------------------------------------------------------- */

/*
 * The file offset of bytes at an address in a segment with that flag; 0: none.
 */
static uint64_t
file_offset(
    const struct notes_reader *r, uint64_t addr, uint64_t size, uint32_t flag)
{
	VEC_FOREACH(&r->loads, ph) {
		if ((ph->p_flags & flag) != 0 && addr >= ph->p_vaddr &&
		    addr - ph->p_vaddr < ph->p_filesz &&
		    ph->p_filesz - (addr - ph->p_vaddr) >= size &&
		    ph->p_offset <= UINT64_MAX - ph->p_filesz)
			return ph->p_offset + (addr - ph->p_vaddr);
	}
	return 0;
}

static uint64_t
get_addr(const struct notes_reader *r, const uint8_t *p)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < r->addr_size; i++) {
		bool is_big =
		    (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != r->is_swapped;
		unsigned at = is_big ? r->addr_size - 1 - i : i;

		v |= (uint64_t)p[at] << (8 * i);
	}
	return v;
}

/* Find the site and the semaphore. Returns false if the file lacks them. */
static bool
place_note(
    const struct notes_reader *r, const uint8_t *desc, struct usdt_note *n)
{
	uint64_t base = get_addr(r, desc + r->addr_size);
	uint64_t semaphore = get_addr(r, desc + 2 * r->addr_size);
	uint64_t moved = base != 0 && r->base != 0 ? r->base - base : 0;

	if (r->type == ET_REL)
		return true;
	n->addr = get_addr(r, desc) + moved;
	n->offset = file_offset(r, n->addr, 1, PF_X);
	if (semaphore != 0) {
		n->semaphore = file_offset(r, semaphore + moved, 2, PF_W);
		if (n->semaphore == 0)
			return false;
	}
	return n->offset != 0;
}

/* ---- notes --------------------------------------------------------------- */

/* The string at *p, which ends before `end`; NULL if it does not. */
static const char *
take_str(const uint8_t **p, const uint8_t *end)
{
	const uint8_t *nul = memchr(*p, 0, (size_t)(end - *p));
	const char *s = (const char *)*p;

	if (nul == NULL)
		return NULL;
	*p = nul + 1;
	return s;
}

static int
add_note(struct notes_reader *r, const uint8_t *desc, size_t len, size_t at)
{
	const uint8_t *p = desc + 3 * r->addr_size, *end = desc + len;
	struct usdt_note n = { 0 };
	const char *strs[3];

	if (len < 3 * r->addr_size)
		return damaged(r, "the note at offset %#zx is too short", at);
	for (int i = 0; i < 3; i++) {
		strs[i] = take_str(&p, end);
		if (strs[i] == NULL)
			return damaged(r,
			    "a string of the note at offset "
			    "%#zx does not end",
			    at);
	}
	if (!place_note(r, desc, &n)) {
		r->out->nskipped++;
		return 0;
	}
	n.provider = mem_strdup(strs[0]);
	n.name = mem_strdup(strs[1]);
	n.args = mem_strdup(strs[2]);
	VEC_PUSH(&r->out->v, n);
	return 0;
}

static int
read_notes(struct notes_reader *r, Elf_Data *data)
{
	size_t at = 0;

	while (at < data->d_size) {
		size_t name, desc, next;
		const uint8_t *base = data->d_buf;
		GElf_Nhdr nh;
		int rc;

		next = gelf_getnote(data, at, &nh, &name, &desc);
		if (next == 0 || next <= at)
			return damaged(r,
			    "the note at offset %#zx of "
			    ".note.stapsdt reaches beyond it",
			    at);
		if (nh.n_type == NOTE_TYPE &&
		    nh.n_namesz == sizeof(NOTE_NAME) &&
		    memcmp(base + name, NOTE_NAME, sizeof(NOTE_NAME)) == 0) {
			rc = add_note(r, base + desc, nh.n_descsz, at);
			if (rc != 0)
				return rc;
		}
		at = next;
	}
	return 0;
}

/* ---- files --------------------------------------------------------------- */

static int
read_headers(struct notes_reader *r)
{
	GElf_Ehdr eh;
	size_t n;

	if (elf_kind(r->elf) != ELF_K_ELF || gelf_getehdr(r->elf, &eh) == NULL)
		return err_set(r->err, -EINVAL, "it is not an ELF file");
	if (elf_getshdrstrndx(r->elf, &r->shstrndx) != 0 ||
	    elf_getphdrnum(r->elf, &n) != 0)
		return damaged(r, "%s", elf_errmsg(-1));
	r->type = eh.e_type;
	r->is_swapped = (eh.e_ident[EI_DATA] == ELFDATA2MSB) !=
	    (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	r->addr_size = eh.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	r->out->cls = r->addr_size == 8 ? USDT_CLASS_64 : USDT_CLASS_32;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(r->elf, (int)i, &ph) != NULL &&
		    ph.p_type == PT_LOAD)
			VEC_PUSH(&r->loads, ph);
	}
	return 0;
}

/* The next section of that name, after scn. */
static Elf_Scn *
find_section(
    struct notes_reader *r, Elf_Scn *scn, const char *want, GElf_Shdr *sh)
{
	while ((scn = elf_nextscn(r->elf, scn)) != NULL) {
		const char *name;

		if (gelf_getshdr(scn, sh) == NULL)
			continue;
		name = elf_strptr(r->elf, r->shstrndx, sh->sh_name);
		if (name != NULL && strcmp(name, want) == 0)
			return scn;
	}
	return NULL;
}

static int
read_elf(struct notes_reader *r)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int rc = read_headers(r);

	if (rc == 0 && find_section(r, NULL, ".stapsdt.base", &sh) != NULL)
		r->base = sh.sh_addr;
	while (rc == 0 &&
	    (scn = find_section(r, scn, ".note.stapsdt", &sh)) != NULL) {
		Elf_Data *data =
		    bounds_take(sh.sh_size) ? elf_getdata(scn, NULL) : NULL;

		if (bounds_is_over())
			break;
		if (data != NULL && data->d_buf != NULL)
			rc = read_notes(r, data);
		else if (sh.sh_size != 0)
			rc = damaged(r, ".note.stapsdt: %s", elf_errmsg(-1));
	}
	return rc;
}

/* ---- sites of DOF -------------------------------------------------------- */

/*
 * Calls that dtrace -G overwrites (doc/reference/dof.md section 5): a probe
 * becomes five nops, or ret and nops for a jump at a function's end; the
 * question whether it is enabled, xor %rax,%rax and the same.
 */
#define OP_NOP 0x90
#define OP_RET 0xc3

struct notes_site {
	uint8_t code[5];
	uint64_t addr, offset;
};

static bool
read_site(
    const struct notes_reader *r, int fd, uint64_t addr, struct notes_site *s)
{
	s->addr = addr;
	s->offset = file_offset(r, addr, sizeof(s->code), PF_X);
	return s->offset != 0 &&
	    pread(fd, s->code, sizeof(s->code), (off_t)s->offset) ==
	    (ssize_t)sizeof(s->code);
}

/* The length of the instruction that returns 0; 0: another instruction. */
static unsigned
length_of_no(const struct notes_site *s)
{
	unsigned n = s->code[0] == 0x48 ? 1 : 0;

	if ((s->code[n] != 0x31 && s->code[n] != 0x33) ||
	    s->code[n + 1] != 0xc0)
		return 0;
	n += 2;
	return s->code[n] == OP_NOP || s->code[n] == OP_RET ? n : 0;
}

/*
 * DOF gives an is-enabled site by the place of the instruction that returns 0,
 * or the place behind it.
 */
static bool
read_question(
    const struct notes_reader *r, int fd, uint64_t addr, struct notes_site *s)
{
	static const unsigned back[] = { 0, 2, 3 };

	for (size_t i = 0; i < sizeof(back) / sizeof(back[0]); i++) {
		unsigned n =
		    read_site(r, fd, addr - back[i], s) ? length_of_no(s) : 0;

		if (n != 0 && (back[i] == 0 || n == back[i]))
			return true;
	}
	return false;
}

static char *
c_name(const char *name)
{
	struct strbuf sb = { 0 };

	usdt_c_name(name, &sb);
	return sb.s != NULL ? strbuf_steal(&sb) : mem_strdup("");
}

static void
add_site(struct notes_reader *r, const struct dof_usdt *u,
    const struct dof_usdt_probe *p, const struct notes_site *s, unsigned skip)
{
	bool is_jump = s->code[skip] == OP_RET;
	struct usdt_note n = { .provider = mem_strdup(u->name),
		.name = c_name(p->name),
		.args = usdt_call_args(r->out->cls, p->nargs.n, is_jump),
		.addr = s->addr + skip,
		.offset = s->offset + skip,
		.is_enabled = skip != 0 };

	VEC_PUSH(&r->out->v, n);
}

static void
add_sites(struct notes_reader *r, int fd, const struct dof_usdt *u,
    const struct dof_usdt_probe *p)
{
	struct notes_site s;

	VEC_FOREACH(&p->offs, off) {
		if (read_site(r, fd, p->addr + *off, &s) &&
		    (s.code[0] == OP_NOP || s.code[0] == OP_RET))
			add_site(r, u, p, &s, 0);
		else
			r->out->nskipped++;
	}
	VEC_FOREACH(&p->enoffs, off) {
		if (read_question(r, fd, p->addr + *off, &s))
			add_site(r, u, p, &s, length_of_no(&s));
		else
			r->out->nskipped++;
	}
}

int
usdt_sites_read(int fd, const struct usdt_types *types, struct usdt_notes *out,
    struct err *err)
{
	struct notes_reader r = { .out = out, .err = err };
	int rc = 0;

	elf_version(EV_CURRENT);
	r.elf = elf_begin(fd, ELF_C_READ, NULL);
	if (r.elf == NULL)
		return err_set(err, -EINVAL, "%s", elf_errmsg(-1));
	rc = read_headers(&r);
	for (size_t i = 0; i < types->providers.n && rc == 0; i++) {
		const struct dof_usdt *u = &types->providers.v[i];

		VEC_FOREACH(&u->probes, p)
			add_sites(&r, fd, u, p);
	}
	VEC_FREE(&r.loads);
	elf_end(r.elf);
	return rc;
}

/* ------------------------------------------------------------------------- */

CHECKED static int
read_any(Elf *elf, struct usdt_notes *out, struct err *err)
{
	struct notes_reader r = { .elf = elf, .out = out, .err = err };
	int rc;

	if (elf == NULL)
		return err_set(err, -EINVAL, "%s", elf_errmsg(-1));
	rc = read_elf(&r);
	VEC_FREE(&r.loads);
	elf_end(elf);
	return rc;
}

/*
 * An analysis that a bound ended early fails with the bound's message, whatever
 * it returned.
 */
CHECKED static int
within_bounds(struct bounds_meter *m, int rc, struct err *err)
{
	char *why = bounds_end(m);

	if (why == NULL)
		return rc;
	return err_take(err, -E2BIG, why);
}

int
usdt_notes_read(int fd, struct usdt_notes *out, struct err *err)
{
	struct bounds_meter m;
	char *why = elf_head_refusal(fd, NULL, 0);

	if (why != NULL)
		return err_take(err, -E2BIG, why);
	elf_version(EV_CURRENT);
	bounds_begin(&m);
	return within_bounds(
	    &m, read_any(elf_begin(fd, ELF_C_READ, NULL), out, err), err);
}

int
usdt_notes_read_mem(
    const void *img, size_t len, struct usdt_notes *out, struct err *err)
{
	elf_version(EV_CURRENT);
	return read_any(elf_memory((char *)(uintptr_t)img, len), out, err);
}

void
usdt_notes_fini(struct usdt_notes *n)
{
	VEC_FOREACH(&n->v, note) {
		free(note->provider);
		free(note->name);
		free(note->args);
	}
	VEC_FREE(&n->v);
}
