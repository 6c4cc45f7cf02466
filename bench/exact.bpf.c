// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * syscall::getppid:entry { @ = count(); }
 *
 * As count.bpf.c, but a 32-bit call with the same number, which is another
 * call, is not taken for getppid: that needs the current task, and so the one
 * helper call that the program would otherwise do without.
 */
#include "hand.h"

char gpl[] SEC("license") = "Dual BSD/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

SEC("tp_btf/sys_enter")
int
BPF_PROG(enter, struct pt_regs *regs, long nr)
{
	if (nr == HAND_NR_GETPPID &&
	    !(bpf_get_current_task_btf()->thread_info.status & HAND_TS_COMPAT))
		hand_count(&counts);
	return 0;
}
