#!/usr/sbin/dtrace -s
/*
 * str-cut-and-join.d: substr(), strjoin() and strlen() of one text are perl's.
 *
 * @@load: sh :
 * @@how: self
 * @@needs: cmd:perl
 * @@truth: output
 * @@check: out.split("\n")[0] == os.popen("perl -e '$s = \"dynamic tracing\";
 *     print join \"|\", substr($s, 8), substr($s, 0, 7), substr($s, 8, 5),
 *     substr($s, -7), substr($s, -7, 3), length $s, \"a\" . $s'").read()
 */

#pragma D option quiet

BEGIN
{
	s = "dynamic tracing";
	printf("%s|%s|%s|%s|%s|%d|%s\n", substr(s, 8), substr(s, 0, 7),
	    substr(s, 8, 5), substr(s, -7), substr(s, -7, 3), strlen(s),
	    strjoin("a", s));
	exit(0);
}
