#!/usr/sbin/dtrace -s
/*
 * forkers.d: who makes processes, and how many of them end with what.
 *
 * @@load: toil forks 30 4
 * @@truth: load strace
 * @@check: n("toil", "forks") == load["done"] == strace.calls["clone"] + strace.calls["fork"]
 * @@check: all(n("exit", code) == strace.exits[code] for code in (1, 2, 3))
 * @@check: n("exit", 0) == strace.exits[0]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

proc:::create
/execname == "toil"/
{
	@[execname, "forks"] = count();
}

syscall::exit_group:entry
/execname == "toil"/
{
	@codes[arg0] = count();
}

dtrace:::END
{
	printa("%s %s %@d\n", @);
	printa("exit %d %@d\n", @codes);
}
