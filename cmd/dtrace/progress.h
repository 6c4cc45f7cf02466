/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACE_PROGRESS_H
#define DTRACE_PROGRESS_H

/*
 * Show what dtrace is busy with when starting takes more than a second.  The
 * note disappears when tracing begins, or another message is printed.  Nothing
 * is shown if standard error is no terminal.
 */
void progress_begin(void);
/* Begin a stage; `what` must stay valid (a literal). */
void progress_stage(const char *what);
/* Remove the note before another message. The next stage shows again. */
void progress_hide(void);
/* Remove the note for good. May be called again. */
void progress_end(void);

#endif
