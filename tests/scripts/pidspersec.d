#!/usr/sbin/dtrace -s
/*
 * pidspersec.d: processes that begin, second by second.
 *
 * @@load: toil forks 40
 * @@truth: load
 * @@how: self
 * @@check: sum(column("Last", at=-1)) == 41      # and the load itself
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
	ticks = 0;
}

syscall::clone:return, syscall::fork:return, syscall::vfork:return,
syscall::clone3:return
/arg1 == 0 && errno == 0 && execname == "toil"/
{
	@pids = count();
}

syscall::execve:return
/errno == 0 && execname == "toil"/
{
	@pids = count();
}

profile:::tick-500ms
{
	printa("Last half second: %@d\n", @pids);
	clear(@pids);
	ticks++;
}

profile:::tick-500ms
/ticks == 3/
{
	exit(0);
}
