#!/usr/sbin/dtrace -s
/*
 * killcalls.d: kill() calls, by the target's relation to the caller.
 *
 * @@load: toil signals 15
 * @@load: toil kills 8 9
 * @@truth: load
 * @@check: n("toil", "itself", 10) == 15 and n("toil", "other", 9) == 8
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::kill:entry
/(int)arg0 > 0 && execname == "toil"/
{
	@[execname, arg0 == pid ? "itself" : "other", (int)arg1] = count();
}
