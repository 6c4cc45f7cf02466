/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_CTF_CONVERT_H
#define CTF_CTF_CONVERT_H

/* Convert DWARF of a program, library or object file to a CTF section. */
#include "base/err.h"
#include "base/str.h"
#include "ctf/ctf_build.h"

/*
 * Returns 0 with the section appended to `out`, or -errno with *err.
 * `notes` gets a line for each thing that CTF cannot express.
 */
CHECKED int ctf_convert(const char *path, const struct ctf_build_opts *opts,
    struct strbuf *out, struct strbuf *notes, struct err *err);

#endif
