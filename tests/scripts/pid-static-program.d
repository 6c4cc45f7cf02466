#!/usr/sbin/dtrace -s
/*
 * pid-static-program.d: the same in a program without libraries: all functions
 * that begin with fn_t.
 *
 * @@load: prog calls_static counts once 11
 * @@truth: load
 * @@check: {r[0]: r[1] for r in rows} == {k: v for k, v in (l.split() for l in
 *     open("counts")) if k.startswith("fn_t")}
 */

#pragma D option quiet

pid$target:a.out:fn_t*:entry
{
	@[probefunc] = count();
}

END
{
	printa("%s %@d\n", @);
}
