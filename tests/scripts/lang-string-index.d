#!/usr/sbin/dtrace -s
/*
 * lang-string-index.d: A string is read by index and by offset, as a char *
 * is.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: out.split() == [str(ord(c)) for c in "dtrace.d"] + ["dtrace.d"[2:],
 *     "dtrace.d"[7:], "dot"]
 */

#pragma D option quiet

BEGIN
{
	s = "dtrace.d";
	printf("%d %d %d %d %d %d %d %d\n", s[0], s[1], s[2], s[3], s[4], s[5],
	    s[6], s[7]);
	printf("%s %s\n", stringof(s + 2), stringof(&s[7]));
	printf("%s\n", s[6] == '.' ? "dot" : "none");
	exit(0);
}
