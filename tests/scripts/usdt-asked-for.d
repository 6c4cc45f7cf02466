#!/usr/sbin/dtrace -s
/*
 * usdt-asked-for.d: A probe behind a question (is it enabled?) is not reached
 * if nobody traces it: only others are.
 *
 * @@load: prog usdtapp 12
 * @@truth: load
 * @@check: n("got") == n("request-done") == 12 and n("enabled") == 0
 */

#pragma D option quiet

usdtapp$target:::request-done
{
	@ = count();
}

END
{
	printa("got %@d\n", @);
}
