/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_DT_H
#define LIBDTRACE_DT_H

/*
 * The handle: open, compile, go, work, close. dtrace(8) and the published API
 * (include/dtrace.h) are written against it.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"
#include "dif/prog.h"
#include "lang/lang.h"
#include "provider/provider.h"

#define DT_VERSION_MAJOR 1 /* of the D language: `dtrace -V` */
#define DT_VERSION_MINOR 13

struct dt_hdl;

struct dt_hdl *dt_open(void);
/* End tracing, and kill the processes of dt_proc_create() that still run. */
void dt_close(struct dt_hdl *h);

/*
 * The text of the last failure of a call for this handle: one line or, for
 * compile errors, the rendered diagnostics, which end with a newline.
 */
const char *dt_errmsg(const struct dt_hdl *h);
/* Is there a diagnostic with this tag in it? */
bool dt_err_has_tag(const struct dt_hdl *h, const char *tag);

/*
 * If the last failure was in compiling and option errtags is set: the first
 * error as "[TAG] line N: text"; otherwise "".
 */
const char *dt_errclassic(const struct dt_hdl *h);

/*
 * Notices for the user since the last call, for cases that are not failures:
 * whole lines, each with a newline; "" if there are none.
 */
const char *dt_notices(struct dt_hdl *h);

/*
 * Options (libdtrace/options.def is the table).  Returns 0, or -1 with a
 * message that says which values are allowed.  A NULL value sets a flag.
 */
int dt_setopt(struct dt_hdl *h, const char *name, const char *value);
/* Set options from DTRACE_OPT_<NAME>=value in the environment. 0 or -1. */
int dt_setopt_env(struct dt_hdl *h);
/* Unset numeric options give DT_OPT_UNSET. */
#define DT_OPT_UNSET (-2)
int dt_getopt(struct dt_hdl *h, const char *name, int64_t *value);
/*
 * The file that dt_work() prints to, or the folder (dt_is_folder()); borrowed.
 * Its ending may matter.
 */
void dt_set_output_name(struct dt_hdl *h, const char *name);

struct dt_prog; /* a compiled text; owned by the handle */
/*
 * Compile a text, and match its probe descriptions: a description that matches
 * nothing is an error unless option zdefs is set.  `flags` are LANG_F_*; the
 * options apply, too.
 */
struct dt_prog *dt_compile_str(struct dt_hdl *h, const char *text,
    enum lang_pspec spec, unsigned flags, int argc, char *const argv[]);
/* As dt_compile_str(), for `len` bytes, which may also be DOF. */
struct dt_prog *dt_compile_mem(struct dt_hdl *h, const char *text, size_t len,
    enum lang_pspec spec, unsigned flags, int argc, char *const argv[]);
/* `path` "-" is standard input. */
struct dt_prog *dt_compile_file(struct dt_hdl *h, const char *path,
    unsigned flags, int argc, char *const argv[]);
void dt_prog_dump(struct dt_hdl *h, const struct dt_prog *p, FILE *out);
/*
 * Save all programs as DOF, which dt_compile_file() can load.  Returns 0 or -1.
 * With option linktype set to dof, probes are not looked up, since the program
 * may be for another machine.
 */
int dt_save(struct dt_hdl *h, const char *path);
/*
 * For programs with their own probes, from the providers defined by the
 * compiled texts: write the header, whose text names `source`, or the object to
 * link.  `bits` is 32, 64, or 0: as the program's objects, which are only read.
 * Option linktype must be elf.  Returns 0 or -1.
 */
int dt_write_header(struct dt_hdl *h, const char *path, const char *source);
int dt_write_object(struct dt_hdl *h, const char *path, int bits,
    char *const *objects, size_t nobjects);
/*
 * Print the contents of a DOF file or of an ELF file with DOF in it: returns 1;
 * 0 if it is neither; -1 if it is malformed or cannot be read.
 */
int dt_print_file(struct dt_hdl *h, const char *path, FILE *out);
/* Minimum stability of the probe descriptions (dtrace -v). 0 or -1. */
int dt_prog_report(
    struct dt_hdl *h, const struct dt_prog *p, const char *what, FILE *out);
/*
 * A listing of probes (dtrace -l).  A verbose one has, for each probe that desc
 * matches, the stability and the types of the arguments, and at the end each
 * structure that the arguments are or point to, with its members, once.
 *
 * dt_listing_probe() prints nothing of a probe but these; with option
 * oformat=json it prints all of the probe.  dt_listing_end() frees the listing.
 * It returns 0, or -1 if the types cannot be read.
 */
