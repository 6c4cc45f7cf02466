/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Speculations: nspec words, one for each id.
 *
 * A word is odd while the speculation is active; speculation() adds 1, and so
 * do commit() and discard().  So a word never takes the same value twice
 * (within 2^31 uses), and together with the id it identifies one use of the
 * speculation: this is the tag that every record of it carries.  The id is free
 * at once; the consumer prints or drops the records (consume/spec.c).
 */
#include "exec/runtime/drops.h"
#include "exec/runtime/rt_code.h"

struct rt_spec_search {
	struct rt_mstate *ms;
	u64 found;
};

RT_CALLBACK long
begin_one(u32 i, void *arg)
{
	struct rt_spec_search *s = arg;
	u64 *word = rt_spec_word(s->ms, i), old;

	if (!word)
		return 1;
	old = *(volatile u64 *)word;
	if (old & 1 || __sync_val_compare_and_swap(word, old, old + 1) != old)
		return 0;
	s->found = i + 1;
	return 1;
}

RT_PUBLIC u64
rt_speculation(u64 slot)
{
	struct rt_spec_search s = { .ms = rt_ms(slot) };

	if (!s.ms)
		return 0;
	/*
	 * Linux 6.18 takes a callback that is never called for dead code, and
	 * then misses it.
	 */
	if (RTC(s.ms, nspec) != 0)
		RT_LOOP(RTC(s.ms, nspec), begin_one, &s);
	if (s.found == 0)
		rt_count_drop(s.ms, DT_DROP_SPECUNAVAIL);
	return s.found;
}

/*
 * The word of an id that a script gave.  Id 0, which speculation() returns if
 * none is free, has no word; an id beyond nspec is a fault.
 */
RT_INLINE u64 *
word_of(struct rt_mstate *ms, u64 id)
{
	if (!ms || id == 0)
		return 0;
	if (id > RTC(ms, nspec)) {
		rt_fault(ms, DIF_FLT_ILLOP, id);
		return 0;
	}
	return rt_spec_word(ms, id - 1);
}

RT_PUBLIC u64
rt_spec_tag(u64 slot, u64 id)
{
	u64 *word = word_of(rt_ms(slot), id), value;

	if (!word)
		return 0;
	value = *(volatile u64 *)word;
	return value & 1 ? value << 32 | id : 0;
}

RT_PUBLIC u64
rt_spec_end(u64 slot, u64 id)
{
	u64 *word = word_of(rt_ms(slot), id), value;

	if (!word)
		return 0;
	value = *(volatile u64 *)word;
	if (!(value & 1) ||
	    __sync_val_compare_and_swap(word, value, value + 1) != value)
		return 0;
	return value << 32 | id;
}
