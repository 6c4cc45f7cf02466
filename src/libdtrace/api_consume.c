/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The published API: running, and handing over what was recorded.
 *
 * The consumer calls the hooks below; they make the published structs and call
 * the program's callbacks.  A callback that ends consuming leaves its code in
 * the handle, and the consumer returns -ECANCELED.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdtrace/api_impl.h"

static enum consume_answer
cancel(dtrace_hdl_t *h, int error)
{
	api_fail(h, error);
	return CONSUME_ABORT;
}

/* The meaning of a callback's return value, if it has one. */
static enum consume_answer
answer_of(dtrace_hdl_t *h, int rc)
{
	switch (rc) {
	case DTRACE_CONSUME_THIS:
		return CONSUME_THIS;
	case DTRACE_CONSUME_NEXT:
		return CONSUME_NEXT;
	case DTRACE_CONSUME_ABORT:
		return cancel(h, EDT_DIRABORT);
	case DTRACE_CONSUME_ERROR:
		/*
		 * the callback failed in a call of this API, which has set the
		 * error
		 */
		return CONSUME_ERROR;
	}
	return cancel(h, EDT_BADRVAL);
}

static enum consume_answer
handled(dtrace_hdl_t *h, int rc, int error)
{
	return rc == DTRACE_HANDLE_OK ? CONSUME_THIS : cancel(h, error);
}

/* ---- records ------------------------------------------------------------ */

/* Fill in the facts shared by all records of one clause and probe. */
static void
describe(dtrace_hdl_t *h, const struct consume_event *ev)
{
	struct api_handing *hg = &h->handing;

	hg->epid = ev->rec->epid;
	hg->image = api_image(h, ev->pc, hg->epid, ev->probe);
	api_pdesc(ev->probe, &hg->pdesc);
}

static void
hand_over(dtrace_hdl_t *h, const struct consume_event *ev)
{
	struct api_handing *hg = &h->handing;

	if (hg->epid != ev->rec->epid)
		describe(h, ev);
	api_image_fill(h, hg->image, ev);
	hg->data = (dtrace_probedata_t){
		.dtpda_handle = h,
		.dtpda_edesc = hg->image->edesc,
		.dtpda_pdesc = &hg->pdesc,
		.dtpda_cpu = (int)ev->rec->cpu,
		.dtpda_data = (char *)hg->image->data,
		.dtpda_flow = (dtrace_flowkind_t)ev->flow,
		.dtpda_prefix = ev->prefix,
		.dtpda_indent = ev->indent,
		.dtpda_timestamp = ev->rec->time_ns,
	};
}

static enum consume_answer
on_record(void *arg, const struct consume_event *ev)
{
	dtrace_hdl_t *h = arg;

	hand_over(h, ev);
	h->data = &h->handing.data;
	h->rec = NULL;
	if (h->probe_f == NULL)
		return CONSUME_THIS;
	return answer_of(h, h->probe_f(h->data, h->consume_arg));
}

static enum consume_answer
on_datum(void *arg, const struct consume_event *ev, size_t i)
{
	dtrace_hdl_t *h = arg;

	h->rec =
	    i < ev->pc->recs.n ? &h->data->dtpda_edesc->dtepd_rec[i] : NULL;
	if (h->rec_f == NULL)
		return CONSUME_NEXT;
	return answer_of(h, h->rec_f(h->data, h->rec, h->consume_arg));
}

static enum consume_answer
on_text(
    void *arg, const char *text, const struct consume_row *row, unsigned flags)
{
	dtrace_hdl_t *h = arg;
	dtrace_bufdata_t bd = { .dtbda_handle = h,
		.dtbda_buffered = text,
		.dtbda_probe = h->data,
		.dtbda_recdesc = h->rec,
		.dtbda_flags = flags };
	dtrace_aggdata_t aggdata;
	char *bytes = NULL;
	int rc;

	if (h->buffered_f == NULL)
		return CONSUME_THIS; /* events are reported, and no text */
	if (row != NULL) {
		aggdata = api_aggdata(h, row, &bytes);
		bd.dtbda_aggdata = &aggdata;
	}
	rc = h->buffered_f(&bd, h->buffered_arg);
	if (row != NULL)
		api_row_fini(&aggdata);
	free(bytes);
	return handled(h, rc, EDT_DIRABORT);
}

static enum consume_answer
on_event(void *arg, struct dtrace_event *ev)
{
	dtrace_hdl_t *h = arg;

	h->rec = NULL;
	ev->dtev_handle = h;
	ev->dtev_probe = h->data;
	return handled(h, h->event_f(ev, h->event_arg), EDT_DIRABORT);
}

