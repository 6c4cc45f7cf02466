/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_SODIUM_LIB_H
#define FLEET_SODIUM_LIB_H

/*
 * libsodium, which signs and verifies; loaded on first use, as ctf/dwarf_lib.h
 * loads libdw.  For src/fleet/ only.
 */
#include <sodium.h>

#include "base/err.h"

struct na_lib {
#define NA_FN(name) __typeof__(name) *name;
#include "fleet/sodium_fns.def"
#undef NA_FN
};

/* NULL with *err if it is not installed. */
CHECKED const struct na_lib *na_lib(struct err *err);

#endif
