#!/usr/sbin/dtrace -s
/*
 * cmd-probe-list.d: the list of a description's probes has each probe once, by
 * its names.
 *
 * @@load: sh :
 * @@how: self
 * @@args: -w
 * @@truth: output
 * @@check: rows == [["getpriority", "entry"], ["getpriority", "return"]]
 */

#pragma D option quiet

BEGIN
{
	system("/proc/%d/exe -l -n syscall::getpriority: > list", $pid);
	system("awk 'NR > 1 { print $(NF - 1), $NF }' list");
	exit(0);
}
