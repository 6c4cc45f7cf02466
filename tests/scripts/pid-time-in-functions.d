#!/usr/sbin/dtrace -s
/*
 * pid-time-in-functions.d: time on the way through functions: one interval for
 * each call, none below 0.
 *
 * @@load: prog calls counts once 40
 * @@truth: load
 * @@check: {r[0]: int(r[1]) for r in rows} == {k: int(v) for k, v in
 *     (l.split() for l in open("counts")) if k in ("fn_endbr", "fn_pushes",
 *     "fn_sub", "fn_loop", "fn_args")}
 * @@check: all(int(r[2]) >= 0 and int(r[3]) >= int(r[2]) for r in rows)
 */

#pragma D option quiet

pid$target:a.out:fn_endbr:entry,
pid$target:a.out:fn_pushes:entry,
pid$target:a.out:fn_sub:entry,
pid$target:a.out:fn_loop:entry,
pid$target:a.out:fn_args:entry
{
	self->ts[probefunc] = timestamp;
}

pid$target:a.out:fn_endbr:return,
pid$target:a.out:fn_pushes:return,
pid$target:a.out:fn_sub:return,
pid$target:a.out:fn_loop:return,
pid$target:a.out:fn_args:return
/self->ts[probefunc]/
{
	this->took = timestamp - self->ts[probefunc];
	@n[probefunc] = count();
	@least[probefunc] = min(this->took);
	@most[probefunc] = max(this->took);
	self->ts[probefunc] = 0;
}

END
{
	printa("%-12s %@8d %@12d %@12d\n", @n, @least, @most);
}
