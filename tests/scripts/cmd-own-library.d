#!/usr/sbin/dtrace -s
/*
 * cmd-own-library.d: A library of one's own: constants and inline functions
 * that scripts then have.
 *
 * @@load: sh :
 * @@how: self
 * @@args: -w
 * @@truth: output
 * @@check: out.split() == ["42", "84", "tall"]
 */

#pragma D option quiet

BEGIN
{
	system("mkdir lib; echo 'inline int answer = 42;' > lib/own.d");
	system("echo 'inline int twice[int n] = 2 * n;' >> lib/own.d");
	system("echo 'inline string height[int n] =' >> lib/own.d");
	system("echo 'n > 40 ? \"tall\" : \"low\";' >> lib/own.d");
	system("echo 'BEGIN { trace(answer); trace(\" \");' > use.d");
	system("echo 'trace(twice[answer]); trace(\" \");' >> use.d");
	system("echo 'trace(height[answer]); exit(0); }' >> use.d");
	system("/proc/%d/exe -L lib -qs use.d", $pid);
	exit(0);
}
