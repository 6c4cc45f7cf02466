/*
 * A thread that yields while no other may run remains on its CPU: each time it
 * remains or leaves.
 * @@args: -q
 * @@needs: tracepoint:sched_exit_tp cmd:python3
 * @@run: python3 -c "import os; [os.sched_yield() for i in range(20000)]"
 */
syscall::sched_yield:entry
/pid == $target/
{
	self->asked = 1;
	@["without either"] = sum(1);
}

sched:::remain-cpu
/self->asked/
{
	remained = 1;
}

sched:::remain-cpu, sched:::off-cpu
/self->asked/
{
	self->asked = 0;
	@["without either"] = sum(-1);
}

END
{
	printf("%d\n", remained);
	printa("%s %@d\n", @);
}
