/* SPDX-License-Identifier: BSD-2-Clause */
/* The D program of plockstat(1): its clauses and aggregations by options. */
#include "plockstat.h"

#include <stddef.h>

/*
 * A time begins at one probe and ends at another, which tells its kind.  Keys
 * of the aggregation are locks and stacks; `name`_dist has the distribution.
 */
static const struct begin {
	unsigned event;
	const char *probe, *when, *since;
} begins[] = {
	{ CONTENTION, "mutex-block", NULL, "self->mutex_block" },
	{ CONTENTION, "rw-block", NULL, "self->rw_block" },
	{ CONTENTION, "mutex-spin", NULL, "self->mutex_spin" },
	{ HOLD, "mutex-acquire", "arg1 == 0", "self->mutex_hold[arg0]" },
	{ HOLD, "rw-acquire", NULL, "self->rw_hold[arg0]" },
};

const struct plockstat_table plockstat_tables[PLOCKSTAT_NTABLES] = {
	{ CONTENTION, "Mutex block", "mutex_block", "mutex-blocked",
	    "arg1 != 0", "self->mutex_block" },
	{ CONTENTION, "Mutex spin", "mutex_spin", "mutex-spun", "arg1 != 0",
	    "self->mutex_spin" },
	{ CONTENTION, "Mutex unsuccessful spin", "spin_vain", "mutex-spun",
	    "arg1 == 0", "self->mutex_spin" },
	{ CONTENTION, "Mutex unsuccessful block", "mutex_vain", "mutex-blocked",
	    "arg1 == 0", "self->mutex_block" },
	{ CONTENTION, "R/W writer block", "writer_block", "rw-blocked",
	    "arg1 != 0 && arg2 != 0", "self->rw_block" },
	{ CONTENTION, "R/W writer unsuccessful block", "writer_vain",
	    "rw-blocked", "arg1 != 0 && arg2 == 0", "self->rw_block" },
	{ CONTENTION, "R/W reader block", "reader_block", "rw-blocked",
	    "arg1 == 0 && arg2 != 0", "self->rw_block" },
	{ CONTENTION, "R/W reader unsuccessful block", "reader_vain",
	    "rw-blocked", "arg1 == 0 && arg2 == 0", "self->rw_block" },
	{ HOLD, "Mutex hold", "mutex_hold", "mutex-release", "arg1 == 0",
	    "self->mutex_hold[arg0]" },
	{ HOLD, "R/W writer hold", "writer_hold", "rw-release", "arg1 != 0",
	    "self->rw_hold[arg0]" },
	{ HOLD, "R/W reader hold", "reader_hold", "rw-release", "arg1 == 0",
	    "self->rw_hold[arg0]" },
};
#define NBEGINS (sizeof(begins) / sizeof(begins[0]))

static void
add_begin(struct strbuf *d, const struct begin *b)
{
	strbuf_printf(d, "plockstat$target:::%s\n", b->probe);
	if (b->when != NULL)
		strbuf_printf(d, "/%s/\n", b->when);
	strbuf_printf(d, "{\n\t%s = timestamp;\n}\n\n", b->since);
}

static void
add_table(struct strbuf *d, const struct plockstat_table *t, bool has_dist)
{
	strbuf_printf(d, "plockstat$target:::%s\n/%s && %s != 0/\n{\n",
	    t->probe, t->when, t->since);
	strbuf_printf(d, "\t@%s[arg0, ustack()] = avg(timestamp - %s);\n",
	    t->name, t->since);
	if (has_dist)
		strbuf_printf(d,
		    "\t@%s_dist[arg0, ustack()] = "
		    "quantize(timestamp - %s);\n",
		    t->name, t->since);
	strbuf_printf(d, "\t%s = 0;\n}\n\n", t->since);
}

void
plockstat_program(const struct plockstat_opts *o, struct strbuf *d)
{
	strbuf_printf(d,
	    "#pragma D option quiet\n"
	    "#pragma D option ustackframes=%u\n\n",
	    (o->depth != 0 ? o->depth : 1) + PLOCKSTAT_INNER);
	for (size_t i = 0; i < NBEGINS; i++) {
		if (o->events & begins[i].event)
			add_begin(d, &begins[i]);
	}
	for (size_t i = 0; i < PLOCKSTAT_NTABLES; i++) {
		if (o->events & plockstat_tables[i].event)
			add_table(d, &plockstat_tables[i], o->depth != 0);
	}
	if (o->seconds != 0)
		strbuf_printf(d, "tick-%us\n{\n\texit(0);\n}\n", o->seconds);
}
