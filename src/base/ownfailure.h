/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_OWNFAILURE_H
#define BASE_OWNFAILURE_H

#include <errno.h>
#include <stdbool.h>

/*
 * Does the errno say that dtrace itself failed: memory, descriptors or
 * processes are short, or a device could not be read?  Then it tells nothing
 * about what was asked for: a feature may be there, a file may have symbols.
 */
static inline bool
is_own_failure(int err)
{
	return err == ENOMEM || err == EMFILE || err == ENFILE ||
	    err == EAGAIN || err == EIO;
}

#endif
