#!/usr/sbin/dtrace -s
/*
 * lang-struct-copyin.d: A structure that a program writes is read by its
 * members with the script's own declaration of it.
 *
 * @@load: prog known data
 * @@truth: output
 * @@check: out.split() == ["-7", "w", "d", "record", str(ord("record"[3])),
 *     str(sum((0, 1, 2, 3, 0x41, 0x42, 0x7f, 0x80))),
 *     str(__import__("struct").calcsize("=dfi4i8s16B"))]
 */

#pragma D option quiet

struct record {
	double d;
	float f;
	int32_t i;
	int wide[4];
	char text[8];
	uint8_t bytes[16];
};

syscall::write:entry
/pid == $target && arg2 == sizeof (struct record)/
{
	this->r = (struct record *)copyin(arg1, arg2);
	printf("%d %c %c %s %d %d %d\n", this->r->i, this->r->wide[0],
	    this->r->wide[2], stringof(this->r->text), this->r->text[3],
	    this->r->bytes[0] + this->r->bytes[1] + this->r->bytes[2] +
	    this->r->bytes[3] + this->r->bytes[4] + this->r->bytes[5] +
	    this->r->bytes[6] + (int)this->r->bytes[7], sizeof (*this->r));
}
