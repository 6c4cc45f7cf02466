/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The published API: formats outside of a program, and the actions that take
 * them.
 *
 * A record's description comes from the caller: offsets and sizes are checked
 * against the given bytes before anything is read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "fmt/fmt.h"
#include "libdtrace/api_impl.h"

/* ---- formats ------------------------------------------------------------ */

static bool
shows_agg(const struct pf_format *pf)
{
	VEC_FOREACH(&pf->convs, pc) {
		if (pc->aggval)
			return true;
	}
	return false;
}

struct api_format *
api_format(dtrace_hdl_t *h, const char *text, bool is_printa)
{
	struct api_format *af;
	struct pf_format *pf;
	const char *tag;
	struct err err = { 0 };

	pf = pf_parse(text, &tag, &err);
	if (pf == NULL) {
		dt_fail_err(h->dt, &err);
		api_fail_dt(h, EDT_COMPILER);
		return NULL;
	}
	if (!is_printa && shows_agg(pf)) {
		pf_destroy(pf);
		dt_fail(h->dt, "@ in a conversion is for printa(): '%s'", text);
		api_fail_dt(h, EDT_COMPILER);
		return NULL;
	}
	af = mem_alloc(sizeof(*af));
	af->text = mem_strdup(text);
	af->pf = pf;
	af->is_printa = is_printa;
	VEC_PUSH(&h->formats, af);
	return af;
}

void
api_formats_fini(dtrace_hdl_t *h)
{
	VEC_FOREACH(&h->formats, af) {
		pf_destroy((*af)->pf);
		free((*af)->text);
		free(*af);
	}
	VEC_FREE(&h->formats);
}

void *
dtrace_printf_create(dtrace_hdl_t *h, const char *format)
{
	return api_format(h, format, false);
}

void *
dtrace_printa_create(dtrace_hdl_t *h, const char *format)
{
	return api_format(h, format, true);
}

size_t
dtrace_printf_format(dtrace_hdl_t *h, void *format, char *buf, size_t size)
{
	const struct api_format *af = format;

	(void)h;
	return (size_t)snprintf(buf, size, "%s", af->text);
}

/* ---- data --------------------------------------------------------------- */

/* The bytes of a record; NULL after api_fail(). */
static const void *
rec_data(
    dtrace_hdl_t *h, const dtrace_recdesc_t *rec, const void *buf, size_t len)
{
	uint32_t align = rec->dtrd_alignment;

	if (align == 0 || (align & (align - 1)) != 0 ||
	    rec->dtrd_offset % align != 0) {
		api_fail(h, EDT_DALIGN);
		return NULL;
	}
	if (rec->dtrd_offset > len || rec->dtrd_size > len - rec->dtrd_offset) {
		api_fail(h, EDT_DOFFSET);
		return NULL;
	}
	return (const char *)buf + rec->dtrd_offset;
}

static int
take_values(dtrace_hdl_t *h, const struct pf_format *pf,
    const dtrace_recdesc_t *recs, const void *buf, size_t len,
    struct consume_value *vals)
{
	for (size_t i = 0; i < consumer_format_nvalues(pf); i++) {
		vals[i] = (struct consume_value){ .kind = recs[i].dtrd_action,
			.size = recs[i].dtrd_size,
			.arg = recs[i].dtrd_arg,
			.data = rec_data(h, &recs[i], buf, len) };
		if (vals[i].data == NULL)
			return -1;
		if (!consumer_format_fits(pf, i, &vals[i]))
			return api_fail(h, EDT_BADCONV);
	}
	return 0;
}

/* Append the text; returns the number of records used, or -1. */
static int
render(dtrace_hdl_t *h, void *format, const dtrace_recdesc_t *recs,
    unsigned int nrecs, const void *buf, size_t len, bool has_escapes,
    struct strbuf *out)
{
	const struct api_format *af = format;
	size_t n = consumer_format_nvalues(af->pf);
	struct consume_value *vals;
	int rc;

	if (af->is_printa)
		return api_fail(h, EINVAL);
	if (n > nrecs)
		return api_fail(h, EDT_DMISMATCH);
	vals = mem_alloc((n + 1) * sizeof(*vals));
	rc = take_values(h, af->pf, recs, buf, len, vals);
	if (rc == 0)
		consumer_format(
		    dt_formatter(h->dt), af->pf, vals, has_escapes, out);
	free(vals);
	return rc == 0 ? (int)n : -1;
}

/* Text, to a file or the handler of buffered text. */
static int
put_text(dtrace_hdl_t *h, FILE *fp, const struct strbuf *text)
{
	dtrace_bufdata_t bd = { .dtbda_handle = h,
		.dtbda_buffered = text->len != 0 ? text->s : "",
		.dtbda_probe = h->data,
		.dtbda_recdesc = h->rec };

	if (fp != NULL)
		return fwrite(bd.dtbda_buffered, 1, text->len, fp) ==
			text->len ?
		    0 :
		    api_fail(h, EDT_FIO);
	if (h->buffered_f == NULL)
		return api_fail(h, EDT_NOBUFFERED);
	if (h->buffered_f(&bd, h->buffered_arg) != DTRACE_HANDLE_OK)
		return api_fail(h, EDT_DIRABORT);
	return 0;
}

/* ---- the actions -------------------------------------------------------- */

