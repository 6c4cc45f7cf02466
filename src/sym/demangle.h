/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYM_DEMANGLE_H
#define SYM_DEMANGLE_H

/*
 * What a mangled name of C++ or Rust says, malloced; NULL: it is not mangled,
 * or not well.  Names come from hostile files.
 */
char *demangle(const char *name);
/* Both manglings of Rust alone: "_ZN...17h<16 hex digits>E" and "_R...". */
char *demangle_rust(const char *name);

#endif
