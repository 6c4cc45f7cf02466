/* SPDX-License-Identifier: BSD-2-Clause */
/* Explanations of error tags, for dtrace --explain. */
#ifndef LANG_EXPLAIN_H
#define LANG_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

#define EXPLAIN_ALL "all"

/*
 * Append the explanation of the tag, or of all tags for EXPLAIN_ALL: what the
 * error means, an example that causes it, what to do.  The D_ may be missing,
 * the brackets of a message be there, and letters be small.  False for an
 * unknown tag; *nearp is then the nearest one without its D_, or NULL.
 */
bool lang_explain(const char *tag, struct strbuf *sb, const char **nearp);

#endif
