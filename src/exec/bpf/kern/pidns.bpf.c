/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Numbers of processes and threads as dtrace sees them.  In the first PID
 * namespace they are the kernel's, and nothing here runs.  In another one,
 * rtc_pidns_ino is its inode and rtc_pidns_level its depth, and a task has a
 * number in each namespace around it:
 *
 *	task -> struct pid { level, numbers[0 ... level] = { nr, ns } }
 *
 * A task outside of dtrace's namespace has the number 0.
 */
#include "exec/runtime/rt_code.h"

enum { TGID = 1 }; /* PIDTYPE_TGID */

RT_INLINE u64
load(u64 addr, u32 size)
{
	u64 value = 0;

	bpf_probe_read_kernel(&value, size, addr);
	return value;
}

/* The number of a struct pid. */
RT_INLINE u64
number_of(u64 pid)
{
	u64 level = RTC(0, pidns_level), at, ns;

	if (load(pid + RTC(0, pid_level), 4) < level)
		return 0;
	at = pid + RTC(0, pid_numbers) + level * RTC(0, upid_size);
	ns = load(at + RTC(0, upid_ns), 8);
	if (load(ns + RTC(0, pidns_common) + RTC(0, ns_inum), 4) !=
	    RTC(0, pidns_ino))
		return 0;
	return load(at + RTC(0, upid_nr), 4);
}

/* In a namespace: the number of a task's thread. */
RT_PUBLIC u64
rt_task_tid(u64 task)
{
	return number_of(load(task + RTC(0, task_thread_pid), 8));
}

/* In a namespace: the number of a task's process. */
RT_PUBLIC u64
rt_task_tgid(u64 task)
{
	u64 signal = load(task + RTC(0, task_signal), 8);

	return number_of(load(signal + RTC(0, signal_pids) + 8 * TGID, 8));
}
