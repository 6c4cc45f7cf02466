/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACED_PIPES_H
#define DTRACED_PIPES_H

/* Pipes between the agent and the processes of scripts. */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/* Close a descriptor and set it to -1; does nothing if it is -1. */
void pipe_close(int *fd);
/*
 * Append what can be read now, and a NUL.  False: nothing can be read now, or
 * the pipe has ended and was closed.
 */
bool pipe_read_some(int *fd, struct strbuf *to);
/* Write all: 0, or -1 with errno. */
CHECKED int pipe_write_all(int fd, const void *data, size_t n);
/*
 * Take a line from the beginning of what was read; malloced, without the
 * newline.  One that is too long is cut.  NULL: there is no whole one.
 */
char *pipe_take_line(struct strbuf *from);

#endif
