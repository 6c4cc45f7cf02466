/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_PROVIDER_IMPL_H
#define PROVIDER_PROVIDER_IMPL_H

/* What the providers share; for src/provider/ only. */
#include "provider/provider.h"
#include "provider/ufiles.h"

/* dt_probe.group: one per program that makes probes fire. */
enum dt_group {
	DT_GROUP_BEGIN,
	DT_GROUP_END,
	DT_GROUP_ERROR,
	DT_GROUP_SYS_ENTER,
	DT_GROUP_SYS_EXIT,
	DT_GROUP_CLOCK = 8,	/* + id: each profile and tick has its own */
	DT_GROUP_PID = 1 << 28,	/* + 2 * process id + whether it returns */
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

/* The same, with a reason that errors are told apart by.  err 0: there is no
 * such probe; that is no error where none is permitted, or others match. */
int dt_registry_refuse(struct dt_registry *r, enum dt_refusal why, int err,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The files of programs that are looked at; made when first asked for. */
struct dt_ufiles *dt_registry_ufiles(struct dt_registry *r);
/*
 * Register a probe of a program, or add to one what sites it does not have yet.
 * tmpl->up says its process; *tmpl->up is copied.
 */
void dt_registry_add_sites(struct dt_registry *r, const struct dt_probe *tmpl,
    const struct dt_usite *sites, size_t n);
/* Has the provider made any probes on demand? */
bool dt_registry_has(const struct dt_registry *r,
    const struct dt_provider_ops *ops);

#endif
