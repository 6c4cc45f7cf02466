/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel reports devices, CPUs among them, on a netlink socket: a message
 * is a line "online@/devices/system/cpu/cpu3" and variables that say the same.
 */
#include "base/cpuwatch.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define KERNEL_GROUP 1 /* udev's own messages come in group 2 */
#define MESSAGE_MAX 8192

int
cpuwatch_open(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK,
		.nl_groups = KERNEL_GROUP };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
		NETLINK_KOBJECT_UEVENT),
	    err;

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0)
		return fd;
	err = errno;
	close(fd);
	return -err;
}

static bool
is_about_cpu(const char *text, unsigned *cpu, bool *is_online)
{
	char action[8];

	if (sscanf(text, "%7[a-z]@/devices/system/cpu/cpu%u", action, cpu) != 2)
		return false;
	*is_online = strcmp(action, "online") == 0;
	return *is_online || strcmp(action, "offline") == 0;
}

bool
cpuwatch_next(int fd, unsigned *cpu, bool *is_online)
{
	char text[MESSAGE_MAX];
	struct sockaddr_nl from = { 0 };
	socklen_t len = sizeof(from);
	ssize_t n;

	while ((n = recvfrom(fd, text, sizeof(text) - 1, 0,
		    (struct sockaddr *)&from, &len)) >= 0 ||
	    errno == ENOBUFS) {
		if (n < 0 || from.nl_pid != 0)
			continue; /* not from the kernel */
		text[n] = '\0';
		if (is_about_cpu(text, cpu, is_online))
			return true;
	}
	return false;
}
