#!/usr/sbin/dtrace -s
/*
 * listdir.d: directories that were read.
 *
 * @@load: toil lists 19
 * @@truth: strace load
 * @@check: n("toil", os.getcwd()) == strace.calls["getdents64"] == 2 * load["done"]
 * @@check: n("bytes") == strace.bytes["getdents64"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::getdents*:entry
/execname == "toil"/
{
	self->dir = fds[arg0].fi_pathname;
	@[execname, self->dir] = count();
}

syscall::getdents*:return
/self->dir != NULL/
{
	@sum["bytes"] = sum(arg1);
	self->dir = NULL;
}

dtrace:::END
{
	printa("%s %s %@d\n", @);
	printa("%s %@d\n", @sum);
}
