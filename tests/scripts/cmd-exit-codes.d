#!/usr/sbin/dtrace -s
/*
 * cmd-exit-codes.d: statuses of the command: of exit(), of a mistake in a
 * program, of a probe that is not there, of a wrong option.
 *
 * @@load: sh :
 * @@how: self
 * @@args: -w
 * @@truth: output
 * @@check: out.split() == ["0", "3", "1", "1", "2"]
 */

#pragma D option quiet

BEGIN
{
	system("ln -s /proc/%d/exe d; exec 2> /dev/null", $pid);
	system("./d -qn 'BEGIN { exit(0); }' > o; echo $?");
	system("./d -qn 'BEGIN { exit(3); }' > o; echo $?");
	system("./d -qn 'BEGIN { nosuch + ); }' > o 2>&1; echo $?");
	system("./d -n nosuch:::probe > o 2>&1; echo $?");
	system("./d -Y > o 2>&1; echo $?");
	exit(0);
}
