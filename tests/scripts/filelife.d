#!/usr/sbin/dtrace -s
/*
 * filelife.d: opens and closes of a process's files are paired; descriptors
 * that are open at last.
 *
 * @@load: toil opens 41
 * @@truth: strace
 * @@check: n("opened") == strace.calls["openat"] == n("closed") == strace.calls["close"]
 * @@check: n("left") == 0
 */

#pragma D option quiet

int open;

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::openat:return
/execname == "toil" && errno == 0/
{
	fdopen[pid, arg1] = 1;
	open++;
	@["opened"] = count();
}

syscall::close:entry
/fdopen[pid, arg0]/
{
	fdopen[pid, arg0] = 0;
	open--;
	@["closed"] = count();
}

dtrace:::END
{
	printf("left %d\n", open);
}
