#!/usr/sbin/dtrace -s
/*
 * runqueue.d: how long threads wait for a CPU, in nanoseconds, by program; and
 * the programs that make others wait longer than a millisecond, until ^C.
 */
#pragma D option quiet

sched:::enqueue
{
	since[args[0]->pr_lwpid] = timestamp;
}

sched:::dequeue
/since[args[0]->pr_lwpid]/
{
	this->waited = timestamp - since[args[0]->pr_lwpid];
	since[args[0]->pr_lwpid] = 0;
	@waits[args[1]->pr_fname] = quantize(this->waited);
}

sched:::dequeue
/this->waited > 1000000/
{
	@late[execname, args[1]->pr_fname] = count();
}

END
{
	printf("waited for a CPU\n");
	printa(@waits);
	printf("%-16s %-16s %s\n", "RAN", "WAITED", "TIMES");
	printa("%-16s %-16s %@d\n", @late);
}
