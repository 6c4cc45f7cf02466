#!/usr/sbin/dtrace -s
/*
 * cmd-output-file.d: what -o names gets the output, after what was in it.
 *
 * @@load: sh :
 * @@how: self
 * @@args: -w
 * @@truth: output
 * @@check: open("log").read().split() == ["old", "new", "newer"]
 */

#pragma D option quiet

BEGIN
{
	system("echo old > log");
	system("echo 'BEGIN { trace($$1); exit(0); }' > s.d");
	system("/proc/%d/exe -q -o log -s s.d new", $pid);
	system("/proc/%d/exe -q -o log -s s.d newer", $pid);
	printf("written\n");
	exit(0);
}
