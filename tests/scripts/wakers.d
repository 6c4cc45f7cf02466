#!/usr/sbin/dtrace -s
/*
 * wakers.d: who wakes whom.
 *
 * @@load: toil pingpong 80
 * @@truth: rusage
 * @@check: n("toil", "toil") >= 1
 * @@check: n("toil", "toil") <= 2 * 80 + 1 + 2      # once for each byte, and the end
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sched:::wakeup
/execname == "toil" && stringof(args[1]->pr_fname) == "toil" &&
    args[1]->pr_pid != pid/
{
	@[execname, stringof(args[1]->pr_fname)] = count();
}

dtrace:::END
{
	printf("%-16s %-16s %8s\n", "WAKER", "WOKEN", "COUNT");
	printa("%-16s %-16s %@8d\n", @);
}
