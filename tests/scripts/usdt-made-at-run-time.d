#!/usr/sbin/dtrace -s
/*
 * usdt-made-at-run-time.d: probes that a program makes while it runs.
 *
 * @@load: prog maker 6 1000
 * @@args: -Z
 * @@truth: load
 * @@check: n("got", "begin") == n("got", "all-done") == 6
 * @@check: find(r"traced (\d+) times") == ["6"]
 */

#pragma D option quiet

made$target:plugin:work:
{
	@[probename] = count();
}

END
{
	printa("got %s %@d\n", @);
}
