/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_PROVIDER_IMPL_H
#define PROVIDER_PROVIDER_IMPL_H

/* What the providers share; for src/provider/ only. */
#include <stdio.h>

#include "provider/provider.h"
#include "provider/ufiles.h"

/*
 * dt_probe.group: probes that may share a program.  The upper byte keeps
 * providers apart; what is below is a number of their own.
 */
enum dt_group_kind {
	DT_GROUP_DTRACE,	/* a place in events[] */
	DT_GROUP_SYSCALL,	/* 0: entries, 1: returns */
	DT_GROUP_CLOCK,		/* id: each profile and tick has its own */
	DT_GROUP_RAWTP,		/* number of arguments */
	DT_GROUP_PID,		/* 2 * process id, + 1: returns */
	DT_GROUP_FBT,		/* 0: entries, 1: returns */
	DT_GROUP_USDT,		/* 2 * process id (0: all), + 1: 32-bit */
	DT_GROUP_COUNTER,	/* id: each event of cpc has its own */
	DT_GROUP_DERIVED,	/* adaption and origins' group, numbered */
};
#define DT_GROUP(kind, n) ((uint32_t)DT_GROUP_##kind << 24 | (uint32_t)(n))

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

/*
 * As dt_registry_add(), for providers with thousands of probes: in a listing, a
 * probe of a fixed range is told and forgotten.
 */
void dt_registry_offer(struct dt_registry *r, const struct dt_probe *tmpl);

/*
 * What a provider knows of the system for as long as the registry lives: made
 * when it is first asked for.
 */
struct dt_keep {
	void *(*create)(struct dt_registry *r);
	void (*destroy)(void *);
};
void *dt_registry_keep(struct dt_registry *r, const struct dt_keep *k);

/* For derived.c: memory that lives as long as the registry, and an id that no
 * listed probe has. */
struct arena *dt_registry_arena(struct dt_registry *r);
uint32_t dt_registry_hidden_id(struct dt_registry *r);

/* A file of tracefs, which need not be mounted; NULL with errno. */
FILE *dt_tracefs_open(const char *name);

/* For match(): keep the reason for dt_registry_match()'s *msg. Returns err. */
int dt_registry_fail(struct dt_registry *r, int err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, with a reason that errors are told apart by.  err 0: there is no
 * such probe; that is no error where none is permitted, or others match. */
int dt_registry_refuse(struct dt_registry *r, enum dt_refusal why, int err,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* For match(): a pattern selects a place that can have no probe.  Both are
 * malloced, and taken. */
void dt_registry_leave_out(struct dt_registry *r, char *what, char *why);

/* Is it known that a process has nothing new? */
bool dt_registry_is_seen(const struct dt_registry *r, pid_t pid);
/* The processes that may have something new; NULL: all. */
const pid_t *dt_registry_focus(const struct dt_registry *r, size_t *n);
/* Files that these processes have mapped; a process may have ended meanwhile. */
const struct dt_new_file *dt_registry_files(
    const struct dt_registry *r, size_t *n);

/* The files of programs that are looked at; made when first asked for. */
struct dt_ufiles *dt_registry_ufiles(struct dt_registry *r);
/*
 * Register a probe of a program, or add to one what sites it does not have yet.
 * tmpl->up says its process; *tmpl->up is copied.
 */
void dt_registry_add_sites(struct dt_registry *r, const struct dt_probe *tmpl,
    const struct dt_usite *sites, size_t n);
/* A probe that nobody can select (DT_PROBE_LOADER). */
const struct dt_probe *dt_registry_loader(struct dt_registry *r, pid_t pid,
    const char *func, const struct dt_usite *site);
/* A library defines that provider, whether it has probes here or not. */
void dt_registry_note_derived(struct dt_registry *r, const char *prov);
bool dt_registry_can_arm(const struct dt_registry *r, enum dt_probe_kind kind,
    const struct dt_code_place *at);
/* Has the provider made any probes on demand? */
bool dt_registry_has(const struct dt_registry *r,
    const struct dt_provider_ops *ops);

#endif
