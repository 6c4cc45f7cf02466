#!/usr/sbin/dtrace -s
/*
 * usdt-and-calls.d: A program's own probes within its functions: each request
 * is inside of serve(), and no other function of it.
 *
 * @@load: prog usdtapp 10 0 quiet
 * @@truth: output
 * @@check: n("inside") == 10 and n("outside") == 1
 * @@check: n("served") == 10
 */

#pragma D option quiet

pid$target:a.out:serve:entry { self->in = 1; @served = count(); }
pid$target:a.out:serve:return { self->in = 0; }

usdtapp$target:::request-start,
usdtapp$target:::start
/self->in/
{
	@inside = count();
}

usdtapp$target:::request-start,
usdtapp$target:::start
/!self->in/
{
	@outside = count();
}

END
{
	printa("served %@d\n", @served);
	printa("inside %@d\n", @inside);
	printa("outside %@d\n", @outside);
}
