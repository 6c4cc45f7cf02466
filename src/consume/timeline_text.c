/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of a time line: names of slices, and the arguments of an event. */
#include "consume/timeline.h"

#include <string.h>

#include "base/str.h"

void
timeline_text(struct strbuf *sb, const char *s, size_t len)
{
	out_escape(sb, s, len, utf8_visible);
	strbuf_add(sb, "", 0); /* a string, if it is empty, too */
}

void
timeline_value(struct strbuf *sb, const dtrace_value_t *val)
{
	struct strbuf text = { 0 };
	size_t skip = plain_is_stack(val);

	if (val->dtva_kind == DTRACE_VALUE_STRING) {
		timeline_text(sb, val->dtva_data, val->dtva_size);
		return;
	}
	if (plain_is_stack(val))
		plain_stack(&text, val);
	else
		plain_value(&text, val);
	if (text.len > skip)
		timeline_text(sb, text.s + skip, text.len - skip);
	strbuf_fini(&text);
}

const char *
timeline_name(const struct tl_event *ev)
{
	const struct dt_probe *p = ev->probe;

	if (ev->name != NULL)
		return ev->name;
	return dt_probe_flow(p) != DT_FLOW_NONE && *p->func != '\0' ? p->func :
								      p->name;
}

/* ---- arguments ---------------------------------------------------------- */

/* Count the actions before it that have its name. */
static uint32_t
count_before(const dtrace_event_t *ev, uint32_t act)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < act; i++)
		n += strcmp(ev->dtev_actions[i].dtac_name,
			 ev->dtev_actions[act].dtac_name) == 0;
	return n;
}

/* A line's end is none of the text. */
static size_t
without_newline(const char *s, size_t len)
{
	return len > 0 && s[len - 1] == '\n' ? len - 1 : len;
}

static bool
take_arg(const dtrace_event_t *ev, struct tl_arg *arg)
{
	const dtrace_action_t *act = &ev->dtev_actions[arg->act];
	uint32_t n = act->dtac_format != NULL ? 1 : act->dtac_count;
	uint32_t before = count_before(ev, arg->act);

	if (dif_act(act->dtac_kind)->effect != DIF_EFFECT_NONE || arg->val >= n)
		return false;
	strbuf_reset(&arg->name);
	strbuf_adds(&arg->name, act->dtac_name);
	if (before > 0)
		strbuf_printf(&arg->name, "#%u", before + 1);
	if (arg->val > 0)
		strbuf_printf(&arg->name, ".%u", arg->val + 1);
	if (act->dtac_format != NULL)
		arg->value = (dtrace_value_t){ .dtva_kind = DTRACE_VALUE_STRING,
			.dtva_data = act->dtac_text,
			.dtva_size =
			    without_newline(act->dtac_text, act->dtac_size) };
	else
		arg->value = act->dtac_values[arg->val];
	arg->val++;
	return true;
}

bool
timeline_next_arg(const dtrace_event_t *ev, struct tl_arg *arg)
{
	while (ev != NULL && arg->act < ev->dtev_nactions) {
		if (take_arg(ev, arg))
			return true;
		arg->act++;
		arg->val = 0;
	}
	strbuf_fini(&arg->name);
	return false;
}
