/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drops: what was lost, told as soon as it is known.  The substrate's counts
 * only grow; we report what was added since the last call.
 */
#include "consume/consume_impl.h"

struct drop_text {
	const char *tag;	/* shown with option droptags */
	const char *what;	/* gets a plural s */
	const char *rest;
	bool is_per_cpu;	/* " on CPU n"; otherwise one sum */
};

/* DTrace's words for its kinds; plain ones for ours. */
static const struct drop_text drop_texts[DT_DROP_MAX] = {
	[DT_DROP_PRINCIPAL] = { "PRINCIPAL", "drop", "", true },
	[DT_DROP_AGG] = { "AGGREGATION", "aggregation drop", "", true },
	[DT_DROP_DYNAMIC] = { "DYNAMIC", "dynamic variable drop", "", false },
	[DT_DROP_SPEC] = { "SPEC", "speculative drop", "", false },
	[DT_DROP_SPECUNAVAIL] = { "SPECUNAVAIL", "failed speculation",
	    " (no speculative buffer available)", false },
	[DT_DROP_STKSTR] = { "STKSTROVERFLOW",
	    "jstack()/ustack() string table overflow", "", false },
	[DT_DROP_DBLERROR] = { "DBLERROR", "error", " in ERROR probe enabling",
	    false },
	[DT_DROP_SCRATCH] = { "SCRATCH", "firing",
	    " dropped for lack of scratch space", true },
	[DT_DROP_SKIPPED] = { "SKIPPED", "firing",
	    " skipped by the kernel inside another probe", true },
	[DT_DROP_FILLED] = { "FILLED", "buffer", " filled", true },
	[DT_DROP_MISSED] = { "MISSED", "profile firing", " missed or late",
	    true },
	[DT_DROP_HELPER] = { "HELPER", "error",
	    " in helpers, which name frames of jstack()", false },
	[DT_DROP_STACK] = { "STACK", "firing",
	    " dropped in threads with too little stack left", false },
	[DT_DROP_UNWIND] = { "UNWIND", "table",
	    " dropped that say how to walk stacks: some stacks end early",
	    false },
	[DT_DROP_THREADS] = { "THREADS", "firing",
	    " dropped in threads beyond the 1024 that have room at a time; with "
	    "-x substrate=kernel all have", false },
	[DT_DROP_LOADS] = { "LOADS", "load",
	    " of code seen too late: first calls in it may be missing; give "
	    "dtrace more CPU time, or select fewer functions",
	    false },
};

static void
drop_report(struct consumer *c, enum dt_drop kind, uint64_t n, int cpu)
{
	const struct drop_text *dt = &drop_texts[kind];
	struct strbuf sb = { 0 };

	if (n == 0)
		return;
	strbuf_printf(&sb, "%llu %s%s%s", (unsigned long long)n, dt->what,
	    n == 1 ? "" : "s", dt->rest);
	if (cpu >= 0)
		strbuf_printf(&sb, " on CPU %d", cpu);
	if (c->opts.hooks != NULL)
		consumer_answer(c, c->opts.hooks->drop(c->opts.hooks_arg, kind,
		    cpu, n, sb.s));
	else if (c->opts.json)
		json_drop(c, dt->tag, n, cpu, sb.s);
	else if (c->opts.droptags)
		fprintf(c->err, "dtrace: [DTRACEDROP_%s] %s\n", dt->tag, sb.s);
	else
		fprintf(c->err, "dtrace: %s\n", sb.s);
	strbuf_fini(&sb);
}

static uint64_t
drops_now(struct consumer *c, enum dt_drop kind, uint32_t cpu)
{
	if (kind == DT_DROP_SPEC)
		return cpu == 0 ? c->specs.drops : 0;
	return c->ops->drops(c->x, kind, cpu);
}

static void
drops_report_kind(struct consumer *c, enum dt_drop kind, uint32_t ncpus)
{
	const struct drop_text *dt = &drop_texts[kind];
	uint64_t total = 0;

	for (uint32_t cpu = 0; cpu < ncpus; cpu++) {
		uint64_t *seen = &c->drops_seen.v[kind * ncpus + cpu];
		uint64_t now = drops_now(c, kind, cpu);
		uint64_t n = now > *seen ? now - *seen : 0;

		*seen = now;
		total += n;
		if (dt->is_per_cpu)
			drop_report(c, kind, n, (int)cpu);
	}
	if (!dt->is_per_cpu)
		drop_report(c, kind, total, -1);
}

int
consumer_report_drops(struct consumer *c)
{
	uint32_t ncpus = c->ops->ncpus(c->x);

	VEC_RESERVE(&c->drops_seen, (size_t)ncpus * DT_DROP_MAX);
	for (int kind = 0; kind < DT_DROP_MAX; kind++)
		if (drop_texts[kind].what != NULL)
			drops_report_kind(c, (enum dt_drop)kind, ncpus);
	consumer_flush(c);
	return consumer_take_error(c);
}
