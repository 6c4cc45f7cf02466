/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols of hostile files, read by the child of base/confine.h.
 *
 * The child's answer:
 *
 *	| head | sections | segments | symbols, by address | names ... |
 *
 * The parent checks everything that it relies on: counts against the answer's
 * length and the limits, offsets of names, kinds, section numbers, the order of
 * symbols.  It cuts names that are too long.  Tables that the
 * parent can derive from these are not in the answer.
 */
#include "sym/elf_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "sym/sym_impl.h"

struct elf_read_head {
	uint64_t entry;
	uint32_t nsects, nsegs, nsyms;
	uint32_t sect_names_len, names_len;
	uint16_t type, machine;
	uint8_t is_64, build_id_len;
	uint8_t build_id[ELF_BUILD_ID_MAX];
};

struct flat_sect {
	uint64_t vaddr, off, size;
	uint32_t type, name, is_exec;
};

struct flat_seg {
	uint64_t vaddr, off, filesz, memsz, is_exec;
};

/* ---- writing ------------------------------------------------------------- */

static void
put_sections(
    struct confine_out *out, const struct elf_img *img, struct strbuf *names)
{
	VEC_FOREACH(&img->sects, s) {
		struct flat_sect f = { .vaddr = s->vaddr,
			.off = s->off,
			.size = s->size,
			.type = s->type,
			.name = (uint32_t)names->len,
			.is_exec = s->is_exec };

		strbuf_add(names, s->name, strlen(s->name) + 1);
		confine_put(out, &f, sizeof(f));
	}
}

static void
put_segments(struct confine_out *out, const struct elf_img *img)
{
	VEC_FOREACH(&img->segs, s) {
		struct flat_seg f = { s->vaddr, s->off, s->filesz, s->memsz,
			s->is_exec };

		confine_put(out, &f, sizeof(f));
	}
}

static uint32_t
names_of_sections(const struct elf_img *img)
{
	size_t len = 0;

	VEC_FOREACH(&img->sects, s)
		len += strlen(s->name) + 1;
	return (uint32_t)len;
}

void
elf_syms_put(const struct elf_syms *es, struct confine_out *out)
{
	const struct elf_img *img = &es->img;
	struct strbuf names = { 0 };
	struct elf_read_head h = { .entry = img->entry,
		.nsects = (uint32_t)img->sects.n,
		.nsegs = (uint32_t)img->segs.n,
		.nsyms = (uint32_t)es->nsorted,
		.sect_names_len = names_of_sections(img),
		.names_len = (uint32_t)es->names.len,
		.type = img->type,
		.machine = img->machine,
		.is_64 = img->is_64,
		.build_id_len = (uint8_t)img->build_id_len };

	memcpy(h.build_id, img->build_id, sizeof(h.build_id));
	confine_put(out, &h, sizeof(h));
	put_sections(out, img, &names);
	put_segments(out, img);
	confine_put(out, es->syms.v, es->nsorted * sizeof(*es->syms.v));
	if (names.len != 0)
		confine_put(out, names.s, names.len);
	confine_put(out, es->names.s, es->names.len);
	strbuf_fini(&names);
}

/* ---- checking ------------------------------------------------------------ */

static void
take_head(
    struct elf_syms *es, const struct elf_read_head *h, struct confine_in *f)
{
	es->img.entry = h->entry;
	es->img.type = h->type;
	es->img.machine = h->machine;
	es->img.is_64 = h->is_64 != 0;
	es->img.build_id_len = h->build_id_len;
	memcpy(es->img.build_id, h->build_id, sizeof(h->build_id));
	f->is_bad |= h->build_id_len > ELF_BUILD_ID_MAX ||
	    h->nsects > LIMIT_SECTIONS || h->nsegs > LIMIT_SEGMENTS ||
	    h->names_len == 0;
}

static void
take_sections(struct elf_syms *es, const struct elf_read_head *h,
    struct confine_in *f, const struct flat_sect *sects, const char *names)
{
	for (uint32_t i = 0; i < h->nsects; i++) {
		struct flat_sect s;

		memcpy(&s, &sects[i], sizeof(s));
		f->is_bad |= s.name >= h->sect_names_len;
		if (f->is_bad)
			return;
		VEC_PUSH(&es->img.sects,
		    (struct elf_sect){
			.name = arena_strndup(&es->img.names, names + s.name,
			    ELF_SECTION_NAME_MAX),
			.vaddr = s.vaddr,
			.off = s.off,
			.size = s.size,
			.type = s.type,
			.is_exec = s.is_exec != 0 });
	}
}

static void
take_segments(struct elf_syms *es, const struct elf_read_head *h,
    const struct flat_seg *segs)
{
	for (uint32_t i = 0; i < h->nsegs; i++) {
		struct flat_seg s;

		memcpy(&s, &segs[i], sizeof(s));
		VEC_PUSH(&es->img.segs,
		    (struct elf_seg){
			s.vaddr, s.off, s.filesz, s.memsz, s.is_exec != 0 });
	}
}

/*
 * Check as a byte: a bool with any other value than 0 and 1 is undefined in C.
 */
static bool
is_symbol(
    const struct elf_syms *es, const struct elf_read_head *h, const uint8_t *p)
{
	uint8_t is_local = p[offsetof(struct elf_sym, is_local)];
	uint16_t shndx;
	uint32_t name;

	memcpy(&shndx, p + offsetof(struct elf_sym, shndx), sizeof(shndx));
	memcpy(&name, p + offsetof(struct elf_sym, name), sizeof(name));
	return is_local <= 1 && name < h->names_len &&
	    p[offsetof(struct elf_sym, kind)] <= ELF_SYM_OBJECT &&
	    (shndx == 0 || shndx < es->img.sects.n);
}

