#!/usr/sbin/dtrace -s
/*
 * fmt-print-structure.d: print() writes a structure's members by name, by the
 * script's types.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: [int(v, 0) for v in find(r"\b[xyz] = (-?\w+)")] == [-3 & 0xffff,
 *     70000, 65]
 * @@check: count(r"struct place") == 1
 */

#pragma D option quiet

struct place {
	short x;
	int y;
	long z;
};

BEGIN
{
	this->p = (struct place *)alloca(sizeof (struct place));
	this->p->x = -3;
	this->p->y = 70000;
	this->p->z = 65;
	print(*this->p);
	exit(0);
}
