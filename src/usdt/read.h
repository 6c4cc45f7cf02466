/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USDT_READ_H
#define USDT_READ_H

/*
 * Read a hostile file's probes in a child without privileges (base/confine.h);
 * or here, if no such child is possible and we have no privileges either.
 */
#include "base/confine.h"
#include "base/err.h"
#include "usdt/notes.h"
#include "usdt/types.h"

/*
 * Read notes, types from DOF, and sites that only DOF describes.  Returns 0, or
 * a negative code with *err and the parts that could be read.
 */
CHECKED int usdt_read(int fd, struct usdt_notes *notes,
    struct usdt_types *types, struct err *err);

/*
 * Decode the child's answer; false: it is bad.  The caller releases the results
 * in both cases.  Public for tests.
 */
bool usdt_take(
    struct confine_in *in, struct usdt_notes *notes, struct usdt_types *types);

#endif
