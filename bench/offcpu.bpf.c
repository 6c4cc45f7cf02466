// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * sched:::off-cpu { self->t = timestamp; }
 * sched:::on-cpu /self->t/
 * {
 *	@[execname] = sum(timestamp - self->t);
 *	self->t = 0;
 * }
 */
#include "hand.h"

char gpl[] SEC("license") = "Dual BSD/GPL";

HAND_TASK_WORD starts SEC(".maps");

HAND_WORDS(PERCPU_HASH, HAND_MAX_NAMES, struct hand_name) counts SEC(".maps");

HAND_WORDS(PERCPU_ARRAY, 1, __u32) drops SEC(".maps");

static __always_inline void
add(struct task_struct *task, __u64 ns)
{
	struct hand_name name = hand_name_of(task);
	__u64 *sum = bpf_map_lookup_elem(&counts, &name);

	if (!sum) {
		const __u64 none = 0;

		bpf_map_update_elem(&counts, &name, &none, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(&counts, &name);
	}
	if (sum)
		__sync_fetch_and_add(sum, ns);
	else
		hand_count(&drops);
}

SEC("tp_btf/sched_switch")
int
BPF_PROG(
    change, _Bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u64 now = bpf_ktime_get_ns();
	__u64 *start = bpf_task_storage_get(
	    &starts, prev, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (start)
		*start = now;
	start = bpf_task_storage_get(&starts, next, 0, 0);
	if (start && *start) {
		add(next, now - *start);
		*start = 0;
	}
	return 0;
}
