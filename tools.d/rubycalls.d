#!/usr/sbin/dtrace -s
/*
 * rubycalls: methods of a Ruby program, by class, with their calls
 *
 * The program is named with -p PID or -c COMMAND.
 * Ruby tells of methods that are written in C; of those in Ruby only in a
 * program in which a TracePoint for :call has been enabled.
 */
#pragma D option quiet
#pragma D option zdefs

ruby$target:::method-entry,
ruby$target:::cmethod-entry
{
	@[copyinstr(arg0), copyinstr(arg1)] = count();
}

END
{
	printf("%-32s %-32s %10s\n", "CLASS", "METHOD", "CALLS");
	printa("%-32s %-32s %@10d\n", @);
}
