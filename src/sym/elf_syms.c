/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbol table of a file: sorted, without duplicates, with searches.
 *
 * Several symbols can have one address, and functions can contain others.  The
 * symbol of an address is the innermost that covers it.  To find it without
 * a full scan, each symbol has an `outer` one: the nearest before it that ends
 * behind it.  If a symbol does not cover the address, the next candidate is its
 * outer symbol.
 */
#include "sym/elf_syms.h"

#include <errno.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/vec.h"
#include "sym/sym_impl.h"

#define NONE UINT32_MAX
/* Real functions do not nest this deep; hostile tables do. */
#define NEST_MAX 64

const char *
elf_sym_name(const struct elf_syms *es, const struct elf_sym *sym)
{
	return es->names.s + sym->name;
}

static uint64_t
end_of(const struct elf_sym *sym)
{
	uint64_t end = sym->value + sym->size;

	return end < sym->value ? UINT64_MAX : end;
}

/* ---- making -------------------------------------------------------------- */

static size_t
underscores(const char *name)
{
	return strspn(name, "_");
}

/* Choose between two symbols at one address; below 0: the first. */
static int
preference(
    const struct elf_syms *es, const struct elf_sym *a, const struct elf_sym *b)
{
	const char *na = elf_sym_name(es, a), *nb = elf_sym_name(es, b);
	size_t ua = underscores(na), ub = underscores(nb);

	if ((a->size == 0) != (b->size == 0))
		return a->size == 0 ? 1 : -1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->is_local != b->is_local)
		return a->is_local ? 1 : -1;
	if (ua != ub)
		return ua < ub ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return strcmp(na, nb);
}

static int
sym_cmp(const void *a, const void *b, void *arg)
{
	const struct elf_sym *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return preference(arg, x, y);
}

static bool
is_same(
    const struct elf_syms *es, const struct elf_sym *a, const struct elf_sym *b)
{
	return a->value == b->value && a->size == b->size &&
	    strcmp(elf_sym_name(es, a), elf_sym_name(es, b)) == 0;
}

static void
drop_duplicates(struct elf_syms *es)
{
	size_t n = 0;

	for (size_t i = 0; i < es->syms.n; i++) {
		if (n == 0 || !is_same(es, &es->syms.v[n - 1], &es->syms.v[i]))
			es->syms.v[n++] = es->syms.v[i];
	}
	es->syms.n = n;
}

static void
find_outer(struct elf_syms *es)
{
	const struct elf_sym *syms = es->syms.v;

	free(es->outer);
	es->outer = mem_alloc(es->syms.n * sizeof(*es->outer));
	for (uint32_t i = 0; i < es->syms.n; i++) {
		uint32_t o = i == 0 ? NONE : i - 1;

		while (o != NONE && end_of(&syms[o]) <= end_of(&syms[i]))
			o = es->outer[o];
		es->outer[i] = o;
	}
}

/* Link each symbol of code to the next higher address. */
static void
find_next(struct elf_syms *es)
{
	const struct elf_sym *syms = es->syms.v;
	uint32_t next = NONE, above = NONE;

	free(es->next);
	es->next = mem_alloc(es->syms.n * sizeof(*es->next));
	for (uint32_t i = (uint32_t)es->syms.n; i-- > 0;) {
		if (i + 1 < es->syms.n && syms[i + 1].value != syms[i].value)
			next = above;
		es->next[i] = next;
		if (elf_sym_is_code(&syms[i]))
			above = i;
	}
}

void
elf_syms_index(struct elf_syms *es)
{
	es->nsorted = 0;
	if (bounds_is_over() ||
	    !bounds_take(es->syms.n * (sizeof(*es->outer) + sizeof(*es->next))))
		return;
	find_outer(es);
	find_next(es);
	es->nsorted = es->syms.n;
}

void
elf_syms_sort(struct elf_syms *es)
{
	if (es->syms.n == 0 || es->syms.n >= NONE)
		return;
	sort_rows(es->syms.v, es->syms.n, sizeof(*es->syms.v), sym_cmp, es);
	drop_duplicates(es);
	elf_syms_index(es);
}

/* .symtab includes all symbols of .dynsym. */
static void
collect(struct elf_syms *es, const char *path, const char *root)
{
	const struct elf_img *img = &es->img;
	size_t symtab = elf_img_find(img, SHT_SYMTAB, NULL);

	if (symtab != 0) {
		elf_table_add(es, img, symtab);
	} else if (path == NULL || !elf_debug_file_add(es, img, path, root)) {
		elf_table_add(es, img, elf_img_find(img, SHT_DYNSYM, NULL));
		elf_debugdata_add(es, img);
		elf_gopcln_add(es, img);
	}
	elf_syms_sort(es);
	elf_plt_add(es, img);
	elf_syms_sort(es);
}

