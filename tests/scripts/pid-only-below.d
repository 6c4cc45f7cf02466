#!/usr/sbin/dtrace -s
/*
 * pid-only-below.d: calls of one function that happen while another one is
 * running.
 *
 * @@load: prog calls counts once 18
 * @@truth: load
 * @@check: n("below") == int(dict(l.split() for l in
 *     open("counts"))["fn_sub"])
 * @@check: n("all") == int(dict(l.split() for l in open("counts"))["fn_lea"])
 */

#pragma D option quiet

pid$target:a.out:fn_sub:entry { self->below = 1; }
pid$target:a.out:fn_sub:return { self->below = 0; }
pid$target:a.out:fn_lea:entry /self->below/ { @below = count(); }
pid$target:a.out:fn_lea:entry { @all = count(); }

END
{
	printa("below %@d\n", @below);
	printa("all %@d\n", @all);
}
