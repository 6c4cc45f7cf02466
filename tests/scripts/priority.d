#!/usr/sbin/dtrace -s
/*
 * priority.d: changes of priorities, to what.
 *
 * @@needs: ksym:register_kprobe
 * @@load: toil nices 20
 * @@truth: strace load
 * @@check: n("toil", 130) + n("toil", 131) == strace.calls["setpriority"] == load["done"]
 * @@check: n("toil", 130) == n("toil", 131)
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sched:::change-pri
/execname == "toil"/
{
	@[stringof(args[1]->pr_fname), args[2]] = count();
}
