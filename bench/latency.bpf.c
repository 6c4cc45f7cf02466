// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * syscall::getppid:entry { self->ts = timestamp; }
 * syscall::getppid:return /self->ts/
 * {
 *	@ = quantize(timestamp - self->ts);
 *	self->ts = 0;
 * }
 */
#include "hand.h"

char gpl[] SEC("license") = "Dual BSD/GPL";

HAND_TASK_WORD starts SEC(".maps");

HAND_WORDS(PERCPU_ARRAY, HAND_NBUCKETS, __u32) counts SEC(".maps");

SEC("tp_btf/sys_enter")
int
BPF_PROG(enter, struct pt_regs *regs, long nr)
{
	__u64 *start;

	if (nr != HAND_NR_GETPPID)
		return 0;
	start = bpf_task_storage_get(&starts, bpf_get_current_task_btf(), 0,
	    BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (start)
		*start = bpf_ktime_get_ns();
	return 0;
}

static __u32
log2_floor(__u64 v)
{
	__u32 n = 0;

#pragma unroll
	for (__u32 width = 32; width > 0; width >>= 1) {
		if (v >> width) {
			v >>= width;
			n += width;
		}
	}
	return n;
}

SEC("tp_btf/sys_exit")
int
BPF_PROG(leave, struct pt_regs *regs, long ret)
{
	__u64 *start, *count;
	__u32 bucket;

	if (regs->orig_ax != HAND_NR_GETPPID)
		return 0;
	start = bpf_task_storage_get(&starts, bpf_get_current_task_btf(), 0, 0);
	if (!start || !*start)
		return 0;
	bucket = log2_floor(bpf_ktime_get_ns() - *start);
	*start = 0;
	count = bpf_map_lookup_elem(&counts, &bucket);
	if (count)
		__sync_fetch_and_add(count, 1);
	return 0;
}
