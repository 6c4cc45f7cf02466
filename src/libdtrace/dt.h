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

#define DT_VERSION_MAJOR 1	/* of the D language: `dtrace -V` */
#define DT_VERSION_MINOR 13

struct dt_hdl;

struct dt_hdl *dt_open(void);
/* Ends tracing and kills what dt_proc_create() started and still runs. */
void dt_close(struct dt_hdl *h);

/* The text of the last failure of a call on this handle: one line (or, for
 * compile errors, the rendered diagnostics, which end with a newline). */
const char *dt_errmsg(const struct dt_hdl *h);

/*
 * When the last failure was of compiling, and option errtags was set: the first
 * error as "[TAG] line N: text"; otherwise "".
 */
const char *dt_errclassic(const struct dt_hdl *h);

/* What the user should hear although nothing failed: whole lines, each with a
 * newline, since the last call; "" when there is nothing. */
const char *dt_notices(struct dt_hdl *h);

/*
 * Options (libdtrace/options.def is the table). Return 0 or -1 with a message
 * that says what is allowed.  A NULL value sets a flag.
 */
int dt_setopt(struct dt_hdl *h, const char *name, const char *value);
/* DTRACE_OPT_<NAME>=value in the environment. 0 or -1. */
int dt_setopt_env(struct dt_hdl *h);
/* Unset numeric options give DT_OPT_UNSET. */
#define DT_OPT_UNSET (-2)
int dt_getopt(struct dt_hdl *h, const char *name, int64_t *value);

struct dt_prog;		/* a compiled text; owned by the handle */
/*
 * Compile, and match the probe descriptions: one that matches nothing is an
 * error unless option zdefs is set.  `flags` are LANG_F_*, beside the options.
 */
struct dt_prog *dt_compile_str(struct dt_hdl *h, const char *text,
    enum lang_pspec spec, unsigned flags, int argc, char *const argv[]);
/* The same of `len` bytes, which may also be DOF. */
struct dt_prog *dt_compile_mem(struct dt_hdl *h, const char *text, size_t len,
    enum lang_pspec spec, unsigned flags, int argc, char *const argv[]);
/* `path` "-" is standard input. */
struct dt_prog *dt_compile_file(struct dt_hdl *h, const char *path,
    unsigned flags, int argc, char *const argv[]);
const struct dif_prog *dt_prog_dif(const struct dt_prog *p);
void dt_prog_dump(struct dt_hdl *h, const struct dt_prog *p, FILE *out);
/*
 * Save all programs as DOF, which dt_compile_file() reads back. 0 or -1.  With
 * option linktype set to dof, probes are not looked up: the program may be for
 * another machine.
 */
int dt_save(struct dt_hdl *h, const char *path);
/*
 * For programs with probes of their own, from the providers that the compiled
 * texts define: the header, whose text names `source`; and the object to link,
 * of so many bits (32, 64; 0: as the program's objects say, which are only
 * read).  Option linktype must be elf.  0 or -1.
 */
int dt_write_header(struct dt_hdl *h, const char *path, const char *source);
int dt_write_object(struct dt_hdl *h, const char *path, int bits,
    char *const *objects, size_t nobjects);
/* Print what a DOF file holds, or an ELF file with DOF in it: 1; 0 when it is
 * neither, -1 when it is malformed or cannot be read. */
int dt_print_file(struct dt_hdl *h, const char *path, FILE *out);
/* Minimum stability of the probe descriptions (dtrace -v). 0 or -1. */
int dt_prog_report(struct dt_hdl *h, const struct dt_prog *p, const char *what,
    FILE *out);
/* Stability, argument types of one probe that desc matches (dtrace -lv). */
void dt_probe_report(const struct dif_pdesc *desc,
    const struct dt_probe *probe, FILE *out);

/* Call f for each probe description in the text, as it was written; stop when
 * f returns nonzero, and return that. */
typedef int dt_pdesc_f(const struct dif_pdesc *desc, void *arg);
int dt_prog_pdesc_iter(const struct dt_prog *p, dt_pdesc_f *f, void *arg);

struct dt_proginfo {
	uint32_t matches;	/* probes matched, over all clauses */
};
/* Enable a program on the probes it matched. 0 or -1 (destructive without -w,
 * ...). */
int dt_prog_exec(struct dt_hdl *h, struct dt_prog *p, struct dt_proginfo *info);

/* Processes of -c and -p. The first one is $target. */
int dt_proc_create(struct dt_hdl *h, const char *command);
/* argv[0] is the file, looked up along PATH. */
int dt_proc_create_argv(struct dt_hdl *h, char *const argv[]);
int dt_proc_grab(struct dt_hdl *h, int pid);
void dt_proc_continue(struct dt_hdl *h);	/* let all -c commands run */

int dt_go(struct dt_hdl *h);
/* No probe but END fires any more; dt_work() does the rest. */
int dt_stop(struct dt_hdl *h);
void dt_sleep(struct dt_hdl *h);
enum dt_work { DT_WORK_ERROR = -1, DT_WORK_OKAY = 0, DT_WORK_DONE = 1 };
/* Print what has arrived to `out` (the same at each call), messages to stderr.
 * When tracing is to end, by exit(), dt_interrupt(), dt_stop() or the end of
 * the last process: stop, print the rest, and return DT_WORK_DONE. */
enum dt_work dt_work(struct dt_hdl *h, FILE *out);
/* Async-signal-safe: make dt_sleep() return and dt_work() finish. */
void dt_interrupt(struct dt_hdl *h);
int dt_exit_status(struct dt_hdl *h);

/*
 * From now on only names and ids of probes matter (or not): those of D libraries
 * are known without compiling these.  What a description selects may then be a
 * probe that enabling refuses, where a library does not fit the kernel's types;
 * so nothing may be enabled.
 */
void dt_list_names(struct dt_hdl *h, bool is_enough);
/* Number of matches, what f returned, or -1.  A probe is there only while f looks
 * at it (dt_registry_list()). */
int dt_probe_iter(struct dt_hdl *h, const struct dif_pdesc *desc, dt_probe_f *f,
    void *arg);
/* What may have been meant by a description that matches nothing: a sentence
 * (malloced), or NULL. */
char *dt_suggest_probe(struct dt_hdl *h, const struct dif_pdesc *desc);
/* The provider that the program says, if it has another name here, which the
 * description has (malloced; alias.def), else NULL. */
char *dt_typed_provider(struct dt_hdl *h, const struct dif_pdesc *desc);
struct dt_registry *dt_registry(struct dt_hdl *h);

/* -v: tell more of what is done, in dt_notices(). */
void dt_set_verbose(struct dt_hdl *h);
/* Add what there is to say about options to the notices: those that have no
 * effect here, and rates beyond the limits. */
void dt_notice_options(struct dt_hdl *h);

/* --dump=STAGE,...: tokens ast types dif dof plan bpf x86. */
int dt_set_dump(struct dt_hdl *h, const char *stages, FILE *out);

#endif
