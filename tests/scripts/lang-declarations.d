#!/usr/sbin/dtrace -s
/*
 * lang-declarations.d: declarations without a type, and extern ones, are int.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: [int(w) for w in out.split()] == [__import__("struct").calcsize(t)
 *     for t in "iiiiih"] + [3 + 4 + 5]
 */

#pragma D option quiet

self x;
this y;
extern z;
self a, b;
short c;

BEGIN
{
	self->x = 3;
	this->y = 4;
	z = 5;
	self->a = 1;
	self->b = 2;
	c = 1;
	printf("%d %d %d %d %d %d %d\n", sizeof (self->x), sizeof (this->y),
	    sizeof (z), sizeof (self->a), sizeof (self->b), sizeof (c),
	    self->x + this->y + z);
	exit(0);
}
