#!/usr/sbin/dtrace -s
/*
 * ooms: processes that the kernel kills because memory is short
 *
 * CALLED BY is the program that wanted memory, and KILLED the process that was
 * killed for it.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-20s %-16s %8s\n", "TIME", "CALLED BY", "KILLED");
}

sdt:::mark_victim
{
	printf("%-20Y %-16s %8d\n", walltimestamp, execname, (int)arg0);
}
