#!/usr/sbin/dtrace -s
/*
 * runqlatency [PROGRAM]: how long threads that could run wait for a CPU
 *
 * PROGRAM selects those of that name.
 */
#pragma D option quiet
#pragma D option defaultargs

sched:::enqueue
/$$1 == "" || args[1]->pr_fname == $$1/
{
	since[args[0]->pr_lwpid] = timestamp;
}

sched:::dequeue
/since[args[0]->pr_lwpid]/
{
	@[args[1]->pr_fname] =
	    quantize((timestamp - since[args[0]->pr_lwpid]) / 1000);
	since[args[0]->pr_lwpid] = 0;
}

END
{
	printa("%s (us)%@d\n", @);
}
