/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_DT_H
#define LIBDTRACE_DT_H

/*
 * The handle: open, compile, go, work, close.  dtrace(1) is written against
 * this; it will be the base of the published consumer API.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dif/dif.h"
#include "lang/lang.h"
#include "provider/provider.h"

struct dt_hdl;

struct dt_hdl *dt_open(void);
void dt_close(struct dt_hdl *h);

/* The text of the last failure of a call on this handle: one line (or, for
 * compile errors, the rendered diagnostics, which end with a newline). */
const char *dt_errmsg(const struct dt_hdl *h);

/*
 * Options (libdtrace/options.def is the table). Return 0 or -1 with a message
 * that says what is allowed.  A NULL value sets a flag.
 */
int dt_setopt(struct dt_hdl *h, const char *name, const char *value);
/* Unset numeric options give DT_OPT_UNSET. */
#define DT_OPT_UNSET (-2)
int dt_getopt(struct dt_hdl *h, const char *name, int64_t *value);

struct dt_prog;		/* a compiled text; owned by the handle */
struct dt_prog *dt_compile_str(struct dt_hdl *h, const char *text,
    enum lang_pspec spec, unsigned flags, int argc, char *const argv[]);
/* `path` "-" is standard input. */
struct dt_prog *dt_compile_file(struct dt_hdl *h, const char *path,
    unsigned flags, int argc, char *const argv[]);
const struct dif_prog *dt_prog_dif(const struct dt_prog *p);
void dt_prog_dump(struct dt_hdl *h, const struct dt_prog *p, FILE *out);

struct dt_proginfo {
	uint32_t matches;	/* probes matched */
	uint32_t aggregates, recgens;
};
/* Match the program's probes and enable it. 0 or -1 (no probe matched and not
 * -Z, destructive without -w, no permission, ...). */
int dt_prog_exec(struct dt_hdl *h, struct dt_prog *p, struct dt_proginfo *info);

/* Processes of -c and -p. */
int dt_proc_create(struct dt_hdl *h, const char *command);
int dt_proc_grab(struct dt_hdl *h, int pid);
void dt_proc_continue(struct dt_hdl *h);	/* let all -c commands run */

int dt_go(struct dt_hdl *h);
int dt_stop(struct dt_hdl *h);
void dt_sleep(struct dt_hdl *h);
enum dt_work { DT_WORK_ERROR = -1, DT_WORK_OKAY = 0, DT_WORK_DONE = 1 };
enum dt_work dt_work(struct dt_hdl *h, FILE *out);
/* Async-signal-safe: make dt_sleep() return and dt_work() finish. */
void dt_interrupt(struct dt_hdl *h);
int dt_exit_status(struct dt_hdl *h);

int dt_probe_iter(struct dt_hdl *h, const struct dif_pdesc *desc, dt_probe_f *f,
    void *arg);
struct dt_registry *dt_registry(struct dt_hdl *h);

/* --dump=STAGE,...: tokens ast types dif plan bpf. */
int dt_set_dump(struct dt_hdl *h, const char *stages, FILE *out);

#endif
