#!/usr/sbin/dtrace -s
/*
 * lang-constants.d: integers in three bases, with suffixes, characters and
 * their escapes.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: [int(w) for w in out.split()] == [255, 0o377, 0xff, 0xffffffff, (1
 *     << 64) - 1, ord("A"), ord("\n"), ord("\t"), 0o101, 0x41,
 *     int.from_bytes(b"ab", "big")]
 */

#pragma D option quiet

BEGIN
{
	printf("%d %d %d %u %u\n", 255, 0377, 0xff, 0xFFFFFFFFu,
	    18446744073709551615ull);
	printf("%d %d %d %d %d %d\n", 'A', '\n', '\t', '\101', '\x41', 'ab');
	exit(0);
}
