// SPDX-License-Identifier: BSD-2-Clause
/*
 * percall CALL...: the minimum that a tracer needs for the tracepoint of each
 * system call (syscalls:sys_enter_CALL): a perf event and the smallest BPF
 * program on it.  Prints "ready", waits for SIGINT, and prints how long opening
 * and closing all of them took.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TRACEFS "/sys/kernel/tracing"
#define EVENTS TRACEFS "/events/syscalls/sys_enter_"

static double
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void
fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

/* Mount tracefs in a namespace of our own, unless it is mounted already. */
static void
need_tracefs(void)
{
	if (access(TRACEFS "/events", F_OK) == 0)
		return;
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tracefs", TRACEFS, "tracefs", 0, NULL) != 0)
		fail(TRACEFS);
}

/* return 0 */
static int
load_program(void)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_TRACEPOINT,
		.insns = (uintptr_t)insns,
		.insn_cnt = 2,
		.license = (uintptr_t) "GPL" };
	int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

	if (fd < 0)
		fail("BPF_PROG_LOAD");
	return fd;
}

static uint64_t
tracepoint_id(const char *name)
{
	char path[256];
	unsigned long id;
	FILE *f;

	snprintf(path, sizeof(path), EVENTS "%s/id", name);
	f = fopen(path, "re");
	if (f == NULL || fscanf(f, "%lu", &id) != 1)
		fail(path);
	fclose(f);
	return id;
}

/* A program on a tracepoint sees all CPUs, whichever CPU its event is on. */
static int
open_event(const char *name, int prog)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = tracepoint_id(name),
		.sample_period = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);

	if (fd < 0)
		fail("perf_event_open");
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) != 0 ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0)
		fail("PERF_EVENT_IOC_SET_BPF");
	return fd;
}

int
main(int argc, char *argv[])
{
	int *fds = calloc((size_t)argc, sizeof(*fds)), prog, sig;
	double begin = now_ms(), opened, asked;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	need_tracefs();
	prog = load_program();
	for (int i = 1; i < argc; i++)
		fds[i] = open_event(argv[i], prog);
	opened = now_ms() - begin;
	printf("ready\n");
	fflush(stdout);
	sigwait(&set, &sig);
	asked = now_ms();
	for (int i = 1; i < argc; i++)
		close(fds[i]);
	printf("open_ms %.1f close_ms %.1f\n", opened, now_ms() - asked);
	free(fds);
	return 0;
}
