#!/usr/sbin/dtrace -s
/*
 * str-search.d: strchr(), strrchr() and strstr() give the rest from there, or
 * nothing.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: lines[:4] == (lambda p: [p[p.index("/", 1):], p[p.rindex("/"):],
 *     p[p.index("lib"):], "none"])("usr/lib/libc.so")
 */

#pragma D option quiet

BEGIN
{
	p = "usr/lib/libc.so";
	printf("%s\n%s\n%s\n", strchr(p, '/'), strrchr(p, '/'),
	    strstr(p, "lib"));
	printf("%s\n", strstr(p, "bin") == NULL ? "none" : "some");
	exit(0);
}
