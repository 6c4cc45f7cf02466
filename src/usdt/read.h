/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USDT_READ_H
#define USDT_READ_H

/*
 * A hostile file's probes, read by a child without privileges
 * (base/confine.h), or by ourselves where there can be none and we have no
 * privileges either.
 */
#include "base/confine.h"
#include "usdt/notes.h"
#include "usdt/types.h"

/* Notes, what DOF tells of types, and sites that only that tells of: 0, or
 * negative with *msg (malloced) and what could be read. */
int usdt_read(
    int fd, struct usdt_notes *notes, struct usdt_types *types, char **msg);

/* An answer of the child; false: it is bad.  What was taken is the caller's in
 * both cases.  For tests. */
bool usdt_take(
    struct confine_in *in, struct usdt_notes *notes, struct usdt_types *types);

#endif
