#!/usr/sbin/dtrace -s
/*
 * crashed.d: programs that crash, with the fault.
 *
 * @@load: toil crashes 9
 * @@truth: strace load
 * @@check: n("toil", "SIGSEGV") == strace.exits["SIGSEGV"] == load["done"]
 * @@check: n("toil", "fault") == 9
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

proc:::signal-send
/args[2] == SIGSEGV && args[1]->pr_pid == pid/
{
	@[execname, "SIGSEGV"] = count();
}

proc:::fault
/execname == "toil"/
{
	@[execname, "fault"] = count();
}
