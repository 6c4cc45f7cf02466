/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef X86_ZYDIS_LIB_H
#define X86_ZYDIS_LIB_H

/*
 * libZydis, which decodes instructions; loaded on first use, as ctf/dwarf_lib.h
 * loads libdw.  For src/x86/ only.  Its binary interface differs between minor
 * versions, so only the version that dtrace was built with is accepted.
 */
#include <Zydis/Zydis.h>

#include "base/err.h"

struct zy_lib {
#define ZY_FN(name) __typeof__(name) *name;
#include "x86/zydis_fns.def"
#undef ZY_FN
};

/* NULL with *err if it is not installed. */
CHECKED const struct zy_lib *zy_lib(struct err *err);

#endif
