/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The published API: taking aggregations, walking their rows and printing them.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "libdtrace/api_impl.h"

int
dtrace_aggregate_keep(dtrace_hdl_t *h, uint32_t flags)
{
	uint32_t known = DTRACE_A_PERCPU | DTRACE_A_KEEPDELTA | DTRACE_A_TOTAL |
	    DTRACE_A_MINMAXBIN;

	if ((flags & ~known) != 0)
		return api_fail(h, EINVAL);
	if (h->dt->exec != NULL)
		return api_fail(h, EDT_ACTIVE);
	h->keep = flags;
	h->dt->output.agg_keep =
	    ((flags & DTRACE_A_PERCPU) != 0 ? AGG_KEEP_CPUS : 0) |
	    ((flags & DTRACE_A_KEEPDELTA) != 0 ? AGG_KEEP_DELTA : 0);
	return 0;
}

/* ---- taking ------------------------------------------------------------- */

static int
need_aggs(dtrace_hdl_t *h)
{
	if (h->dt->exec == NULL) {
		dt_fail(h->dt, "tracing has not begun: call dtrace_go() first");
		return api_fail_dt(h, EINVAL);
	}
	dt_need_consumer(h->dt, stdout);
	return 0;
}

int
dtrace_aggregate_snap(dtrace_hdl_t *h)
{
	int rc;

	if (need_aggs(h) != 0)
		return -1;
	rc = consumer_aggs_snap(h->dt->output.consumer);
	return rc < 0 ? api_fail(h, -rc) : 0;
}

void
dtrace_aggregate_clear(dtrace_hdl_t *h)
{
	int rc =
	    need_aggs(h) == 0 ? consumer_aggs_clear(h->dt->output.consumer) : 0;

	if (rc < 0)
		api_fail(h, -rc);
}

/* ---- walking ------------------------------------------------------------ */

/*
 * Carry out the callback's answer for the row.  Returns 0, or -1 to end the
 * walk.
 */
static int
take_answer(dtrace_hdl_t *h, int rc, const dtrace_aggdata_t *data,
    struct consume_row *row)
{
	switch (rc) {
	case DTRACE_AGGWALK_NEXT:
		return 0;
	case DTRACE_AGGWALK_CLEAR:
		row->change = ROW_CLEAR;
		return 0;
	case DTRACE_AGGWALK_REMOVE:
		row->change = ROW_REMOVE;
		return 0;
	case DTRACE_AGGWALK_DENORMALIZE:
		row->new_normal = 1;
		return 0;
	case DTRACE_AGGWALK_NORMALIZE:
		if (data->dtada_normal == 0)
			return api_fail(h, EDT_BADNORMAL);
		row->new_normal = data->dtada_normal;
		return 0;
	case DTRACE_AGGWALK_ABORT:
		return api_fail(h, EDT_DIRABORT);
	case DTRACE_AGGWALK_ERROR:
		return -1; /* the call that failed has set the code */
	}
	return api_fail(h, EDT_BADRVAL);
}

static int
walk_rows(dtrace_hdl_t *h, struct consume_row *rows, size_t n,
    dtrace_aggregate_f *f, void *arg)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		char *bytes;
		dtrace_aggdata_t data = api_aggdata(h, &rows[i], &bytes);

		h->row = &rows[i];
		rc = take_answer(h, f(&data, arg), &data, &rows[i]);
		api_row_fini(&data);
		free(bytes);
	}
	h->row = NULL;
	return rc;
}

static int
walk(dtrace_hdl_t *h, enum consume_order order, bool is_reverse,
    dtrace_aggregate_f *f, void *arg)
{
	struct consume_row *rows;
	size_t n;
	int rc, applied;

	if (need_aggs(h) != 0)
		return -1;
	rc =
	    consumer_rows(h->dt->output.consumer, order, is_reverse, &rows, &n);
	if (rc < 0)
		return api_fail(h, -rc);
	rc = walk_rows(h, rows, n, f, arg);
	applied = consumer_rows_apply(h->dt->output.consumer, rows, n);
	free(rows);
	return applied < 0 ? api_fail(h, -applied) : rc;
}

#define WALK(name, order, is_reverse)                                          \
	int dtrace_aggregate_walk##name(                                       \
	    dtrace_hdl_t *h, dtrace_aggregate_f *f, void *arg)                 \
	{                                                                      \
		return walk(h, order, is_reverse, f, arg);                     \
	}
WALK(, ORDER_NONE, false)
WALK(_sorted, ORDER_OPTIONS, false)
WALK(_keysorted, ORDER_VAR_KEY, false)
WALK(_valsorted, ORDER_VAR_VALUE, false)
WALK(_keyrevsorted, ORDER_VAR_KEY, true)
WALK(_valrevsorted, ORDER_VAR_VALUE, true)
WALK(_keyvarsorted, ORDER_KEY_VAR, false)
WALK(_valvarsorted, ORDER_VALUE_VAR, false)
WALK(_keyvarrevsorted, ORDER_KEY_VAR, true)
WALK(_valvarrevsorted, ORDER_VALUE_VAR, true)
#undef WALK

