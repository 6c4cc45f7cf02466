/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drops: report lost data as soon as the loss is known.  The substrate's
 * counters only grow; a report gives the increase since the last one.
 */
#include "consume/consume_impl.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "consume/oformat.h"

struct drop_text {
	const char *tag;  /* shown with option droptags */
	const char *what; /* plural: an s is appended */
	const char *rest;
	bool is_per_cpu;    /* " on CPU n"; otherwise one sum */
	const char *option; /* option to increase; or NULL */
	size_t value;	    /* offset in struct consume_opts */
	bool is_32;
};

#define MORE_OF(name, field)                                                   \
	name, offsetof(struct consume_opts, field),                            \
	    sizeof(((struct consume_opts *)0)->field) == 4

/* DTrace's words for the kinds that DTrace has; plain ones for ours. */
static const struct drop_text drop_texts[DT_DROP_MAX] = {
	[DT_DROP_PRINCIPAL] = { "PRINCIPAL", "drop", "", true,
	    MORE_OF("bufsize", bufsize) },
	[DT_DROP_AGG] = { "AGGREGATION", "aggregation drop", "", true,
	    MORE_OF("aggsize", aggsize) },
	[DT_DROP_DYNAMIC] = { "DYNAMIC", "dynamic variable drop", "", false,
	    MORE_OF("dynvarsize", dynvarsize) },
	[DT_DROP_SPEC] = { "SPEC", "speculative drop", "", false,
	    MORE_OF("specsize", specsize) },
	[DT_DROP_SPECUNAVAIL] = { "SPECUNAVAIL", "failed speculation",
	    " (no speculative buffer available)", false,
	    MORE_OF("nspec", nspec) },
	[DT_DROP_STKSTR] = { "STKSTROVERFLOW",
	    "jstack()/ustack() string table overflow", "", false,
	    MORE_OF("jstackstrsize", jstackstrsize) },
	[DT_DROP_DBLERROR] = { "DBLERROR", "error", " in ERROR probe enabling",
	    false },
	[DT_DROP_SCRATCH] = { "SCRATCH", "firing",
	    " dropped for lack of scratch space", true },
	[DT_DROP_SKIPPED] = { "SKIPPED", "firing",
	    " skipped by the kernel inside another probe", true },
	[DT_DROP_FILLED] = { "FILLED", "buffer", " filled", true,
	    MORE_OF("bufsize", bufsize) },
	[DT_DROP_MISSED] = { "MISSED", "profile firing", " missed or late",
	    true },
	[DT_DROP_HELPER] = { "HELPER", "error",
	    " in helpers, which name frames of jstack()", false },
	[DT_DROP_STACK] = { "STACK", "firing",
	    " dropped in threads with too little stack left", false },
	[DT_DROP_UNWIND] = { "UNWIND", "table",
	    " for walking stacks dropped: some stacks end early", false },
	[DT_DROP_THREADS] = { "THREADS", "firing",
	    " dropped in threads beyond those that have room at a time; "
	    "-x substrate=kernel has room for all threads",
	    false },
	[DT_DROP_LOADS] = { "LOADS", "load",
	    " of code seen too late: first calls in it may be missing; give "
	    "dtrace more CPU time, or select fewer functions",
	    false },
	[DT_DROP_AGGMEM] = { "AGGMEM", "aggregation drop",
	    " of new keys, since the kernel had no memory ready for them",
	    true },
	[DT_DROP_CUT] = { "CUT", "firing",
	    " cut short: the kernel refused to go on with the script's next "
	    "program",
	    true },
};

static uint64_t
option_value(const struct consume_opts *opts, const struct drop_text *dt)
{
	const char *at = (const char *)opts + dt->value;
	uint64_t v64;
	uint32_t v32;

	if (dt->is_32) {
		memcpy(&v32, at, sizeof(v32));
		return v32;
	}
	memcpy(&v64, at, sizeof(v64));
	return v64;
}

/* The least power of 2 that is not less; the largest one, if there is none. */
static uint64_t
round_up(uint64_t n)
{
	uint64_t size = 1;

	while (size < n && size < UINT64_C(1) << 63)
		size *= 2;
	return size;
}

/*
 * The largest value of the option that is worth naming: what the substrate
 * takes at most, or else a CPU's share of a quarter of the memory.
 */
static uint64_t
value_max(const struct consumer *c, enum dt_drop kind)
{
	uint64_t most;

	if (drop_texts[kind].is_32)
		return c->opts.nspec_max;
	most = c->ops->most != NULL ? c->ops->most(c->x, kind) : 0;
	return most != 0 ? most : mem_physical() / (4 * (uint64_t)c->x->ncpus);
}

/*
 * With which value of the option would nothing have been dropped?  If it had
 * held what it held, and what was dropped since the start: of all CPUs, or if
 * each has its own share, on the CPU where that is most.  So it is enough,
 * though less can be: several drops may be of one key.  0: not known.
 */
static uint64_t
value_enough(const struct consumer *c, enum dt_drop kind)
{
	uint32_t ncpus = c->x->ncpus;
	uint64_t most = 0, lost, total = 0;

	if (kind == DT_DROP_SPEC)
		return c->specs.enough;
	for (uint32_t cpu = 0; cpu < ncpus; cpu++) {
		total += c->drops_seen.v[(uint32_t)kind * ncpus + cpu];
		lost = c->ops->lost != NULL ? c->ops->lost(c->x, kind, cpu) : 0;
		if (!drop_texts[kind].is_per_cpu)
			most += lost;
		else if (lost > most)
			most = lost;
	}
	if (kind == DT_DROP_SPECUNAVAIL)
		return c->opts.nspec + total;
	return most != 0 ?
	    round_up(option_value(&c->opts, &drop_texts[kind]) + most) :
	    0;
}

