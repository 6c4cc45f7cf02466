#!/usr/sbin/dtrace -s
/*
 * spec-none-left.d: with one speculation at a time a second one is 0, and what
 * is asked of it changes nothing.
 *
 * @@load: sh :
 * @@how: self
 * @@args: -x nspec=1
 * @@err: no speculative buffer
 * @@truth: output
 * @@check: out.split() == ["first", "1", "second", "0", "kept"]
 */

#pragma D option quiet

BEGIN
{
	a = speculation();
	b = speculation();
	printf("first %d\nsecond %d\n", a != 0, b);
}

BEGIN
{
	speculate(a);
	printf("kept\n");
}

BEGIN
{
	speculate(b);
	printf("lost\n");
}

BEGIN
{
	commit(b);
}

BEGIN
{
	commit(a);
}

BEGIN
{
	exit(0);
}
