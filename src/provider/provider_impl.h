/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_PROVIDER_IMPL_H
#define PROVIDER_PROVIDER_IMPL_H

/* Declarations that the providers share; for src/provider/ only. */
#include <stdio.h>

#include "base/mem.h"
#include "provider/provider.h"
#include "provider/ufiles.h"

/*
 * dt_probe.group: probes that may share a program.  The upper byte keeps
 * providers apart; the lower bits are a number that the provider gives.
 */
enum dt_group_kind {
	DT_GROUP_DTRACE,  /* a place in events[] */
	DT_GROUP_SYSCALL, /* 0: entries, 1: returns */
	DT_GROUP_CLOCK,	  /* id: each profile and tick has its own */
	DT_GROUP_RAWTP,	  /* number of arguments */
	DT_GROUP_PID,	  /* 2 * process id, + 1: returns */
	DT_GROUP_FBT,	  /* 0: entries, 1: returns */
	DT_GROUP_USDT,	  /* 2 * process id (0: all), + 1: 32-bit */
	DT_GROUP_COUNTER, /* id: each event of cpc has its own */
	DT_GROUP_DERIVED, /* steps and their origins' group, numbered */
	/* probes of a process and its descendants */
	DT_GROUP_PID_FAMILY,  /* 4 * process id, + 2: 32-bit, + 1: returns */
	DT_GROUP_USDT_FAMILY, /* 2 * process id, + 1: 32-bit */
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
/* Does every name match the pattern? */
bool dt_field_is_empty(const char *pattern);

/*
 * As dt_registry_add(), for providers with thousands of probes: in a listing, a
 * probe of a fixed range is listed and forgotten.
 */
void dt_registry_offer(struct dt_registry *r, const struct dt_probe *tmpl);

/*
 * A provider's own data about the system: made on first use, kept as long as
 * the registry lives.
 */
struct dt_keep {
	void *(*create)(struct dt_registry *r);
	void (*destroy)(void *);
};
void *dt_registry_keep(struct dt_registry *r, const struct dt_keep *k);

/* For derived.c: memory that lives as long as the registry; an id of no listed
 * probe. */
struct arena *dt_registry_arena(struct dt_registry *r);
uint32_t dt_registry_hidden_id(struct dt_registry *r);

/* A file of tracefs, which need not be mounted; NULL with errno. */
FILE *dt_tracefs_open(const char *name);
/*
 * Why dt_tracefs_open() failed with this error (malloced): tracefs is not
 * mounted, and we may not mount it.  NULL: for another reason.
 */
char *dt_tracefs_refusal(int err);

/* For match(): keep the reason for dt_registry_match()'s error. Returns err. */
int dt_registry_fail(struct dt_registry *r, int err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* As dt_registry_fail(), with the error's tag in `why`.  err 0: there is no
 * such probe; that is no error if others match, or if none is permitted. */
int dt_registry_refuse(struct dt_registry *r, enum dt_refusal why, int err,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* For match(): a pattern selects a place that can have no probe.  Takes `what`
 * and `why` (malloced). */
void dt_registry_leave_out(struct dt_registry *r, char *what, char *why);

/* Has the process nothing new for certain? */
bool dt_registry_is_seen(const struct dt_registry *r, pid_t pid);
/* The processes that may have something new; NULL: all. */
const pid_t *dt_registry_focus(const struct dt_registry *r, size_t *n);
/*
 * Files that these processes have mapped; a process may have ended meanwhile.
 */
const struct dt_new_file *dt_registry_files(
    const struct dt_registry *r, size_t *n);
/* Its mapping, as far as it is known. */
struct proc_map dt_new_file_map(const struct dt_new_file *f);

/* The opened files of programs; made on first use. */
struct dt_ufiles *dt_registry_ufiles(struct dt_registry *r);
/*
 * Register a probe of a program, or add new sites to a registered one.
 * tmpl->up has its process; *tmpl->up is copied.  The sites of a probe of all
 * processes are in one file.
 */
void dt_registry_add_sites(struct dt_registry *r, const struct dt_probe *tmpl,
    const struct dt_usite *sites, size_t n);
/* A probe that no description selects (DT_PROBE_LOADER).  `pid` 0: the one of
 * this site in all processes. */
const struct dt_probe *dt_registry_loader(struct dt_registry *r, pid_t pid,
    const char *func, const struct dt_usite *site);
/* Note that a library defines that provider, with or without probes here. */
void dt_registry_note_derived(struct dt_registry *r, const char *prov);
bool dt_registry_can_arm(const struct dt_registry *r, enum dt_probe_kind kind,
    const struct dt_code_place *at);
/* Has the provider made any probes on demand? */
bool dt_registry_has(
    const struct dt_registry *r, const struct dt_provider_ops *ops);

#endif