/* ---- several together --------------------------------------------------- */

/*
 * data[0] has the keys, from the first row that exists; data[1 ...] the values.
 * The callback cannot change a joined row.
 */
static int
hand_line(dtrace_hdl_t *h, struct consume_row *rows, size_t naggs,
    dtrace_aggregate_walk_joined_f *f, void *arg)
{
	dtrace_aggdata_t *datas = mem_alloc((naggs + 1) * sizeof(*datas));
	const dtrace_aggdata_t **ptrs =
	    mem_alloc((naggs + 1) * sizeof(const dtrace_aggdata_t *));
	char **bytes = mem_alloc((naggs + 1) * sizeof(*bytes));
	size_t first = 0;
	int rc;

	while (first + 1 < naggs && rows[first].key == NULL)
		first++;
	for (size_t i = 0; i <= naggs; i++) {
		datas[i] =
		    api_aggdata(h, &rows[i == 0 ? first : i - 1], &bytes[i]);
		ptrs[i] = &datas[i];
	}
	rc = f(ptrs, naggs == 1 ? 1 : (int)naggs + 1, arg);
	if (rc > DTRACE_AGGWALK_ABORT)
		rc = api_fail(h, EDT_BADRVAL);
	else
		rc = take_answer(h, rc, &datas[0], &rows[first]);
	for (size_t i = 0; i <= naggs; i++) {
		api_row_fini(&datas[i]);
		free(bytes[i]);
	}
	free(bytes);
	free(ptrs);
	free(datas);
	return rc;
}

static int
walk_lines(dtrace_hdl_t *h, const uint32_t *ids, size_t naggs,
    dtrace_aggregate_walk_joined_f *f, void *arg)
{
	struct consume_row *rows;
	size_t nlines;
	int rc = consumer_joined_rows(
	    h->dt->output.consumer, ids, naggs, &rows, &nlines);

	if (rc < 0)
		return api_fail(h, -rc);
	for (size_t i = 0; i < nlines && rc == 0; i++)
		rc = hand_line(h, rows + i * naggs, naggs, f, arg);
	free(rows);
	return rc;
}

int
dtrace_aggregate_walk_joined(dtrace_hdl_t *h, dtrace_aggvarid_t *varids,
    int nvarids, dtrace_aggregate_walk_joined_f *f, void *arg)
{
	uint32_t *ids;
	int rc;

	if (need_aggs(h) != 0)
		return -1;
	if (nvarids <= 0)
		return api_fail(h, EINVAL);
	for (int i = 0; i < nvarids; i++) {
		if (varids[i] < 1 || (uint64_t)varids[i] > h->dt->plan->aggs.n)
			return api_fail(h, EDT_BADAGGVAR);
	}
	ids = mem_alloc((size_t)nvarids * sizeof(*ids));
	for (int i = 0; i < nvarids; i++)
		ids[i] = (uint32_t)varids[i];
	rc = walk_lines(h, ids, (size_t)nvarids, f, arg);
	free(ids);
	return rc;
}

int
dtrace_aggregate_event(const dtrace_aggdata_t *row)
{
	dtrace_hdl_t *h = row->dtada_handle;
	int rc;

	if (h->row == NULL || h->event_f == NULL ||
	    row->dtada_desc->dtagd_id != h->row->pa->agg->id)
		return api_fail(h, EINVAL);
	rc = consumer_row_tell(h->dt->output.consumer, h->row);
	if (rc < 0 && rc != -ECANCELED)
		return api_fail(h, -rc);
	return rc < 0 ? -1 : 0;
}

/* ---- printing ----------------------------------------------------------- */

struct api_agg_printing {
	dtrace_hdl_t *h;
	VEC(struct consume_row) rows;
};

static int
collect_row(const dtrace_aggdata_t *data, void *arg)
{
	struct api_agg_printing *pr = arg;

	(void)data;
	VEC_PUSH(&pr->rows, *pr->h->row);
	return DTRACE_AGGWALK_NEXT;
}

int
dtrace_aggregate_print(
    dtrace_hdl_t *h, FILE *fp, dtrace_aggregate_walk_f *walk_f)
{
	struct api_agg_printing pr = { .h = h };
	int rc;

	if (api_has_no_output(h, fp))
		return api_fail(h, EDT_NOBUFFERED);
	if (walk_f == NULL)
		walk_f = dtrace_aggregate_walk_sorted;
	if (walk_f(h, collect_row, &pr) != 0) {
		VEC_FREE(&pr.rows);
		return -1;
	}
	consumer_set_out(h->dt->output.consumer, fp);
	rc = consumer_rows_print(h->dt->output.consumer, pr.rows.v, pr.rows.n);
	VEC_FREE(&pr.rows);
	if (rc < 0 && rc != -ECANCELED)
		return api_fail(h, -rc);
	return rc < 0 ? -1 : 0;
}
