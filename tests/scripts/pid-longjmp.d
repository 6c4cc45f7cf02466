#!/usr/sbin/dtrace -s
/*
 * pid-longjmp.d: A function that is left by longjmp() has an entry more than
 * returns.
 *
 * @@load: prog calls counts raise
 * @@args: -x aggsortkey
 * @@truth: output
 * @@check: rows == [["entry", "2"], ["return", "1"]]
 */

#pragma D option quiet

pid$target:a.out:fn_jumps:entry,
pid$target:a.out:fn_jumps:return
{
	@[probename] = count();
}

END
{
	printa("%s %@d\n", @);
}