static void
take_symbols(struct elf_syms *es, const struct elf_read_head *h,
    struct confine_in *f, const uint8_t *syms)
{
	const struct elf_sym *v;

	for (uint32_t i = 0; i < h->nsyms && !f->is_bad; i++)
		f->is_bad = !is_symbol(es, h, syms + i * sizeof(*v));
	if (f->is_bad || h->nsyms == 0)
		return;
	v = es->syms.v = mem_alloc(h->nsyms * sizeof(*v));
	es->syms.n = es->syms.cap = h->nsyms;
	memcpy(es->syms.v, syms, h->nsyms * sizeof(*v));
	for (uint32_t i = 1; i < h->nsyms; i++)
		f->is_bad |= v[i - 1].value > v[i].value;
}

static void
take_names(struct elf_syms *es, const struct elf_read_head *h,
    struct confine_in *f, const char *names)
{
	strbuf_reset(&es->names);
	strbuf_add(&es->names, names, h->names_len);
	sym_clean_text(es->names.s, es->names.len);
	elf_cut_long_names(es->names.s, es->names.len);
	f->is_bad |= names[h->names_len - 1] != '\0';
}

static void
take_all(struct elf_syms *es, struct confine_in *f)
{
	const void *p = confine_get(f, 1, sizeof(struct elf_read_head));
	const void *sects, *segs, *syms, *sect_names, *names;
	struct elf_read_head h;

	if (f->is_bad)
		return;
	memcpy(&h, p, sizeof(h));
	take_head(es, &h, f);
	sects = confine_get(f, h.nsects, sizeof(struct flat_sect));
	segs = confine_get(f, h.nsegs, sizeof(struct flat_seg));
	syms = confine_get(f, h.nsyms, sizeof(struct elf_sym));
	sect_names = confine_get(f, h.sect_names_len, 1);
	names = confine_get(f, h.names_len, 1);
	if (f->is_bad ||
	    (h.sect_names_len != 0 &&
		((const char *)sect_names)[h.sect_names_len - 1] != '\0')) {
		f->is_bad = true;
		return;
	}
	take_sections(es, &h, f, sects, sect_names);
	take_segments(es, &h, segs);
	take_names(es, &h, f, names);
	take_symbols(es, &h, f, syms);
}

struct elf_syms *
elf_syms_take(struct confine_in *f)
{
	struct elf_syms *es = elf_syms_create();

	es->img.fd = -1;
	take_all(es, f);
	if (!f->is_bad) {
		elf_syms_index(es);
		return es;
	}
	elf_syms_rele(es);
	return NULL;
}

/* ---- files of debug information ------------------------------------------ */

/* "ROOT\0PATH\0", and the two lengths; path is NULL if there is none. */
struct elf_read_names {
	const char *root, *path;
};

static struct strbuf
join_names(const char *root, const char *path)
{
	struct strbuf sb = { 0 };

	strbuf_add(&sb, root, strlen(root) + 1);
	if (path != NULL)
		strbuf_add(&sb, path, strlen(path) + 1);
	return sb;
}

static struct elf_read_names
split_names(const char *arg, size_t len)
{
	size_t root = strnlen(arg, len);

	return (struct elf_read_names){ arg,
		root + 1 < len ? arg + root + 1 : NULL };
}

static bool
may_open(const void *arg, const char *want)
{
	const char *root = arg, *path = root + strlen(root) + 1;

	return elf_debug_is_place(want, path, root) ||
	    elf_debug_is_place(want, path, "");
}

/* ---- the job ------------------------------------------------------------- */

struct elf_syms *
elf_syms_in_child(int fd, const void *arg, size_t len, struct err *err)
{
	struct elf_read_names n = split_names(arg, len);

	return elf_syms_open(fd, n.path, n.root, err);
}

CHECKED static int
read_symbols(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	struct elf_syms *es = elf_syms_in_child(fd, arg, len, err);

	if (es == NULL)
		return -1;
	elf_syms_put(es, out);
	elf_syms_rele(es);
	return 0;
}

struct confine_call
elf_syms_call(int fd, struct strbuf *names, const char *path, const char *root)
{
	*names = join_names(root, path);
	return (struct confine_call){ .run = read_symbols,
		.may_open = path != NULL ? may_open : NULL,
		.arg = names->s,
		.len = names->len,
		.fd = fd };
}

struct elf_syms *
elf_syms_read(int fd, const char *path, const char *root, struct err *err)
{
	struct confine_answer a;
	struct strbuf names;
	struct confine_call c = elf_syms_call(fd, &names, path, root);
	struct confine_in f = { 0 };
	struct elf_syms *es;
	int rc = confine_run(&c, &a, err);

	strbuf_fini(&names);
	if (rc == -ENOSYS)
		return elf_syms_open(fd, path, root, err);
	if (rc != 0)
		return NULL;
	f.p = a.p;
	f.left = a.len;
	es = elf_syms_take(&f);
	if (es == NULL)
		err_set(err, -EINVAL, "%s", CONFINE_BAD);
	confine_answer_fini(&a);
	return es;
}

struct elf_syms *
elf_syms_read_mem(const void *img, size_t len, struct err *err)
{
	int fd = memfd_create("image", MFD_CLOEXEC);
	struct elf_syms *es = NULL;

	if (fd >= 0 && write(fd, img, len) == (ssize_t)len)
		es = elf_syms_read(fd, NULL, "", err);
	else
		err_set(err, -ENOMEM, "no memory for it");
	if (fd >= 0)
		close(fd);
	return es;
}
