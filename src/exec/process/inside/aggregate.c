/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Aggregations: find the value of a key in the tables of the thread, update it.
 */
#include "exec/process/inside/parts.h"

RT_INLINE u64
generation(const struct pr_thread *t, const struct pr_agg *ag)
{
	const u64 *gens = (const u64 *)(region_of(t) + t->conf->gens);

	return *(volatile const u64 *)&gens[ag->index];
}

/* A thread's table with keys: its address and geometry. */
struct tab {
	const struct pr_thread *thread;
	const struct pr_agg *ag;
	const struct pr_place *p;
	struct pr_table *t;
};

RT_INLINE u64 *
entry_at(const struct tab *tab, u64 i)
{
	return (u64 *)((u64)tab->t + tab->p->entries + i * tab->ag->entry_size);
}

/* The entry of an aggregation without keys. */
RT_INLINE u64 *
only_entry(const struct pr_thread *t, const struct pr_agg *ag)
{
	u64 turn = (generation(t, ag) & 1) * ag->turn_size;

	return (
	    u64 *)((u64)t->shared + ag->off + turn + sizeof(struct pr_table));
}

RT_INLINE int
take_slot(u32 *slot, u32 number)
{
	return rt_cpu_exchange32(slot, 0, number) == 0;
}

static void
value_begin(const struct pr_agg *ag, u64 *value)
{
	if (ag->kind == DT_ACT_MIN)
		*value = INT64_MAX;
	else if (ag->kind == DT_ACT_MAX)
		*value = (u64)INT64_MIN;
}

/* The key's first word is the CPU, or 0, and the table's generation. */
static u32
hash_key(const u64 *key, u32 nwords)
{
	u64 h = (u16)key[0];

	for (u32 i = 1; i < nwords; i++) {
		h = (h ^ key[i]) * PR_HASH;
		h ^= h >> 32;
	}
	return (u32)h;
}

RT_INLINE int
is_same(const u64 *a, const u64 *b, u32 nwords)
{
	u32 i = 0;

	while (i < nwords && a[i] == b[i])
		i++;
	return i == nwords;
}

/* Wake dtrace early enough to read the table before entry i is the last. */
static void
tell_fill(const struct tab *tab, u64 i)
{
	struct pr_head *h = tab->thread->head;
	u64 max = tab->p->max;

	if ((i != max / 2 && i != max - max / 4) ||
	    !tab->thread->conf->tells_fills)
		return;
	__sync_add_and_fetch(&h->fills, 1);
	pr_wake(h);
}

/*
 * Fill an entry for a key and make slot `at` lead to it: its value, or NULL
 * when a signal handler that came in between has used the slot (then the entry
 * is lost until the generation ends), or when all entries are used.
 */
static u64 *
entry_begin(const struct tab *tab, u32 at, const u64 *key, u64 used)
{
	const struct pr_agg *ag = tab->ag;
	u64 i = rt_cpu_fetch_add(&tab->t->n, 1), *entry, *value;

	if (i >= tab->p->max)
		return NULL;
	tell_fill(tab, i);
	entry = entry_at(tab, i);
	value = entry + 1 + ag->key_size / 8;
	memcpy(entry + 1, key, ag->key_size);
	memset(value, 0, ag->val_size);
	value_begin(ag, value);
	if (take_slot(&tab->t->slots[at], (u32)i + 1)) {
		__atomic_store_n(entry, used, __ATOMIC_RELEASE);
		return value;
	}
	return NULL;
}

/* The value of the slot's entry, if the entry's key is this one. */
RT_INLINE u64 *
entry_match(const struct tab *tab, u32 slot, const u64 *key, u64 used)
{
	u32 nwords = tab->ag->key_size / 8;
	u64 *entry = entry_at(tab, slot - 1);

	if (slot - 1 >= tab->p->max || *entry != used ||
	    !is_same(entry + 1, key, nwords))
		return NULL;
	return entry + 1 + nwords;
}

static u64 *
table_find(const struct tab *tab, const u64 *key)
{
	u32 hash = hash_key(key, tab->ag->key_size / 8), slot;
	u32 mask = (u32)tab->p->mask;
	u64 used = (u64)hash << 32 | PR_USED, *value;

	for (u64 i = 0; i <= mask; i++) {
		u32 at = (hash + (u32)i) & mask;

		if (tab->t->slots[at] == 0) {
			value = entry_begin(tab, at, key, used);
			if (value != NULL || tab->t->n > tab->p->max)
				return value;
		}
		slot = tab->t->slots[at];
		value = entry_match(tab, slot, key, used);
		if (value != NULL)
			return value;
	}
	return NULL;
}

/* The value of the key in the machine state; NULL: a drop. */
u64 *
pr_agg_keyed(struct rt_vm *vm, const struct pr_agg *ag)
{
	struct pr_thread *t = thread_of(vm);
	u64 *key = (u64 *)(void *)(rt_vm_ms(vm)->mem + t->conf->mem_key);
	u64 gen = generation(t, ag), *value;
	struct tab tab = { .thread = t, .ag = ag, .p = place_of(t, ag->index) };

	tab.t = tab.p->turns[gen & 1];
	key[0] = (t->conf->by_cpu ? (u16)pr_cpu(vm) : 0) | (gen & 0xffff) << 16;
	value = table_find(&tab, key);
	if (value == NULL)
		drop(t, DT_DROP_AGG);
	return value;
}

/* Without keys there is one value. */
u64 *
pr_agg_scalar(struct rt_vm *vm, const struct pr_agg *ag)
{
	struct pr_thread *t = thread_of(vm);
	u64 *entry = only_entry(t, ag);

	if (*entry == 0) {
		value_begin(ag, entry + 1);
		*entry = PR_USED;
	}
	return entry + 1;
}

u64
pr_count(struct pr_own *own, const struct pr_conf *c, const struct pr_agg *ag)
{
	struct pr_thread *t = pr_thread_self(own, c);
	u64 *entry;

	if (t == NULL || !is_wanted(t, c))
		return 0;
	rt_cpu_add(&t->shared->counting, 1);
	entry = only_entry(t, ag);
	*(volatile u64 *)entry = PR_USED;
	rt_cpu_add(entry + 1, 1);
	rt_cpu_add(&t->shared->counting, -1ULL);
	return 0;
}

static void
update_minmax(u64 *word, s64 value, int is_min)
{
	u64 old = *word, seen;

	while (is_min ? value < (s64)old : value > (s64)old) {
		seen = rt_cpu_exchange(word, old, (u64)value);
		if (seen == old)
			break;
		old = seen;
	}
}

/* Update count, sum, and the 128-bit sum of squares. */
static void
update_stddev(u64 *v, s64 value)
{
	u64 abs = value < 0 ? -(u64)value : (u64)value;
	unsigned __int128 square = (unsigned __int128)abs * abs;

	rt_cpu_add(&v[0], 1);
	rt_cpu_add(&v[1], (u64)value);
	rt_cpu_add128(&v[2], (u64)square, (u64)(square >> 64));
}

/* Update a value of any aggregating function but the distributions. */
u64
pr_agg_update(u64 *v, u64 kind, u64 value)
{
	switch (kind) {
	case DT_ACT_MIN:
	case DT_ACT_MAX:
		update_minmax(v, (s64)value, kind == DT_ACT_MIN);
		break;
	case DT_ACT_AVG:
		rt_cpu_add(&v[0], 1);
		rt_cpu_add(&v[1], value);
		break;
	case DT_ACT_STDDEV:
		update_stddev(v, (s64)value);
		break;
	default: /* count and sum are one instruction in the clause */
		break;
	}
	return 0;
}
