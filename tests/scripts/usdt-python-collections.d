#!/usr/sbin/dtrace -s
/*
 * usdt-python-collections.d: garbage collections that a Python program asks
 * for, and what they find.
 *
 * @@load: py import gc; gc.disable(); gc.freeze(); [gc.collect() for i in
 *     range(8)]
 * @@args: -Z
 * @@truth: output
 * @@check: n("begun") >= 8 and n("begun") == n("done")    # one more at the
 *     end
 * @@check: n("begun") <= 12
 */

#pragma D option quiet

python$target:::gc-start
/arg0 == 2/
{
	@begun = count();
	self->in = 1;
}

python$target:::gc-done
/self->in/
{
	@done = count();
	self->in = 0;
}

END
{
	printa("begun %@d\n", @begun);
	printa("done %@d\n", @done);
}
