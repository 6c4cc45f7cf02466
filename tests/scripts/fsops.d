#!/usr/sbin/dtrace -s
/*
 * fsops.d: operations on files by the names of fsinfo.
 *
 * @@load: toil seeks 31 100
 * @@truth: strace
 * @@check: n("seek") == strace.calls["lseek"]
 * @@check: n("open") == strace.calls["openat"] and n("close") == strace.calls["close"]
 * @@check: n("read") == strace.calls["read"] and n("write") == strace.calls["write"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

fsinfo:::open,
fsinfo:::close,
fsinfo:::read,
fsinfo:::write,
fsinfo:::seek
/execname == "toil"/
{
	@[probename] = count();
}

dtrace:::END
{
	printa("%-16s %@8d\n", @);
}
