/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_USITES_H
#define PROVIDER_USITES_H

/*
 * Where probes are in programs: what the pid and USDT providers share.
 *
 * A probe (struct dt_probe with `up` set) has one or many sites, places in
 * files.  A site is where the program's own code says that something happens:
 * a function's entry is at its first instruction.  Whether a probe there is
 * better put somewhere near is the substrate's affair; the facts that it needs
 * for that are here.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/mem.h"
#include "usdt/arg.h"

/* A file with code, open as long as the registry lives: so it is found again
 * when its name is gone. */
struct dt_ufile {
	int fd;
	const char *path; /* for messages */
	uint64_t dev, ino;
};

/* The code that a function has in a file; offsets are the file's. */
struct dt_ufunc {
	uint64_t off, len;
	uint64_t own_len; /* up to where another name begins, or `len` */
	uint64_t text_off, text_len; /* the section that it is in; or 0 */
	/* where a debugger has breakpoints in its first bytes: a bit for each */
	uint64_t taken;
};

/* Where the arguments of a USDT site are, interned: equal ones have the same
 * number. */
struct dt_uargs {
	uint32_t number;
	struct usdt_args args;
	char *why; /* which are refused: usdt_args_parse(); or NULL */
};

/* There may be hundreds of thousands: members are ordered by size. */
struct dt_usite {
	const struct dt_ufile *file;
	uint64_t off;		/* of an instruction, in the file */
	uint64_t semaphore;	/* its tracers' counter, there; 0: none */
	const struct dt_ufunc *func;	/* DT_PROBE_FUNC_ENTRY: which function's */
	const struct dt_uargs *args;	/* DT_PROBE_USDT */
	/* DT_PROBE_LOADER: how far struct r_debug (<link.h>) is from there; 0:
	 * not known */
	int32_t r_debug;
	/* DT_PROBE_FUNC_RETURN: how far the instruction is from the function's
	 * first, which may be negative; and the condition under which it is a
	 * return (struct x86_exit). */
	int32_t func_off;
	uint8_t cond;
	/* The instruction is a function's first: the return address is where
	 * the stack pointer points to. */
	bool is_first;
	/* DT_PROBE_USDT: no probe; the program asks whether one is enabled, and
	 * %rax becomes 1 there */
	bool is_enabled;
};

struct dt_usites {
	pid_t pid;	 /* 0: whatever process maps the file */
	bool is_program; /* in the process's program, not in a library */
	bool is_32;	 /* 32-bit code */
	VEC(struct dt_usite) sites;
};

#endif
