/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * places: go to odd places and open files there, and mark the kernel's name of
 * each one (/proc/self shows the result of its d_path()):
 *
 *	MARK(CWD, the kernel's name, a description)
 *	MARK(ROOT, ...)
 *	MARK(FD, ..., fd)
 *
 * Works in the current directory, in a mount namespace of its own; needs root.
 */
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mark.h"

enum { CWD = 1, ROOT, FD };

static int proc; /* /proc/self, which a changed root does not hide */

/* Make a mark; its texts are in memory that was just written. */
static void
mark(int kind, const char *says, const char *what, int fd)
{
	char text[4096], label[64];

	snprintf(text, sizeof(text), "%s", says);
	snprintf(label, sizeof(label), "%s", what);
	MARK(kind, text, label, fd, 0);
}

static void
mark_link(int kind, const char *link, const char *what, int fd)
{
	char says[4096];
	ssize_t n = readlinkat(proc, link, says, sizeof(says) - 1);

	if (n < 0)
		err(1, "/proc/self/%s", link);
	says[n] = '\0';
	mark(kind, says, what, fd);
}

static void
mark_fd(const char *what, int fd)
{
	char link[32];

	if (fd < 0)
		err(1, "%s", what);
	snprintf(link, sizeof(link), "fd/%d", fd);
	mark_link(FD, link, what, fd);
}

static void
check(int rc, const char *what)
{
	if (rc < 0)
		err(1, "%s", what);
}

static int
create(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	check(fd, path);
	return fd;
}

/* Files without a path: pipes, sockets, and others. */
static void
made_up(void)
{
	int fds[2];

	check(pipe(fds), "pipe");
	mark_fd("pipe", fds[1]);
	mark_fd("socket", socket(AF_UNIX, SOCK_STREAM, 0));
	mark_fd("eventfd", eventfd(0, 0));
	mark_fd("epoll", epoll_create1(0));
	mark_fd("memfd", memfd_create("some memory", 0));
	mark_fd("namespace", open("/proc/self/ns/mnt", O_RDONLY));
	mark_fd("pidfd", (int)syscall(SYS_pidfd_open, getpid(), 0));
}

static void
files(void)
{
	int fd = create("dir/file");

	mark_fd("file", fd);
	check(rename("dir/file", "dir/other name"), "rename");
	mark_fd("renamed", fd);
	check(unlink("dir/other name"), "unlink");
	mark_fd("deleted", fd);
	mark_fd("device", open("/dev/null", O_RDONLY));
	mark_fd("proc", open("/proc/version", O_RDONLY));
	mark_fd("root", open("/", O_RDONLY | O_DIRECTORY));
}

/* Mount a file system on a directory, a part of it on another one, a file on a
 * file. */
static void
mounts(void)
{
	check(mkdir("mnt", 0700), "mkdir");
	check(mkdir("bind", 0700), "mkdir");
	check(mount("tmpfs", "mnt", "tmpfs", 0, NULL), "mount");
	check(mkdir("mnt/sub", 0700), "mkdir");
	mark_fd("mounted", create("mnt/sub/file"));
	mark_fd("mount root", open("mnt", O_RDONLY | O_DIRECTORY));
	check(mount("mnt/sub", "bind", NULL, MS_BIND, NULL), "bind");
	mark_fd("bound", open("bind/file", O_RDONLY));
	close(create("dir/point"));
	check(mount("mnt/sub/file", "dir/point", NULL, MS_BIND, NULL),
	    "bind a file");
	mark_fd("bound file", open("dir/point", O_RDONLY));
	check(chdir("bind"), "chdir");
	mark_link(CWD, "cwd", "bound", -1);
	check(chdir(".."), "chdir");
	check(umount2("bind", MNT_DETACH), "umount");
	check(umount2("dir/point", MNT_DETACH), "umount");
}

/* A path of directories with names of 200 bytes. */
static void
deep(void)
{
	char name[201];

	memset(name, 'n', 200);
	name[200] = '\0';
	for (int i = 0; i < 15; i++) {
		check(mkdir(name, 0700), "mkdir");
		check(chdir(name), "chdir");
	}
	mark_link(CWD, "cwd", "deep", -1);
	mark_fd("deep file", create("file"));
}

int
main(void)
{
	char start[2048], jail[2100];
	int outside;

	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		err(1, "a mount namespace of its own");
	proc = open("/proc/self", O_PATH | O_DIRECTORY);
	check(proc, "/proc/self");
	if (getcwd(start, sizeof(start)) == NULL)
		err(1, "getcwd");
	check(mkdir("dir", 0700), "mkdir");
	mark_link(CWD, "cwd", "plain", -1);
	mark_link(ROOT, "root", "plain", -1);
	made_up();
	files();
	mounts();
	check(mkdir("gone", 0700), "mkdir");
	check(chdir("gone"), "chdir");
	check(rmdir("../gone"), "rmdir");
	mark_link(CWD, "cwd", "deleted", -1);
	check(chdir(start), "chdir");
	deep();
	check(chdir(start), "chdir");
	outside = create("dir/outside");
	snprintf(jail, sizeof(jail), "%s/mnt", start);
	check(chroot("mnt"), "chroot");
	check(chdir("/sub"), "chdir");
	mark_link(CWD, "cwd", "jail", -1);
	mark(ROOT, jail, "jail", -1);
	mark_fd("jail", open("file", O_RDONLY));
	mark_fd("outside", outside);
	return 0;
}
