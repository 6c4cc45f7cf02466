/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_REGULAR_H
#define BASE_REGULAR_H

/* For reading; -1: there is no regular file of that name. */
int regular_open(const char *path);

#endif
