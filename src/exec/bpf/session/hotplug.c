/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUs that come and go during tracing.
 *
 * Programs on tracepoints and functions run on any CPU.  Only perf events
 * belong to a CPU: profile's clock, cpc's counter, the counters that programs
 * read.  dtrace closes them when the CPU goes, and opens new ones when it
 * comes.
 *
 * dtrace notes how long a CPU was away, so that it does not report profile
 * firings as missed for that time.
 */
#include "exec/bpf/bpf_impl.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpuwatch.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

static bool
is_on_cpus(const struct bx_group *g)
{
	return g->tr.facts->ctx == BX_CTX_PERF;
}

static bool
is_armed_on(const struct bx_group *g, uint32_t cpu)
{
	VEC_FOREACH(&g->armed.cpus, c) {
		if (*c == cpu)
			return true;
	}
	return false;
}

/* Close the events of a CPU.  The CPU of each event is known, of profile and
 * cpc. */
static void
disarm_on(struct bx_group *g, uint32_t cpu)
{
	struct bx_fds *armed = &g->armed;

	for (size_t i = armed->cpus.n; i-- > 0;) {
		if (armed->cpus.v[i] != cpu)
			continue;
		close(armed->fds.v[i]);
		armed->fds.v[i] = armed->fds.v[--armed->fds.n];
		armed->cpus.v[i] = armed->cpus.v[--armed->cpus.n];
	}
}

static void
arm_on(struct bx_exec *x, struct bx_group *g, uint32_t cpu)
{
	const struct dt_probe *p = g->tr.facts->probes.v[0];
	struct bx_arming a = { .ctx = g->tr.facts->ctx,
		.probes = g->tr.facts->probes.v,
		.n = 1,
		.prog_fd = g->progs.v[0],
		.only_cpu = &cpu };
	struct err err = { 0 };

	if (bx_attach(p->kind)->arm(&a, &g->armed, &err) != 0 &&
	    x->opts.notice != NULL)
		x->opts.notice(x->opts.notice_arg, err_text(&err));
	err_clear(&err);
}

static void
come(struct bx_exec *x, uint32_t cpu)
{
	struct bx_presence *p = &x->presence[cpu];

	if (p->is_gone)
		p->away_ns += now_ns() - p->since_ns;
	p->is_gone = false;
	for (size_t i = 0; i < x->ngroups; i++) {
		if (is_on_cpus(&x->groups[i]))
			arm_on(x, &x->groups[i], cpu);
	}
	bx_counters_come(x, cpu);
}

static void
leave(struct bx_exec *x, uint32_t cpu)
{
	struct bx_presence *p = &x->presence[cpu];

	if (!p->is_gone)
		*p = (struct bx_presence){ .is_gone = true,
			.since_ns = now_ns(),
			.away_ns = p->away_ns };
	for (size_t i = 0; i < x->ngroups; i++) {
		if (is_on_cpus(&x->groups[i]))
			disarm_on(&x->groups[i], cpu);
	}
	bx_counters_leave(x, cpu);
}

void
bx_hotplug_work(struct bx_exec *x)
{
	unsigned cpu;
	bool is_online;

	while (x->hotplug_fd >= 0 &&
	    cpuwatch_next(x->hotplug_fd, &cpu, &is_online)) {
		if (cpu >= x->e.ncpus)
			continue;
		/* the CPU may be back before dtrace heard that it went */
		leave(x, cpu);
		if (is_online)
			come(x, cpu);
	}
}

static bool
anything_on_cpus(const struct bx_exec *x)
{
	for (size_t i = 0; i < x->ngroups; i++) {
		if (is_on_cpus(&x->groups[i]))
			return true;
	}
	return x->counters.n != 0;
}

/* Watch before events are opened: those of a CPU that comes meanwhile are
 * opened again. */
void
bx_hotplug_start(struct bx_exec *x)
{
	x->presence = mem_alloc(x->e.ncpus * sizeof(*x->presence));
	if (anything_on_cpus(x))
		x->hotplug_fd = cpuwatch_open();
}

void
bx_hotplug_armed(struct bx_exec *x)
{
	for (uint32_t cpu = 0; cpu < x->e.ncpus; cpu++) {
		bool is_there = false;

		for (size_t i = 0; i < x->ngroups; i++)
			is_there |= is_armed_on(&x->groups[i], cpu);
		x->presence[cpu] = (struct bx_presence){ .is_gone = !is_there,
			.since_ns = x->start_ns };
	}
}

uint64_t
bx_present_ns(const struct bx_exec *x, uint32_t cpu)
{
	const struct bx_presence *p = &x->presence[cpu];
	uint64_t away =
	    p->away_ns + (p->is_gone ? x->stop_ns - p->since_ns : 0);

	return x->stop_ns - x->start_ns - away;
}

void
bx_hotplug_close(struct bx_exec *x)
{
	if (x->hotplug_fd >= 0)
		close(x->hotplug_fd);
	free(x->presence);
}
