#!/usr/sbin/dtrace -s
/*
 * spec-deep-calls.d: the path of calls on which a recursion went deep, and no
 * others.
 *
 * @@load: prog calls counts once 14
 * @@args: -x nspec=32
 * @@truth: load
 * @@check: rows == [["fn_recurse", str(a)] for a in range(6, -1, -1)] * 2
 */

#pragma D option quiet

self int depth;

pid$target:a.out:fn_recurse:entry
/self->depth++ == 0/
{
	self->spec = speculation();
}

pid$target:a.out:fn_recurse:entry
/self->spec/
{
	speculate(self->spec);
	printf("%s %d\n", probefunc, arg0);
}

pid$target:a.out:fn_recurse:return
/--self->depth == 0 && arg1 > 6/
{
	commit(self->spec);
	self->spec = 0;
}

pid$target:a.out:fn_recurse:return
/self->depth == 0 && self->spec/
{
	discard(self->spec);
	self->spec = 0;
}
