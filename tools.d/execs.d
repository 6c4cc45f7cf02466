#!/usr/sbin/dtrace -s
/*
 * execs [PROGRAM]: programs as they start, with their arguments
 *
 * PROGRAM selects those of that name.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-20s %8s %8s  %s\n", "TIME", "PID", "PARENT", "COMMAND");
}

proc:::exec-success
/$$1 == "" || execname == $$1/
{
	printf("%-20Y %8d %8d  %s\n", walltimestamp, pid, ppid, execargs);
}
