#!/usr/sbin/dtrace -s
/*
 * rubycalls: methods of a Ruby program, by class, with their calls
 *
 * The program is named with -p PID or -c COMMAND.
 * Only methods that are written in Ruby are counted, and since Ruby 2.5 only in
 * a program in which a TracePoint for :call has been enabled.  The probe of
 * methods in C is not used: it sometimes crashes Ruby 3.1 (cmethod-entry).
 *
 * Needs Ruby that was built with --enable-dtrace, as those of distributions
 * are.
 */
#pragma D option quiet
#pragma D option zdefs

ruby$target:::method-entry
{
	@[copyinstr(arg0), copyinstr(arg1)] = count();
}

END
{
	printf("%-32s %-32s %10s\n", "CLASS", "METHOD", "CALLS");
	printa("%-32s %-32s %@10d\n", @);
}
