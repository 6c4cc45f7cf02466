/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The exception tables of compilers' languages.  A function's table begins with
 * the bases and encodings of its other numbers; then come its call sites:
 *
 *	| start | length | landing pad, 0: none | action |	...
 *
 * Actions and types, for catching, follow; this code does not need them.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/vec.h"
#include "unwind/eh_impl.h"

void
unw_places_fini(struct unw_places *p)
{
	VEC_FREE(&p->starts);
	VEC_FREE(&p->signals);
	VEC_FREE(&p->pads);
	VEC_FREE(&p->unknown);
}

/* Everything in front of the call sites; the landing pads' base. */
static uint64_t
read_header(const struct eh_parse *ps, const struct eh_fde *f, struct eh_cur *c,
    uint8_t *enc)
{
	uint64_t base = f->start;
	uint8_t base_enc = (uint8_t)eh_u(c, 1), types_enc;

	if (base_enc != PE_OMIT)
		base = eh_pointer(ps, c, base_enc);
	types_enc = (uint8_t)eh_u(c, 1);
	if (types_enc != PE_OMIT)
		eh_uleb(c);
	*enc = (uint8_t)eh_u(c, 1);
	return base;
}

static uint64_t
read_number(struct eh_cur *c, uint8_t enc)
{
	return enc == PE_ULEB ? eh_uleb(c) : eh_format(c, enc);
}

/* The pads of one function; false: they are not all known.  `rest` is what may
 * be read of all tables. */
static bool
read_pads(const struct eh_parse *ps, const struct eh_fde *f, uint64_t *rest,
    struct unw_places *out)
{
	struct eh_cur c;
	uint64_t at = f->lsda - ps->vaddr, base, len;
	size_t steps = 0;
	uint8_t enc;

	if (f->has_bad_lsda || at >= ps->len)
		return false;
	c = eh_cur_at(ps, at, ps->len);
	base = read_header(ps, f, &c, &enc);
	len = eh_uleb(&c);
	if (c.bad || len > (uint64_t)(c.end - c.p) || enc & 0xf0)
		return false;
	*rest -= len < *rest ? len : *rest;
	c.end = c.p + len;
	while (c.p < c.end && !c.bad && !BOUNDS_POLL(steps)) {
		uint64_t pad;

		read_number(&c, enc);
		read_number(&c, enc);
		pad = read_number(&c, enc);
		eh_uleb(&c);
		if (pad != 0 && !c.bad)
			BOUNDS_PUSH(&out->pads, base + pad);
	}
	return !c.bad;
}

/* False: functions share tables, and there is no end to it. */
static bool
add_places(const struct eh_parse *ps, const struct unw_bytes *lsda,
    struct unw_places *out)
{
	/* for pointers in the other section, which may be relative to it */
	const struct eh_parse tables = {
		.data = lsda->data, .len = lsda->len, .vaddr = lsda->vaddr
	};

	uint64_t rest = LIMIT_OVERLAP * (lsda->len + 1);
	size_t steps = 0;

	VEC_FOREACH(&ps->fdes, f) {
		const struct unw_seg code = { .vaddr = f->start,
			.size = f->end - f->start };

		if (BOUNDS_POLL(steps))
			break;
		if (ps->cies.v[f->cie].is_signal)
			BOUNDS_PUSH(&out->signals, code);
		else
			BOUNDS_PUSH(&out->starts, f->start);
		if ((f->lsda != 0 || f->has_bad_lsda) &&
		    !read_pads(&tables, f, &rest, out))
			BOUNDS_PUSH(&out->unknown, code);
		if (rest == 0)
			return false;
	}
	return true;
}

int
unw_places(const struct unw_bytes *eh_frame, const struct unw_bytes *lsda,
    struct unw_places *out, struct err *err)
{
	struct eh_parse ps = { .data = eh_frame->data,
		.len = eh_frame->len,
		.vaddr = eh_frame->vaddr,
		.err = err };
	int rc;

	if (eh_frame->len > UINT32_MAX)
		return err_set(err, -EINVAL, ".eh_frame: too large");
	rc = eh_entries(&ps);
	if (rc != 0)
		goto out;
	if (ps.has_unknown)
		rc = err_set(
		    err, -EINVAL, ".eh_frame: an entry has an unknown form");
	else if (!add_places(&ps, lsda, out))
		rc = err_take(err, -EINVAL, bounds_refusal(LIMIT_OVERLAP));
out:
	eh_parse_fini(&ps);
	return rc;
}
