#!/usr/sbin/dtrace -s
/*
 * pid-own-time.d: time of a function without that of what it calls: together
 * they are what the outer one took.
 *
 * @@load: prog calls counts once 30
 * @@truth: output
 * @@check: n("calls") == 30
 * @@check: n("whole") == n("own") + n("inner")
 * @@check: n("inner") >= 0 and n("own") >= 0
 */

#pragma D option quiet

self uint64_t start, inner, child;

pid$target:a.out:fn_sub:entry
{
	self->start = timestamp;
	self->child = 0;
}

pid$target:a.out:fn_lea:entry
/self->start/
{
	self->inner = timestamp;
}

pid$target:a.out:fn_lea:return
/self->inner/
{
	self->child += timestamp - self->inner;
	self->inner = 0;
}

pid$target:a.out:fn_sub:return
/self->start/
{
	this->whole = timestamp - self->start;
	@calls = count();
	@whole = sum(this->whole);
	@own = sum(this->whole - self->child);
	@inner = sum(self->child);
	self->start = 0;
}

END
{
	printa("calls %@d\n", @calls);
	printa("whole %@d\n", @whole);
	printa("own %@d\n", @own);
	printa("inner %@d\n", @inner);
}
