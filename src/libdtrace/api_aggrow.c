/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The published API: the rows of aggregations.
 *
 * A row has the layout of the published snapshot, as dtrace_aggdesc_t describes
 * it:
 *
 *	| aggid | varid | key 0 | key 1 | ... | value
 *	0       4       8, each at its alignment      at a multiple of 8
 *
 * The value of lquantize() and llquantize() begins with the word of their
 * parameters.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "libdtrace/api_impl.h"

/* ---- rows --------------------------------------------------------------- */

static bool
has_parameters(uint16_t kind)
{
	return kind == DT_ACT_LQUANTIZE || kind == DT_ACT_LLQUANTIZE;
}

static dtrace_recdesc_t
value_rec(const struct plan_agg *pa, uint32_t *offset)
{
	uint32_t size = pa->val_size +
	    (has_parameters(pa->agg->kind) ? sizeof(uint64_t) : 0);
	uint32_t at = (*offset + 7) / 8 * 8;

	*offset = at + size;
	return (dtrace_recdesc_t){ .dtrd_action = pa->agg->kind,
		.dtrd_size = size,
		.dtrd_offset = at,
		.dtrd_alignment = 8,
		.dtrd_arg = pa->agg->arg };
}

static dtrace_aggdesc_t *
aggdesc_make(const struct plan *pl, const struct plan_agg *pa)
{
	size_t n = pa->keys.n + 2;
	dtrace_aggdesc_t *ad =
	    mem_alloc(sizeof(*ad) + n * sizeof(ad->dtagd_rec[0]));
	uint32_t offset = sizeof(dtrace_aggid_t) + sizeof(uint32_t);

	ad->dtagd_name = pa->agg->name;
	ad->dtagd_varid = ad->dtagd_id = pa->agg->id;
	ad->dtagd_epid = pa->epid;
	ad->dtagd_nrecs = (int32_t)n;
	ad->dtagd_rec[0] = (dtrace_recdesc_t){ .dtrd_action = DTRACEACT_DIFEXPR,
		.dtrd_size = sizeof(uint32_t),
		.dtrd_offset = sizeof(dtrace_aggid_t),
		.dtrd_alignment = sizeof(uint32_t) };
	for (size_t i = 0; i < pa->keys.n; i++)
		ad->dtagd_rec[i + 1] = api_recdesc(pl, &pa->keys.v[i], &offset);
	ad->dtagd_rec[n - 1] = value_rec(pa, &offset);
	ad->dtagd_size = offset;
	return ad;
}

static dtrace_aggdesc_t *
aggdesc_of(dtrace_hdl_t *h, const struct plan_agg *pa)
{
	const struct plan *pl = h->dt->plan;
	dtrace_aggdesc_t **ad;

	if (h->aggdescs == NULL)
		h->aggdescs = mem_alloc(pl->aggs.n * sizeof(ad));
	ad = &h->aggdescs[pa - pl->aggs.v];
	if (*ad == NULL)
		*ad = aggdesc_make(pl, pa);
	return *ad;
}

void
api_aggs_fini(dtrace_hdl_t *h)
{
	for (size_t i = 0; h->aggdescs != NULL && i < h->dt->plan->aggs.n; i++)
		free(h->aggdescs[i]);
	free(h->aggdescs);
}

static void
fill_row(const struct plan *pl, const struct consume_row *row,
    const dtrace_aggdesc_t *ad, char *to)
{
	const struct plan_agg *pa = row->pa;
	uint32_t ids[] = { pa->agg->id, pa->agg->id };
	char *value = to + ad->dtagd_rec[pa->keys.n + 1].dtrd_offset;

	memcpy(to, ids, sizeof(ids));
	for (size_t i = 0; row->key != NULL && i < pa->keys.n; i++)
		api_copy(pl, &pa->keys.v[i],
		    row->key + pa->keys.v[i].offset - PLAN_KEYHDR,
		    to + ad->dtagd_rec[i + 1].dtrd_offset);
	if (has_parameters(pa->agg->kind)) {
		memcpy(value, &pa->agg->arg, sizeof(pa->agg->arg));
		value += sizeof(pa->agg->arg);
	}
	memcpy(value, row->val, pa->val_size);
}

static void fill_more(
    dtrace_hdl_t *h, const struct consume_row *row, dtrace_aggdata_t *data);

