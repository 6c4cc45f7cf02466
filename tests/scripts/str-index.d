#!/usr/sbin/dtrace -s
/*
 * str-index.d: where one text is in another, from either end and from places
 * within.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: [int(w) for w in out.split()] == (lambda s: [s.find("na"),
 *     s.find("na", 3), s.find("na", 5), s.find("x"), s.rfind("na"),
 *     s.rfind("na", 0, 3 + 2), s.find(""), s.rfind("ban")])("banana")
 */

#pragma D option quiet

BEGIN
{
	s = "banana";
	printf("%d %d %d %d ", index(s, "na"), index(s, "na", 3),
	    index(s, "na", 5), index(s, "x"));
	printf("%d %d %d %d\n", rindex(s, "na"), rindex(s, "na", 3),
	    index(s, ""), rindex(s, "ban"));
	exit(0);
}
