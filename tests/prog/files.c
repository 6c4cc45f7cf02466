/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Do each operation that the vfs provider reports, once by each of its system
 * calls, in the current directory.  Only the operations between the two calls
 * of getppid() count.
 */
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define CWD AT_FDCWD

static char buf[8192];

/* A system call that must succeed. */
#define DO(name, ...) checked(#name, syscall(SYS_##name, ##__VA_ARGS__))

static long
checked(const char *name, long result)
{
	if (result < 0) {
		perror(name);
		exit(1);
	}
	return result;
}

static int
open_all(void)
{
	struct open_how how = { .flags = O_RDWR };
	int fd2, fd = (int)DO(open, "one", O_RDWR | O_CREAT, 0644);

	fd2 = (int)DO(openat, CWD, "one", O_RDONLY);
	DO(close, fd2);
	fd2 = (int)DO(openat2, CWD, "one", &how, sizeof(how));
	DO(close, fd2);
	fd2 = (int)DO(creat, "two", 0600);
	DO(close, fd2);
	syscall(SYS_open, "absent", O_RDONLY);
	return fd;
}

static void
read_and_write(int fd)
{
	struct iovec iov = { buf, 30 };
	int two = (int)DO(openat, CWD, "two", O_RDWR);

	DO(write, fd, buf, 100);
	DO(pwrite64, fd, buf, 50, 100);
	DO(writev, fd, &iov, 1);
	DO(pwritev, fd, &iov, 1, 130, 0);
	DO(pwritev2, fd, &iov, 1, 160, 0, 0);
	DO(lseek, fd, 40, SEEK_SET);
	DO(read, fd, buf, 10);
	DO(pread64, fd, buf, 20, 0);
	DO(readv, fd, &iov, 1);
	DO(preadv, fd, &iov, 1, 0, 0);
	DO(preadv2, fd, &iov, 1, 0, 0, 0);
	DO(sendfile, two, fd, NULL, 15);
	DO(copy_file_range, fd, NULL, two, NULL, 25, 0);
	DO(fsync, fd);
	DO(fdatasync, two);
	DO(flock, fd, LOCK_EX);
	DO(ioctl, two, FIOCLEX);
	DO(mmap, NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	DO(mmap, NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	DO(ftruncate, two, 7);
	DO(truncate, "two", 9);
	DO(fallocate, two, 0, 0, 512);
	DO(close, two);
}

static void
attributes(int fd, int dir)
{
	struct stat st;
	struct statx stx;

	DO(fstat, fd, &st);
	DO(stat, "one", &st);
	DO(lstat, "./one", &st);
	DO(newfstatat, dir, "../one", &st, 0);
	DO(newfstatat, fd, "", &st, AT_EMPTY_PATH);
	DO(statx, CWD, "/", 0, STATX_MODE, &stx);
	DO(fchmod, fd, 0600);
	DO(chmod, "one", 0640);
	DO(fchmodat, CWD, "one", 0644);
	DO(chown, "one", -1, -1);
	DO(lchown, "one", -1, -1);
	DO(fchown, fd, -1, -1);
	DO(fchownat, CWD, "one", -1, -1, 0);
	DO(utime, "one", NULL);
	DO(utimes, "one", NULL);
	DO(futimesat, CWD, "one", NULL);
	DO(utimensat, CWD, "one", NULL, 0);
	DO(access, "one", R_OK);
	DO(faccessat, CWD, "one", W_OK);
	DO(faccessat2, CWD, "one", R_OK | W_OK, 0);
}

static void
names(int dir)
{
	DO(mkdirat, dir, "sub", 0700);
	DO(getdents64, dir, buf, sizeof(buf));
	DO(mknod, "pipe", S_IFIFO | 0600, 0);
	DO(mknodat, dir, "pipe", S_IFIFO | 0600, 0);
	DO(symlink, "one", "soft");
	DO(symlinkat, "../one", dir, "soft");
	DO(readlink, "soft", buf, sizeof(buf));
	DO(readlinkat, dir, "soft", buf, sizeof(buf));
	DO(link, "one", "hard");
	DO(linkat, CWD, "one", dir, "hard", 0);
	DO(rename, "hard", "harder");
	DO(renameat, dir, "hard", CWD, "hard");
	DO(renameat2, dir, "soft", dir, "softer", 0);
	DO(unlink, "hard");
	DO(unlinkat, dir, "softer", 0);
	DO(unlinkat, dir, "sub", AT_REMOVEDIR);
	DO(unlinkat, dir, "pipe", 0);
	DO(rmdir, "dir");
}

int
main(void)
{
	int fd, dir;

	DO(getppid);
	fd = open_all();
	DO(mkdir, "dir", 0755);
	dir = (int)DO(openat, CWD, "dir", O_RDONLY | O_DIRECTORY);
	read_and_write(fd);
	attributes(fd, dir);
	names(dir);
	DO(getppid);
	return 0;
}
