#!/usr/sbin/dtrace -s
/*
 * usdt-all-of-its-name.d: probes of every process of a program by a pattern:
 * two that run one after the other, each with its own id.
 *
 * @@load: sh $PROGS/usdtapp 1 0 quiet; sleep 5
 * @@load: sh $PROGS/usdtapp 5 0 quiet
 * @@load: sh $PROGS/usdtapp 6 0 quiet
 * @@how: system
 * @@args: -Z
 * @@err: was not known when a process began to run it
 * @@truth: load
 * @@check: sorted(column("requests"))[-2:] == [5, 6]
 */

#pragma D option quiet

BEGIN
{
	printf("tracing\n");
}

usdtapp*:::request-start
{
	@[pid] = count();
}

END
{
	printa("requests %d %@d\n", @);
}
