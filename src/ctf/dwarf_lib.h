/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_DWARF_LIB_H
#define CTF_DWARF_LIB_H

/*
 * elfutils' libdw, loaded on first use: linking it would cost every start of
 * dtrace as much as a tenth of a whole run of a small script.
 */
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>

#include "base/err.h"

struct dw_lib {
#define DW_FN(name) __typeof__(name) *name;
#include "ctf/dwarf_fns.def"
#undef DW_FN
};

/* Load libdw.  Returns 0, or -errno with *err. */
CHECKED int dw_lib_need(struct err *err);

/* DWARF of a file, and of its file of debug information. */
struct dw_file {
	const struct dw_lib *lib;
	Dwfl *dwfl;
	Dwarf *dwarf;
	Dwfl_Callbacks callbacks; /* must not move while dwfl is open */
};
/*
 * Debug information is searched beside `path` (.gnu_debuglink, build id).  `fd`
 * is dup'ed.  Returns 0, or -errno with *err.
 */
CHECKED int dw_file_open(
    struct dw_file *df, const char *path, int fd, struct err *err);
void dw_file_close(struct dw_file *df);

#endif
