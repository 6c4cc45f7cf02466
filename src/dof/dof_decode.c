/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decode: find and check the places of an image's parts.
 *
 * The order of checks is: the header, the table of section headers, each
 * section's bounds, alignment and shape, and that no two sections share a byte.
 * All sums are of 64-bit numbers that were compared with the image's size
 * first, so none can wrap.  dof_check.c checks the sections' contents.
 *
 * Memory: 32 bytes per section header, which has 32 bytes or more in the image,
 * and 4 to find overlaps.
 */
#include "dof/dof_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- refusing ----------------------------------------------------------- */

static void
add_place(const struct dof *d, uint32_t sec, struct strbuf *sb)
{
	const char *name = dof_sectype_name(d->secs[sec].dofs_type);

	if (name != NULL)
		strbuf_printf(sb, "section %u (%s)", sec, name);
	else
		strbuf_printf(
		    sb, "section %u (type %u)", sec, d->secs[sec].dofs_type);
}

int
dof_refuse(const struct dof *d, uint32_t sec, uint64_t off, struct err *err,
    const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	if (sec == DOF_SECIDX_NONE)
		strbuf_adds(&sb, "DOF header");
	else
		add_place(d, sec, &sb);
	strbuf_printf(&sb, ", offset 0x%llx: ", (unsigned long long)off);
	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	return err_take(err, -EINVAL, strbuf_steal(&sb));
}

/* Refuse the image for a member of its header. */
#define REFUSE_HDR(d, member, msg, ...)                                        \
	dof_refuse((d), DOF_SECIDX_NONE, offsetof(struct dof_hdr, member),     \
	    (msg), #member __VA_ARGS__)

/* The image's offset of a section's header. */
static uint64_t
sechdr_off(const struct dof *d, uint32_t sec)
{
	return d->hdr.dofh_secoff + (uint64_t)sec * d->hdr.dofh_secsize;
}

/* Refuse the image for a member of a section header. */
#define REFUSE_SEC(d, sec, member, msg, ...)                                   \
	dof_refuse((d), (sec),                                                 \
	    sechdr_off((d), (sec)) + offsetof(struct dof_sec, member), (msg),  \
	    #member __VA_ARGS__)

/* ---- header ------------------------------------------------------------- */

bool
dof_is_dof(const void *img, size_t len)
{
	return len >= 4 && memcmp(img, DOF_MAGIC, 4) == 0;
}

CHECKED static int
check_ident_byte(const struct dof *d, int i, const char *what, unsigned least,
    unsigned most, struct err *err)
{
	unsigned v = d->hdr.dofh_ident[i];

	if (v >= least && v <= most)
		return 0;
	return dof_refuse(d, DOF_SECIDX_NONE, (uint64_t)i, err,
	    "%s is %u, not %u to %u", what, v, least, most);
}

CHECKED static int
check_ident(const struct dof *d, struct err *err)
{
	static const struct {
		int i;
		const char *what;
		unsigned least, most;
	} rules[] = {
		{ DOF_ID_MODEL, "the data model", DOF_MODEL_ILP32,
		    DOF_MODEL_LP64 },
		{ DOF_ID_ENCODING, "the byte order", DOF_ENCODE_LSB,
		    DOF_ENCODE_MSB },
		{ DOF_ID_VERSION, "the DOF version", DOF_VERSION_1,
		    DOF_VERSION_3 },
		{ DOF_ID_DIFVERS, "the DIF version", DIF_VERSION, DIF_VERSION },
		{ DOF_ID_DIFIREG, "the number of integer registers", 0,
		    DIF_NREGS },
		{ DOF_ID_DIFTREG, "the number of tuple registers", 0,
		    DIF_NTREGS },
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]) && rc == 0; i++)
		rc = check_ident_byte(d, rules[i].i, rules[i].what,
		    rules[i].least, rules[i].most, err);
	for (int i = DOF_ID_PAD; i < DOF_ID_SIZE && rc == 0; i++)
		rc = check_ident_byte(d, i, "a byte of padding", 0, 0, err);
	return rc;
}

