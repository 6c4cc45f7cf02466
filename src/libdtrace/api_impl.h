/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_API_IMPL_H
#define LIBDTRACE_API_IMPL_H

/*
 * The published API (include/dtrace.h) on top of the handle of dt.h: what its
 * files, api_*.c, share.
 */
#include "dtrace.h"
#include "libdtrace/dt_impl.h"

/* A record as the callbacks see it. */
struct api_handing {
	dtrace_probedata_t data;
	dtrace_probedesc_t pdesc;
};

struct dtrace_hdl {
	struct dt_hdl *dt;
	int flags;
	int error;
	bool has_text;	    /* dt_errmsg() is about `error` */
	struct strbuf text; /* of the last dtrace_errmsg() */

	/* handlers, each with its argument */
	dtrace_handle_err_f *err_f;
	dtrace_handle_drop_f *drop_f;
	dtrace_handle_setopt_f *setopt_f;
	dtrace_handle_buffered_f *buffered_f;
	void *err_arg, *drop_arg, *setopt_arg, *buffered_arg;
	uint64_t drop_totals[DT_DROP_MAX];

	/* of the dtrace_consume() or dtrace_work() that is running */
	dtrace_consume_probe_f *probe_f;
	dtrace_consume_rec_f *rec_f;
	void *consume_arg;
	struct api_handing handing;
	const dtrace_probedata_t *data; /* that; or NULL */
	const dtrace_recdesc_t *rec;	/* the datum's; or NULL */

	/* made when first needed: by clause, and by aggregation */
	struct api_image *images;
	dtrace_aggdesc_t **aggdescs;
	const struct consume_row *row; /* that a walk is at, or NULL */
	struct ksyms *ksyms;
};

/* A clause's records as the API has them. */
struct api_image {
	dtrace_eprobedesc_t *edesc;
	uint64_t *data;
};

/* api.c: record a failure.  Returns -1. */
int api_fail(dtrace_hdl_t *h, int error);
/* The same, of the handle beneath, which has a text for it. */
int api_fail_dt(dtrace_hdl_t *h, int error);

/* api_record.c */
struct api_image *api_image(dtrace_hdl_t *h, const struct plan_clause *pc,
    uint32_t epid, const struct dt_probe *probe);
void api_image_fill(
    dtrace_hdl_t *h, struct api_image *im, const struct consume_event *ev);
void api_pdesc(const struct dt_probe *probe, dtrace_probedesc_t *pdesc);
void api_records_fini(dtrace_hdl_t *h);
/* Bytes and alignment of a datum as the API has it. */
uint32_t api_size(const struct plan *pl, const struct plan_rec *rec);
uint16_t api_align(uint32_t size);
/* At *offset, rounded up, which moves on. */
dtrace_recdesc_t api_recdesc(
    const struct plan *pl, const struct plan_rec *rec, uint32_t *offset);
void api_copy(const struct plan *pl, const struct plan_rec *rec,
    const void *from, char *to);

/* api_agg.c */
void api_aggs_fini(dtrace_hdl_t *h);
dtrace_aggdata_t api_aggdata(
    dtrace_hdl_t *h, const struct consume_row *row, char **data);

/* api_consume.c */
extern const struct consume_hooks api_hooks;

#endif