/* The headers are in memory now, so the file is not needed any more. */
CHECKED static struct elf_syms *
finish(struct elf_syms *es, struct bounds_meter *m, struct err *err)
{
	char *why = bounds_end(m);
	int code = es->read_error;

	if (why == NULL && code != 0)
		why = mem_printf(
		    "its symbols cannot be read: %s", strerror(code));
	if (why != NULL) {
		err_take(err, code != 0 ? -code : -EINVAL, why);
		elf_syms_rele(es);
		return NULL;
	}
	elf_end(es->img.elf);
	es->img.elf = NULL;
	es->img.fd = -1;
	es->img.mem = NULL;
	es->img.len = 0;
	return es;
}

struct elf_syms *
elf_syms_create(void)
{
	struct elf_syms *es = mem_alloc(sizeof(*es));

	strbuf_addc(&es->names, '\0');
	return es;
}

struct elf_syms *
elf_syms_open(int fd, const char *path, const char *root, struct err *err)
{
	struct elf_syms *es = elf_syms_create();
	struct bounds_meter m;

	bounds_begin(&m);
	if (elf_img_open(&es->img, fd, err) != 0) {
		free(bounds_end(&m));
		elf_syms_rele(es);
		return NULL;
	}
	collect(es, path, root);
	return finish(es, &m, err);
}

struct elf_syms *
elf_syms_parse(const void *img, size_t len, struct err *err)
{
	struct elf_syms *es = elf_syms_create();
	struct bounds_meter m;

	bounds_begin(&m);
	if (elf_img_open_mem(&es->img, img, len, err) != 0) {
		free(bounds_end(&m));
		elf_syms_rele(es);
		return NULL;
	}
	collect(es, NULL, "");
	return finish(es, &m, err);
}

void
elf_syms_rele(struct elf_syms *es)
{
	if (es == NULL)
		return;
	elf_img_close(&es->img);
	VEC_FREE(&es->syms);
	strbuf_fini(&es->names);
	free(es->outer);
	free(es->next);
	free(es->by_name);
	free(es);
}

/* ---- searching ----------------------------------------------------------- */

size_t
elf_syms_count(const struct elf_syms *es)
{
	return es->nsorted;
}

const struct elf_sym *
elf_syms_get(const struct elf_syms *es, size_t i)
{
	return i < es->nsorted ? &es->syms.v[i] : NULL;
}

/*
 * The last symbol at the highest address that is not above vaddr; NONE: all are
 * above.
 */
