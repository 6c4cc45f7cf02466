/*
 * A thread that asks for a rest and gets none remains on its CPU.
 * @@args: -q
 * @@needs: tracepoint:sched_exit_tp cmd:python3
 * @@run: python3 -c "import os; [os.sched_yield() for i in range(20000)]"
 */
sched:::remain-cpu
/pid == $target/
{
	remained = 1;
}

END
{
	printf("%d\n", remained);
}
