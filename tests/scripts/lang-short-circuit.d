#!/usr/sbin/dtrace -s
/*
 * lang-short-circuit.d: &&, || and ?: leave out what they do not need: nothing
 * is assigned there.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: out.split() == ["0", "3", "01"]    # as perl's and C's
 */

#pragma D option quiet

BEGIN
{
	n = 0;
	0 && n++;
	1 || n++;
	1 ? 0 : n++;
	printf("%d\n", n);
	1 && n++;
	0 || n++;
	0 ? 0 : n++;
	printf("%d\n", n);
	printf("%d%d\n", 1 ^^ 5, 1 ^^ 0);
	exit(0);
}
