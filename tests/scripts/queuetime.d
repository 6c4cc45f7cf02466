#!/usr/sbin/dtrace -s
/*
 * queuetime.d: time in the queue of each CPU, keyed by thread, process and CPU.
 *
 * @@load: toil sleeps 25 2
 * @@truth: rusage
 * @@check: sum(dist("toil").values()) >= 20       # of 25, those that stayed on their CPU
 * @@check: sum(dist("toil").values()) <= load["self"]["nvcsw"] + load["self"]["nivcsw"] + 5    # before and after main()
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sched:::enqueue
{
	a[args[0]->pr_lwpid, args[1]->pr_pid, args[2]->cpu_id] = timestamp;
}

sched:::dequeue
/a[args[0]->pr_lwpid, args[1]->pr_pid, args[2]->cpu_id]/
{
	@[stringof(args[1]->pr_fname)] = quantize(timestamp -
	    a[args[0]->pr_lwpid, args[1]->pr_pid, args[2]->cpu_id]);
	a[args[0]->pr_lwpid, args[1]->pr_pid, args[2]->cpu_id] = 0;
}
