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

tick-10ms
/idle && others/
{
	printf("%d %d\n", wrong, PR_IDLE & (PR_STOPPED | PR_ISTOP | PR_ASLEEP |
	    PR_ISSYS | PR_PTRACE));
	exit(0);
}
