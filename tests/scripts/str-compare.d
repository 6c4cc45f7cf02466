#!/usr/sbin/dtrace -s
/*
 * str-compare.d: texts are compared by their bytes, in a sorting network of
 * three.
 *
 * @@load: prog known seq:6
 * @@truth: output
 * @@check: rows == [sorted(p) for p in [("pear", "apple", "fig"), ("a", "aa",
 *     ""), ("b", "B", "a"), ("10", "9", "1"), ("x", "x", "w"), ("~", "z",
 *     "{")] for p in [[w or "-" for w in p]]]
 */

#pragma D option quiet

string a, b, c, t;

syscall::getpriority:entry
/pid == $target/
{
	a = arg1 == 0 ? "pear" : arg1 == 1 ? "a" : arg1 == 2 ? "b" :
	    arg1 == 3 ? "10" : arg1 == 4 ? "x" : "~";
	b = arg1 == 0 ? "apple" : arg1 == 1 ? "aa" : arg1 == 2 ? "B" :
	    arg1 == 3 ? "9" : arg1 == 4 ? "x" : "z";
	c = arg1 == 0 ? "fig" : arg1 == 1 ? "-" : arg1 == 2 ? "a" :
	    arg1 == 3 ? "1" : arg1 == 4 ? "w" : "{";
	t = a > b ? a : b;
	a = a > b ? b : a;
	b = t;
	t = b > c ? b : c;
	b = b > c ? c : b;
	c = t;
	t = a > b ? a : b;
	a = a > b ? b : a;
	b = t;
	printf("%s %s %s\n", a, b, c);
}
