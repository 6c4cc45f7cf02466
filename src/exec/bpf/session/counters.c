/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resources that BPF programs cannot set up themselves: the CPU's counters,
 * opened here and read by programs, and the scale from CLOCK_MONOTONIC to the
 * time-stamp counter.
 *
 * The scale is the line through two readings of both clocks: one from the load
 * of the script, and the latest, which dtrace renews at each wake-up (every
 * switchrate at least).  Both clocks advance evenly to about one part in a
 * million between two renewals.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "exec/runtime/tsc.h"

/* ---- counters ------------------------------------------------------------ */

static const struct counter {
	const char *sym, *what;
	uint64_t config;
} counters[BX_NCLOCKS] = {
	[BX_CLK_CYCLES] = { "rtm_cycles", "cpucycles, vcycles",
	    PERF_COUNT_HW_CPU_CYCLES },
	[BX_CLK_INSTRS] = { "rtm_instrs", "cpuinstrs, vinstrs",
	    PERF_COUNT_HW_INSTRUCTIONS },
};

/* Open a pinned event: it counts all the time, or not at all.  Tests on
 * machines without counters use the kernel's CPU clock instead. */
static int
open_counter(const struct counter *c, uint32_t cpu)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = c->config,
		.pinned = 1 };

	if (getenv("DTRACE_TEST_COUNTERS") != NULL) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
	}
	return (int)syscall(
	    SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int
open_on(struct bx_exec *x, enum bx_clock clk, int map, uint32_t cpu)
{
	int fd = open_counter(&counters[clk], cpu);

	if (fd < 0)
		return errno == ENODEV ? 0 : -errno; /* the CPU is not online */
	VEC_PUSH(&x->counters, ((struct bx_counter){ clk, cpu, fd }));
	return bpf_map_update_elem(map, &cpu, &fd, 0) != 0 ? -errno : 0;
}

static int
open_on_cpus(struct bx_exec *x, enum bx_clock clk, int map)
{
	int rc = 0;

	for (uint32_t cpu = 0; cpu < x->e.ncpus && rc == 0; cpu++)
		rc = open_on(x, clk, map, cpu);
	return rc;
}

static int
create(struct bx_exec *x, enum bx_clock clk)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "dt_counter", 4,
		4, x->e.ncpus, NULL),
	    rc;

	if (fd < 0)
		return fd;
	rc = open_on_cpus(x, clk, fd);
	if (rc == 0)
		return fd;
	close(fd);
	free(x->link_error);
	x->link_error =
	    mem_printf("%s: not available: this machine's CPUs, "
		       "virtual ones perhaps, offer no such counter "
		       "(perf_event_open: %s)",
		counters[clk].what, strerror(-rc));
	return rc;
}

/* BX_NCLOCKS: the symbol names no clock's map. */
static enum bx_clock
clock_of_map(const char *sym)
{
	unsigned clk = BX_CLK_TIME + 1;

	while (clk < BX_NCLOCKS && strcmp(counters[clk].sym, sym) != 0)
		clk++;
	return clk;
}

int
bx_counter_map(struct bx_exec *x, const char *sym)
{
	enum bx_clock clk = clock_of_map(sym);

	return clk < BX_NCLOCKS ? create(x, clk) : -ENOENT;
}

bool
bx_is_counter_map(const char *sym)
{
	return clock_of_map(sym) < BX_NCLOCKS;
}

static void
start_counter(const struct bx_exec *x, const struct bx_counter *c)
{
	uint64_t value;

	if (read(c->fd, &value, sizeof(value)) == sizeof(value))
		bx_pcpu(x, c->cpu)->last[c->clk] = value;
}

/* Clocks of running threads start now, as if they had come to their CPUs
 * now. */
void
bx_clocks_start(struct bx_exec *x)
{
	for (uint32_t cpu = 0; cpu < x->e.ncpus; cpu++)
		bx_pcpu(x, cpu)->last[BX_CLK_TIME] = now_ns();
	VEC_FOREACH(&x->counters, c)
		start_counter(x, c);
}

void
bx_counters_come(struct bx_exec *x, uint32_t cpu)
{
	for (unsigned clk = BX_CLK_TIME + 1; clk < BX_NCLOCKS; clk++) {
		int map = bx_map_find(x, counters[clk].sym);
		size_t n = x->counters.n;

		if (map >= 0 && open_on(x, clk, map, cpu) == 0 &&
		    x->counters.n > n)
			start_counter(x, &x->counters.v[n]);
	}
}

void
bx_counters_leave(struct bx_exec *x, uint32_t cpu)
{
	for (size_t i = x->counters.n; i-- > 0;) {
		struct bx_counter *c = &x->counters.v[i];

		if (c->cpu != cpu)
			continue;
		bpf_map_delete_elem(bx_map_find(x, counters[c->clk].sym), &cpu);
		close(c->fd);
		*c = x->counters.v[--x->counters.n];
	}
}

void
bx_counters_close(struct bx_exec *x)
{
	VEC_FOREACH(&x->counters, c)
		close(c->fd);
	VEC_FREE(&x->counters);
}

/* ---- the time-stamp counter ---------------------------------------------- */

#define SCALE_MIN_NS 1000000 /* a shorter line has no exact slope */

int
bx_tsc_init(struct bx_exec *x, struct err *err)
{
	if (!x->lo.uses_tsc)
		return 0;
	if (!exec_tsc_is_even())
		return err_set(err, -ENOTSUP,
		    "machtimestamp is not available: this CPU has no time-stamp counter that advances evenly");
	exec_tsc_read(&x->tsc_first);
	return 0;
}

void
bx_tsc_renew(struct bx_exec *x)
{
	uint64_t turn = x->ctl->tsc_turn + 1;
	struct exec_tsc at;
	struct bx_tsc now;

	if (!x->lo.uses_tsc)
		return;
	do
		exec_tsc_read(&at);
	while (at.ns - x->tsc_first.ns < SCALE_MIN_NS);
	now = (struct bx_tsc){ .cycles = at.cycles, .ns = at.ns };
	now.mult = (uint64_t)((double)(now.cycles - x->tsc_first.cycles) /
	    (double)(now.ns - x->tsc_first.ns) * (1 << BX_TSC_SHIFT));
	x->ctl->tsc[turn & 1] = now;
	__atomic_store_n(&x->ctl->tsc_turn, turn, __ATOMIC_RELEASE);
}
