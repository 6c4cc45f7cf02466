/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_SHORTAGE_H
#define BASE_SHORTAGE_H

#include <errno.h>
#include <stdbool.h>

/*
 * Does the errno say that memory, descriptors or processes are short, or that a
 * device failed?  Then it tells nothing about what was asked for: a feature may be there, a file may
 * have symbols.
 */
static inline bool
is_shortage(int err)
{
	return err == ENOMEM || err == EMFILE || err == ENFILE ||
	    err == EAGAIN || err == EIO;
}

#endif
