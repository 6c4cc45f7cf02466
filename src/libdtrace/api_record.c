/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The published API: records in its layout.
 *
 * Records are stored in fewer bytes than D defines where possible: the number
 * of an interned string, 16 bytes of a command.  A program that reads records
 * itself gets the published layout, with every string in `strsize` bytes:
 *
 *	| epid | time high | time low | datum 0 | datum 1 | ...
 *	0      4           8          12, each at its alignment
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "libdtrace/api_impl.h"

_Static_assert(sizeof(dtrace_recdesc_t) == 32, "layout of the ABI");
_Static_assert(offsetof(dtrace_recdesc_t, dtrd_uarg) == 24, "section 3");
_Static_assert(offsetof(dtrace_eprobedesc_t, dtepd_rec) == 24, "section 3");
_Static_assert(offsetof(dtrace_aggdesc_t, dtagd_rec) == 40, "section 3");
_Static_assert(sizeof(dtrace_probedesc_t) == 388, "section 3");
/* Aggregating functions have public names of their own. */
#define PUBLIC_STORE(NAME) DTRACEACT_##NAME
#define PUBLIC_EXIT(NAME) DTRACEACT_##NAME
#define PUBLIC_STOP(NAME) DTRACEACT_##NAME
#define PUBLIC_RAISE(NAME) DTRACEACT_##NAME
#define PUBLIC_CHILL(NAME) DTRACEACT_##NAME
#define PUBLIC_SPECULATE(NAME) DTRACEACT_##NAME
#define PUBLIC_SPEC_END(NAME) DTRACEACT_##NAME
#define PUBLIC_AGG(NAME) DTRACEAGG_##NAME
#define DT_ACT(val, NAME, name, flags, step, ...)                              \
	_Static_assert((val) <= UINT16_MAX, "dtrace_actkind_t");               \
	_Static_assert((val) == PUBLIC_##step(NAME), "<dtrace.h>");
#include "dif/dif_acts.def"
#undef DT_ACT

/* ---- data --------------------------------------------------------------- */

static bool
is_compact(const struct plan_rec *rec)
{
	return rec->store == PLAN_STR_ID || rec->store == PLAN_STR_COMM;
}

/* Bytes of a datum as the API has it. */
static uint32_t
datum_size(const struct plan *pl, const struct plan_rec *rec)
{
	return is_compact(rec) ? pl->strsize : rec->size;
}

/* Its alignment: the largest power of two, up to 8, that divides the size. */
static uint16_t
datum_align(uint32_t size)
{
	uint32_t align = size & -size;

	return (uint16_t)(align == 0 ? 1 : align > 8 ? 8 : align);
}

void
api_copy(const struct plan *pl, const struct plan_rec *rec, const void *from,
    char *to)
{
	uint32_t size = datum_size(pl, rec), len;
	const char *s;

	if (!is_compact(rec)) {
		memcpy(to, from, rec->size);
		memset(to + rec->size, 0, size - rec->size);
		return;
	}
	s = plan_str(pl, rec, from, &len);
	len = len < size ? len : size;
	memcpy(to, s, len);
	memset(to + len, 0, size - len);
}

/* ---- descriptions ------------------------------------------------------- */

void
api_pdesc(const struct dt_probe *probe, dtrace_probedesc_t *pdesc)
{
	memset(pdesc, 0, sizeof(*pdesc));
	pdesc->dtpd_id = probe->id;
	snprintf(pdesc->dtpd_provider, sizeof(pdesc->dtpd_provider), "%s",
	    probe->prov);
	snprintf(pdesc->dtpd_mod, sizeof(pdesc->dtpd_mod), "%s", probe->mod);
	snprintf(pdesc->dtpd_func, sizeof(pdesc->dtpd_func), "%s", probe->func);
	snprintf(pdesc->dtpd_name, sizeof(pdesc->dtpd_name), "%s", probe->name);
}

dtrace_recdesc_t
api_recdesc(const struct plan *pl, const struct plan_rec *rec, uint32_t *offset)
{
	uint32_t size = datum_size(pl, rec);
	uint16_t align = datum_align(size);
	uint32_t at = (*offset + align - 1) / align * align;
	bool has_format = rec->src != NULL && rec->src->fmt != NULL;

	*offset = at + size;
	return (dtrace_recdesc_t){
		.dtrd_action = rec->action,
		.dtrd_size = size,
		.dtrd_offset = at,
		.dtrd_alignment = align,
		.dtrd_format = has_format ? (uint16_t)(rec->group + 1) : 0,
		.dtrd_arg = rec->store == PLAN_STACK ?
		    rec->size / sizeof(uint64_t) :
		    rec->arg,
		.dtrd_uarg = rec->uarg,
	};
}

static void
image_make(
    const struct plan *pl, const struct plan_clause *pc, struct api_image *im)
{
	size_t n = pc->recs.n;
	uint32_t offset = PLAN_RECHDR;

	im->is_stored_so = true;
	im->edesc =
	    mem_alloc(sizeof(*im->edesc) + n * sizeof(im->edesc->dtepd_rec[0]));
	im->edesc->dtepd_nrecs = (int32_t)n;
	for (size_t i = 0; i < n; i++) {
		const struct plan_rec *rec = &pc->recs.v[i];

		im->edesc->dtepd_rec[i] = api_recdesc(pl, rec, &offset);
		if (is_compact(rec) || datum_size(pl, rec) != rec->size ||
		    im->edesc->dtepd_rec[i].dtrd_offset != rec->offset)
			im->is_stored_so = false;
	}
	im->edesc->dtepd_size = offset;
	im->data = mem_alloc(
	    (offset + sizeof(uint64_t)) / sizeof(uint64_t) * sizeof(uint64_t));
}

/* The clause's image, with the probe's description. */
struct api_image *
api_image(dtrace_hdl_t *h, const struct plan_clause *pc, uint32_t epid,
    const struct dt_probe *probe)
{
	const struct plan *pl = h->dt->plan;
	struct api_image *im;

	if (h->images == NULL)
		h->images = mem_alloc(pl->clauses.n * sizeof(*h->images));
	im = &h->images[pc - pl->clauses.v];
	if (im->edesc == NULL)
		image_make(pl, pc, im);
	im->edesc->dtepd_epid = epid;
	im->edesc->dtepd_probeid = probe->id;
	return im;
}

void
api_image_fill(
    dtrace_hdl_t *h, struct api_image *im, const struct consume_event *ev)
{
	const struct plan *pl = h->dt->plan;
	const struct plan_clause *pc = ev->pc;
	char *to = (char *)im->data;

	if (im->is_stored_so) {
		memcpy(to, ev->rec->data, im->edesc->dtepd_size);
		return;
	}
	memcpy(to, ev->rec->data, PLAN_RECHDR);
	for (size_t i = 0; i < pc->recs.n; i++)
		api_copy(pl, &pc->recs.v[i],
		    ev->rec->data + pc->recs.v[i].offset,
		    to + im->edesc->dtepd_rec[i].dtrd_offset);
}

void
api_records_fini(dtrace_hdl_t *h)
{
	for (size_t i = 0; h->images != NULL && i < h->dt->plan->clauses.n;
	     i++) {
		free(h->images[i].edesc);
		free(h->images[i].data);
	}
	free(h->images);
}
