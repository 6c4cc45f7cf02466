/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drops: what programs lost and counted, and firings that no program saw.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>

#include "base/vec.h"

/* Firings of profile probes that did not happen: on some machines a sleeping
 * CPU does not wake up for its timers.  Valid after tracing has stopped. */
static uint64_t
missed_profile(struct bx_exec *x, uint32_t cpu)
{
	uint64_t missed = 0;

	for (size_t i = 0; x->stop_ns != 0 && i < x->ngroups; i++) {
		const struct bx_group *g = &x->groups[i];
		const struct bx_tr *t = &g->tr;
		uint64_t want, got;

		if (t->facts->ctx != BX_CTX_PERF || !t->facts->is_clock ||
		    x->start_ns == 0 ||
		    (x->opts.cpu >= 0 && cpu != (uint32_t)x->opts.cpu))
			continue;
		want = bx_present_ns(x, cpu) / t->facts->probes.v[0]->period_ns;
		got = bx_pcpu(x, cpu)->fired[t->facts->perf_index];
		/* the first and the last period are partial */
		if (want > got + 2)
			missed += want - got;
	}
	return missed;
}

static uint64_t
recursion_misses(int prog_fd)
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(prog_fd, &info, &len) != 0)
		return 0;
	return info.recursion_misses;
}

/* Firings that the kernel skipped since the program was already running on that
 * CPU. */
static uint64_t
skipped(struct bx_exec *x)
{
	uint64_t n = 0;

	for (size_t i = 0; i < x->ngroups; i++) {
		VEC_FOREACH(&x->groups[i].progs, fd)
			n += recursion_misses(*fd);
	}
	return n;
}

uint64_t
bx_drops(struct dt_exec *e, enum dt_drop kind, uint32_t cpu)
{
	struct bx_exec *x = bx_of(e);
	uint64_t n = bx_pcpu(x, cpu)->drops[kind];

	if (kind == DT_DROP_MISSED)
		n += missed_profile(x, cpu);
	else if (kind == DT_DROP_SKIPPED && cpu == 0)
		n += skipped(x);
	return n;
}
