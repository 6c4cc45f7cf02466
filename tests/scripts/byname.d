#!/usr/sbin/dtrace -s
/*
 * byname.d NAME: reads of the program of that name, with the sizes asked for
 * and those that came.
 *
 * @@load: toil scan 5000 2000
 * @@operands: toil
 * @@truth: strace
 * @@check: n("asked") == 4 * 2000 + 2 * 511 and n("calls") == strace.calls["read"]
 * @@check: n("got") == strace.bytes["read"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing %s...\n", $$1);
}

syscall::read:entry
/execname == $$1/
{
	@a["asked"] = sum(arg2);
	@c["calls"] = count();
	self->in = 1;
}

syscall::read:return
/self->in && arg1 != -1/
{
	@g["got"] = sum(arg1);
	self->in = 0;
}

dtrace:::END
{
	printa(@a);
	printa(@c);
	printa(@g);
}
