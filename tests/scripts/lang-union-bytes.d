#!/usr/sbin/dtrace -s
/*
 * lang-union-bytes.d: A union shows a number as its bytes, lowest first.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: out.split() == ["%02x" % b for b in (0xcafe1234).to_bytes(4,
 *     "little")] + ["1234", "cafe"]
 */

#pragma D option quiet

union word {
	uint32_t whole;
	uint16_t halves[2];
	uint8_t bytes[4];
};

BEGIN
{
	this->w = (union word *)alloca(sizeof (union word));
	this->w->whole = 0xcafe1234;
	printf("%02x %02x %02x %02x %04x %04x\n", this->w->bytes[0],
	    this->w->bytes[1], this->w->bytes[2], this->w->bytes[3],
	    this->w->halves[0], this->w->halves[1]);
	exit(0);
}