CHECKED static int
check_sizes(const struct dof *d, size_t len, struct err *err)
{
	const struct dof_hdr *h = &d->hdr;

	if (h->dofh_filesz > len)
		return REFUSE_HDR(d, dofh_filesz, err,
		    " is %llu, but there "
		    "are %zu bytes",
		    (unsigned long long)h->dofh_filesz, len);
	if (h->dofh_loadsz > h->dofh_filesz)
		return REFUSE_HDR(d, dofh_loadsz, err,
		    " is %llu, more than "
		    "the file's %llu",
		    (unsigned long long)h->dofh_loadsz,
		    (unsigned long long)h->dofh_filesz);
	if (h->dofh_loadsz < DOF_HDR_SIZE)
		return REFUSE_HDR(d, dofh_loadsz, err,
		    " is %llu, less than "
		    "the header's %u",
		    (unsigned long long)h->dofh_loadsz, DOF_HDR_SIZE);
	return 0;
}

CHECKED static int
check_sechdrs(const struct dof *d, struct err *err)
{
	const struct dof_hdr *h = &d->hdr;

	if (h->dofh_secsize < DOF_SECHDR_SIZE || h->dofh_secsize % 8 != 0)
		return REFUSE_HDR(d, dofh_secsize, err,
		    " is %u, not a "
		    "multiple of 8 from %u up",
		    h->dofh_secsize, DOF_SECHDR_SIZE);
	if (h->dofh_secoff % 8 != 0)
		return REFUSE_HDR(d, dofh_secoff, err,
		    " is 0x%llx, not a "
		    "multiple of 8",
		    (unsigned long long)h->dofh_secoff);
	if (h->dofh_secnum != 0 && h->dofh_secoff < DOF_HDR_SIZE)
		return REFUSE_HDR(d, dofh_secoff, err,
		    " is 0x%llx, inside of "
		    "the header",
		    (unsigned long long)h->dofh_secoff);
	if (h->dofh_secoff > h->dofh_loadsz ||
	    h->dofh_secnum >
		(h->dofh_loadsz - h->dofh_secoff) / h->dofh_secsize)
		return REFUSE_HDR(d, dofh_secnum, err,
		    ": %u headers of %u "
		    "bytes at 0x%llx end beyond the %llu bytes to load",
		    h->dofh_secnum, h->dofh_secsize,
		    (unsigned long long)h->dofh_secoff,
		    (unsigned long long)h->dofh_loadsz);
	return 0;
}

CHECKED static int
check_hdr(const struct dof *d, size_t len, struct err *err)
{
	const struct dof_hdr *h = &d->hdr;
	int rc;

	if (h->dofh_flags != 0)
		return REFUSE_HDR(
		    d, dofh_flags, err, " is 0x%x, not 0", h->dofh_flags);
	if (h->dofh_hdrsize != DOF_HDR_SIZE)
		return REFUSE_HDR(d, dofh_hdrsize, err, " is %u, not %u",
		    h->dofh_hdrsize, DOF_HDR_SIZE);
	if (h->dofh_pad != 0)
		return REFUSE_HDR(d, dofh_pad, err, " is not 0");
	rc = check_sizes(d, len, err);
	return rc != 0 ? rc : check_sechdrs(d, err);
}

CHECKED static int
read_hdr(struct dof *d, size_t len, struct err *err)
{
	int rc;

	if (!dof_is_dof(d->img, len))
		return dof_refuse(d, DOF_SECIDX_NONE, 0, err,
		    "this is not "
		    "DOF: it does not begin with 7f 44 4f 46");
	if (len < DOF_HDR_SIZE)
		return dof_refuse(d, DOF_SECIDX_NONE, 0, err,
		    "there are %zu "
		    "bytes, but the header takes %u",
		    len, DOF_HDR_SIZE);
	memcpy(&d->hdr, d->img, sizeof(d->hdr));
	rc = check_ident(d, err);
	if (rc != 0)
		return rc;
	d->is_swapped = d->hdr.dofh_ident[DOF_ID_ENCODING] != DOF_ENCODE_NATIVE;
	if (d->is_swapped)
		dof_swap(dof_elem_hdr, &d->hdr);
	return check_hdr(d, len, err);
}

/* ---- sections ----------------------------------------------------------- */

