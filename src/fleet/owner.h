/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_OWNER_H
#define FLEET_OWNER_H

#include <sys/stat.h>

#include "base/err.h"

/*
 * Is a file or a directory of this host's owner: is it root's or this user's,
 * and can nobody else write it?  0, or -EACCES with *err, which names `path`
 * and `what` it is ("the policy").
 */
CHECKED int fl_owner_check(
    const char *path, const char *what, const struct stat *st, struct err *err);

#endif
