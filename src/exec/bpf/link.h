/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_BPF_LINK_H
#define EXEC_BPF_LINK_H

/*
 * Linking: translated main functions + the runtime's functions -> one program
 * that bpf() accepts, with the BTF that global functions and callbacks need.
 *
 * The runtime's object file is turned into tables at build time
 * (tools/bpfembed.py -> rt_funcs.c), so nothing parses ELF when a script
 * starts. Only functions that are reachable from the main function are linked.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

enum bl_relkind {
	BL_CALL,   /* call: imm = relative pc of function `sym` */
	BL_FUNC,   /* lddw: address of callback `sym` (BPF_PSEUDO_FUNC) */
	BL_MAP,	   /* lddw: map `sym` (BPF_PSEUDO_MAP_FD) */
	BL_MAPVAL, /* lddw: value 0 of map `sym`, + addend in the second
			 * instruction's imm (BPF_PSEUDO_MAP_VALUE) */
	BL_CONST,  /* lddw: the constant `sym` */
};
struct bl_reloc {
	uint32_t insn;
	enum bl_relkind kind;
	const char *sym; /* "rt_strlen", "rtm_states", "rtc_strsize" */
};

/* A function of the runtime; bpfembed.py writes these. */
struct bl_func {
	const char *name;
	const struct bpf_insn *insns;
	uint32_t ninsns;
	const struct bl_reloc *relocs;
	uint32_t nrelocs;
	uint8_t nargs;
	uint8_t is_static; /* callback: verified with its caller */
	uint32_t mem_size; /* parameter 0 points to this many bytes; 0: it is a
			    * number, as the others are */
};
extern const struct bl_func bl_rt_funcs[];
extern const uint32_t bl_rt_nfuncs;

/* Resolves the symbols of one program. */
struct bl_env {
	int (*map_fd)(void *arg, const char *sym); /* -1: unknown */
	int (*constant)(
	    void *arg, const char *sym, uint64_t *value); /* 0, -1 */
	void *arg;
	const struct bl_func *own; /* functions in addition to the runtime's */
	size_t nown;
	bool may_sleep; /* the attachment allows the program to sleep */
	/* Does this map keep its programs from sleeping?  NULL: no map does. */
	bool (*keeps_awake)(const char *map);
};

struct bl_image {
	VEC(struct bpf_insn) insns;
	/* The place of each linked function; [0] is main. */
	VEC(struct {
		uint32_t start, n;
		const char *name;
	})
	funcs;
	bool sleeps; /* contains calls that may sleep:
				 * BPF_F_SLEEPABLE */
	int btf_fd;  /* func_info's BTF; -1 when none is needed */
	VEC(struct bpf_func_info) func_info;
	/* The resolved references, for bl_dump(): `insn` counts from main's
	 * start, `sym` is borrowed from main and the runtime. */
	VEC(struct bl_reloc) relocs;
};

/*
 * Link `main` (borrowed, as env->own is) into *img.  Returns 0, or -errno with
 * *err naming the symbol.  bl_image_fini() releases everything.
 */
CHECKED int bl_link(const struct bl_func *main, const struct bl_env *env,
    struct bl_image *img, struct err *err);
void bl_image_fini(struct bl_image *img);

/* Disassemble for --dump=bpf, one instruction per line, calls by name;
 * note(arg, insn) may return a line to print before instruction `insn`. */
void bl_dump(const struct bl_image *img,
    const char *(*note)(void *arg, uint32_t insn), void *arg,
    struct strbuf *out);

#endif
