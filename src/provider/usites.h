/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_USITES_H
#define PROVIDER_USITES_H

/*
 * Places of probes in programs, for the pid and USDT providers.
 *
 * A probe (struct dt_probe with `up` set) has one or many sites, places in
 * files.  A site is where the program's own code says that something happens:
 * a function's entry is at its first instruction.  A substrate may put the
 * probe near there instead; this header has the facts that it needs for that.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"
#include "usdt/arg.h"

/* A file with code, open as long as the registry lives, so that it can be read
 * after its name is gone. */
struct dt_ufile {
	int fd;
	const char *path; /* for messages */
	uint64_t dev, ino;
	const struct dt_uname *names; /* the last one first */
};

/* A name under which a file was opened: processes of other mount namespaces,
 * links and descriptions call a file differently. */
struct dt_uname {
	const char *path;
	const struct dt_uname *next;
};

/* The code that a function has in a file; offsets are the file's. */
struct dt_ufunc {
	uint64_t off, len;
	uint64_t own_len; /* up to where another name begins, or `len` */
	uint64_t text_off, text_len; /* its section; or 0 */
	/* first bytes in which a debugger has breakpoints: a bit for each */
	uint64_t taken;
};

/* Locations of a USDT site's arguments, interned: equal ones have the same
 * number. */
struct dt_uargs {
	uint32_t number;
	struct usdt_args args;
	char *why; /* refused arguments: usdt_args_parse(); or NULL */
};

/* There may be hundreds of thousands: members are ordered by size. */
struct dt_usite {
	const struct dt_ufile *file;
	uint64_t off;	    /* of an instruction, in the file */
	uint64_t semaphore; /* its tracers' counter, in the file; 0: none */
	const struct dt_ufunc *func; /* DT_PROBE_FUNC_ENTRY: its function */
	const struct dt_uargs *args; /* DT_PROBE_USDT */
	/* DT_PROBE_LOADER: distance from `off` to struct r_debug (<link.h>);
	 * 0: not known */
	int32_t r_debug;
	/* DT_PROBE_FUNC_RETURN: the instruction's offset from the function's
	 * first, which may be negative; and the condition under which it is a
	 * return (struct x86_exit). */
	int32_t func_off;
	uint8_t cond;
	/* The instruction is a function's first: the stack pointer points to
	 * the return address. */
	bool is_first;
	/* DT_PROBE_USDT: no probe; the program asks whether one is enabled, and
	 * %rax becomes 1 there */
	bool is_enabled;
};

struct dt_usites {
	pid_t pid; /* 0: every process that maps the file */
	/* `pid` is 0: of those only this process and its descendants (option
	 * follow); 0: all */
	pid_t family;
	bool is_program; /* in the process's program, not in a library */
	bool is_32;	 /* 32-bit code */
	VEC(struct dt_usite) sites;
};

#endif
