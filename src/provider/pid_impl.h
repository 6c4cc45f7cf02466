/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_PID_IMPL_H
#define PROVIDER_PID_IMPL_H

/* Declarations shared by the files of the pid provider (prov_pid.c). */
#include "base/err.h"
#include "provider/provider.h"
#include "provider/provider_impl.h"
#include "provider/ufiles.h"
#include "provider/usdt_files.h"
#include "x86/entry.h"

#define PID_MAX_FUNC (16U << 20) /* bytes of code that are looked at */

/* Names of probes that patterns do not select. */
#define PID_EXIT "exit"
#define PID_PAUSE "pause"

/* Most files that a pattern of all processes may select. */
#define PID_WIDE_FILES 1000

/* The memory of a process, and a mapping of the module's code in it. */
struct pid_mem {
	int fd;
	uint64_t start, off;
	bool has_dtrace; /* another dtrace may have jumps in the code */
};

/* A module that the description selects. */
struct pid_module {
	const struct proc_module *m;
	const struct proc_map *text; /* a mapping with its code */
	pid_t via;		     /* a process that has mapped it */
	bool is_program;
	/* processes in which the code may have been changed; and one in which
	 * only the kernel changes it, for all processes, or fd -1: there is
	 * none, or its `pid` is not known */
	VEC(struct pid_mem) mems;
	struct pid_mem plain;
	pid_t plain_pid;
};

/* The match that is running. */
struct pid_match {
	struct dt_registry *r;
	const struct dif_pdesc *desc;
	struct dt_ufiles *files;
	struct proc_maps maps;
	pid_t pid;	/* 0: all processes */
	bool is_family; /* the descendants of `pid`, too */
	VEC(struct pid_module) mods;
	VEC(int) mem_fds;
	const char *taken_by; /* why the last place was taken */
	struct arena arena;
	uint64_t program_ino; /* of the file that the process runs */
	char prov[16];
	char where[24]; /* " in process 123"; "": all processes */
	const char *mod, *func, *name; /* never NULL */
	char *what;		       /* "func:name" */
	char *what_program;	       /* the same, of a family's program */
	int rc;
	size_t nmods, nfuncs, nprobes; /* that the description selects */
	size_t nleft;		       /* selected, but not probeable */
	size_t nrefused;	/* modules of which no code can be traced */
	const char *refused;	/* the last of them */
	struct err why_refused; /* why it cannot be traced */
	/* the first choice of functions that was passed over: its module (or
	 * NULL), and the address of its code in the file */
	const struct pid_module *ifunc_mod;
	uint64_t ifunc_at;

	/* the module at hand */
	const struct pid_module *mod_at;
	const struct proc_module *m;
	const struct proc_map *text; /* a mapping with its code */
	const struct dt_ufile *file;
	const struct dt_usdt_file *brings; /* probes of its own; or NULL */
	struct elf_syms *es;
	bool is_program, is_32;
	uint64_t unread; /* bytes of functions' code that may still be read */

	/* the function at hand, the code of which is read on first use */
	const struct elf_sym *sym;
	const char *sym_name;
	struct x86_code code;
	uint8_t *bytes;
	size_t bytes_cap;
};

/* ---- prov_pid.c: modules of a process ------------------------------------ */

const struct proc_map *pid_text_of(const struct proc_module *m);

/*
 * The inode of the file that a process runs; 0: it has none.  -errno with *err:
 * the kernel refuses this to a user who may see mappings (CAP_PERFMON).
 */
CHECKED int pid_find_program(pid_t pid, uint64_t *ino, struct err *err);

/* Add a module that the description selects: it becomes the module at hand. */
struct pid_module *pid_add_module(
    struct pid_match *pm, const struct proc_module *m, pid_t via);
void pid_set_module(struct pid_match *pm, const struct pid_module *mod);

/* Code that a dtrace has brought in: it has no functions that have names. */
bool pid_is_of_dtrace(const struct proc_module *m);

