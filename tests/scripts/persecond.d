#!/usr/sbin/dtrace -s
/*
 * persecond.d: calls per second, normalized with the time that has gone by.
 *
 * @@load: toil opens 500
 * @@truth: load
 * @@how: self
 * @@check: n("all") == n("full", "rate") == 501 + 3
 * @@check: n("rate") in (250, 251, 252, 504, 168)    # two seconds; a late tick may make it three
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing for two seconds...\n");
	start = timestamp;
}

syscall::openat:entry
/execname == "toil"/
{
	@all["all"] = count();
	@rate["rate"] = count();
}

profile:::tick-2sec
{
	normalize(@rate, (timestamp - start) / 1000000000);
	printa("%s %@d\n", @rate);
	denormalize(@rate);
	printa("full %s %@d\n", @rate);
	exit(0);
}

dtrace:::END
{
	printa("%s %@d\n", @all);
	trunc(@rate);
}
