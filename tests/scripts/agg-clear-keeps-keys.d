#!/usr/sbin/dtrace -s
/*
 * agg-clear-keeps-keys.d: clear() sets values to 0 and keeps keys; counting
 * goes on from there.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: [" ".join(r) for r in rows] == ["a 1 b 2", "a 0 b 0", "a 1 b 0"]
 */

#pragma D option quiet
#pragma D option aggsortkey

BEGIN
{
	@["a"] = count();
	@["b"] = count();
	@["b"] = count();
}

tick-100ms
{
	n++;
}

tick-100ms
/n == 1/
{
	printa("%s %@d ", @);
	printf("\n");
	clear(@);
	printa("%s %@d ", @);
	printf("\n");
}

/* Well after the line above has been printed and the values cleared. */
tick-100ms
/n == 8/
{
	@["a"] = count();
	exit(0);
}

END
{
	printa("%s %@d ", @);
	printf("\n");
}
