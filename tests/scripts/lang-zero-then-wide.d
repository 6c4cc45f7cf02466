#!/usr/sbin/dtrace -s
/*
 * lang-zero-then-wide.d: A variable that is 0 at first keeps all 64 bits of
 * what it gets later, in each of the four scopes.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: [r[0] for r in rows] == ["global", "self", "this", "array"]
 * @@check: {r[1] for r in rows} == {"1"}
 * @@check: {int(r[2]) for r in rows} == {(0x123456789abcdef + 4294967296) %
 *     1000003}
 */

#pragma D option quiet

BEGIN
{
	total = 0;
	self->total = 0;
	this->total = 0;
	totals["a"] = 0;
}

BEGIN
{
	total = 0x123456789abcdef;
	self->total = total;
	this->total = total;
	totals["a"] = total;
	total += 4294967296;
	self->total += 4294967296;
	this->total += 4294967296;
	totals["a"] += 4294967296;
	wide = 0x123456789abcdef + 4294967296;
	printf("global %d %d\n", total == wide, total % 1000003);
	printf("self %d %d\n", self->total == wide, self->total % 1000003);
	printf("this %d %d\n", this->total == wide, this->total % 1000003);
	printf("array %d %d\n", totals["a"] == wide, totals["a"] % 1000003);
	exit(0);
}
