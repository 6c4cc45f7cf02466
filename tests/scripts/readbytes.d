#!/usr/sbin/dtrace -s
/*
 * readbytes.d: bytes that programs read, in all.
 *
 * @@load: toil reads 100 3000
 * @@truth: procio load
 * @@check: n("toil") == load["rchar"]
 * @@check: n("toil") >= load["bytes"] == 300000
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::read:return,
syscall::pread64:return,
syscall::readv:return
/(int)arg0 > 0/
{
	@bytes[execname] = sum(arg0);
}
