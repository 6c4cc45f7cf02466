#!/usr/sbin/dtrace -s
/*
 * pid-errors-by-function.d: which functions of libc fail, and with what: what
 * each returned.
 *
 * @@load: py import os; [os.path.exists("/none/of/this") for i in range(7)];
 *     [os.access("/none", 0) for i in range(4)]; os.access("/", 0)
 * @@truth: output
 * @@check: n("access", "-1") == 4 and n("access", "0") == 1
 */

#pragma D option quiet

pid$target:libc.so.6:access:entry
{
	self->in = 1;
}

pid$target:libc.so.6:access:return
/self->in/
{
	@[probefunc, (int)arg1] = count();
	self->in = 0;
}

END
{
	printa("%s %d %@d\n", @);
}
