/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_PROVIDER_IMPL_H
#define PROVIDER_PROVIDER_IMPL_H

/* What the providers share; for src/provider/ only. */
#include "provider/provider.h"

/* dt_probe.group: one per program that makes probes fire. */
enum dt_group {
	DT_GROUP_BEGIN,
	DT_GROUP_END,
	DT_GROUP_ERROR,
	DT_GROUP_SYS_ENTER,
	DT_GROUP_SYS_EXIT,
	DT_GROUP_CLOCK = 8,	/* + id: each profile and tick has its own */
};

/*
 * Does the description select this probe?  By number if it has one, by the
 * patterns of its four fields otherwise.  tmpl->id 0 (not registered yet) is
 * selected by no number.
 */
bool dt_pdesc_match(const struct dif_pdesc *desc, const struct dt_probe *tmpl);

/* A field of a description, which may be NULL or empty (both match all). */
bool dt_field_match(const char *pattern, const char *name);
bool dt_field_is(const char *pattern, const char *name);
/* Says all: every name matches. */
bool dt_field_is_empty(const char *pattern);

/* For match(): keep the reason for dt_registry_match()'s *msg. Returns err. */
int dt_registry_fail(struct dt_registry *r, int err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