/* *data is malloced. */
dtrace_aggdata_t
api_aggdata(dtrace_hdl_t *h, const struct consume_row *row, char **data)
{
	dtrace_aggdesc_t *ad = aggdesc_of(h, row->pa);
	dtrace_aggdata_t out;

	*data = mem_alloc(ad->dtagd_size);
	fill_row(h->dt->plan, row, ad, *data);
	ad->dtagd_flags = row->is_printed ? DTRACE_AGD_PRINTED : 0;
	out = (dtrace_aggdata_t){ .dtada_handle = h,
		.dtada_desc = ad,
		.dtada_data = *data,
		.dtada_normal = row->normal,
		.dtada_size = ad->dtagd_size };
	fill_more(h, row, &out);
	return out;
}

/* ---- what a row has besides --------------------------------------------- */

/* A value in the published layout, malloced. */
static char *
copy_value(const struct plan_agg *pa, const void *val)
{
	size_t head = has_parameters(pa->agg->kind) ? sizeof(uint64_t) : 0;
	char *to = mem_alloc(head + pa->val_size);

	memcpy(to, &pa->agg->arg, head);
	memcpy(to + head, val, pa->val_size);
	return to;
}

static char **
copy_cpus(dtrace_hdl_t *h, const struct consume_row *row, bool is_delta)
{
	uint32_t n = consumer_row_ncpus(h->dt->output.consumer);
	char **cpus = mem_alloc((n + 1) * sizeof(*cpus));

	for (uint32_t cpu = 0; cpu < n; cpu++)
		cpus[cpu] = copy_value(row->pa,
		    consumer_row_cpu(
			h->dt->output.consumer, row, cpu, is_delta));
	return cpus; /* the last one is NULL */
}

static uint32_t
wanted(const dtrace_hdl_t *h)
{
	const struct dt_hdl *dt = h->dt;
	uint32_t flags = h->keep;

	if (consumer_row_ncpus(dt->output.consumer) != 0)
		flags |= DTRACE_A_PERCPU;
	if (dt_opt_flag(dt, DT_OPT_AGGHIST) || dt_opt_flag(dt, DT_OPT_AGGPACK))
		flags |= DTRACE_A_TOTAL;
	if (dt_opt_flag(dt, DT_OPT_AGGZOOM))
		flags |= DTRACE_A_MINMAXBIN;
	return flags;
}

static void
fill_extent(dtrace_hdl_t *h, const struct plan_agg *pa, dtrace_aggdata_t *data)
{
	struct consume_extent ex =
	    consumer_agg_extent(h->dt->output.consumer, pa);

	if ((data->dtada_flags & DTRACE_A_TOTAL) != 0)
		data->dtada_total = (int64_t)ex.total;
	if ((data->dtada_flags & DTRACE_A_MINMAXBIN) != 0 &&
	    ex.min_bin <= ex.max_bin) {
		data->dtada_minbin = (uint16_t)ex.min_bin;
		data->dtada_maxbin = (uint16_t)ex.max_bin;
	}
	if (ex.has_negatives)
		data->dtada_flags |= DTRACE_A_HASNEGATIVES;
	if (ex.has_positives)
		data->dtada_flags |= DTRACE_A_HASPOSITIVES;
}

/* Allocate the parts of a row besides its data; api_row_fini() frees them. */
static void
fill_more(
    dtrace_hdl_t *h, const struct consume_row *row, dtrace_aggdata_t *data)
{
	uint32_t flags = wanted(h);
	bool has_delta = (flags & DTRACE_A_KEEPDELTA) != 0;

	data->dtada_flags = flags;
	if (has_delta)
		data->dtada_delta = copy_value(
		    row->pa, consumer_row_delta(h->dt->output.consumer, row));
	if ((flags & DTRACE_A_PERCPU) != 0)
		data->dtada_percpu = copy_cpus(h, row, false);
	if (has_delta && (flags & DTRACE_A_PERCPU) != 0)
		data->dtada_percpu_delta = copy_cpus(h, row, true);
	if ((flags & (DTRACE_A_TOTAL | DTRACE_A_MINMAXBIN)) != 0)
		fill_extent(h, row->pa, data);
}

static void
free_cpus(char **cpus)
{
	for (char **cpu = cpus; cpu != NULL && *cpu != NULL; cpu++)
		free(*cpu);
	free(cpus);
}

void
api_row_fini(dtrace_aggdata_t *data)
{
	free(data->dtada_delta);
	free_cpus(data->dtada_percpu);
	free_cpus(data->dtada_percpu_delta);
}
