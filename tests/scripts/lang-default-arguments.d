#!/usr/sbin/dtrace -s
/*
 * lang-default-arguments.d: operands that are not given are 0 and empty, so a
 * script has defaults.
 *
 * @@load: sh :
 * @@how: self
 * @@args: -x defaultargs
 * @@operands: 5
 * @@truth: output
 * @@check: out.split() == ["5", "10", "all", "0"]
 */

#pragma D option quiet

inline int limit = $1 ? $1 : 100;
inline int rate = $2 ? $2 : 10;

BEGIN
{
	name = $$3 == "" ? "all" : $$3;
	printf("%d %d %s %d\n", limit, rate, name, strlen($$3));
	exit(0);
}
