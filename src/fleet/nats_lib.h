/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_NATS_LIB_H
#define FLEET_NATS_LIB_H

/*
 * libnats, loaded on first use, as ctf/dwarf_lib.h loads libdw.  For src/fleet/
 * only.
 */
#include <nats/nats.h>

#include "base/err.h"

struct fl_nats {
#define NATS_FN(name) __typeof__(name) *name;
#include "fleet/nats_fns.def"
#undef NATS_FN
};

/* Valid after fl_nats_load(), which all threads may call. */
extern struct fl_nats fl_nats;
/* 0, or -ENOENT with *err: libnats is not installed. */
CHECKED int fl_nats_load(struct err *err);

#endif
