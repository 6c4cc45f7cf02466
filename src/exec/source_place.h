/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_SOURCE_PLACE_H
#define EXEC_SOURCE_PLACE_H

/* Places in D text, for messages and dumps. */
#include "base/diag.h"
#include "base/str.h"

/* "script.d:3", "line 3" or "the script" (malloced). */
char *exec_place(const struct diags *diags, struct diag_span span);
/* "; what at line 3: the text there", a line without its end. */
void exec_place_note(struct strbuf *out, const struct diags *diags,
    struct diag_span span, const char *what);

#endif