/* Does another process trace it?  (We do, until a command is released.) */
bool pid_has_debugger(pid_t pid);
/* Open the memory of a process for the match, which closes it.  -1: that is
 * not possible. */
int pid_open_mem(struct pid_match *pm, pid_t pid);

/*
 * Open the code of the module at hand; -errno with *err: it cannot be traced.
 */
CHECKED int pid_open_module(struct pid_match *pm, struct err *err);
/* ---- pid_name.c: names --------------------------------------------------- */

bool pid_field_is_pattern(const char *field);

/* The description is of all processes, "pid*", and selects modules. */
bool pid_is_wide(const struct dif_pdesc *desc);

/* The number in "pid123"; 0 if it is not of that form. */
pid_t pid_of(const char *prov);

/* The process of a pattern with its number at the end: "p*d123" is pid123. */
pid_t pid_of_pattern(const char *pattern);
bool pid_answers(const char *pattern);
bool pid_selects_module(
    const char *pattern, const struct proc_module *m, bool is_prog);

/* The number of "1f" or "0x1F"; false: it is none. */
bool pid_offset_parse(const char *name, uint64_t *off);
bool pid_selects(const struct dif_pdesc *desc, const struct dt_probe *p);

/* ---- pid_function.c: functions of a module ------------------------------- */

uint64_t pid_symbol_size(const struct pid_match *pm, const struct elf_sym *sym);

/* For x86_find_exits(). */
enum x86_outside pid_outside(void *arg, int64_t off);
struct dt_usite pid_return_at(
    const struct pid_match *pm, uint64_t off, uint8_t cond);
void pid_match_functions(struct pid_match *pm);

/* ---- pid_site.c: places in a function ------------------------------------ */

void pid_add_probe(struct pid_match *pm, const char *name,
    enum dt_probe_kind kind, const struct dt_usite *sites, size_t n);

/*
 * The program's own probe at a place in the file counts its tracers.  To the
 * kernel a place has one such counter, so ours is the same; 0 where none is.
 */
uint64_t pid_semaphore_at(const struct pid_match *pm, uint64_t off);

/*
 * The bytes of the function that must have no probe, because a debugger or
 * another dtrace has changed them in a process: a bit for each of the n <= 64
 * bytes from `off` on.
 */
uint64_t pid_taken(struct pid_match *pm, uint64_t off, size_t n);

/* The site at an offset of the function at hand. */
struct dt_usite pid_site_at(const struct pid_match *pm, uint64_t off);

/* Is it one probe that the description names?  Then it is that or an error;
 * patterns leave out what cannot be probed. */
bool pid_is_alone(const struct pid_match *pm);
void pid_leave_out(struct pid_match *pm, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void pid_refuse_taken(struct pid_match *pm, const char *name);

/* May a probe of that name be at an offset of the function? */
bool pid_can_probe(struct pid_match *pm, const char *name, uint64_t off);

/* ---- pid_exit.c: where a function's callers go on ------------------------ */

void pid_add_exits(struct pid_match *pm);

/* ---- pid_explain.c: why nothing was found -------------------------------- */

/* Say why nothing matched; that need not be an error. */
int pid_explain_none(struct pid_match *pm);

/* ---- pid_ifunc.c: choices of functions ----------------------------------- */

/* Has the process chosen a function that has the described name, too?  An old
 * memcpy of glibc is the same code as the memmove of processors without AVX. */
bool pid_chose_namesake(struct pid_match *pm);
/* Refuse a description of a choice, and say which function is chosen. */
int pid_explain_ifunc(struct pid_match *pm);

/* ---- pid_wide.c: files of all processes ---------------------------------- */

/* Find the files that the description selects.  Not 0: it is refused. */
int pid_find_files(struct pid_match *pm);
/* The same, of the process and its descendants. */
int pid_find_family(struct pid_match *pm);

#endif