/* "=8m" */
static void
add_value(struct strbuf *sb, const struct drop_text *dt, uint64_t value)
{
	static const char *const units[] = { "", "k", "m", "g", "t" };
	size_t unit = 0;

	while (!dt->is_32 && value >= 1024 && value % 1024 == 0 && unit < 4) {
		value /= 1024;
		unit++;
	}
	strbuf_printf(sb, "; -x %s=%llu%s", dt->option,
	    (unsigned long long)value, units[unit]);
}

/*
 * "; -x bufsize=8m would have been enough", or, if that is not known, twice the
 * present size "or more".  Only people get this hint; tools that parse DTrace's
 * text expect it to end here.
 */
static void
add_remedy(const struct consumer *c, enum dt_drop kind, struct strbuf *sb)
{
	const struct drop_text *dt = &drop_texts[kind];
	uint64_t value, enough;

	if (dt->option == NULL)
		return;
	enough = value_enough(c, kind);
	value = option_value(&c->opts, dt);
	if (enough > value_max(c, kind)) {
		strbuf_printf(sb, "; no %s would have been enough", dt->option);
	} else if (enough != 0) {
		add_value(sb, dt, enough);
		strbuf_adds(sb, " would have been enough");
	} else {
		add_value(sb, dt, value != 0 ? 2 * value : 1);
		strbuf_adds(sb, " or more");
	}
}

/* A script that never ends a speculation uses up any number of them. */
static void
add_leak(const struct consumer *c, enum dt_drop kind, struct strbuf *sb)
{
	bool is_any_enough = value_enough(c, kind) <= value_max(c, kind);

	if (kind == DT_DROP_SPECUNAVAIL && c->opts.nspec > 0 &&
	    c->specs.nended == 0)
		strbuf_printf(sb,
		    "%s none was ended: each needs commit() or discard()",
		    is_any_enough ? ", but" : ", and");
}

/* An idle CPU misses firings, and nothing is lost of what others did. */
static void
add_idle(
    const struct consumer *c, enum dt_drop kind, int cpu, struct strbuf *sb)
{
	unsigned idle = kind == DT_DROP_MISSED && c->ops->idle != NULL ?
	    c->ops->idle(c->x, (uint32_t)cpu) :
	    0;

	if (idle > 0)
		strbuf_printf(
		    sb, ", which was idle for %u %% of the time", idle);
}

static void
drop_print(struct consumer *c, enum dt_drop kind, struct strbuf *sb)
{
	const struct drop_text *dt = &drop_texts[kind];

	add_remedy(c, kind, sb);
	add_leak(c, kind, sb);
	consumer_flush(c);
	if (c->opts.droptags)
		fprintf(c->err, "dtrace: [DTRACEDROP_%s] %s\n", dt->tag, sb->s);
	else
		fprintf(c->err, "dtrace: %s\n", sb->s);
}

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
		consumer_answer(c,
		    c->opts.hooks->drop(c->opts.hooks_arg, kind, cpu, n, sb.s));
	else if (oformat_has_losses(c))
		c->opts.oformat->drop(c, dt->tag, n, cpu, sb.s);
	else {
		add_idle(c, kind, cpu, &sb);
		drop_print(c, kind, &sb);
	}
	strbuf_fini(&sb);
}

static uint64_t
drops_now(struct consumer *c, enum dt_drop kind, uint32_t cpu)
{
	if (kind == DT_DROP_SPEC)
		return cpu == 0 ? c->specs.drops : 0;
	return c->ops->drops(c->x, kind, cpu);
}

/* The increase since the last report, which this one is. */
static uint64_t
drops_take(struct consumer *c, enum dt_drop kind, uint32_t cpu)
{
	uint64_t *seen = &c->drops_seen.v[(uint32_t)kind * c->x->ncpus + cpu];
	uint64_t now = drops_now(c, kind, cpu);
	uint64_t n = now > *seen ? now - *seen : 0;

	*seen = now;
	return n;
}

static void
drops_report_kind(struct consumer *c, enum dt_drop kind, uint32_t ncpus)
{
	uint64_t total = 0;

	for (uint32_t cpu = 0; cpu < ncpus; cpu++) {
		uint64_t n = drops_take(c, kind, cpu);

		total += n;
		if (drop_texts[kind].is_per_cpu)
			drop_report(c, kind, n, (int)cpu);
	}
	if (!drop_texts[kind].is_per_cpu)
		drop_report(c, kind, total, -1);
}

const char *
drops_total(const struct consumer *c, enum dt_drop kind, uint64_t *total)
{
	uint32_t ncpus = c->x->ncpus;

	*total = 0;
	for (uint32_t cpu = 0; cpu < ncpus && c->drops_seen.v != NULL; cpu++)
		*total += c->drops_seen.v[(uint32_t)kind * ncpus + cpu];
	return drop_texts[kind].tag;
}

int
consumer_report_drops(struct consumer *c)
{
	uint32_t ncpus = c->x->ncpus;

	VEC_RESERVE(&c->drops_seen, (size_t)ncpus * DT_DROP_MAX);
	for (int kind = 0; kind < DT_DROP_MAX; kind++)
		if (drop_texts[kind].what != NULL)
			drops_report_kind(c, (enum dt_drop)kind, ncpus);
	consumer_flush(c);
	return consumer_take_error(c);
}
