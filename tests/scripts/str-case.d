#!/usr/sbin/dtrace -s
/*
 * str-case.d: toupper() and tolower() of letters, digits and signs.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: lines[:2] == os.popen("echo 'Hello, World 42 [z]' | tr a-z A-Z;
 *     echo 'Hello, World 42 [Z]' | tr A-Z a-z").read().split("\n")[:2]
 */

#pragma D option quiet

BEGIN
{
	printf("%s\n%s\n", toupper("Hello, World 42 [z]"),
	    tolower("Hello, World 42 [Z]"));
	exit(0);
}
