/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * label("name"): a label of this host (option fleetlabel), or of the host that
 * made the recording that a query reads.
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "libdtrace/dt_impl.h"

/* The first entry counts: a script's pragma replaces none of dtraced's. */
static const char *
own_label(const struct dt_hdl *h, const char *name)
{
	size_t len = strlen(name);

	VEC_FOREACH(&h->opts.vals[DT_OPT_FLEETLABEL].strs, text) {
		if (strncmp(*text, name, len) == 0 && (*text)[len] == '=')
			return *text + len + 1;
	}
	return "";
}

static const char *
recorded_label(const struct record *r, const char *name)
{
	const struct record_label *l;

	for (size_t i = 0; (l = record_label(r, i)) != NULL; i++) {
		if (strcmp(l->name, name) == 0)
			return l->value;
	}
	return "";
}

/* A constant cannot be two values. */
static const char *
common_label(const struct dt_hdl *h, const char *name, struct err *err)
{
	const struct dt_tape *first = &h->replay.tapes.v[0];
	const char *value = recorded_label(first->file, name);

	VEC_FOREACH(&h->replay.tapes, t) {
		const char *other = recorded_label(t->file, name);

		if (strcmp(value, other) == 0)
			continue;
		(void)err_set(err, -EINVAL,
		    "label(\"%s\") is \"%s\" in %s, and \"%s\" in %s: ask each "
		    "recording alone, or use host",
		    name, value, first->path, other, t->path);
		return NULL;
	}
	return value;
}

const char *
dt_label(void *ctx, const char *name, struct err *err)
{
	const struct dt_hdl *h = ctx;

	return dt_is_query(h) ? common_label(h, name, err) : own_label(h, name);
}
