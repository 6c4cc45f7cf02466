#!/usr/sbin/dtrace -s
/*
 * vectors.d: vectored writes beside plain ones, each with its bytes.
 *
 * @@load: toil vectors 24 700
 * @@truth: load strace
 * @@check: n("writev", "bytes") == load["bytes"] == 24 * 1400
 * @@check: n("writev", "calls") == strace.calls["writev"]
 * @@check: n("write", "calls") == 1     # the report
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::write*:return
/execname == "toil"/
{
	@c[probefunc, "calls"] = count();
	@b[probefunc, "bytes"] = sum(arg1);
}
