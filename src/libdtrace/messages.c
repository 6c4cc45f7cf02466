/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of the handle: the last error, notices, and lines of option debug.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"

/*
 * Messages contain names of files and functions, which the traced program may
 * have chosen to contain control sequences of a terminal.
 */
static void __attribute__((format(printf, 3, 0)))
add_message(struct strbuf *to, const char *keep, const char *fmt, va_list ap)
{
	struct strbuf sb = { 0 };
	char *text;

	strbuf_vprintf(&sb, fmt, ap);
	text = strbuf_steal(&sb);
	strbuf_add_plain(to, text, keep);
	free(text);
}

int
dt_fail(struct dt_hdl *h, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	va_start(ap, fmt);
	add_message(&sb, "\n\t", fmt, ap); /* messages of the kernel may have
					    * several lines */
	va_end(ap);
	strbuf_fini(&h->messages.error);
	h->messages.error = sb;
	strbuf_reset(&h->messages.classic);
	dt_forget_diags(h);
	return -1;
}

void
dt_forget_diags(struct dt_hdl *h)
{
	VEC_FOREACH(&h->messages.diags, d) {
		free(d->file);
		free(d->msg);
		free(d->hint);
	}
	VEC_FREE(&h->messages.diags);
}

int
dt_fail_err(struct dt_hdl *h, struct err *err)
{
	dt_fail(h, "%s", err_text(err));
	err_clear(err);
	return -1;
}

const char *
dt_errmsg(const struct dt_hdl *h)
{
	return h->messages.error.s != NULL ? h->messages.error.s : "";
}

bool
dt_err_has_tag(const struct dt_hdl *h, const char *tag)
{
	VEC_FOREACH(&h->messages.diags, d) {
		if (d->tag != NULL && strcmp(d->tag, tag) == 0)
			return true;
	}
	return false;
}

const char *
dt_errclassic(const struct dt_hdl *h)
{
	return h->messages.classic.len != 0 ? h->messages.classic.s : "";
}

void
dt_notice(struct dt_hdl *h, const char *fmt, ...)
{
	struct strbuf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	add_message(&text, "", fmt, ap);
	va_end(ap);
	strbuf_addc(&text, '\0');
	if (h->recorder != NULL)
		tape_recorder_notice(h->recorder, text.s);
	strbuf_adds(&h->messages.notices, "dtrace: ");
	strbuf_adds(&h->messages.notices, text.s);
	strbuf_addc(&h->messages.notices, '\n');
	strbuf_fini(&text);
}

const char *
dt_notices(struct dt_hdl *h)
{
	strbuf_fini(&h->messages.shown_notices);
	h->messages.shown_notices = h->messages.notices;
	memset(&h->messages.notices, 0, sizeof(h->messages.notices));
	return h->messages.shown_notices.s != NULL ?
	    h->messages.shown_notices.s :
	    "";
}

void
dt_log(struct dt_hdl *h, const char *fmt, ...)
{
	va_list ap;

	if (!dt_opt_flag(h, DT_OPT_DEBUG))
		return;
	fprintf(stderr, "dtrace: debug: %10.3f ms: ",
	    (double)(now_ns() - h->opened_ns) / 1000000);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}
