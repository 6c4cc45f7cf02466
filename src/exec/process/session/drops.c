/* SPDX-License-Identifier: BSD-2-Clause */
/* Lost records, keys and firings, by kind. */
#include "exec/process/session/session.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"

#define DROPS_MAX (1ULL << 48)

/* A counter that other processes can write to: an impossible value counts 0. */
static uint64_t
plausible(struct pr_exec *x, uint64_t n)
{
	if (n <= DROPS_MAX)
		return n;
	pr_damaged(x);
	return 0;
}

/* Tell that later threads have small rooms; the others' have the options' size.
 */
static void
tell_small(struct pr_exec *x, enum dt_drop kind)
{
	bool is_agg = kind == DT_DROP_AGG;
	const char *option = is_agg ? "aggsize" : "bufsize";
	bool is_set = is_agg ? x->opts.aggsize_set : x->opts.bufsize_set;
	char *text;

	if (is_set || x->has_told_small[is_agg] || x->opts.notice == NULL)
		return;
	x->has_told_small[is_agg] = true;
	text = mem_printf("threads beyond the first %llu have less than the "
			  "default %s, and some lost data; -x %s=SIZE gives "
			  "it to all of them, for more address space",
	    (unsigned long long)x->conf.sizes[0].end, option, option);
	x->opts.notice(x->opts.notice_arg, text);
	free(text);
}

static uint64_t
drops_of_thread(struct pr_exec *x, enum dt_drop kind, uint32_t i)
{
	uint64_t n = plausible(x, pr_shared(x, i)->drops[kind]);

	if (n != 0 && i >= x->conf.sizes[0].end &&
	    (kind == DT_DROP_AGG || kind == DT_DROP_PRINCIPAL))
		tell_small(x, kind);
	return n;
}

/* Threads change CPUs, so the first CPU has the drops of all. */
uint64_t
pr_drops(struct dt_exec *e, enum dt_drop kind, uint32_t cpu)
{
	struct pr_exec *x = pr_of(e);
	uint64_t n = 0;

	if (cpu != 0)
		return 0;
	for (uint32_t i = 0; i < x->conf.nthreads; i++) {
		if (pr_owner(x, i) != 0)
			n += drops_of_thread(x, kind, i);
	}
	if (kind == DT_DROP_MISSED)
		n += x->missed;
	else if (kind == DT_DROP_DYNAMIC)
		n += plausible(x, rt_dyn_drops(&x->dyn));
	else if (kind == DT_DROP_SCRATCH)
		n += plausible(x, pr_head(x)->busy);
	else if (kind == DT_DROP_THREADS)
		n += plausible(x, pr_head(x)->nowhere);
	else if (kind == DT_DROP_STACK)
		n += plausible(x, pr_head(x)->shallow);
	else if (kind == DT_DROP_LOADS)
		n += plausible(x, pr_head(x)->late);
	else if (kind == DT_DROP_UNWIND)
		n += pr_tables_drops(x);
	return n;
}

static uint64_t
entry_max(const struct pr_exec *x)
{
	uint64_t max = 0;

	VEC_FOREACH(&x->aggs, ag)
		max = ag->entry_size > max ? ag->entry_size : max;
	return max;
}

uint64_t
pr_lost(struct dt_exec *e, enum dt_drop kind, uint32_t cpu)
{
	struct pr_exec *x = pr_of(e);

	if (cpu != 0)
		return 0;
	if (kind == DT_DROP_DYNAMIC)
		return rt_dyn_lost(&x->dyn);
	if (kind == DT_DROP_PRINCIPAL)
		return pr_drops(e, kind, cpu) *
		    (exec_record_max(x->pl) + EXEC_BUF_WORD);
	return kind == DT_DROP_AGG ? pr_drops(e, kind, cpu) * entry_max(x) : 0;
}
