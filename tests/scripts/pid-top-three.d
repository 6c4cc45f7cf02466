#!/usr/sbin/dtrace -s
/*
 * pid-top-three.d: the three functions that are called most.
 *
 * @@load: prog calls_static_pie counts once 13
 * @@truth: load
 * @@check: sorted((int(v), k) for k, v in (l.split() for l in
 *     open("counts")))[-2:] == [(int(r[1]), r[0]) for r in rows][-2:]
 * @@check: len(rows) == 3
 */

#pragma D option quiet

pid$target:a.out:fn_*:entry
{
	@[probefunc] = count();
}

END
{
	trunc(@, 3);
	printa("%s %@d\n", @);
}
