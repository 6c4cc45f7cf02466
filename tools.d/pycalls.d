#!/usr/sbin/dtrace -s
/*
 * pycalls: functions of a Python program, by file, with their calls
 *
 * The program is named with -p PID or -c COMMAND.
 * A call is counted as it returns: Python 3.11 has no probe at the entry of
 * most.
 *
 * Needs an interpreter that was built with --with-dtrace.
 */
#pragma D option quiet
#pragma D option zdefs

python$target:::function-return
{
	@[copyinstr(arg0), copyinstr(arg1)] = count();
}

END
{
	printf("%-40s %-28s %10s\n", "FILE", "FUNCTION", "CALLS");
	printa("%-40s %-28s %@10d\n", @);
}
