#!/usr/sbin/dtrace -s
/*
 * funccount FUNCTION: how often functions of a program are called
 *
 * The program is named with -p PID or -c COMMAND.
 * FUNCTION may be a pattern, such as 'str*'; libraries count, too.
 */
#pragma D option quiet

pid$target::$1:entry
{
	@[probemod, probefunc] = count();
}

END
{
	printf("%-24s %-32s %10s\n", "FILE", "FUNCTION", "CALLS");
	printa("%-24s %-32s %@10d\n", @);
}
