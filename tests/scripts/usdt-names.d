#!/usr/sbin/dtrace -s
/*
 * usdt-names.d: the four parts of the names of a program's probes.
 *
 * @@load: prog usdtapp 2 0 quiet
 * @@truth: load
 * @@check: sorted({tuple(r[:4]) for r in rows}) == [("1", "usdtapp", "main",
 *     "start"), ("2", "usdtapp", "serve", "request-done"), ("2", "usdtapp",
 *     "serve", "request-start")]
 */

#pragma D option quiet

usdtapp$target:::start,
usdtapp$target:::request-*
{
	@[probemod, probefunc, probename] = count();
}

END
{
	printa("%@d %s %s %s\n", @);
}
