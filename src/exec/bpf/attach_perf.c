/* SPDX-License-Identifier: BSD-2-Clause */
#include "provider/perf.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/libbpf.h>

/* Returns a file descriptor, or -errno. */
static int
event_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = (int)syscall(
	    SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int
dt_perf_try(struct perf_event_attr attr)
{
	int fd;

	attr.size = sizeof(attr);
	attr.disabled = 1;
	fd = event_open(&attr, 0, -1);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* On one CPU, not started.  Returns it or -errno. */
static int
open_with_program(struct perf_event_attr *attr, int cpu, int prog_fd)
{
	int fd = event_open(attr, -1, cpu);

	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd) != 0) {
		int err = errno;

		close(fd);
		return -err;
	}
	return fd;
}

static int
arm_error(const struct dt_probe *probe, int cpu, int err, char **msg)
{
	*msg = mem_printf("%s: cannot set %s on CPU %d: %s%s", probe->name,
	    probe->period_ns != 0 ? "a clock" : "a counter", cpu,
	    strerror(-err),
	    err == -EPERM || err == -EACCES ?
		" (needs root, or CAP_BPF and CAP_PERFMON)" :
		"");
	return err;
}

/* The caller closes what is in *fds, whether we succeed or not. */
int
dt_perf_arm(const struct dt_arming *a, struct perf_event_attr attr,
    struct dt_fds *fds, char **msg)
{
	int ncpus = libbpf_num_possible_cpus(), cpu = 0;
	size_t first = fds->fds.n;

	if (ncpus <= 0) {
		*msg = mem_printf("cannot tell how many CPUs there are: "
		    "/sys/devices/system/cpu/possible: %s",
		    strerror(-ncpus));
		return ncpus < 0 ? ncpus : -EINVAL;
	}
	attr.size = sizeof(attr);
	attr.disabled = 1;
	if (a->only_cpu != NULL) {
		cpu = (int)*a->only_cpu;
		ncpus = cpu + 1;
	}
	for (; cpu < ncpus; cpu++) {
		int fd = open_with_program(&attr, cpu, a->prog_fd);

		if (fd == -ENODEV)
			continue; /* not online */
		if (fd < 0)
			return arm_error(a->probes[0], cpu, fd, msg);
		VEC_PUSH(&fds->fds, fd);
		VEC_PUSH(&fds->cpus, (uint32_t)cpu);
	}
	for (size_t i = first; i < fds->fds.n; i++) {
		if (ioctl(fds->fds.v[i], PERF_EVENT_IOC_ENABLE, 0) != 0)
			return arm_error(a->probes[0], (int)fds->cpus.v[i],
			    -errno, msg);
	}
	return 0;
}
