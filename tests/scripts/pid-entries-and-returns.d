#!/usr/sbin/dtrace -s
/*
 * pid-entries-and-returns.d: each call that begins ends: entries and returns
 * of every function of a program are as many as it counts itself.
 *
 * @@load: prog calls_pie counts once 25
 * @@args: -x aggsortkey
 * @@truth: load
 * @@check: [[r[0], r[1]] for r in rows if r[0] in set(l.split()[0] for l in
 *     open("counts"))] == [l.split() for l in open("counts")]
 * @@check: all(r[1] == r[2] for r in rows) and len(rows) == 15
 */

#pragma D option quiet

pid$target:a.out:fn_*:entry
/probefunc != "fn_jumps"/
{
	@in[probefunc] = count();
}

pid$target:a.out:fn_*:return
/probefunc != "fn_jumps"/
{
	@out[probefunc] = count();
}

END
{
	printa("%-16s %@6d %@6d\n", @in, @out);
}
