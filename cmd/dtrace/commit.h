/* SPDX-License-Identifier: BSD-2-Clause */
/* The commit of git that this program was built from. */
#ifndef DTRACE_COMMIT_H
#define DTRACE_COMMIT_H

extern const char commit_text[]; /* "-": not known */

#endif
