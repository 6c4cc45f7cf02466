#!/usr/sbin/dtrace -s
/*
 * usdt-loaded-later.d: probes of a library that the program loads, unloads and
 * loads again.
 *
 * @@load: sh $PROGS/usdtload $PROGS/libusdtlib.so 1 1; sleep 5; exec
 *     $PROGS/usdtload $PROGS/libusdtlib.so 3 4
 * @@how: system
 * @@args: -Z
 * @@err: was not known when a process began to run it
 * @@truth: load
 * @@check: [r[2] for r in rows if r[0] == "k"][1:] == ["3"] * 3
 * @@check: n("k", 0) in (3, 4)    # the first may come too soon
 */

#pragma D option quiet

BEGIN
{
	printf("tracing\n");
}

usdtlib*:::fire
{
	@[arg0] = count();
}

END
{
	printa("k %d %@d\n", @);
}
