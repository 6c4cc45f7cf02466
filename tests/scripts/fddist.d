#!/usr/sbin/dtrace -s
/*
 * fddist.d: numbers of files that programs write to.
 *
 * @@load: sh echo a; echo b; echo c 1>&2; echo d 1>&2; echo e >f
 * @@truth: strace
 * @@check: dist("sh") == {0: 0, 1: strace.seen(r"^write\(1,"), 2: 0}
 * @@check: sum(dist("sh").values()) == strace.calls["write"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing writes... Hit Ctrl-C to end.\n");
}

syscall::write:entry
/execname == "sh"/
{
	@fds[execname] = lquantize(arg0, 0, 255, 1);
}

dtrace:::END
{
	printa("EXEC: %-16s %@d\n", @fds);
}
