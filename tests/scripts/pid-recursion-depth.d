#!/usr/sbin/dtrace -s
/*
 * pid-recursion-depth.d: how deep a function calls itself: a distribution of
 * depths, and the deepest.
 *
 * @@load: prog calls counts once 14
 * @@truth: load
 * @@check: dist("depths") and {k: v for k, v in dist("depths").items() if v}
 *     == {d: sum(a % 7 + 1 >= d for a in range(14)) for d in range(1, 8)}
 * @@check: n("deepest") == 7
 */

#pragma D option quiet

self int depth;

pid$target:a.out:fn_recurse:entry
{
	self->depth++;
	@depths["depths"] = lquantize(self->depth, 1, 20, 1);
	@deepest = max(self->depth);
}

pid$target:a.out:fn_recurse:return
{
	self->depth--;
}

END
{
	printa("%s%@d\n", @depths);
	printa("deepest %@d\n", @deepest);
}
