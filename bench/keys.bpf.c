// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/* syscall::lseek:entry /execname == "dtbench"/ { @[arg1] = count(); } */
#include "hand.h"

char gpl[] SEC("license") = "Dual BSD/GPL";

HAND_WORDS(PERCPU_HASH, HAND_MAX_KEYS, __u64) counts SEC(".maps");

HAND_WORDS(PERCPU_ARRAY, 1, __u32) drops SEC(".maps");

/* Is the current program named "dtbench"? */
static int
is_workload(void)
{
	/* "dtbench" and its zero, little endian */
	return hand_current_name().word[0] == 0x0068636e65627464;
}

SEC("tp_btf/sys_enter")
int
BPF_PROG(enter, struct pt_regs *regs, long nr)
{
	const __u64 none = 0;
	__u64 *count;
	__u64 key;

	if (nr != HAND_NR_LSEEK || !is_workload())
		return 0;
	key = regs->si;
	count = bpf_map_lookup_elem(&counts, &key);
	if (!count) {
		bpf_map_update_elem(&counts, &key, &none, BPF_NOEXIST);
		count = bpf_map_lookup_elem(&counts, &key);
	}
	if (count)
		__sync_fetch_and_add(count, 1);
	else
		hand_count(&drops);
	return 0;
}
