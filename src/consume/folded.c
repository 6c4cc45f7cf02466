/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option oformat=folded: each row of an aggregation is a line of its keys and
 * frames, from the root to the leaf, joined by `;`, then a space and its value.
 *
 * Keys that are no stacks come first, then the stacks of processes, then those
 * of the kernel: a system call is entered from the program.  If the script has
 * several aggregations, the first frame is the aggregation's name.  The value
 * of a distribution is the number of its values.
 */
#include "consume/folded.h"
#include "consume/oformat.h"

static void
add_plain_keys(struct strbuf *sb, const dtrace_event_t *ev)
{
	struct strbuf text = { 0 };

	for (uint32_t i = 0; i < ev->dtev_nkeys; i++) {
		if (plain_is_stack(&ev->dtev_keys[i]))
			continue;
		strbuf_reset(&text);
		plain_value(&text, &ev->dtev_keys[i]);
		strbuf_addc(sb, ';');
		plain_folded(sb, text.s, text.len);
	}
	strbuf_fini(&text);
}

static void
add_stacks(
    struct strbuf *sb, const dtrace_event_t *ev, dtrace_valuekind_t which)
{
	for (uint32_t i = 0; i < ev->dtev_nkeys; i++) {
		if (ev->dtev_keys[i].dtva_kind == which)
			plain_stack(sb, &ev->dtev_keys[i]);
	}
}

void
folded_keys(const dtrace_event_t *ev, struct strbuf *sb)
{
	add_plain_keys(sb, ev);
	add_stacks(sb, ev, DTRACE_VALUE_USTACK);
	add_stacks(sb, ev, DTRACE_VALUE_STACK);
}

static void
folded_row(struct consumer *c, const dtrace_event_t *ev)
{
	struct strbuf path = { 0 };

	for (uint32_t i = 0; i < ev->dtev_nvalues; i++) {
		const dtrace_aggvalue_t *val = &ev->dtev_values[i];

		strbuf_reset(&path);
		if (c->pl->aggs.n > 1)
			strbuf_printf(&path, ";@%s", val->dtav_name);
		folded_keys(ev, &path);
		/* without the first `;`; an aggregation may have no keys */
		if (path.len > 1)
			strbuf_add(&c->buf, path.s + 1, path.len - 1);
		else
			strbuf_printf(&c->buf, "@%s", val->dtav_name);
		strbuf_addc(&c->buf, ' ');
		out_i64(&c->buf, plain_amount(val), 0);
		strbuf_addc(&c->buf, '\n');
	}
	strbuf_fini(&path);
}

const struct oformat_ops oformat_folded = {
	.row = folded_row,
	.holds = "aggregations",
};
