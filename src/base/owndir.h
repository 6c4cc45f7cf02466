/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_OWNDIR_H
#define BASE_OWNDIR_H

/*
 * A directory of files that come with the command (malloced): `name` beside a
 * command that is not installed, else `installed`.
 */
char *owndir_path(const char *name, const char *installed);

#endif