static uint32_t
nearest(const struct elf_syms *es, uint64_t vaddr)
{
	size_t lo = 0, hi = es->nsorted;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (es->syms.v[mid].value <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo == 0 ? NONE : (uint32_t)lo - 1;
}

/* The preferred symbol of those at one address that cover vaddr. */
static const struct elf_sym *
preferred(const struct elf_syms *es, uint32_t i, uint64_t vaddr)
{
	const struct elf_sym *syms = es->syms.v, *best = &syms[i];

	for (int n = 0;
	     n < NEST_MAX && i > 0 && syms[i - 1].value == best->value; n++) {
		i--;
		if (vaddr < end_of(&syms[i]))
			best = &syms[i];
	}
	return best;
}

/* A symbol of unknown size reaches to the next symbol or its section's end. */
static bool
reaches(const struct elf_syms *es, const struct elf_sym *sym, uint64_t vaddr)
{
	const struct elf_sect *s = elf_syms_sect(es, sym->shndx);

	return sym->size == 0 && s != NULL && vaddr >= s->vaddr &&
	    vaddr - s->vaddr < s->size;
}

/* The preferred symbol of those at one address that have no size. */
static const struct elf_sym *
preferred_label(const struct elf_syms *es, uint32_t i)
{
	uint64_t value = es->syms.v[i].value;

	for (int n = 0; n < NEST_MAX && i > 0 &&
	     es->syms.v[i - 1].value == value && es->syms.v[i - 1].size == 0;
	     n++)
		i--;
	return &es->syms.v[i];
}

const struct elf_sym *
elf_syms_by_addr(const struct elf_syms *es, uint64_t vaddr)
{
	uint32_t last = nearest(es, vaddr), i = last;

	for (int n = 0; i != NONE && n < NEST_MAX; n++) {
		if (vaddr < end_of(&es->syms.v[i]))
			return preferred(es, i, vaddr);
		i = es->outer[i];
	}
	if (last == NONE)
		return NULL;
	return reaches(es, &es->syms.v[last], vaddr) ?
	    preferred_label(es, last) :
	    NULL;
}

static uint32_t
first_code(const struct elf_syms *es)
{
	const struct elf_sym *syms = es->syms.v;

	for (uint32_t i = 0; i < es->nsorted && syms[i].value == syms[0].value;
	     i++) {
		if (elf_sym_is_code(&syms[i]))
			return i;
	}
	return es->next[0];
}

const struct elf_sym *
elf_syms_next_code(const struct elf_syms *es, uint64_t vaddr)
{
	const struct elf_sym *syms = es->syms.v;
	uint32_t last = nearest(es, vaddr), next = NONE;

	if (last != NONE)
		next = es->next[last];
	else if (es->nsorted != 0)
		next = first_code(es);
	return next != NONE ? &syms[next] : NULL;
}

static uint32_t *
name_slot(struct elf_syms *es, const char *name)
{
	size_t i = hash_bytes(name, strlen(name)) & (es->nslots - 1);

	while (es->by_name[i] != 0 &&
	    strcmp(elf_sym_name(es, &es->syms.v[es->by_name[i] - 1]), name) !=
		0)
		i = (i + 1) & (es->nslots - 1);
	return &es->by_name[i];
}

static void
hash_names(struct elf_syms *es)
{
	es->nslots = 64;
	while (es->nslots < 2 * es->nsorted)
		es->nslots *= 2;
	es->by_name = mem_alloc(es->nslots * sizeof(*es->by_name));
	for (uint32_t i = 0; i < es->nsorted; i++) {
		const struct elf_sym *sym = &es->syms.v[i];
		uint32_t *slot = name_slot(es, elf_sym_name(es, sym));

		if (*slot == 0 ||
		    (es->syms.v[*slot - 1].is_local && !sym->is_local))
			*slot = i + 1;
	}
}

const struct elf_sym *
elf_syms_by_name(struct elf_syms *es, const char *name)
{
	uint32_t num;

	if (es->by_name == NULL)
		hash_names(es);
	num = *name_slot(es, name);
	return num != 0 ? &es->syms.v[num - 1] : NULL;
}

int
elf_syms_each(
    const struct elf_syms *es, const char *glob, elf_sym_f *f, void *arg)
{
	for (size_t i = 0; i < es->nsorted && !bounds_is_stopped(); i++) {
		const struct elf_sym *sym = &es->syms.v[i];
		int rc = 0;

		if (glob_match(glob, elf_sym_name(es, sym)))
			rc = f(arg, es, sym);
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* ---- headers ------------------------------------------------------------- */

bool
elf_syms_offset(const struct elf_syms *es, uint64_t vaddr, uint64_t *off)
{
	VEC_FOREACH(&es->img.segs, s) {
		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->filesz) {
			*off = s->off + (vaddr - s->vaddr);
			return true;
		}
	}
	return false;
}

static bool
seg_vaddr(const struct elf_seg *s, uint64_t off, uint64_t *vaddr)
{
	/* memory that is not in the file (.bss) follows it */
	if (off < s->off || off - s->off >= s->memsz)
		return false;
	*vaddr = s->vaddr + (off - s->off);
	return true;
}

bool
elf_syms_vaddr(
    const struct elf_syms *es, uint64_t off, bool is_exec, uint64_t *vaddr)
{
	VEC_FOREACH(&es->img.segs, s) {
		if (s->is_exec == is_exec && seg_vaddr(s, off, vaddr))
			return true;
	}
	return false;
}

size_t
elf_syms_nsegs(const struct elf_syms *es)
{
	return es->img.segs.n;
}

const struct elf_seg *
elf_syms_seg(const struct elf_syms *es, size_t i)
{
	return i < es->img.segs.n ? &es->img.segs.v[i] : NULL;
}

const struct elf_seg *
elf_syms_seg_at(const struct elf_syms *es, uint64_t vaddr)
{
	VEC_FOREACH(&es->img.segs, seg) {
		if (vaddr - seg->vaddr < seg->memsz)
			return seg;
	}
	return NULL;
}

const struct elf_sect *
elf_syms_sect(const struct elf_syms *es, size_t shndx)
{
	return shndx != 0 && shndx < es->img.sects.n ? &es->img.sects.v[shndx] :
						       NULL;
}

size_t
elf_syms_nsects(const struct elf_syms *es)
{
	return es->img.sects.n;
}

uint64_t
elf_syms_entry(const struct elf_syms *es)
{
	return es->img.entry;
}

uint16_t
elf_syms_machine(const struct elf_syms *es)
{
	return es->img.machine;
}

bool
elf_syms_is_64(const struct elf_syms *es)
{
	return es->img.is_64;
}

bool
elf_syms_is_fixed(const struct elf_syms *es)
{
	return es->img.type == ET_EXEC;
}

const uint8_t *
elf_syms_build_id(const struct elf_syms *es, size_t *len)
{
	*len = es->img.build_id_len;
	return es->img.build_id;
}
