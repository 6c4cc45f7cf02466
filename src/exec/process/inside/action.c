/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Actions: exit(), raise() and chill().
 */
#include "exec/process/inside/parts.h"

u64
pr_exit(struct rt_vm *vm)
{
	struct pr_thread *t = thread_of(vm);

	/* before the gate closes: dtrace sees that exit() has closed it */
	__atomic_store_n(
	    &t->head->state, EXEC_STATE_DRAINING, __ATOMIC_RELEASE);
	__atomic_store_n(&t->head->gate, 0, __ATOMIC_RELEASE);
	pr_wake(t->head);
	return 0;
}

/* Note a signal to the process; 1 if the kernel would refuse the number. */
u64
pr_signal(struct rt_vm *vm, u64 number)
{
	if (number == 0 || number > 64) {
		rt_fault(rt_vm_ms(vm), DIF_FLT_ILLOP, number);
		return 1;
	}
	PR_FIRE(vm)->signals |= 1ULL << (number - 1);
	return 0;
}

/* Send signals after all clauses, as the kernel does. */
u64
pr_send_signals(struct rt_vm *vm)
{
	u64 signals = PR_FIRE(vm)->signals;
	long pid = signals != 0 ? rt_os_pid() : 0;

	for (u32 i = 0; signals != 0; i++, signals >>= 1) {
		if (signals & 1 && pid != 0)
			rt_syscall3(RT_SYS_KILL, pid, (long)i + 1, 0);
	}
	return 0;
}

#define CHILL_INTERVAL NS
#define CHILL_MAX (NS / 2) /* of each interval, per thread */

/* Keep the thread busy, by a clock that never stops.  Later actions get a new
 * timestamp. */
u64
pr_chill(struct rt_vm *vm, u64 ns)
{
	struct pr_thread *t = thread_of(vm);
	u64 now = pr_time_now(t), until = now + ns;

	if (now - t->chill_start >= CHILL_INTERVAL) {
		t->chill_start = now;
		t->chilled = 0;
	}
	if (ns > CHILL_MAX || t->chilled + ns > CHILL_MAX) {
		rt_fault(rt_vm_ms(vm), DIF_FLT_ILLOP, ns);
		return 1;
	}
	t->chilled += ns;
	while (pr_time_now(t) < until)
		rt_cpu_pause();
	PR_FIRE(vm)->time = pr_time_now(t);
	PR_FIRE(vm)->cycles = 0;
	return 0;
}
