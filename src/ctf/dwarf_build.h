/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_DWARF_BUILD_H
#define CTF_DWARF_BUILD_H

/* Add all types, variables and functions of a file's DWARF to a CTF build. */
#include "base/str.h"
#include "base/vec.h"
#include "ctf/ctf_build.h"
#include "ctf/dwarf_lib.h"

/* A variable or function at file scope. */
struct dw_symbol {
	uint32_t name; /* ctf_build_name() */
	bool is_func, has_addr;
	uint64_t addr;
	ctf_ref type;
	uint32_t unit;
};

struct dw_build {
	struct ctf_build *b;
	VEC(struct dw_symbol) symbols;
	struct strbuf notes; /* a line for each kind of entry that C lacks */
};

/*
 * Release symbols and notes with dw_build_fini(), also after a failure: -EINVAL
 * with *err, if not all units can be read.
 */
CHECKED int dw_build_all(struct dw_build *out, struct ctf_build *b,
    const struct dw_file *df, struct err *err);
void dw_build_fini(struct dw_build *out);

#endif
