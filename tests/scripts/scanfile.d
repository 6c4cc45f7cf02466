#!/usr/sbin/dtrace -s
/*
 * scanfile.d: what reads of a file gave, in steps of 256 bytes: whole blocks,
 * a rest, and the end.
 *
 * @@load: toil scan 10000 1024
 * @@truth: strace
 * @@check: dist()["<1"] == 1 and dist()[769] == 10 and sum(dist().values()) == 11
 * @@check: n("sum") == 10000 and n("reads") == strace.seen(r"^read\(3.*, 1024\)")
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::read:entry
/execname == "toil" && basename(fds[arg0].fi_pathname) == "data"/
{
	self->ok = 1;
}

syscall::read:return
/self->ok/
{
	@lens = lquantize(arg0, 1, 1100, 256);
	@total["sum"] = sum(arg0);
	@calls["reads"] = count();
	self->ok = 0;
}
