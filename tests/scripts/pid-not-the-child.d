#!/usr/sbin/dtrace -s
/*
 * pid-not-the-child.d: calls of a child that the program forks are not the
 * program's.
 *
 * @@load: prog calls counts fork 12
 * @@truth: load
 * @@check: n("parent") == int(dict(l.split() for l in
 *     open("counts"))["fn_nop"])
 * @@check: n("parent") == 12
 */

#pragma D option quiet

pid$target:a.out:fn_nop:entry
/pid == $target/
{
	@ = count();
}

END
{
	printa("parent %@d\n", @);
}
