/*
 * A thread gives up its CPU.
 * @@args: -q
 * @@needs: cmd:python3
 * @@run: python3 -c "import os; [os.sched_yield() for i in range(3)]"
 */
sched:::surrender
/pid == $target/
{
	@ = sum(args[0]->pr_lwpid == tid && args[1]->pr_pid == pid);
}

END
{
	printa("%@d\n", @);
}
