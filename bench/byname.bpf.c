// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/* syscall::getppid:entry { @[execname] = count(); } */
#include "hand.h"

char gpl[] SEC("license") = "Dual BSD/GPL";

HAND_WORDS(PERCPU_HASH, HAND_MAX_NAMES, struct hand_name) counts SEC(".maps");

HAND_WORDS(PERCPU_ARRAY, 1, __u32) drops SEC(".maps");

SEC("tp_btf/sys_enter")
int
BPF_PROG(enter, struct pt_regs *regs, long nr)
{
	const __u64 none = 0;
	struct hand_name name;
	__u64 *count;

	if (nr != HAND_NR_GETPPID)
		return 0;
	name = hand_current_name();
	count = bpf_map_lookup_elem(&counts, &name);
	if (!count) {
		/* Another CPU may insert first; then its element is the one to
		 * use. */
		bpf_map_update_elem(&counts, &name, &none, BPF_NOEXIST);
		count = bpf_map_lookup_elem(&counts, &name);
	}
	if (count)
		__sync_fetch_and_add(count, 1);
	else
		hand_count(&drops);
	return 0;
}
