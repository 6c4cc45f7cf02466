// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/* syscall::getppid:entry { @ = count(); } */
#include "hand.h"

char gpl[] SEC("license") = "Dual BSD/GPL";

HAND_WORDS(PERCPU_ARRAY, 1, __u32) counts SEC(".maps");

SEC("tp_btf/sys_enter")
int
BPF_PROG(enter, struct pt_regs *regs, long nr)
{
	if (nr == HAND_NR_GETPPID)
		hand_count(&counts);
	return 0;
}
