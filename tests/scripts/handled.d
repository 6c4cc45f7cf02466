#!/usr/sbin/dtrace -s
/*
 * handled.d: signals that programs handle, and with which function.
 *
 * @@load: toil signals 27
 * @@truth: strace
 * @@check: n("toil", "SIGUSR1") == strace.signals["SIGUSR1"] == 27
 * @@check: n("handlers") == 1
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
	name[SIGUSR1] = "SIGUSR1";
	name[SIGCHLD] = "SIGCHLD";
}

proc:::signal-handle
/execname == "toil" && args[2] != 0 && !seen[pid, args[0], (uint64_t)args[2]]/
{
	seen[pid, args[0], (uint64_t)args[2]] = 1;
	handlers++;
}

proc:::signal-handle
/execname == "toil"/
{
	@[execname, name[args[0]]] = count();
}

dtrace:::END
{
	printf("handlers %d\n", handlers);
}
