#!/usr/sbin/dtrace -s
/*
 * usdt-time-by-path.d: time from the start of a request to its end, by path:
 * an interval for each.
 *
 * @@load: prog usdtapp 21 0 quiet
 * @@truth: output
 * @@check: {r[0]: int(r[1]) for r in rows} == {"/even": 11, "/odd": 10}
 * @@check: all(0 <= int(r[2]) <= int(r[3]) for r in rows)
 */

#pragma D option quiet

usdtapp$target:::request-start
{
	self->path = copyinstr(arg1);
	self->ts = timestamp;
}

usdtapp$target:::request-done
/self->ts/
{
	@n[self->path] = count();
	@least[self->path] = min(timestamp - self->ts);
	@most[self->path] = max(timestamp - self->ts);
	self->ts = 0;
	self->path = 0;
}

END
{
	printa("%-8s %@6d %@12d %@12d\n", @n, @least, @most);
}
