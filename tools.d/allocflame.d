#!/usr/sbin/dtrace -s
/*
 * allocflame: stacks for a flame graph of the bytes that a process allocates
 *
 * The program is named with -p PID or -c COMMAND.
 * Bytes count when malloc() is called, whether or not they are freed later.
 *
 * dtrace --flame=alloc -t 10s -o out.html runs it, and makes the page.
 */
#pragma D option quiet
#pragma D option ustackframes=127
#pragma D option demangle

pid$target:libc.so.6:malloc:entry
{
	@bytes[execname, ustack()] = sum(arg0);
}

END
{
	printa("%s%k%@16d\n\n", @bytes);
}
