#!/usr/sbin/dtrace -s
/*
 * lang-sizes.d: sizes of the basic types, of expressions and of strings.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: [int(w) for w in out.split()] == [__import__("struct").calcsize(t)
 *     for t in ("b", "h", "i", "l", "q", "P", "d", "f", "i", "q")] +
 *     [len("hello") + 1, __import__("struct").calcsize("10i"), 256]
 */

#pragma D option quiet

int tens[10];

BEGIN
{
	printf("%d %d %d %d %d %d %d %d\n", sizeof (char), sizeof (short),
	    sizeof (int), sizeof (long), sizeof (long long), sizeof (void *),
	    sizeof (double), sizeof (float));
	printf("%d %d %d %d\n", sizeof (1 + 1), sizeof (1LL + 1),
	    sizeof ("hello"), sizeof (int [10]));
	printf("%d\n", sizeof (string));
	exit(0);
}
