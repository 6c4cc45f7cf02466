#!/usr/sbin/dtrace -s
/*
 * opt-rates.d: rates with and without units, beyond their limits, as old
 * scripts have them.
 *
 * @@load: prog known seq:25
 * @@truth: output
 * @@check: n("marks") == 25
 */

#pragma D option quiet
#pragma D option switchrate=10
#pragma D option cleanrate=3000
#pragma D option aggrate=10ms
#pragma D option statusrate=1nsec
#pragma D option bufsize=16m
#pragma D option dynvarsize=2m

syscall::getpriority:entry
/pid == $target/
{
	@ = count();
}

END
{
	printa("marks %@d\n", @);
}
