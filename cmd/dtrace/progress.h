/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACE_PROGRESS_H
#define DTRACE_PROGRESS_H

/*
 * A note on the terminal when starting takes more than a second: what dtrace is
 * busy with.  It goes away when tracing begins, or anything else is said.
 * Nothing happens when standard error is no terminal.
 */
void progress_begin(void);
/* From now on: `what` must stay (a literal). */
void progress_stage(const char *what);
/* Take the note away: something else is to be said.  The next stage shows. */
void progress_hide(void);
/* Take the note away, and say no more. May be called again. */
void progress_end(void);

#endif
