#!/usr/sbin/dtrace -s
/*
 * pid-flow.d: with flowindent, entries and returns of a function and of what
 * it calls are arrows to the right and to the left.
 *
 * @@load: prog calls counts once 2
 * @@args: -F
 * @@truth: output
 * @@check: find(r"(->|<-) (fn_\w+)") == [("->", "fn_sub"), ("->", "fn_lea"),
 *     ("<-", "fn_lea"), ("<-", "fn_sub")] * 2
 * @@check: [len(i) for i in find(r"^ *\d+( *)(?:->|<-) fn_")] == [2, 4, 4, 2]
 *     * 2
 */

pid$target:a.out:fn_sub:entry
{
	self->inside = 1;
}

pid$target:a.out:fn_sub:entry,
pid$target:a.out:fn_sub:return,
pid$target:a.out:fn_lea:entry,
pid$target:a.out:fn_lea:return
/self->inside/
{
}

pid$target:a.out:fn_sub:return
{
	self->inside = 0;
}
