#!/usr/sbin/dtrace -s
/*
 * sysforks.d: forks and execs, as sysinfo counts them.
 *
 * @@load: toil execs 12
 * @@truth: strace
 * @@check: n("sysfork") == strace.calls["clone"] + strace.calls["fork"] == 12
 * @@check: n("sysexec") == strace.calls["execve"] - 1    # the first is strace's
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sysinfo:::sysfork,
sysinfo:::sysvfork,
sysinfo:::sysexec
/execname == "toil"/
{
	@[probename] = sum(arg0);
}
