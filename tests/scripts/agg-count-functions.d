#!/usr/sbin/dtrace -s
/*
 * agg-count-functions.d: calls by function, counted by an aggregation and by
 * the program itself.
 *
 * @@load: prog calls counts once 30
 * @@truth: load
 * @@check: rows == [l.split() for l in open("counts")]
 * @@check: len(rows) == 15
 */

#pragma D option quiet
#pragma D option aggsortkey

pid$target:a.out:fn_*:entry
/probefunc != "fn_jumps"/
{
	@calls[probefunc] = count();
}

END
{
	printa("%s %@d\n", @calls);
}
