/*
 * nice(1) changes a priority: 120 is that of niceness 0.
 * @@args: -q
 * @@needs: ksym:register_kprobe
 * @@run: nice -n 5 true
 */
sched:::change-pri
/pid == $target && args[1]->pr_pid == pid && args[0]->pr_lwpid == tid/
{
	@[args[2]] = count();
}

END
{
	printa("%d %@d\n", @);
}
