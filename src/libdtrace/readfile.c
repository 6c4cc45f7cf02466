/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that hold a program.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "libdtrace/dt_impl.h"

static int
read_fd(int fd, struct strbuf *sb)
{
	char buf[16384];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		strbuf_add(sb, buf, (size_t)n);
	return n < 0 ? -errno : 0;
}

int
dt_read_file(struct dt_hdl *h, const char *path, struct strbuf *sb)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : read_fd(fd, sb);

	if (fd >= 0 && !is_stdin)
		close(fd);
	if (rc < 0)
		return dt_fail(h, "cannot read %s: %s",
		    is_stdin ? "standard input" : path, strerror(-rc));
	if (sb->len > INT32_MAX)
		return dt_fail(h, "%s is too long to be a program", path);
	return 0;
}
