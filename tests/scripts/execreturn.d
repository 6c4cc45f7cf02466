#!/usr/sbin/dtrace -s
/*
 * execreturn.d: execs that worked and that did not, at their return.
 *
 * @@load: toil execs 9
 * @@load: toil badexecs 14
 * @@truth: load
 * @@check: n("toil", "fail", 2) == 14 == load["done"]
 * @@check: n("toil", "ok", 0) == 9 + 2       # and the two loads
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::exec*:return
/execname == "toil"/
{
	@[execname, errno == 0 ? "ok" : "fail", errno] = count();
}