CHECKED static int
check_bounds(const struct dof *d, uint32_t i, struct err *err)
{
	const struct dof_sec *s = &d->secs[i];
	bool is_load = (s->dofs_flags & DOF_SECF_LOAD) != 0;
	uint64_t end = is_load ? d->hdr.dofh_loadsz : d->hdr.dofh_filesz;

	if (s->dofs_align == 0 || (s->dofs_align & (s->dofs_align - 1)) != 0)
		return REFUSE_SEC(d, i, dofs_align, err,
		    " is %u, not a power "
		    "of two",
		    s->dofs_align);
	if (s->dofs_offset % s->dofs_align != 0)
		return REFUSE_SEC(d, i, dofs_offset, err,
		    " is 0x%llx, not a "
		    "multiple of dofs_align, %u",
		    (unsigned long long)s->dofs_offset, s->dofs_align);
	if (s->dofs_offset > end)
		return REFUSE_SEC(d, i, dofs_offset, err,
		    " is 0x%llx, beyond "
		    "the %llu bytes %s",
		    (unsigned long long)s->dofs_offset, (unsigned long long)end,
		    is_load ? "to load" : "there are");
	if (s->dofs_size > end - s->dofs_offset)
		return REFUSE_SEC(d, i, dofs_size, err,
		    " is %llu: the section "
		    "ends beyond the %llu bytes %s",
		    (unsigned long long)s->dofs_size, (unsigned long long)end,
		    is_load ? "to load" : "there are");
	return 0;
}

/* Check the alignment and the entry size that the content needs. */
CHECKED static int
check_fit(const struct dof *d, uint32_t i, const struct dof_secinfo *si,
    struct err *err)
{
	const struct dof_sec *s = &d->secs[i];
	bool is_exact = si->rule == DOF_RULE_EXACT;
	bool is_half = si->rule == DOF_RULE_POINTER &&
	    d->hdr.dofh_ident[DOF_ID_MODEL] == DOF_MODEL_ILP32;
	uint32_t align = is_half ? si->align / 2 : si->align;
	size_t entsize = si->form == DOF_FORM_TABLE ? si->elem->size : 0;

	if (s->dofs_align < align || (is_exact && s->dofs_align != align))
		return REFUSE_SEC(d, i, dofs_align, err,
		    " is %u, but the "
		    "content needs %u",
		    s->dofs_align, align);
	if (s->dofs_entsize < entsize ||
	    (is_exact && si->form == DOF_FORM_TABLE &&
		s->dofs_entsize != entsize))
		return REFUSE_SEC(d, i, dofs_entsize, err,
		    " is %u, but an "
		    "entry has %zu bytes",
		    s->dofs_entsize, entsize);
	if (s->dofs_type == DOF_SECT_STRTAB && s->dofs_entsize != 0)
		return REFUSE_SEC(d, i, dofs_entsize, err,
		    " is %u, but "
		    "strings are no table",
		    s->dofs_entsize);
	return 0;
}

CHECKED static int
check_strings(const struct dof *d, uint32_t i, struct err *err)
{
	const struct dof_sec *s = &d->secs[i];

	if (s->dofs_size == 0)
		return REFUSE_SEC(d, i, dofs_size, err,
		    " is 0: a string "
		    "table ends with a NUL");
	if (d->img[s->dofs_offset + s->dofs_size - 1] != '\0')
		return dof_refuse(d, i, s->dofs_offset + s->dofs_size - 1, err,
		    "the string table does not end with a NUL");
	return 0;
}

/* The least bytes of a section with a single element. */
static size_t
least_size(const struct dof *d, uint32_t type, const struct dof_secinfo *si)
{
	if (type == DOF_SECT_PROVIDER &&
	    d->hdr.dofh_ident[DOF_ID_VERSION] == DOF_VERSION_1)
		return DOF_PROVIDER_V1_SIZE;
	if (si->form == DOF_FORM_DIFO)
		return si->elem->size + sizeof(uint32_t);
	return si->elem->size;
}

CHECKED static int
check_shape(const struct dof *d, uint32_t i, const struct dof_secinfo *si,
    struct err *err)
{
	const struct dof_sec *s = &d->secs[i];
	size_t least;

