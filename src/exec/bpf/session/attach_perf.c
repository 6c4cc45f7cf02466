/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arm by perf events (perf_event_open(2)): clocks and counters, on each online
 * CPU; hotplug.c handles CPUs that come later.
 *
 * The choice of the clock was measured on Linux 6.18 in a virtual machine, two
 * CPUs each kept busy by a pinned process that spins, 2 s at a time, samples
 * per second on CPU 0 and CPU 1:
 *
 *	                 97 hz         997 hz           4999 hz
 *	cpu-clock     96.3  96.8    994.6  991.6    4998.6  4983.7
 *	 with freq    96.8  96.8    996.8  993.3    4996.2  4984.7
 *	task-clock    96.8  96.8    996.7  993.7    4998.2  4982.7
 *	 with freq    96.8  96.3    996.8  993.8    4990.4  4979.9
 *
 * All use the same timer: all are within 1 %, and each misses samples in gaps
 * of a few ms.  dtrace uses cpu-clock, which belongs to the CPU and not to a
 * context, with a period, which is exact for any unit.  An idle CPU 1 gives 32
 * of 997 a second, in gaps of up to 0.4 s.
 *
 * A process gets the share of a CPU's samples that it got of the CPU's time: a
 * spinning one alone 99.5 to 100 %; beside other work, one that got 66.5 and
 * 65.6 % by the scheduler's statistics has 67.1 and 65.5 % of the samples.
 *
 * A late firing never moves later ones (the timer advances by whole periods),
 * so missed firings can be counted: the time between two firings on a CPU, in
 * periods, rounded, less one.  In runs of 4 and 5 s with both CPUs busy,
 * samples plus missed firings were 996.9 to 997.1 a second.
 */
#include "exec/bpf/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/vec.h"
#include "provider/cpc.h"

#define NS_PER_SEC 1000000000ULL
#define RATE_LIMIT "/proc/sys/kernel/perf_event_max_sample_rate"

/* Returns a file descriptor, or -errno. */
static int
event_open(struct perf_event_attr *attr, int cpu)
{
	int fd = (int)syscall(
	    SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Open an event on one CPU, not started.  Returns fd or -errno. */
static int
open_with_program(struct perf_event_attr *attr, int cpu, int prog_fd)
{
	int fd = event_open(attr, cpu);

	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd) != 0) {
		int err = errno;

		close(fd);
		return -err;
	}
	return fd;
}

CHECKED static int
arm_error(const struct dt_probe *probe, int cpu, int code, struct err *err)
{
	err_set(err, code, "%s: cannot set %s on CPU %d: %s%s", probe->name,
	    probe->kind == DT_PROBE_CLOCK ? "a clock" : "a counter", cpu,
	    strerror(-code), bx_needs(-code));
	return code;
}

CHECKED static int
arm_event(const struct bx_arming *a, struct perf_event_attr attr,
    struct bx_fds *fds, struct err *err)
{
	int ncpus = libbpf_num_possible_cpus(), cpu = 0;
	size_t first = fds->fds.n;

	if (ncpus <= 0) {
		return err_set(err, ncpus < 0 ? ncpus : -EINVAL,
		    "cannot tell how many CPUs there are: /sys/devices/system/cpu/possible: %s",
		    strerror(ncpus < 0 ? -ncpus : EINVAL));
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
			continue; /* the CPU is not online */
		if (fd < 0)
			return arm_error(a->probes[0], cpu, fd, err);
		VEC_PUSH(&fds->fds, fd);
		VEC_PUSH(&fds->cpus, (uint32_t)cpu);
	}
	for (size_t i = first; i < fds->fds.n; i++) {
		if (ioctl(fds->fds.v[i], PERF_EVENT_IOC_ENABLE, 0) != 0)
			return arm_error(
			    a->probes[0], (int)fds->cpus.v[i], -errno, err);
	}
	return 0;
}

/*
 * The kernel's limit on samples a second; it throttles what exceeds it.  Such a
 * file gives its text to the first read() alone, so that a stream that lacks
 * memory for its buffer would see one digit.
 */
static uint64_t
sample_rate_limit(void)
{
	int fd = open(RATE_LIMIT, O_RDONLY | O_CLOEXEC);
	char text[32] = "", *end;
	uint64_t limit;
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

	if (fd >= 0)
		close(fd);
	limit = strtoull(text, &end, 10);
	return n > 0 && end != text ? limit : UINT64_MAX;
}

int
bx_arm_clock(const struct bx_arming *a, struct bx_fds *fds, struct err *err)
{
	const struct dt_probe *probe = a->probes[0];
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = probe->period_ns };

	if (NS_PER_SEC / probe->period_ns > sample_rate_limit())
		return err_set(err, -ERANGE,
		    "%s: faster than " RATE_LIMIT
		    " allows: write a larger number to it",
		    probe->name);
	return arm_event(a, attr, fds, err);
}

int
bx_arm_counter(const struct bx_arming *a, struct bx_fds *fds, struct err *err)
{
	return arm_event(a, *dt_cpc_event(a->probes[0]), fds, err);
}
