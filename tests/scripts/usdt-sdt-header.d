#!/usr/sbin/dtrace -s
/*
 * usdt-sdt-header.d: probes that only <sys/sdt.h> makes: six arguments in
 * registers, in memory, and as numbers.
 *
 * @@load: prog sdtapp 5 0 quiet
 * @@truth: output
 * @@check: rows == [[str(i), ("zero", "one", "two")[i % 3], str((250 + i) %
 *     256), str(i - 100), "7", "-5"] for i in range(5)]
 */

#pragma D option quiet

sdtapp$target:::forms
{
	printf("%d %s %d %d %d %d\n", arg0, copyinstr(arg1), arg2, arg3, arg4,
	    arg5);
}
