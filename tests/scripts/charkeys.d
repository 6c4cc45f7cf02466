#!/usr/sbin/dtrace -s
/*
 * charkeys.d: processes that get signals, by the name in their own record,
 * which is an array of characters.
 *
 * @@load: toil kills 10 12
 * @@truth: load
 * @@check: n("toil", 12) == load["done"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

proc:::signal-send
/args[2] == SIGUSR2 && execname == "toil"/
{
	@[args[1]->pr_fname, args[2]] = count();
}
