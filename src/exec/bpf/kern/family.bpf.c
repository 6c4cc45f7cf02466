// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Option follow: the processes of -c and -p and their descendants.
 *
 * rtm_family has, for each of them, the number of the process of -c or -p from
 * which it descends (its root; a process of -c or -p is its own).  A program at
 * each fork adds the child before it can run.  An entry outlives its process,
 * so that dtrace can still ask about one that has ended; the fork that takes
 * the number again replaces or deletes it, and dtrace deletes it some time
 * later (session/family.c).  Numbers are those of dtrace's PID namespace.
 */
#include "exec/runtime/rt_code.h"
#include "exec/bpf/kern/shared.h"

extern char rtm_family[], rtm_ctl[];

static long (*const map_update_elem)(
    void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*const map_delete_elem)(void *map, const void *key) = (void *)3;

RT_INLINE u32
root_of(u32 pid)
{
	const u32 *root = bpf_map_lookup_elem(rtm_family, &pid);

	return root ? *root : 0;
}

/* The root of a process; 0: it is of no family. */
RT_PUBLIC u64
rt_family_root(u64 pid)
{
	return root_of(pid);
}

/* The process has made a process, or a thread of its own. */
RT_PUBLIC u64
rt_family_fork(u64 parent, u64 child)
{
	u32 zero = 0, pid = child, root;
	struct bx_ctl *ctl = bpf_map_lookup_elem(rtm_ctl, &zero);

	if (!ctl || child == 0 || child == parent)
		return 0;
	root = root_of(parent);
	if (root == 0) {
		map_delete_elem(rtm_family, &pid);
		return 0;
	}
	if (map_update_elem(rtm_family, &pid, &root, 0) != 0)
		__sync_fetch_and_add(&ctl->not_followed, 1);
	__sync_fetch_and_add(&ctl->followed, 1);
	return 0;
}
