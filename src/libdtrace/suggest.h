/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_SUGGEST_H
#define LIBDTRACE_SUGGEST_H

/*
 * Ways to find what a description that matches no probe could mean.  Each
 * returns a malloced hint, or NULL.
 */
#include "libdtrace/dt_impl.h"

#define DT_NFIELDS 4
extern const char *const dt_field_names[DT_NFIELDS];

/* Does a provider answer to the pattern? */
bool dt_provider_exists(struct dt_hdl *h, const char *pattern);
/* Append a name to a list in a struct strbuf, `arg`: a dt_name_f. */
void dt_suggest_add_name(const char *name, void *arg);

/* All words are spelt right: move as few as possible to other fields. */
char *dt_suggest_fields(struct dt_hdl *h, const struct dif_pdesc *desc);
/* The last two words may be one name: tick:1s, proc:signal:send. */
char *dt_suggest_dash(struct dt_hdl *h, const struct dif_pdesc *desc);
/* tick-1x, tick1s and tick_1s. */
char *dt_suggest_clock(const struct dif_pdesc *desc);
/* The system call of a function of the C library. */
char *dt_suggest_call(struct dt_hdl *h, const struct dif_pdesc *desc);
/* Descriptions of bpftrace, and events of perf. */
char *dt_suggest_habit(const struct dif_pdesc *desc);
/* The fields of the nearest probe where the description differs. */
char *dt_suggest_nearest(struct dt_hdl *h, const struct dif_pdesc *desc);
/* A probe that the provider has on other systems. */
char *dt_suggest_missing(struct dt_hdl *h, const struct dif_pdesc *desc);
/* The values that can replace the last wrong word. */
char *dt_suggest_values(struct dt_hdl *h, const struct dif_pdesc *desc);

#endif
