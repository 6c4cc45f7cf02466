/*
 * The clock ticks in the thread that runs.
 * @@args: -q
 * @@needs: ksym:register_kprobe
 */
sched:::tick
{
	/* the other CPU may tick before it hears of exit() */
	@[args[0]->pr_addr == (uintptr_t)curthread,
	    args[1]->pr_addr == (uintptr_t)curthread] = count();
	exit(0);
}
END { printa("%d %d\n", @); }
