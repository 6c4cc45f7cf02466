#!/usr/sbin/dtrace -s
/*
 * runqueue.d: threads that wait for a CPU: in the queue and out of it.
 *
 * @@load: toil sleeps 20 2
 * @@truth: rusage
 * @@check: 20 <= n("in") and n("in") - 1 <= n("out") <= n("in") + 1      # the first and last
 * @@check: n("negative") == 0
 */

#pragma D option quiet

dtrace:::BEGIN
{
	negative = 0;
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sched:::enqueue
/stringof(args[1]->pr_fname) == "toil"/
{
	since[args[0]->pr_lwpid] = timestamp;
	@i["in"] = count();
}

sched:::dequeue
/stringof(args[1]->pr_fname) == "toil"/
{
	@o["out"] = count();
}

sched:::dequeue
/since[args[0]->pr_lwpid]/
{
	@w[args[2]->cpu_id] = avg(timestamp - since[args[0]->pr_lwpid]);
	negative += (int64_t)(timestamp - since[args[0]->pr_lwpid]) < 0;
	since[args[0]->pr_lwpid] = 0;
}

dtrace:::END
{
	printf("negative %d\n", negative);
	printa("%s %@d\n", @i);
	printa("%s %@d\n", @o);
	printa("cpu %d: %@d ns\n", @w);
}
