#!/usr/sbin/dtrace -s
/*
 * pid-two-exits.d: from which of its two exits a function returns, by the
 * return's offset, and what it returns there.
 *
 * @@load: prog calls counts once 28
 * @@truth: load
 * @@check: len(rows) == 2 and sorted((int(r[1]), int(r[2])) for r in rows) ==
 *     [(1, sum(a % 7 % 2 for a in range(28))), (2, sum(1 - a % 7 % 2 for a in
 *     range(28)))]
 */

#pragma D option quiet

pid$target:a.out:fn_two_exits:return
{
	@[arg0, arg1] = count();
}

END
{
	printa("%x %d %@d\n", @);
}