struct dt_listing;
struct dt_listing *dt_listing_create(
    struct dt_hdl *h, bool is_verbose, FILE *out);
void dt_listing_probe(struct dt_listing *l, const struct dif_pdesc *desc,
    const struct dt_probe *probe);
int dt_listing_end(struct dt_listing *l);
/*
 * Print a type as D would declare it, with offsets and sizes; and for each
 * translator to it, the types of the members' values (dtrace -T).  0 or -1.
 */
int dt_type_show(struct dt_hdl *h, const char *text, FILE *out);
/*
 * Print the names of the types that the pattern matches (dtrace -lT).  0 or -1.
 */
int dt_type_list(struct dt_hdl *h, const char *pattern, FILE *out);
/* Is the output not for a terminal (option oformat)? */
bool dt_is_binary(const struct dt_hdl *h);
/* Is the output a folder, which has to exist before dt_go() (the same)? */
bool dt_is_folder(const struct dt_hdl *h);
/* After dt_go(): the number of aggregations of all programs. */
size_t dt_naggs(const struct dt_hdl *h);
/* Is the output JSON (option oformat)? */
bool dt_is_json(const struct dt_hdl *h);

/*
 * Call f for each probe description in the text, as written; stop when f
 * returns nonzero, and return its value.
 */
typedef int dt_pdesc_f(const struct dif_pdesc *desc, void *arg);
int dt_prog_pdesc_iter(const struct dt_prog *p, dt_pdesc_f *f, void *arg);

/*
 * With option zdefs, at the beginning or at the end of tracing: give a notice
 * for each provider, or description, of the enabled programs that has matched
 * no probe.  Returns whether there was one.
 */
bool dt_tell_unmet(struct dt_hdl *h, bool is_end);

struct dt_proginfo {
	uint32_t matches; /* probes matched, over all clauses */
};
/*
 * Enable a program on the probes that it matched.  Returns 0 or -1 (destructive
 * without -w, ...).
 */
int dt_prog_exec(struct dt_hdl *h, struct dt_prog *p, struct dt_proginfo *info);

/*
 * Processes of -c and -p.  $target is each of them; addresses that belong to no
 * process of their own are named by the first.
 */
int dt_proc_create(struct dt_hdl *h, const char *command);
/* argv[0] is the file, looked up along PATH. */
int dt_proc_create_argv(struct dt_hdl *h, char *const argv[]);
int dt_proc_grab(struct dt_hdl *h, int pid);
/*
 * Commands that are created from now on write to `fd` instead of standard
 * output and standard error, and read nothing.  The caller closes it.
 */
void dt_proc_set_output(struct dt_hdl *h, int fd);
void dt_proc_continue(struct dt_hdl *h); /* let all -c commands run */

/*
 * Instead of compiling and enabling: print a recording (option record).  This
 * sets the options of the recorded run; those of the output may be changed
 * before dt_go().  `path` "-" is standard input.  Further calls add runs of the
 * same program, and their text is printed in the order of time.  0 or -1.
 */
int dt_replay_open(struct dt_hdl *h, const char *path);
/*
 * Before compiling: programs run over the firings of a recording, whose probes
 * are all there are.  The options of the recorded run do not count.  Several
 * recordings, of several machines, are asked together.  0 or -1.
 */
int dt_query_open(struct dt_hdl *h, const char *path);

int dt_go(struct dt_hdl *h);
/*
 * A fleet: the programs run on other hosts, and their data come here
 * (doc/fleet.md).
 *
 *	dt_fleet_open -> dt_setopt, dt_fleet_setopt, dt_fleet_add -> dt_go
 *	        -> { dt_sleep -> dt_work }
 */
struct dt_fleet_ask {
	const char *url;    /* or that of `conf` */
	const char *conf;   /* file of settings, or NULL */
	const char *author; /* file of the author's key */
	const char *const *hosts, *const *labels; /* end with NULL */
	char *const *args;			  /* $1, ...: end with NULL */
};
/* 0, or -1.  What `ask` points to is copied. */
int dt_fleet_open(struct dt_hdl *h, const struct dt_fleet_ask *ask);
/* An option that the hosts get; value NULL: none was given. */
void dt_fleet_setopt(struct dt_hdl *h, const char *name, const char *value);
/* A program; descriptions begin with what `spec` says. */
int dt_fleet_add(struct dt_hdl *h, enum lang_pspec spec, const char *text);
int dt_fleet_add_file(struct dt_hdl *h, const char *path);
/*
 * Instead of dt_go(): f is called for each probe that the programs describe, in
 * the order of names; its id is the number of hosts that have it.  0, f's first
 * nonzero result, or -1.  dt_exit_status() tells of lost hosts.
 */
