#!/usr/sbin/dtrace -s
/*
 * callcount.d: system calls of one program, by name.
 *
 * @@load: toil stats 40
 * @@truth: strace
 * @@check: all(n(name) == calls for name, calls in strace.entered.items()
 *     if name != "execve")      # that is still strace's
 * @@check: len(column()) == len(set(strace.entered) | {"execve"})
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall:::entry
/execname == "toil"/
{
	@num[probefunc] = count();
}

/* its execve() returns in the new program */
syscall::execve:return
/execname == "toil"/
{
	@num[probefunc] = count();
}
