#!/usr/sbin/dtrace -s
/*
 * usdt-counts.d: how often each probe of a program fires: what the program
 * itself says.
 *
 * @@load: prog usdtapp 33
 * @@truth: load
 * @@check: all(n("got", p) == n(p) == 33 for p in ("request-start",
 *     "request-done", "enabled"))
 * @@check: n("got", "start") == 1 and n("got", "swapped") == 33
 */

#pragma D option quiet

usdtapp$target:::
{
	@[probename] = count();
}

END
{
	printa("got %s %@d\n", @);
}
