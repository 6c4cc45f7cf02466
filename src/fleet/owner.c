/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/owner.h"

#include <errno.h>
#include <unistd.h>

int
fl_owner_check(
    const char *path, const char *what, const struct stat *st, struct err *err)
{
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return err_set(err, -EACCES,
		    "%s: %s belongs to another user: chown it to root", path,
		    what);
	if ((st->st_mode & 022) != 0)
		return err_set(err, -EACCES,
		    "%s: others than the owner may write %s (mode %03o): "
		    "chmod go-w it",
		    path, what, (unsigned)(st->st_mode & 0777));
	return 0;
}
