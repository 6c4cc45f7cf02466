/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records for a program that takes them itself, instead of printing.
 *
 * Its callbacks are called for each record, then for each datum.  Data that
 * they answer with THIS are printed to the output before the next call, so that
 * the callbacks' output and ours keep their order.  Actions on aggregations,
 * options or the output take effect without a call.
 */
#include "consume/consume_impl.h"

#include <errno.h>

#include "base/str.h"
#include "base/vec.h"

void
consumer_answer(struct consumer *c, enum consume_answer answer)
{
	if (answer != CONSUME_THIS && answer != CONSUME_NEXT)
		consumer_error(c, -ECANCELED);
}

void
hooks_text(struct consumer *c, const struct consume_row *row, unsigned flags)
{
	char *end = strbuf_room(&c->buf, 0);

	*end = '\0'; /* text formatted in place has none */
	consumer_answer(
	    c, c->opts.hooks->text(c->opts.hooks_arg, c->buf.s, row, flags));
}

/*
 * Data of one action are printed together: the first datum that is to be
 * printed includes those after it.
 */
static void
hooks_act(const struct chew *ch, const struct consume_event *ev,
    const struct clause_act *act)
{
	struct consumer *c = ch->c;
	struct clause_act rest = *act;

	for (size_t k = act->first; k < act->end && c->error == 0; k++) {
		enum consume_answer answer =
		    c->opts.hooks->datum(c->opts.hooks_arg, ev, k);

		consumer_answer(c, answer);
		if (answer != CONSUME_THIS)
			continue;
		rest.first = k;
		chew_action(ch, &rest);
		consumer_emit(c);
		return;
	}
}

/* Does the action take effect without a call? */
static bool
is_uncalled(enum dif_effect effect)
{
	switch (effect) {
	case DIF_EFFECT_LIBACT:
		return true;
	case DIF_EFFECT_NONE:
	case DIF_EFFECT_EXIT:
	case DIF_EFFECT_PRINTA:
	case DIF_EFFECT_SYSTEM:
	case DIF_EFFECT_FREOPEN:
		return false;
	}
	return false;
}

static void
hooks_data(const struct chew *ch, const struct consume_event *ev)
{
	struct consumer *c = ch->c;

	VEC_FOREACH(&ch->acts->acts, act) {
		if (c->error != 0)
			return;
		if (is_uncalled(act->effect))
			chew_effect(ch, act);
		else
			hooks_act(ch, ev, act);
	}
	if (c->error == 0)
		consumer_answer(c,
		    c->opts.hooks->datum(
			c->opts.hooks_arg, ev, ch->pc->recs.n));
}

/* exit() ends the session whatever the callbacks answer for its record. */
static void
note_exit(const struct chew *ch)
{
	VEC_FOREACH(&ch->acts->acts, act) {
		if (act->effect == DIF_EFFECT_EXIT)
			chew_effect(ch, act);
	}
}

void
hooks_record(const struct chew *ch)
{
	struct consumer *c = ch->c;
	struct consume_event ev = { .rec = ch->rec,
		.pc = ch->pc,
		.probe = ch->probe,
		.flow = DT_FLOW_NONE };
	enum consume_answer answer;

	/*
	 * records of a speculation come together, and one may have ended
	 * consuming
	 */
	if (c->error != 0)
		return;
	if (c->opts.flowindent) {
		struct flow_place at = event_flow_place(ch);

		ev.flow = at.kind;
		ev.indent = at.indent;
		ev.prefix = at.prefix;
	}
	if (ch->acts->has_exit)
		note_exit(ch);
	answer = c->opts.hooks->record(c->opts.hooks_arg, &ev);
	consumer_answer(c, answer);
	if (answer != CONSUME_THIS)
		return;
	if (c->opts.typed)
		event_record(ch);
	else
		hooks_data(ch, &ev);
}
