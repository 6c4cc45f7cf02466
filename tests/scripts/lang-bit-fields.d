#!/usr/sbin/dtrace -s
/*
 * lang-bit-fields.d: bit fields of a structure that a program writes, signed
 * and not.
 *
 * @@load: prog types_dwarf5
 * @@truth: output
 * @@check: out.split() == "5 -3 5 1 7 123456789a abcdef".split()
 */

#pragma D option quiet

struct bits {
	unsigned low : 3;
	unsigned : 2;
	signed mid : 7;
	int colour : 4;
	_Bool flag : 1;
	unsigned char byte;
	uint64_t wide : 40;
	uint64_t rest : 24;
};

syscall::write:entry
/pid == $target && (int)arg0 == -2/
{
	this->b = (struct bits *)copyin(arg1, sizeof (struct bits));
	printf("%u %d %d %d %u %x %x\n", this->b->low, this->b->mid,
	    this->b->colour, this->b->flag, this->b->byte, this->b->wide,
	    this->b->rest);
}
