/*
 * PR_IDLE is the flag of a CPU's idle thread, and of no other.
 * @@args: -q
 */
sched:::on-cpu
{
	wrong += ((curlwpsinfo->pr_flag & PR_IDLE) != 0) !=
	    (curthread->pid == 0);
	idle += curthread->pid == 0;
	others += curthread->pid != 0;
}

/* While programs want all CPUs, no CPU is idle: two seconds are enough then. */
tick-10ms
/others && (idle || ++ticks == 200)/
{
	printf("%d %d\n", wrong, PR_IDLE & (PR_STOPPED | PR_ISTOP | PR_ASLEEP |
	    PR_ISSYS | PR_PTRACE));
	exit(0);
}
