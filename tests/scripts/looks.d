#!/usr/sbin/dtrace -s
/*
 * looks.d: who looks at files and who changes their modes.
 *
 * @@load: toil stats 44
 * @@truth: strace
 * @@check: n("toil", "getattr") == strace.calls["newfstatat"] + strace.calls["stat"] + strace.calls["fstat"] == 44
 * @@check: n("toil", "access") == strace.calls["access"] == 44
 * @@check: n("toil", "setattr") == strace.calls["chmod"] == 44
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

vfs:::getattr, vfs:::setattr, vfs:::access
/execname == "toil"/
{
	@[execname, probename, args[0]->fi_name] = count();
}
