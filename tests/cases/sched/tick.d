/*
 * The clock ticks in the thread that runs.
 * @@args: -q
 * @@needs: ksym:register_kprobe
 */
sched:::tick
{
	printf("%d %d\n", args[0]->pr_addr == (uintptr_t)curthread,
	    args[1]->pr_addr == (uintptr_t)curthread);
	exit(0);
}
