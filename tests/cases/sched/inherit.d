/*
 * A mutex's owner inherits a waiter's priority, until it lets the mutex go.
 * @@args: -q
 * @@needs: prog:kernel
 * @@run: $PROGS/kernel inherited
 */
sched:::change-pri
/pid == $target && args[1]->pr_pid == pid && args[0]->pr_lwpid == pid &&
    args[0]->pr_pri != args[2]/
{
	@[args[0]->pr_pri, args[2], tid == pid] = count();
}

END
{
	printa("%d -> %d %d %@d\n", @);
}
