/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CPU that sleeps does not wake up for its timers everywhere, so an idle one
 * misses firings of profile.  How long each was idle while we traced tells this
 * from a CPU that was kept from firing.
 */
#include "exec/bpf/bpf_impl.h"

#include <stdlib.h>

#include "base/cputicks.h"
#include "base/mem.h"

static bool
has_profile(const struct bx_exec *x)
{
	for (size_t i = 0; i < x->ngroups; i++) {
		const struct bx_tr *t = &x->groups[i].tr;

		if (t->facts->ctx == BX_CTX_PERF && t->facts->is_clock)
			return true;
	}
	return false;
}

static struct cpu_ticks *
read_ticks(const struct bx_exec *x)
{
	struct cpu_ticks *ticks = mem_alloc(x->e.ncpus * sizeof(*ticks));

	cpu_ticks_read(ticks, x->e.ncpus);
	return ticks;
}

void
bx_idle_begin(struct bx_exec *x)
{
	if (has_profile(x))
		x->start_ticks = read_ticks(x);
}

void
bx_idle_end(struct bx_exec *x)
{
	if (x->start_ticks != NULL && x->stop_ticks == NULL)
		x->stop_ticks = read_ticks(x);
}

void
bx_idle_close(struct bx_exec *x)
{
	free(x->start_ticks);
	free(x->stop_ticks);
}

unsigned
bx_idle(const struct dt_exec *e, uint32_t cpu)
{
	const struct bx_exec *x = bx_of(e);

	return x->stop_ticks == NULL ?
	    0 :
	    cpu_ticks_idle(x->start_ticks[cpu], x->stop_ticks[cpu]);
}
