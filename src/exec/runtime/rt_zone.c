/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * zonename: the container of a thread, by the innermost control group around it
 * that is a container's (rt_zone.h).  A container that has an id is named by
 * its first digits, as docker(1) and podman(1) list it.
 *
 * No lock is taken: a group that the thread leaves meanwhile can be named.
 */
#include "exec/runtime/rt_code.h"
#include "exec/runtime/rt_zone.h"

#define GROUPS_MAX 1024 /* deeper ones are not looked at */

struct zone_walk {
	struct zone z;
	u64 node;   /* the group's struct kernfs_node */
	u64 at, to; /* bytes read, written */
};
_Static_assert(
    sizeof(struct zone_walk) <= sizeof(((struct rt_mstate *)0)->loop),
    "the walk's variables are in ms->loop");

RT_INLINE u64
load(const struct rt_mstate *ms, struct zone *z, u64 addr)
{
	u64 value = 0;

	(void)ms;
	if (rt_peek(ms, &value, sizeof(value), addr) != 0)
		z->failed = 1;
	return value;
}

/* The root has no group above it, and no name. */
RT_CALLBACK long
zone_group_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct zone_walk *w = RT_LOOP_VARS(struct zone_walk, ms);
	u64 above = load(ms, &w->z, w->node + RTC(ms, kernfs_parent));
	u64 name;

	(void)i;
	if (w->z.failed || above == 0)
		return 1;
	name = load(ms, &w->z, w->node + RTC(ms, kernfs_name));
	zone_find(
	    ms, &w->z, name, load(ms, &w->z, above + RTC(ms, kernfs_name)));
	w->node = above;
	return w->z.failed || w->z.kind != ZONE_NONE;
}

RT_CALLBACK long
zone_name_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct zone_walk *w = RT_LOOP_VARS(struct zone_walk, ms);
	u32 word = 0;
	u64 at = w->at, c;

	(void)i;
	if (at >= w->z.len)
		return 1;
	if (!w->z.is_escaped || at + 4 > w->z.len) {
		if (rt_peek(ms, &word, 1, w->z.from + at) != 0)
			w->z.failed = 1;
	} else if (rt_peek(ms, &word, 4, w->z.from + at) != 0) {
		w->z.failed = 1;
	}
	c = zone_char(word, &at);
	w->at = at;
	*rt_mem(ms, rt_scratch(ms) + w->to) = (u8)c;
	w->to++;
	return w->z.failed != 0;
}

RT_INLINE u64
find_node(const struct rt_mstate *ms, struct zone *z, u64 task)
{
	u64 set = load(ms, z, task + RTC(ms, task_cgroups));
	u64 group = load(ms, z, set + RTC(ms, css_set_group));

	return load(ms, z, group + RTC(ms, cgroup_node));
}

RT_INLINE u64
global_zone(struct rt_mstate *ms)
{
	u64 len = sizeof("global") - 1, max = RTC(ms, strsize) - 1;

	rt_set_word(ms, rt_scratch(ms), ZONE_TEXT8("global\0\0"));
	return rt_result(ms, len < max ? len : max);
}

/* The container of the thread whose struct task_struct is at `task`. */
RT_PUBLIC u64
rt_zonename(u64 slot, u64 task)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	struct zone_walk *w;
	u64 max;

	if (ms == NULL)
		return 0;
	w = RT_LOOP_VARS(struct zone_walk, ms);
	w->z.kind = ZONE_NONE;
	w->z.failed = w->at = w->to = 0;
	w->node = find_node(ms, &w->z, task);
	if (!w->z.failed)
		RT_LOOP(GROUPS_MAX, zone_group_step, &ctx);
	if (w->z.failed)
		return rt_fault(ms, DIF_FLT_BADADDR, task);
	if (w->z.kind == ZONE_NONE)
		return global_zone(ms);
	if (w->z.kind == ZONE_HAS_ID)
		w->z.len = ZONE_SHORT_ID;
	max = RTC(ms, strsize) - 1;
	RT_LOOP(max, zone_name_step, &ctx);
	if (w->z.failed)
		return rt_fault(ms, DIF_FLT_BADADDR, task);
	return rt_result(ms, w->to > max ? max : w->to);
}
