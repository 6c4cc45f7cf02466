/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_REGULAR_H
#define BASE_REGULAR_H

/*
 * Open a regular file for reading.  Returns a descriptor or -errno; -EINVAL: it
 * is not a regular file.
 */
int regular_open(const char *path);
/* As above; -ELOOP if the name is a symbolic link. */
int regular_open_itself(const char *path);

#endif
