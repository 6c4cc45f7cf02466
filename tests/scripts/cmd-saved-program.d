#!/usr/sbin/dtrace -s
/*
 * cmd-saved-program.d: A program that is compiled, saved, and run later from
 * the file.
 *
 * @@load: sh :
 * @@how: self
 * @@args: -w
 * @@truth: output
 * @@check: out.split() == [str(sum(range(5)))]
 */

#pragma D option quiet

BEGIN
{
	system("echo 'BEGIN { trace(1 + 2 + 3 + 4); exit(0); }' > s.d");
	system("/proc/%d/exe -x linktype=dof -o p.dof -s s.d; rm s.d", $pid);
	system("/proc/%d/exe -q -s p.dof", $pid);
	exit(0);
}