/* ---- what happens besides ----------------------------------------------- */

static void
fill_fault(dtrace_hdl_t *h, const struct dt_record *rec, dtrace_errdata_t *ed,
    dtrace_probedesc_t *pdesc)
{
	const struct dt_probe *probe = NULL;
	const struct plan_clause *pc =
	    plan_by_epid(h->dt->plan, rec->err.epid, &probe);

	ed->dteda_cpu = (int)rec->cpu;
	ed->dteda_action = (int)rec->err.action;
	ed->dteda_offset = rec->err.offset;
	ed->dteda_fault = (int)rec->err.fault;
	ed->dteda_addr = rec->err.value;
	if (pc == NULL)
		return;
	api_pdesc(probe, pdesc);
	ed->dteda_pdesc = pdesc;
	h->handing.epid = 0; /* the image may belong to that clause */
	ed->dteda_edesc = api_image(h, pc, rec->err.epid, probe)->edesc;
}

static enum consume_answer
on_fault(void *arg, const struct dt_record *rec, const char *text)
{
	dtrace_hdl_t *h = arg;
	dtrace_probedesc_t pdesc;
	dtrace_errdata_t ed = { .dteda_handle = h,
		.dteda_offset = -1,
		.dteda_fault = DTRACEFLT_LIBRARY,
		.dteda_msg = text,
		.dteda_cpu = DTRACE_CPUALL };

	if (rec != NULL)
		fill_fault(h, rec, &ed, &pdesc);
	else if (h->data != NULL) {
		ed.dteda_cpu = h->data->dtpda_cpu;
		ed.dteda_edesc = h->data->dtpda_edesc;
		ed.dteda_pdesc = h->data->dtpda_pdesc;
	}
	if (h->err_f == NULL) {
		dt_fail(h->dt, "%s", text);
		api_fail_dt(h, EDT_ERRABORT);
		return CONSUME_ABORT;
	}
	return handled(h, h->err_f(&ed, h->err_arg), EDT_ERRABORT);
}

