#!/usr/sbin/dtrace -s
/*
 * ticks.d: a report at each fifth of a second, five times, then the end.
 *
 * @@load: toil burn 100
 * @@truth: output
 * @@how: self
 * @@check: column("report") == [1, 2, 3, 4, 5] and lines[-1] != "" or lines[-2].startswith("end")
 * @@check: n("end") == 5
 */

#pragma D option quiet

int i;

dtrace:::BEGIN
{
	printf("Five reports\n");
}

profile:::tick-200ms
{
	printf("report %d\n", ++i);
}

profile:::tick-200ms
/i == 5/
{
	exit(0);
}

dtrace:::END
{
	printf("end %d\n", i);
}
