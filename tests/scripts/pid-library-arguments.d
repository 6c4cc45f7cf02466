#!/usr/sbin/dtrace -s
/*
 * pid-library-arguments.d: texts that a program gives to a function of libc,
 * and what that returns.
 *
 * @@load: py import ctypes; l = ctypes.CDLL(None); [l.atoi(b"%d" % (i * i -
 *     40)) for i in range(12)]
 * @@truth: output
 * @@check: rows == [[f"atoi(\"{v}\")", "=", str(v)] for v in (i * i - 40 for i
 *     in range(12))]
 */

#pragma D option quiet

pid$target:libc.so.6:atoi:entry
{
	self->text = arg0;
}

pid$target:libc.so.6:atoi:return
/self->text/
{
	printf("%s(\"%s\") = %d\n", probefunc, copyinstr(self->text), (int)arg1);
	self->text = 0;
}
