#!/usr/sbin/dtrace -s
/*
 * usdt-structure.d: A structure that a probe points at, read member by member
 * from the program.
 *
 * @@load: prog usdtapp 7 0 quiet
 * @@truth: output
 * @@check: rows == [[str(i), str(2 * (i + 5)), ("/even", "/odd")[i % 2]] for i
 *     in range(7)]
 */

#pragma D option quiet

struct req {
	int id;
	int len;
	uintptr_t path;
};

usdtapp$target:::request-done
{
	this->r = (struct req *)copyin(arg0, sizeof (struct req));
	printf("%d %d %s\n", this->r->id, 2 * this->r->len,
	    copyinstr(this->r->path));
}