#define DT_DROP(number, NAME, PUBLIC)                                          \
	_Static_assert((number) == DTRACEDROP_##PUBLIC, "<dtrace.h>");
#include "exec/runtime/drops.def"
#undef DT_DROP

static enum consume_answer
on_drop(void *arg, enum dt_drop kind, int cpu, uint64_t n, const char *text)
{
	dtrace_hdl_t *h = arg;
	dtrace_dropdata_t dd = { .dtdda_handle = h,
		.dtdda_cpu = cpu,
		.dtdda_kind = (dtrace_dropkind_t)kind,
		.dtdda_drops = n,
		.dtdda_msg = text };

	/* dtrace_status() reports a full buffer */
	if (kind == DT_DROP_FILLED)
		return CONSUME_THIS;
	h->drop_totals[kind] += n;
	dd.dtdda_total = h->drop_totals[kind];
	if (h->drop_f == NULL) {
		dt_fail(h->dt, "%s", text);
		api_fail_dt(h, EDT_DROPABORT);
		return CONSUME_ABORT;
	}
	return handled(h, h->drop_f(&dd, h->drop_arg), EDT_DROPABORT);
}

static enum consume_answer
on_setopt(void *arg, const char *name, int64_t old, int64_t new)
{
	dtrace_hdl_t *h = arg;
	dtrace_setoptdata_t sd = { .dtsda_handle = h,
		.dtsda_probe = h->data,
		.dtsda_option = name,
		.dtsda_oldval = old,
		.dtsda_newval = new };

	if (h->setopt_f == NULL)
		return CONSUME_THIS;
	return handled(h, h->setopt_f(&sd, h->setopt_arg), EDT_DIRABORT);
}

const struct consume_hooks api_hooks = {
	.record = on_record,
	.datum = on_datum,
	.fault = on_fault,
	.drop = on_drop,
	.setopt = on_setopt,
	.text = on_text,
	.event = on_event,
};

#define HANDLER(name)                                                          \
	int dtrace_handle_##name(                                              \
	    dtrace_hdl_t *h, dtrace_handle_##name##_f *f, void *arg)           \
	{                                                                      \
		if (h->name##_f != NULL)                                       \
			return api_fail(h, EALREADY);                          \
		h->name##_f = f;                                               \
		h->name##_arg = arg;                                           \
		return 0;                                                      \
	}
HANDLER(err)
HANDLER(drop)
HANDLER(setopt)
HANDLER(buffered)
#undef HANDLER

int
dtrace_handle_event(dtrace_hdl_t *h, dtrace_handle_event_f *f, void *arg)
{
	if (h->event_f != NULL)
		return api_fail(h, EALREADY);
	if (h->dt->exec != NULL)
		return api_fail(h, EDT_ACTIVE);
	h->event_f = f;
	h->event_arg = arg;
	h->dt->output.is_typed = true;
	return 0;
}

static void
on_proc(void *arg, size_t i)
{
	dtrace_hdl_t *h = arg;

	h->proc_f(api_proc(i), NULL, h->proc_arg);
}

int
dtrace_handle_proc(dtrace_hdl_t *h, dtrace_handle_proc_f *f, void *arg)
{
	if (h->proc_f != NULL)
		return api_fail(h, EALREADY);
	h->proc_f = f;
	h->proc_arg = arg;
	h->dt->procs.on_end = on_proc;
	h->dt->procs.on_end_arg = h;
	return 0;
}

/* ---- running ------------------------------------------------------------ */

int
dtrace_go(dtrace_hdl_t *h)
{
	if ((h->flags & (DTRACE_O_NODEV | DTRACE_O_NOSYS)) != 0) {
		dt_fail(h->dt, "the handle was opened for compiling only");
		return api_fail_dt(h, EINVAL);
	}
	if (h->dt->exec != NULL)
		return api_fail(h, EDT_ACTIVE);
	if (dt_go(h->dt) != 0)
		return api_fail_dt(
		    h, geteuid() != 0 ? EDT_ACCESS : EDT_ENABLING_ERR);
	return 0;
}

int
dtrace_stop(dtrace_hdl_t *h)
{
	return dt_stop(h->dt) != 0 ? api_fail_dt(h, EIO) : 0;
}

void
dtrace_sleep(dtrace_hdl_t *h)
{
	if (h->dt->exec != NULL)
		dt_sleep(h->dt);
}

static bool
is_filled(const struct dt_hdl *dt)
{
	for (uint32_t cpu = 0; cpu < dt->exec->ncpus; cpu++) {
		if (dt->ops->drops(dt->exec, DT_DROP_FILLED, cpu) != 0)
			return true;
	}
	return false;
}

int
dtrace_status(dtrace_hdl_t *h)
{
	struct dt_hdl *dt = h->dt;

	if (dt->exec == NULL)
		return DTRACE_STATUS_NONE;
	if (dt->end.is_stopped)
		return DTRACE_STATUS_STOPPED;
	if (is_filled(dt))
		return DTRACE_STATUS_FILLED;
	return dt_must_end(dt) ? DTRACE_STATUS_EXITED : DTRACE_STATUS_OKAY;
}

/* Mark the time in which callbacks may run. */
static int
consume_begin(dtrace_hdl_t *h, FILE *fp, dtrace_consume_probe_f *pf,
    dtrace_consume_rec_f *rf, void *arg)
{
	if (h->dt->exec == NULL) {
		dt_fail(h->dt, "tracing has not begun: call dtrace_go() first");
		return api_fail_dt(h, EINVAL);
	}
	if (api_has_no_output(h, fp))
		return api_fail(h, EDT_NOBUFFERED);
	h->probe_f = pf;
	h->rec_f = rf;
	h->consume_arg = arg;
	dt_need_consumer(h->dt, fp);
	consumer_set_out(h->dt->output.consumer, fp);
	return 0;
}

static void
consume_end(dtrace_hdl_t *h)
{
	h->data = NULL;
	h->rec = NULL;
}

int
dtrace_consume(dtrace_hdl_t *h, FILE *fp, dtrace_consume_probe_f *pf,
    dtrace_consume_rec_f *rf, void *arg)
{
	struct dt_hdl *dt = h->dt;
	int rc = 0;

	if (consume_begin(h, fp, pf, rf, arg) != 0)
		return -1;
	if (dt->end.is_stopped)
		rc = dt_end(dt);
	if (rc >= 0)
		rc = consumer_work(dt->output.consumer, &dt->end.status);
	consume_end(h);
	if (rc < 0 && rc != -ECANCELED)
		return api_fail(h, -rc);
	return rc < 0 ? -1 : 0;
}

dtrace_workstatus_t
dtrace_work(dtrace_hdl_t *h, FILE *fp, dtrace_consume_probe_f *pf,
    dtrace_consume_rec_f *rf, void *arg)
{
	enum dt_work rc;

	if (consume_begin(h, fp, pf, rf, arg) != 0)
		return DTRACE_WORKSTATUS_ERROR;
	h->error = 0;
	rc = dt_work(h->dt, fp);
	consume_end(h);
	if (rc == DT_WORK_ERROR && h->error == 0)
		api_fail_dt(h, EDT_FIO);
	return (dtrace_workstatus_t)rc;
}
