/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The libraries that are loaded when they are first wanted (base/dynlib.h).
 *
 * No program has this file.  It is linked with those libraries for what the
 * linker then writes into it: their sonames, which differ between systems
 * (libZydis.so.4.0 on Debian 12, libZydis.so.4.1 on Debian 13).
 * tools/sonames.py turns them into sonames.h, debian/rules into dependencies of
 * the package.  A function that a library lacks is an error of the linker.
 */
#define NCURSES_NOMACROS
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <microhttpd.h>
#ifdef HAS_NATS
#include <nats/nats.h>
#endif
#include <perfmon/pfmlib_perf_event.h>
#include <sodium.h>
#include <Zydis/Zydis.h>

typedef void function(void);
extern function *const loaded[];

function *const loaded[] = {
#define CURSES_FN(name) (function *)name,
#include "dtrace/curses_fns.def"
#undef CURSES_FN
#define DW_FN(name) (function *)name,
#include "ctf/dwarf_fns.def"
#undef DW_FN
#define MHD_FN(name) (function *)name,
#include "libdtrace/mhd_fns.def"
#undef MHD_FN
#define NA_FN(name) (function *)name,
#include "fleet/sodium_fns.def"
#undef NA_FN
#ifdef HAS_NATS
#define NATS_FN(name) (function *)name,
#include "fleet/nats_fns.def"
#undef NATS_FN
#endif
#define PFM_FN(name) (function *)name,
#include "provider/pfm_fns.def"
#undef PFM_FN
#define ZY_FN(name) (function *)name,
#include "x86/zydis_fns.def"
#undef ZY_FN
};
