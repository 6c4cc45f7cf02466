/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls with arguments that tests know, some with garbage in the half of
 * the register that the type leaves out:
 *
 *	getsid, of a number that is no process
 *	openat(AT_FDCWD, "/dev/null", O_RDONLY)
 *	poll of descriptors -7 and -8 with events 1 and 4, for no time
 *	write(1, "known", 5) to a file that was opened for reading only
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RUBBISH 0x7fffffff00000000L

int
main(void)
{
	struct pollfd fds[2] = { { -7, 1, 0 }, { -8, 4, 0 } };
	/* on the stack, which is in memory; constants may not be yet */
	char path[] = "/dev/null", data[] = "known";
	long fd;

	syscall(SYS_getsid, RUBBISH | 0xfffffffeUL);
	fd = syscall(SYS_openat, RUBBISH | (unsigned)AT_FDCWD, path, O_RDONLY);
	poll(fds, 2, 0);
	syscall(SYS_write, fd, data, 5L);
	return 0;
}
