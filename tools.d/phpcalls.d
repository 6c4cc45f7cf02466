#!/usr/sbin/dtrace -s
/*
 * phpcalls: functions of a PHP program, with their calls
 *
 * The program is named with -p PID or -c COMMAND.
 *
 * Needs PHP that was built with --enable-dtrace, and USE_ZEND_DTRACE=1 in its
 * environment.
 */
#pragma D option quiet
#pragma D option zdefs

php$target:::function-entry
{
	@[copyinstr(arg0)] = count();
}

END
{
	printf("%-48s %10s\n", "FUNCTION", "CALLS");
	printa("%-48s %@10d\n", @);
}
