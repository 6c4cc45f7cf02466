#!/usr/sbin/dtrace -s
/*
 * sysall.d: everything that sysinfo counts, of one program.
 *
 * @@load: toil execs 8
 * @@truth: strace
 * @@err: firings? skipped by the kernel inside another probe
 * @@check: n("sysexec") == strace.calls["execve"] - 1 and n("sysfork") == 8
 * @@check: n("sysread") == strace.calls["read"] + strace.calls["pread64"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sysinfo:::
/execname == "toil"/
{
	@[probename] = sum(arg0);
}
