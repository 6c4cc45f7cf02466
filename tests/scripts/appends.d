#!/usr/sbin/dtrace -s
/*
 * appends.d: writes to files that are open to append.
 *
 * @@load: sh for i in 1 2 3 4 5 6; do echo $i >>log; done; echo new >other
 * @@truth: output
 * @@check: n("sh", "log") == len(open("log").read()) == 12
 * @@check: n("sh", "other") == 0
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::write:entry
/execname == "sh" && fds[arg0].fi_oflags & O_APPEND/
{
	@[execname, fds[arg0].fi_name] = sum(arg2);
}
