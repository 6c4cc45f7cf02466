#!/usr/sbin/dtrace -s
/*
 * fstypes.d: kinds of file systems that a program writes to, and their mounts.
 *
 * @@load: sh echo 1 >here; echo 2 >>here; echo 3 >/dev/null; echo 4 >/dev/null; echo 5 | cat >/dev/null
 * @@truth: strace
 * @@check: sum(column("write")) == strace.seen(r"^write\(")
 * @@check: n("write", "pipefs") == 1 and n("write", "devtmpfs") + n("write", "tmpfs") == 3
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::write:entry
/execname == "sh" || execname == "cat"/
{
	@[probefunc, fds[arg0].fi_fs] = count();
}