int
dtrace_fprintf(dtrace_hdl_t *h, FILE *fp, void *format,
    const dtrace_probedata_t *data, const dtrace_recdesc_t *recs,
    unsigned int nrecs, const void *buf, size_t len)
{
	struct strbuf text = { 0 };
	int n = render(h, format, recs, nrecs, buf, len,
	    consumer_has_escapes(dt_formatter(h->dt), fp), &text);

	(void)data;
	if (n >= 0 && put_text(h, fp, &text) != 0)
		n = -1;
	strbuf_fini(&text);
	return n;
}

/* The aggregation that a printa()'s datum names, or 0. */
static uint32_t
agg_id(const dtrace_hdl_t *h, const dtrace_recdesc_t *rec)
{
	return rec->dtrd_arg <= h->dt->plan->aggs.n ? (uint32_t)rec->dtrd_arg :
						      0;
}

/* Data of one printa(): aggregations with the same format are adjacent. */
static int
take_ids(dtrace_hdl_t *h, const dtrace_recdesc_t *recs, unsigned int nrecs,
    uint32_t *ids)
{
	unsigned int n = 0;

	while (n < nrecs && recs[n].dtrd_action == DTRACEACT_PRINTA &&
	    recs[n].dtrd_format == recs[0].dtrd_format &&
	    (n == 0 || recs[0].dtrd_format != 0)) {
		ids[n] = agg_id(h, &recs[n]);
		if (ids[n++] == 0)
			return api_fail(h, EDT_BADAGGVAR);
	}
	return n != 0 ? (int)n : api_fail(h, EDT_DMISMATCH);
}

int
dtrace_fprinta(dtrace_hdl_t *h, FILE *fp, void *format,
    const dtrace_probedata_t *data, const dtrace_recdesc_t *recs,
    unsigned int nrecs, const void *buf, size_t len)
{
	const struct api_format *af = format;
	uint32_t *ids;
	int n, rc;

	(void)data;
	(void)buf;
	(void)len;
	if (h->dt->exec == NULL || (af != NULL && !af->is_printa))
		return api_fail(h, EINVAL);
	if (fp == NULL && h->buffered_f == NULL)
		return api_fail(h, EDT_NOBUFFERED);
	ids = mem_alloc((nrecs + 1) * sizeof(*ids));
	n = take_ids(h, recs, nrecs, ids);
	if (n > 0) {
		dt_need_consumer(h->dt, fp != NULL ? fp : stdout);
		consumer_set_out(h->dt->output.consumer, fp);
		rc = consumer_format_aggs(h->dt->output.consumer,
		    af != NULL ? af->pf : NULL, ids, (size_t)n);
		if (rc < 0)
			n = rc == -ECANCELED ? -1 : api_fail(h, -rc);
	}
	free(ids);
	return n;
}

/* The name of a command or file; -1 unless destructive actions are allowed. */
static int
render_name(dtrace_hdl_t *h, void *format, const dtrace_recdesc_t *recs,
    unsigned int nrecs, const void *buf, size_t len, struct strbuf *out)
{
	if (!dt_opt_flag(h->dt, DT_OPT_DESTRUCTIVE))
		return api_fail(h, EDT_DESTRUCTIVE);
	return render(h, format, recs, nrecs, buf, len, false, out);
}

int
dtrace_system(dtrace_hdl_t *h, FILE *fp, void *format,
    const dtrace_probedata_t *data, const dtrace_recdesc_t *recs,
    unsigned int nrecs, const void *buf, size_t len)
{
	struct strbuf command = { 0 };
	int n = render_name(h, format, recs, nrecs, buf, len, &command);

	(void)data;
	if (n >= 0 && fp != NULL)
		fflush(fp);
	if (n >= 0 && command.len != 0 && system(command.s) == -1)
		n = api_fail(h, errno);
	strbuf_fini(&command);
	return n;
}

/* Make the descriptor of fp refer to another file, or restore it. */
static int
turn_file(dtrace_hdl_t *h, FILE *fp, const char *name)
{
	bool is_back = strcmp(name, ".") == 0;
	int fd = is_back ?
	    h->saved_out :
	    open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	int rc;

	if (fd < 0)
		return is_back ? 0 : api_fail(h, errno);
	if (h->saved_out < 0)
		h->saved_out = fcntl(fileno(fp), F_DUPFD_CLOEXEC, 3);
	fflush(fp);
	rc = h->saved_out < 0 || dup2(fd, fileno(fp)) < 0 ? api_fail(h, errno) :
							    0;
	if (!is_back)
		close(fd);
	return rc;
}

int
dtrace_freopen(dtrace_hdl_t *h, FILE *fp, void *format,
    const dtrace_probedata_t *data, const dtrace_recdesc_t *recs,
    unsigned int nrecs, const void *buf, size_t len)
{
	struct strbuf name = { 0 };
	int n = render_name(h, format, recs, nrecs, buf, len, &name);

	(void)data;
	if (n >= 0 && (fp == NULL || fileno(fp) < 0 || name.len == 0))
		n = api_fail(h, EINVAL);
	if (n >= 0 && turn_file(h, fp, name.s) != 0)
		n = -1;
	strbuf_fini(&name);
	return n;
}

int
dtrace_print(
    dtrace_hdl_t *h, FILE *fp, const char *type, const void *addr, size_t len)
{
	struct ctf_type *t = dt_compile_type(h->dt, type);
	struct strbuf text = { 0 };
	int rc;

	if (t == NULL)
		return api_fail_dt(h, EDT_NOTYPE);
	if (len > UINT32_MAX)
		return api_fail(h, EINVAL);
	consumer_format_type(dt_formatter(h->dt), t, addr, len, &text);
	rc = put_text(h, fp, &text);
	strbuf_fini(&text);
	return rc == 0 ? 1 : -1;
}
