/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYM_DEMANGLE_H
#define SYM_DEMANGLE_H

/*
 * Demangle a name of C++ or Rust (malloced).  NULL: it is not mangled, or
 * malformed.  Names come from hostile files.
 */
char *demangle_name(const char *name);
/* Only the two manglings of Rust: "_ZN...17h<16 hex digits>E" and "_R...". */
char *demangle_rust(const char *name);

#endif
