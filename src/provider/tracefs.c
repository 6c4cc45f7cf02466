/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracefs, mounted or not: our own mount is not attached to the tree, and ends
 * with its descriptor.
 */
#include "provider/provider_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/privilege.h"

#define TRACEFS "/sys/kernel/tracing"

/* A descriptor of a new, detached mount, or -errno. */
static int
mount_detached(void)
{
	int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	int mnt = -1, err;

	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mnt = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC,
		    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	err = errno;
	close(fs);
	return mnt < 0 ? -err : mnt;
}

char *
dt_tracefs_refusal(int err)
{
	char *why, *text;

	if (err != EPERM || dt_privilege_has(DT_PRIV_SYS_ADMIN) ||
	    access(TRACEFS "/README", F_OK) == 0 || errno != ENOENT)
		return NULL;
	why = dt_privilege_refusal(DT_PRIV_SYS_ADMIN, "mounting it");
	text = mem_printf("tracefs is not mounted at " TRACEFS
			  ", and %s: mount it, or run dtrace with sudo",
	    why);
	free(why);
	return text;
}

FILE *
dt_tracefs_open(const char *name)
{
	char *path = mem_printf(TRACEFS "/%s", name);
	FILE *f = fopen(path, "re");
	int dir, fd;

	free(path);
	if (f != NULL || errno != ENOENT)
		return f;
	dir = mount_detached();
	if (dir < 0) {
		errno = -dir;
		return NULL;
	}
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	close(dir);
	if (fd < 0)
		return NULL;
	f = fdopen(fd, "r");
	if (f == NULL)
		close(fd);
	return f;
}