	switch (si->form) {
	case DOF_FORM_TEXT:
		return s->dofs_type == DOF_SECT_STRTAB ?
		    check_strings(d, i, err) :
		    0;
	case DOF_FORM_TABLE:
		if (s->dofs_size % s->dofs_entsize == 0)
			return 0;
		return REFUSE_SEC(d, i, dofs_size, err,
		    " is %llu, not a "
		    "multiple of dofs_entsize, %u",
		    (unsigned long long)s->dofs_size, s->dofs_entsize);
	case DOF_FORM_ONE:
	case DOF_FORM_DIFO:
		least = least_size(d, s->dofs_type, si);
		if (s->dofs_size < least)
			return REFUSE_SEC(d, i, dofs_size, err,
			    " is %llu, "
			    "less than %zu",
			    (unsigned long long)s->dofs_size, least);
		if (si->form == DOF_FORM_DIFO && s->dofs_size % 4 != 0)
			return REFUSE_SEC(d, i, dofs_size, err,
			    " is %llu, not "
			    "a multiple of 4",
			    (unsigned long long)s->dofs_size);
		return 0;
	case DOF_FORM_BYTES:
		return 0;
	}
	return 0;
}

CHECKED static int
check_sec(const struct dof *d, uint32_t i, struct err *err)
{
	const struct dof_sec *s = &d->secs[i];
	const struct dof_secinfo *si = dof_secinfo(s->dofs_type);
	int rc;

	if (s->dofs_type == DOF_SECT_NONE)
		return 0;
	if (si != NULL && si->is_load && !(s->dofs_flags & DOF_SECF_LOAD))
		return REFUSE_SEC(d, i, dofs_flags, err,
		    " is 0x%x: this type "
		    "must be loadable",
		    s->dofs_flags);
	rc = check_bounds(d, i, err);
	if (rc != 0 || si == NULL)
		return rc;
	rc = check_fit(d, i, si, err);
	return rc != 0 ? rc : check_shape(d, i, si, err);
}

CHECKED static int
read_secs(struct dof *d, struct err *err)
{
	uint32_t n = d->hdr.dofh_secnum;
	int rc = 0;

	d->secs = mem_alloc((size_t)n * sizeof(*d->secs) + 1);
	for (uint32_t i = 0; i < n; i++) {
		memcpy(
		    &d->secs[i], d->img + sechdr_off(d, i), sizeof(d->secs[i]));
		if (d->is_swapped)
			dof_swap(dof_elem_sec, &d->secs[i]);
	}
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = check_sec(d, i, err);
	return rc;
}

/* ---- overlaps ----------------------------------------------------------- */

static bool
has_bytes(const struct dof_sec *s)
{
	return s->dofs_type != DOF_SECT_NONE && s->dofs_size != 0;
}

static int
cmp_offset(const void *a, const void *b, void *arg)
{
	const struct dof *d = arg;
	uint64_t x = d->secs[*(const uint32_t *)a].dofs_offset;
	uint64_t y = d->secs[*(const uint32_t *)b].dofs_offset;

	return x < y ? -1 : x > y;
}

/* Sort the sections that have bytes by offset. Returns their number. */
static uint32_t
sort_secs(const struct dof *d, uint32_t *order)
{
	bool is_sorted = true;
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->hdr.dofh_secnum; i++) {
		if (!has_bytes(&d->secs[i]))
			continue;
		order[n++] = i;
		if (n > 1 &&
		    d->secs[i].dofs_offset < d->secs[order[n - 2]].dofs_offset)
			is_sorted = false;
	}
	if (!is_sorted) /* our writer sorts them */
		qsort_r(order, n, sizeof(*order), cmp_offset, (void *)d);
	return n;
}

CHECKED static int
check_not_in_headers(const struct dof *d, uint32_t i, struct err *err)
{
	const struct dof_sec *s = &d->secs[i];
	uint64_t end = sechdr_off(d, d->hdr.dofh_secnum);

	if (s->dofs_offset < DOF_HDR_SIZE)
		return REFUSE_SEC(d, i, dofs_offset, err,
		    " is 0x%llx, inside "
		    "of the header",
		    (unsigned long long)s->dofs_offset);
	if (s->dofs_offset < end &&
	    s->dofs_offset + s->dofs_size > d->hdr.dofh_secoff)
		return REFUSE_SEC(d, i, dofs_offset, err,
		    " is 0x%llx: the "
		    "section overlaps the section headers",
		    (unsigned long long)s->dofs_offset);
	return 0;
}

