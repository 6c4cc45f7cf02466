#!/usr/sbin/dtrace -s
/*
 * allocations: bytes that a process allocates, by stack
 *
 * The program is named with -p PID or -c COMMAND.
 * The 20 stacks with the most bytes are shown.
 */
#pragma D option quiet
#pragma D option defaultargs

pid$target:libc.so.6:malloc:entry
{
	@bytes[ustack(8)] = sum(arg0);
	@all = quantize(arg0);
}

END
{
	trunc(@bytes, 20);
	printa("%k%@16d bytes\n\n", @bytes);
	printa("sizes%@d\n", @all);
}
