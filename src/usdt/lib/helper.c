/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions for code that uses the device /dev/dtrace/helper of other systems:
 * <sys/dtrace.h> with DTRACE_USDT_HELPER defined calls them instead.
 */
#include <sys/dtrace.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>

#include "libdtrace-usdt.h"

#define EXPORT __attribute__((visibility("default")))

/* Names of the device in illumos and FreeBSD, and in macOS. */
static bool
is_helper(const char *path)
{
	return strcmp(path, "/dev/dtrace/helper") == 0 ||
	    strcmp(path, "/dev/dtracehelper") == 0;
}

EXPORT int
dtrace_usdt_helper_open(const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	if (is_helper(path))
		return open("/dev/null", O_RDWR | O_CLOEXEC);
	va_start(ap, flags);
	mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ?
	    va_arg(ap, int) :
	    0;
	va_end(ap);
	return open(path, flags, mode);
}

EXPORT int
dtrace_usdt_helper_ioctl(int fd, unsigned long request, ...)
{
	dof_helper_t *dh;
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (request == DTRACEHIOC_REMOVE)
		return dtrace_usdt_remove_dof((int)(intptr_t)arg);
	if (request != DTRACEHIOC_ADDDOF)
		return ioctl(fd, request, arg);
	dh = arg;
	dh->dofhp_mod[sizeof(dh->dofhp_mod) - 1] = '\0';
	return dtrace_usdt_add_dof((const void *)(uintptr_t)dh->dofhp_dof,
	    dh->dofhp_mod, dh->dofhp_addr);
}
