#!/usr/sbin/dtrace -s
/*
 * pid-result-by-argument.d: what a function returns, by what it is given:
 * checked against its formula.
 *
 * @@load: prog series
 * @@truth: load
 * @@check: n("calls") == 20000 and n("right") == 20000
 */

#pragma D option quiet

self uint64_t want;

pid$target:a.out:fn_six:entry
{
	self->want = arg0 + 3 * arg1 + 5 * arg2 + 7 * arg3 + 11 * arg4 +
	    13 * arg5;
	@calls = count();
}

pid$target:a.out:fn_six:return
/self->want == (uint64_t)arg1/
{
	@right = count();
}

END
{
	printa("calls %@d\n", @calls);
	printa("right %@d\n", @right);
}
