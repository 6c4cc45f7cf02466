/* SPDX-License-Identifier: BSD-2-Clause */
/* The entries of .eh_frame (LSB, section 10.6.1). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/vec.h"
#include "unwind/eh_impl.h"

void
eh_parse_fini(struct eh_parse *ps)
{
	VEC_FREE(&ps->cies);
	VEC_FREE(&ps->fdes);
}

/* ---- reading ------------------------------------------------------------ */

struct eh_cur
eh_cur_at(const struct eh_parse *ps, size_t from, size_t to)
{
	return (struct eh_cur){ ps->data + from, ps->data + to, false };
}

uint64_t
eh_u(struct eh_cur *c, size_t size)
{
	uint64_t v = 0;

	if ((size_t)(c->end - c->p) < size) {
		c->bad = true;
		c->p = c->end;
		return 0;
	}
	memcpy(&v, c->p, size);
	c->p += size;
	return v;
}

static int64_t
eh_s(struct eh_cur *c, size_t size)
{
	unsigned shift = 64 - 8 * (unsigned)size;

	return (int64_t)(eh_u(c, size) << shift) >> shift;
}

/* LEB128 (DWARF 5, section 7.6); bits beyond 64 are lost. */
static uint64_t
get_leb(struct eh_cur *c, unsigned *bits)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)eh_u(c, 1);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	*bits = byte & 0x40 && shift < 64 ? shift : 0;
	return v;
}

uint64_t
eh_uleb(struct eh_cur *c)
{
	unsigned bits;

	return get_leb(c, &bits);
}

int64_t
eh_sleb(struct eh_cur *c)
{
	unsigned bits;
	uint64_t v = get_leb(c, &bits);

	return (int64_t)(bits != 0 ? v | ~(uint64_t)0 << bits : v);
}

void
eh_skip(struct eh_cur *c, uint64_t n)
{
	if (n > (uint64_t)(c->end - c->p)) {
		c->bad = true;
		n = (uint64_t)(c->end - c->p);
	}
	c->p += n;
}

uint64_t
eh_format(struct eh_cur *c, uint8_t enc)
{
	switch (enc & 0x0f) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		return eh_u(c, 8);
	case PE_UDATA2:
		return eh_u(c, 2);
	case PE_UDATA4:
		return eh_u(c, 4);
	case PE_SDATA2:
		return (uint64_t)eh_s(c, 2);
	case PE_SDATA4:
		return (uint64_t)eh_s(c, 4);
	default:
		c->bad = true;
		return 0;
	}
}

uint64_t
eh_pointer(const struct eh_parse *ps, struct eh_cur *c, uint8_t enc)
{
	uint64_t at = ps->vaddr + (uint64_t)(c->p - ps->data);
	uint64_t v = eh_format(c, enc);

	switch (enc & 0xf0) {
	case PE_ABSPTR:
		return v;
	case PE_PCREL:
		return at + v;
	default: /* relative to something else, aligned, indirect */
		c->bad = true;
		return 0;
	}
}

/* ---- entries ------------------------------------------------------------ */

/* The augmentation "z...": what its letters have in the data. */
static void
cie_augmentation(struct eh_cur *c, const char *aug, struct eh_cie *cie)
{
	struct eh_cur data;
	uint64_t len = eh_uleb(c);

	data = *c;
	eh_skip(c, len);
	data.end = c->p;
	cie->has_aug = true;
	for (aug++; *aug != '\0' && !data.bad; aug++) {
		if (*aug == 'R')
			cie->enc = (uint8_t)eh_u(&data, 1);
		else if (*aug == 'L')
			cie->lsda = (uint8_t)eh_u(&data, 1);
		else if (*aug == 'P')
			eh_format(&data, (uint8_t)eh_u(&data, 1));
		else if (*aug == 'S')
			cie->is_signal = true;
		else
			break; /* the rest is not for us */
	}
	c->bad |= data.bad;
}

static void
add_cie(struct eh_parse *ps, struct eh_cur *c, uint32_t at)
{
	struct eh_cie cie = { .at = at, .enc = PE_ABSPTR, .lsda = PE_OMIT };
	unsigned version = (unsigned)eh_u(c, 1);
	const char *aug = (const char *)c->p;
	size_t room = (size_t)(c->end - c->p), len = strnlen(aug, room);

	eh_skip(c, len + 1);
	cie.code_align = eh_uleb(c);
	cie.data_align = eh_sleb(c);
	cie.is_known = (version == 1 || version == 3) &&
	    (version == 1 ? eh_u(c, 1) : eh_uleb(c)) == REG_RA &&
	    (len == 0 || *aug == 'z');
	if (cie.is_known && len > 0)
		cie_augmentation(c, aug, &cie);
	cie.is_known &= !c->bad;
	ps->has_unknown |= !cie.is_known;
	cie.insns = (uint32_t)(c->p - ps->data);
	cie.insns_end = (uint32_t)(c->end - ps->data);
	BOUNDS_PUSH(&ps->cies, cie);
}

static const struct eh_cie *
find_cie(const struct eh_parse *ps, uint64_t at)
{
	size_t lo = 0, hi = ps->cies.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (ps->cies.v[mid].at == at)
			return &ps->cies.v[mid];
		if (ps->cies.v[mid].at < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* The augmentation data of an entry whose CIE says that it has some. */
static void
fde_augmentation(struct eh_parse *ps, struct eh_cur *c,
    const struct eh_cie *cie, struct eh_fde *f)
{
	uint64_t len = eh_uleb(c);
	struct eh_cur data = *c, peek;

	eh_skip(c, len);
	data.end = c->p;
	if (cie->lsda == PE_OMIT || len == 0)
		return;
	peek = data;
	if (eh_format(&peek, cie->lsda) != 0) /* 0 is none, never relative */
		f->lsda = eh_pointer(ps, &data, cie->lsda);
	f->has_bad_lsda = data.bad || peek.bad;
}

static void
add_fde(struct eh_parse *ps, struct eh_cur *c, uint64_t cie_at)
{
	const struct eh_cie *cie = find_cie(ps, cie_at);
	struct eh_fde f = { 0 };

	if (cie == NULL || !cie->is_known)
		return;
	f.start = eh_pointer(ps, c, cie->enc);
	f.end = f.start + eh_format(c, cie->enc & 0x07);
	if (cie->has_aug)
		fde_augmentation(ps, c, cie, &f);
	if (c->bad || f.end <= f.start)
		return;
	f.insns = (uint32_t)(c->p - ps->data);
	f.insns_end = (uint32_t)(c->end - ps->data);
	f.cie = (uint32_t)(cie - ps->cies.v);
	BOUNDS_PUSH(&ps->fdes, f);
}

/* All entries; a length of 0 ends them. */
int
eh_entries(struct eh_parse *ps)
{
	size_t at = 0, steps = 0;

	while (ps->len - at >= 8 && !BOUNDS_POLL(steps)) {
		struct eh_cur c = eh_cur_at(ps, at, ps->len);
		uint64_t len = eh_u(&c, 4), id_at, id;

		if (len == 0)
			break;
		if (len == 0xffffffff)
			len = eh_u(&c, 8);
		id_at = (uint64_t)(c.p - ps->data);
		if (len < 4 || len > ps->len - id_at)
			return err_set(ps->err, -EINVAL,
			    ".eh_frame: the entry at offset 0x%zx is too long",
			    at);
		c.end = c.p + len;
		id = eh_u(&c, 4);
		if (id == 0)
			add_cie(ps, &c, (uint32_t)at);
		else
			add_fde(ps, &c, id_at - id);
		at = id_at + len;
	}
	return 0;
}
