/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_API_IMPL_H
#define LIBDTRACE_API_IMPL_H

/*
 * The published API (include/dtrace.h) on top of the handle of dt.h:
 * declarations shared by its files, api_*.c.
 */
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "consume/ksyms.h"
#include "dtrace.h"
#include "libdtrace/dt_impl.h"

/* A record as callbacks get it. */
struct api_handing {
	dtrace_probedata_t data;
	dtrace_probedesc_t pdesc;
	/*
	 * The EPID of these data and of the image; the next record often has
	 * the same.
	 */
	uint32_t epid;
	struct api_image *image;
};

struct dtrace_hdl {
	struct dt_hdl *dt;
	bool is_guest; /* api_guest(): dtrace_close() leaves `dt` open */
	int flags;
	int error;
	bool has_text;	    /* dt_errmsg() belongs to `error` */
	struct strbuf text; /* of the last dtrace_errmsg() */

	/* The handlers, each with its argument. */
	dtrace_handle_err_f *err_f;
	dtrace_handle_drop_f *drop_f;
	dtrace_handle_proc_f *proc_f;
	dtrace_handle_setopt_f *setopt_f;
	dtrace_handle_buffered_f *buffered_f;
	dtrace_handle_event_f *event_f;
	void *err_arg, *drop_arg, *proc_arg, *setopt_arg, *buffered_arg;
	void *event_arg;
	uint64_t drop_totals[DT_DROP_MAX];

	/* The callbacks of the running dtrace_consume() or dtrace_work(). */
	dtrace_consume_probe_f *probe_f;
	dtrace_consume_rec_f *rec_f;
	void *consume_arg;
	struct api_handing handing;
	const dtrace_probedata_t *data; /* of the current record; or NULL */
	const dtrace_recdesc_t *rec;	/* of the current datum; or NULL */

	/* Made when first needed, by clause and by aggregation. */
	struct api_image *images;
	dtrace_aggdesc_t **aggdescs;
	uint32_t keep;		       /* dtrace_aggregate_keep() */
	const struct consume_row *row; /* the current row of a walk, or NULL */
	struct ksyms *ksyms;
	struct sym_cache *syms; /* symbols of files of processes */

	dtrace_vector_t vector; /* dtrace_vopen() */
	void *vector_arg;
	VEC(struct api_format *) formats;
	int saved_out; /* the original file of dtrace_freopen()'s descriptor;
		        * -1: not changed */

	struct arena stmt_arena;	  /* statements handed out or made */
	const dtrace_ecbdesc_t *last_ecb; /* of the last dtrace_stmt_add() */
	dtrace_prog_t *last_prog;
};

/* The result of dtrace_printf_create(). */
struct api_format {
	char *text;
	struct pf_format *pf;
	bool is_printa;
};

/* A clause's records in the published layout. */
struct api_image {
	dtrace_eprobedesc_t *edesc;
	uint64_t *data;
	bool is_stored_so; /* records already have the published layout */
};

/* Is there neither a file nor a handler for the output? */
static inline bool
api_has_no_output(const dtrace_hdl_t *h, const FILE *fp)
{
	return fp == NULL && h->buffered_f == NULL && h->event_f == NULL;
}

/* api.c: record a failure.  Returns -1. */
int api_fail(dtrace_hdl_t *h, int error);
/* As api_fail(), for a failure of the underlying handle, which has a text. */
int api_fail_dt(dtrace_hdl_t *h, int error);

/* api_record.c */
struct api_image *api_image(dtrace_hdl_t *h, const struct plan_clause *pc,
    uint32_t epid, const struct dt_probe *probe);
void api_image_fill(
    dtrace_hdl_t *h, struct api_image *im, const struct consume_event *ev);
void api_pdesc(const struct dt_probe *probe, dtrace_probedesc_t *pdesc);
void api_records_fini(dtrace_hdl_t *h);
/* The record's offset is *offset, rounded up; *offset moves past the record. */
dtrace_recdesc_t api_recdesc(
    const struct plan *pl, const struct plan_rec *rec, uint32_t *offset);
void api_copy(const struct plan *pl, const struct plan_rec *rec,
    const void *from, char *to);

/* api_aggrow.c */
void api_aggs_fini(dtrace_hdl_t *h);
dtrace_aggdata_t api_aggdata(
    dtrace_hdl_t *h, const struct consume_row *row, char **data);
void api_row_fini(dtrace_aggdata_t *data);

/* api_format.c */
void api_formats_fini(dtrace_hdl_t *h);
/* The handle's format; NULL after api_fail_dt(). */
struct api_format *api_format(
    dtrace_hdl_t *h, const char *text, bool is_printa);

/* api_symbols.c: is the module the process's program? */
struct proc_maps;
struct proc_module;
bool api_is_program(const struct proc_maps *pm, const struct proc_module *mod);

/* api_prog.c */
struct dt_prog *api_prog(dtrace_prog_t *prog);
struct ps_prochandle *api_proc(size_t i);
dtrace_attribute_t api_attribute(struct dif_attr a);

/* api_consume.c */
extern const struct consume_hooks api_hooks;

#endif
