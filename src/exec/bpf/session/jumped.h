/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_BPF_SESSION_JUMPED_H
#define EXEC_BPF_SESSION_JUMPED_H

/* Jumps that a dtrace has planted in processes: no uprobe may be on them. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "provider/usites.h"

/* The processes that were looked at; for one arming. */
struct bx_jumped;

struct bx_jumped *bx_jumped_create(void);
void bx_jumped_destroy(struct bx_jumped *j);

/*
 * Is there a jump in the process at that offset of the file?  0 is any process.
 * There is if the process has a dtrace in it and cannot be read.
 */
bool bx_is_jumped(
    struct bx_jumped *j, pid_t pid, const struct dt_ufile *file, uint64_t off);

/* 0, or the errno of dtrace's own because of which answers may be wrong. */
int bx_jumped_error(const struct bx_jumped *j);

#endif
