#!/usr/sbin/dtrace -s
/*
 * A #! line is skipped when the file is given with -s.
 * @@args: -q
 */
BEGIN
{
	printf("ok\n");
	exit(0);
}