CHECKED static int
check_neighbours(
    const struct dof *d, const uint32_t *order, uint32_t n, struct err *err)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct dof_sec *s = &d->secs[order[i]];
		const struct dof_sec *next =
		    &d->secs[order[i + 1 < n ? i + 1 : i]];
		int rc = check_not_in_headers(d, order[i], err);

		if (rc != 0)
			return rc;
		if (next != s &&
		    s->dofs_offset + s->dofs_size > next->dofs_offset)
			return REFUSE_SEC(d, order[i + 1], dofs_offset, err,
			    " is 0x%llx: the section overlaps section %u",
			    (unsigned long long)next->dofs_offset, order[i]);
	}
	return 0;
}

CHECKED static int
check_overlaps(const struct dof *d, struct err *err)
{
	uint32_t *order =
	    mem_alloc((size_t)d->hdr.dofh_secnum * sizeof(*order) + 1);
	int rc = check_neighbours(d, order, sort_secs(d, order), err);

	free(order);
	return rc;
}

/* ------------------------------------------------------------------------- */

int
dof_decode(const void *img, size_t len, struct err *err, struct dof **outp)
{
	struct dof *d = mem_alloc(sizeof(*d));
	int rc;

	d->img = img;
	rc = read_hdr(d, len, err);
	if (rc != 0)
		goto out;
	rc = read_secs(d, err);
	if (rc != 0)
		goto out;
	rc = check_overlaps(d, err);
	if (rc != 0)
		goto out;
	rc = dof_check_content(d, err);
	if (rc != 0)
		goto out;
	*outp = d;
	return 0;

out:
	dof_destroy(d);
	return rc;
}

void
dof_destroy(struct dof *d)
{
	if (d == NULL)
		return;
	free(d->secs);
	free(d);
}

/* ---- reading ------------------------------------------------------------ */

uint32_t
dof_nelems(const struct dof *d, uint32_t sec)
{
	const struct dof_sec *s = &d->secs[sec];
	const struct dof_secinfo *si = dof_secinfo(s->dofs_type);

	if (si == NULL || si->elem->fields == NULL)
		return 0;
	return si->form == DOF_FORM_TABLE ?
	    (uint32_t)(s->dofs_size / s->dofs_entsize) :
	    1;
}

uint64_t
dof_elem_off(const struct dof *d, uint32_t sec, uint32_t i)
{
	const struct dof_sec *s = &d->secs[sec];

	return s->dofs_offset + (uint64_t)i * s->dofs_entsize;
}

void
dof_get(const struct dof *d, uint32_t sec, uint32_t i, void *to)
{
	const struct dof_sec *s = &d->secs[sec];
	const struct dof_elem *el = dof_secinfo(s->dofs_type)->elem;
	size_t n = el->size;

	if (s->dofs_type == DOF_SECT_PROVIDER &&
	    d->hdr.dofh_ident[DOF_ID_VERSION] == DOF_VERSION_1)
		n = DOF_PROVIDER_V1_SIZE;
	memset(to, 0, el->size);
	memcpy(to, d->img + dof_elem_off(d, sec, i), n);
	if (d->is_swapped)
		dof_swap(el, to);
}

const char *
dof_str(const struct dof *d, uint32_t strtab, uint64_t off)
{
	return (const char *)d->img + d->secs[strtab].dofs_offset + off;
}

uint32_t
dof_nlinks(const struct dof *d, uint32_t difohdr)
{
	return (uint32_t)((d->secs[difohdr].dofs_size -
			      sizeof(struct dof_difohdr)) /
	    sizeof(uint32_t));
}

uint32_t
dof_link(const struct dof *d, uint32_t difohdr, uint32_t i)
{
	uint32_t v;

	memcpy(&v,
	    d->img + d->secs[difohdr].dofs_offset + sizeof(struct dof_difohdr) +
		(uint64_t)i * sizeof(v),
	    sizeof(v));
	return d->is_swapped ? __builtin_bswap32(v) : v;
}

uint32_t
dof_find_link(const struct dof *d, uint32_t difohdr, enum dof_sectype type)
{
	for (uint32_t i = 0; i < dof_nlinks(d, difohdr); i++) {
		uint32_t sec = dof_link(d, difohdr, i);

		if (d->secs[sec].dofs_type == type)
			return sec;
	}
	return DOF_SECIDX_NONE;
}
