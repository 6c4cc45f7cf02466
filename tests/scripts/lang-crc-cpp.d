#!/usr/sbin/dtrace -s
/*
 * lang-crc-cpp.d: the checksum of a text, by macros of the preprocessor, is
 * zlib's.
 *
 * @@load: sh :
 * @@how: self
 * @@args: -C
 * @@needs: cmd:cpp
 * @@truth: output
 * @@check: out.split() == ["%08x" % __import__("zlib").crc32(t) for t in
 *     (b"dtrace", b"abc123")]
 */

#pragma D option quiet

#define BIT(c)	((c) & 1 ? ((c) >> 1) ^ 0xedb88320U : (c) >> 1)
#define BITS4()	crc = BIT(crc); crc = BIT(crc); crc = BIT(crc); crc = BIT(crc)
#define BYTE(b)	crc ^= (uint32_t)(b); BITS4(); BITS4()
#define WORD(s)	crc = 0xffffffffU; BYTE((s)[0]); BYTE((s)[1]); BYTE((s)[2]); \
	BYTE((s)[3]); BYTE((s)[4]); BYTE((s)[5]); \
	printf("%08x\n", crc ^ 0xffffffffU)

uint32_t crc;
string text;

BEGIN
{
	text = "dtrace";
	WORD(text);
}

BEGIN
{
	text = "abc123";
	WORD(text);	// and nothing after it
	exit(0);
}
