/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/err.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static char *__attribute__((format(printf, 1, 0)))
format(const char *fmt, va_list ap)
{
	struct strbuf sb = { 0 };

	strbuf_vprintf(&sb, fmt, ap);
	return strbuf_steal(&sb);
}

int
err_take(struct err *err, int code, char *text)
{
	char *old = err->text;

	err->code = code;
	err->text = text;
	free(old);
	return code;
}

/* The arguments may point into the text that is replaced. */
int
err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = format(fmt, ap);
	va_end(ap);
	return err_take(err, code, text);
}

int
err_prefix(struct err *err, const char *fmt, ...)
{
	char *prefix;
	va_list ap;

	assert(err_is_set(err));
	va_start(ap, fmt);
	prefix = format(fmt, ap);
	va_end(ap);
	err_set(err, err->code, "%s: %s", prefix, err_text(err));
	free(prefix);
	return err->code;
}

int
err_move(struct err *to, struct err *from)
{
	int code = err_take(to, from->code, from->text);

	*from = (struct err){ 0 };
	return code;
}

int
err_default(struct err *err, int code)
{
	return err_is_set(err) ? code : err_take(err, code, NULL);
}

bool
err_is_set(const struct err *err)
{
	return err->code != 0 || err->text != NULL;
}

const char *
err_text(const struct err *err)
{
	if (err->text != NULL)
		return err->text;
	return err->code != 0 ? strerror(-err->code) : "";
}

char *
err_steal(struct err *err)
{
	char *text = err->text != NULL ? err->text : mem_strdup(err_text(err));

	*err = (struct err){ 0 };
	return text;
}

void
err_clear(struct err *err)
{
	free(err->text);
	*err = (struct err){ 0 };
}
