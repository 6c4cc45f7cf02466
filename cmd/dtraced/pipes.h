/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACED_PIPES_H
#define DTRACED_PIPES_H

/* Pipes between the agent and the processes of scripts. */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/* Close a descriptor; -1: there is none, as afterwards. */
void pipe_close(int *fd);
/*
 * Read some; false: there is nothing now, or the end, where it is closed.  The
 * text ends with a NUL.
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