int dt_fleet_list(struct dt_hdl *h, dt_probe_f *f, void *arg);
/*
 * Detached runs (doc/fleet.md).  Instead of dt_go(): have the hosts run the
 * programs for life_ns without this console, under the name, of which the
 * server keeps max_bytes (0: as many as it does by default).  0, or -1.
 */
int dt_fleet_detach(
    struct dt_hdl *h, const char *name, uint64_t max_bytes, uint64_t life_ns);
/* Before dt_go(), without programs: print what the run has made, and makes. */
int dt_fleet_attach(struct dt_hdl *h, const char *name);
/* Instead of dt_go(): end the run on all hosts.  0, or -1. */
int dt_fleet_end(struct dt_hdl *h, const char *name);
struct dt_fleet_run {
	const char *name, *author; /* a public key */
	const char *hosts; /* that run it, with commas; '?': not heard */
	uint64_t since_ns, until_ns; /* wall time */
	uint64_t bytes;		     /* that the server keeps */
};
/* f's first nonzero result, 0, or -1. */
int dt_fleet_runs(struct dt_hdl *h,
    int (*f)(const struct dt_fleet_run *run, void *arg), void *arg);
/* A line of JSON (doc/json.md): the run, or a probe of dt_fleet_list(). */
void dt_fleet_run_json(const struct dt_fleet_run *run, FILE *out);
void dt_fleet_probe_json(const struct dt_probe *p, FILE *out);
/* Stop: no probe but END fires from now on; dt_work() does the rest. */
int dt_stop(struct dt_hdl *h);
void dt_sleep(struct dt_hdl *h);
enum dt_work { DT_WORK_ERROR = -1, DT_WORK_OKAY = 0, DT_WORK_DONE = 1 };
/*
 * Print arrived data to `out` (the same at each call), messages to stderr.  If
 * tracing is to end, by exit(), dt_interrupt(), dt_stop() or the end of the
 * last process: stop, print the rest, and return DT_WORK_DONE.
 */
enum dt_work dt_work(struct dt_hdl *h, FILE *out);
/*
 * While tracing: append the document that option oformat would write now.
 * False: there is none yet, or the form is no document.
 */
bool dt_document(struct dt_hdl *h, struct strbuf *out);
/* Async-signal-safe: make dt_sleep() return and dt_work() finish. */
void dt_interrupt(struct dt_hdl *h);
int dt_exit_status(struct dt_hdl *h);

/*
 * Say whether only names and ids of probes are needed from now on: probes of D
 * libraries are then known without compiling the libraries.  A description may
 * then select a probe that could not be enabled, because its library does not
 * fit the kernel's types; so nothing may be enabled.
 */
void dt_list_names(struct dt_hdl *h, bool is_enough);
/* Colour the diagnostics of dt_errmsg() and dt_notices(), for a terminal. */
void dt_color(struct dt_hdl *h, bool has_color);
/*
 * Returns the number of matches, the nonzero result of f, or -1.  A probe is
 * valid only during the call of f (dt_registry_list()).
 */
int dt_probe_iter(
    struct dt_hdl *h, const struct dif_pdesc *desc, dt_probe_f *f, void *arg);
/*
 * A sentence (malloced) about the probe that a description may mean, if the
 * description matches nothing; or NULL.
 */
char *dt_suggest_probe(struct dt_hdl *h, const struct dif_pdesc *desc);
/* The provider that the program says, if it has another name here, which the
 * description has (malloced; alias.def), else NULL. */
char *dt_typed_provider(struct dt_hdl *h, const struct dif_pdesc *desc);
struct dt_registry *dt_registry(struct dt_hdl *h);

/* -v: report more about the work, in dt_notices(). */
void dt_set_verbose(struct dt_hdl *h);
/*
 * Add notices about options: those that have no effect here, and rates beyond
 * the limits.
 */
void dt_notice_options(struct dt_hdl *h);

/* --dump=STAGE,...: tokens ast types dif dof plan bpf x86. */
int dt_set_dump(struct dt_hdl *h, const char *stages, FILE *out);

#endif
